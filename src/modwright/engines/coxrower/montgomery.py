# SPDX-License-Identifier: Apache-2.0
"""Constants of RNS Montgomery multiplication on a cox-rower.

The multiplication follows Algorithm 3 of Djath, Bigou and Tisserand 2019 (Posch and Posch 1995), with its products
reordered as in Gandino et al. 2012, so that a reduction takes 2n² + 2n of them for KBE. Operands and results are
x·A mod P; in base B they are stored as hats, <x·T_b>:

    q̂_a = <x_a·y_a·(-P^-1·T_a)>                    the hats of Q in A
    ŝ_b = <x̂_b·ŷ_b·(A·T_b)^-1 + Q·P·A^-1·T_b>       the hats of S in B; Q is extended without its own residues
    s_a = <Σ Ŝ_i·B/B_i - h·B>                      S in A

With roots r_a² = -P^-1·T_a modulo a (`rns.roots`), residues in A are stored times r_a: then q̂_a = <x_a·y_a>. With
roots r_b² = A^-1·T_b in B, too, those in B are stored times r_b instead of T_b: then ŝ_b = <x_b·y_b + Q·P·A^-1·T_b>,
and ŝ_b·r_b/T_b is stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...contract import Field, PayloadValue
from ...contract.representation import NamedChannels
from ...contract.roles import Operand, Residues, Result
from ...rns import Base
from ...rns.extension import Extension, Reduction
from .bases import OnTwoBases
from .engine import CoxrowerEngine

LAYOUT = "the factor is A: n residues in A, then n in B, scaled by T_b"
"""Description of a number in both bases."""
HATS_OF_B = "T_b = (B/b)^-1 mod b"
"""Formula of what residues in B are stored times where they are hats."""


@dataclass(frozen=True)
class Multiplication(OnTwoBases):
    """Bases, cox-rower and operands of a multiplication.

    Parameters
    ----------
    reduction : Reduction
        Reduction modulo P, with both extensions.
    target, latency, rowers, local
        See `OnTwoBases`.
    """

    reduction: Reduction

    @property
    def modulus(self) -> int:
        """Modulus P."""
        return self.reduction.modulus

    @property
    def first(self) -> Extension:
        """The extension of Q."""
        return self.reduction.first

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Names of the operands whose products are summed; the first pair is x and y."""
        numbers = ["", *(str(k) for k in range(2, self.reduction.products + 1))]
        return [(f"x{k}", f"y{k}") for k in numbers]

    @property
    def bound(self) -> int:
        """Exclusive bound of operands and result, as integers."""
        return self.reduction.bound

    @cached_property
    def base(self) -> Base:
        """A and B together, in the order of the payload."""
        return Base(self.width, (*self.A.u, *self.B.u))

    @property
    def roots(self) -> tuple[int, ...]:
        """Roots by which residues in A are stored; none where they are stored as they are."""
        return ()

    @property
    def second_roots(self) -> tuple[int, ...]:
        """Roots by which residues in B are stored; none where they are stored as hats."""
        return ()

    @cached_property
    def scale(self) -> tuple[int, ...]:
        """Factors of stored residues: a root or 1 in A, a root or T_b in B."""
        return (*(self.roots or (1,) * self.n), *(self.second_roots or self.B.inverses))

    @cached_property
    def engine(self) -> CoxrowerEngine:
        """The cox-rower."""
        return self.cox_rower()

    def cox_rower(
        self,
        extensions: int = 2,
        more: Sequence[tuple[int, ...]] = (),
        *,
        file: int = 0,
        sums_of_kept: int = 0,
        guest: bool = False,
        converts: bool = False,
        signed: int = 0,
        blocks: bool = False,
    ) -> CoxrowerEngine:
        """A cox-rower of a multiplication.

        Parameters
        ----------
        extensions : int
            Number of extensions, 1 where the hats of S are the result, else 2.
        more : sequence of tuple of int
            Factors of other operations.
        file, sums_of_kept, guest, converts, signed, blocks
            Parameters of the engine, for other operations.
        """
        A, B, P = self.A, self.B, self.modulus
        first, second = self.reduction.first, self.reduction.second
        pairs = list(zip(B.inverses, B.moduli, strict=True))
        q = tuple(t * k % a for t, k, a in zip(A.inverses, self.reduction.minus_inverse, A.moduli, strict=True))
        s = tuple(pow(A.product * t, -1, b) for t, b in pairs)
        if self.second_roots:
            s = tuple(r * pow(t, -1, b) % b for r, (t, b) in zip(self.second_roots, pairs, strict=True))
        into_b = tuple(tuple(P * t * pow(row, -1, b) % b for row in first.super_moduli) for t, b in pairs)
        back = list(zip(self.scale[: self.n], A.moduli, strict=True))
        into_a = tuple(tuple(B.product // row * r % a for row in second.super_moduli) for r, a in back)
        corrections = (tuple(-P * t % b for t, b in pairs), tuple(-B.product * r % a for r, a in back))
        return CoxrowerEngine(
            (A, B),
            (first, second)[:extensions],
            ((s, *more) if self.roots else (q, s, *more)),
            (into_b, into_a)[:extensions],
            corrections[:extensions],
            self.target,
            self.latency + int(self.local),
            operands=2,
            initial=True,
            products=self.reduction.products,
            rowers=self.rowers or self.n,
            sums_of_kept=sums_of_kept,
            file=file,
            local=self.local,
            guest=guest,
            converts=converts,
            signed=signed,
            blocks=blocks,
        )

    def hats(self, operands: Mapping[str, PayloadValue]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Hats of Q in A and of S in B of one product, or sum of products, as the rowers compute them."""
        engine, n = self.engine, self.n
        sums = [0] * (2 * n)
        for first, second in self.pairs:
            x, y = operands[first], operands[second]
            assert isinstance(x, tuple)
            assert isinstance(y, tuple)
            sums = [total + a * b for total, a, b in zip(sums, x, y, strict=True)]
        in_a, first_of_s = engine.reduce(0, sums[:n]), sums[n:]
        q = in_a if self.roots else engine.reduce(0, [a * k for a, k in zip(in_a, engine.factors[0], strict=True)])
        if not self.second_roots:
            first_of_s = [b * k for b, k in zip(engine.reduce(1, first_of_s), self._last_factor, strict=True)]
        return q, engine.extend(0, q, first_of_s)

    @property
    def _last_factor(self) -> tuple[int, ...]:
        """The factor in B: of the product x·y, or of the hats of S before they are stored."""
        return self.engine.factors[0 if self.roots else 1]

    def stored(self, hats: tuple[int, ...]) -> tuple[int, ...]:
        """The result in B from the hats of S."""
        if not self.second_roots:
            return hats
        return self.engine.reduce(1, [s * k for s, k in zip(hats, self._last_factor, strict=True)])

    # --- operands and result

    @property
    def domain(self) -> Residues:
        """Residues in both bases, with the Montgomery factor A."""
        return Residues(self.base, tuple(self.scale), self.A.product % self.modulus, self._parts)

    @property
    def _parts(self) -> tuple[NamedChannels, ...]:
        """A, then B, with names of what residues are stored times."""
        root, second = "r_a, a root of -T_a/P mod a", "r_b, a root of T_b/A mod b"
        return (
            NamedChannels("A", self.n, root if self.roots else ""),
            NamedChannels("B", self.n, second if self.second_roots else HATS_OF_B),
        )

    def operand_field(self, name: str, *, optional: bool = False) -> Field:
        """An operand in both bases."""
        return self._field(Operand(name, self.domain, self.bound, optional=optional))

    def result_field(self, formula: str) -> Field:
        """The result in both bases."""
        return self._field(Result("z", self.domain, self.bound, formula))

    def _field(self, role: Operand | Result) -> Field:
        return Field(role.name, self.width, 2 * self.n, role=role, more=LAYOUT)
