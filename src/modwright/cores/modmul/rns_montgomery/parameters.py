# SPDX-License-Identifier: Apache-2.0
"""Constants of RNS Montgomery multiplication on a cox-rower.

The multiplication follows Algorithm 3 of Djath, Bigou and Tisserand 2019 (Posch and Posch 1995), with its products
reordered as in Gandino et al. 2012, so that a reduction takes 2n² + 2n of them for KBE. Operands and results are
x·A mod P; in base B they are stored as hats, <x·T_b>:

    q̂_a = <x_a·y_a·(-P^-1·T_a)>                    the hats of Q in A
    ŝ_b = <x̂_b·ŷ_b·(A·T_b)^-1 + Q·P·A^-1·T_b>       the hats of S in B; Q is extended without its own residues
    s_a = <Σ Ŝ_i·B/B_i - h·B>                      S in A
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.errors import UsageError
from ....base.json import Constant
from ....contract import Certificate, Field, Obligations, Payload, unchecked
from ....contract.obligation import owed_together
from ....contract.request import Request
from ....contract.roles import Operand, Residues, Result
from ....engines.coxrower.bases import (
    COX,
    OnTwoBases,
    describe,
    fewest,
    make_extension,
    modulus_of,
    rowers_of,
    sigma_of,
)
from ....engines.coxrower.engine import Engine
from ....engines.coxrower.obligations import built_folds
from ....engines.coxrower.options import local_of
from ....rns import Base
from ....rns.conversion import FromResidues
from ....rns.extension import NONE, Extension, Reduction, find_bases

CLASS, EXACT = "class", "exact"
"""The result of a multiplication: residues of an integer below λP, or the binary number below P."""

DIGIT = 54
"""Bits of the converter's digits: three blocks of 18 bits on ECP5."""


@dataclass(frozen=True)
class MultiplierParameters(OnTwoBases):
    """Every constant of one RNS Montgomery multiplier.

    Parameters
    ----------
    reduction : Reduction
        P and both extensions.
    target : str
        What the multiplier blocks are written for.
    latency : int
        Cycles of a multiply-accumulate, L.
    rowers : int, optional
        n when not given.
    exact : bool
        Whether the result is the binary number below P, and not residues. Then the second extension is left out.
    local : bool
        Whether rowers have copies of what is common; then a multiply-accumulate takes L + 1 cycles, a reduction F + 1.
    """

    reduction: Reduction
    target: str
    latency: int
    rowers: int | None = None
    exact: bool = False
    local: bool = False

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
    def formula(self) -> str:
        """The sum of products."""
        return " + ".join(f"{x}·{y}" for x, y in self.pairs)

    @property
    def bound(self) -> int:
        """Operands and result, as integers, are below it."""
        return self.reduction.bound

    @cached_property
    def base(self) -> Base:
        """A and B together, in the order of the payload."""
        return Base(self.width, (*self.A.u, *self.B.u))

    @cached_property
    def scale(self) -> tuple[int, ...]:
        """Factor that a residue is stored times: 1 in A, T_b in B."""
        return (*(1 for _ in range(self.n)), *self.B.inverses)

    @cached_property
    def engine(self) -> Engine:
        """The cox-rower."""
        A, B, P = self.A, self.B, self.modulus
        first, second = self.reduction.first, self.reduction.second
        pairs = list(zip(B.inverses, B.moduli, strict=True))
        q = tuple(t * k % a for t, k, a in zip(A.inverses, self.reduction.minus_inverse, A.moduli, strict=True))
        s = tuple(pow(A.product * t, -1, b) for t, b in pairs)
        into_b = tuple(tuple(P * t * pow(row, -1, b) % b for row in first.super_moduli) for t, b in pairs)
        into_a = tuple(tuple(B.product // row % a for row in second.super_moduli) for a in A.moduli)
        corrections = (tuple(-P * t % b for t, b in pairs), tuple(-B.product % a for a in A.moduli))
        used = 1 if self.exact else 2
        return Engine(
            (A, B),
            (first, second)[:used],
            (q, s),
            (into_b, into_a)[:used],
            corrections[:used],
            self.target,
            self.latency + int(self.local),
            operands=2,
            initial=True,
            products=self.reduction.products,
            rowers=self.rowers or self.n,
            local=self.local,
        )

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the exact estimate: of the second extension, or of the conversion."""
        exact = self.conversion.cox if self.exact else self.reduction.second.cox
        return owed_together((*built_folds(self.engine), exact.obligation()))

    @cached_property
    def conversion(self) -> FromResidues:
        """From the hats of S in B to z = S/A modulo P, binary."""
        factor = pow(self.A.product, -1, self.modulus)
        return FromResidues(self.B, self.modulus, self.bound, DIGIT, exact=True, factor=factor)

    @cached_property
    def certificate(self) -> Certificate:
        """All conditions, with slack."""
        more = self.conversion.inequalities() if self.exact else ()
        return Certificate((*self.reduction.inequalities(), *more))

    @property
    def domain(self) -> Residues:
        """Residues in both bases, with the Montgomery factor A."""
        return Residues(self.base, tuple(self.scale), self.A.product % self.modulus)

    def _residues(self, role: Operand | Result, what: str) -> Field:
        note = f"{what}: n residues in A, then n times T_b in B; any w-bit representatives"
        return Field(role.name, self.width, 2 * self.n, note=note, role=role)

    @cached_property
    def i(self) -> Payload:
        """Operands in both bases."""
        names = [name for pair in self.pairs for name in pair]
        roles = (Operand(name, self.domain, self.bound, optional=name not in ("x", "y")) for name in names)
        return Payload(tuple(self._residues(role, f"{role.name}·A mod P, below {self.bound:#x}") for role in roles))

    @cached_property
    def o(self) -> Payload:
        """Result in both bases, or the binary number."""
        if self.exact:
            note = f"{self.formula} mod P"
            z = Field("z", self.conversion.width, bound=self.modulus, note=note, role=Result("z"))
            return Payload((z, unchecked()))
        role = Result("z", self.domain, self.bound)
        return Payload((self._residues(role, f"z·A, z ≡ {self.formula} (mod P), below {self.bound:#x}"), unchecked()))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        first, second = self.reduction.first, self.reduction.second
        more = {"P": self.modulus, "bound": self.bound, "κ": self.reduction.products}
        more |= {"exact": self.exact, "E2": str(second.error), "σ2": str(second.sigma)}
        return more | describe(self.engine, first)


# --- from a request


def derive_multiplier(request: Request) -> MultiplierParameters:
    """The fewest moduli, then the fewest bits of the cox, for which the certificate holds."""
    modulus, options = modulus_of(request), request.options
    sigma = sigma_of(options["sigma"])
    if sigma == 0:
        raise UsageError("option sigma is of the second extension, which is exact: above 0", "such as 1/2")

    def derived(count: int) -> MultiplierParameters:
        A, B = find_bases(options["width"], count, coprime_to=modulus)
        second = make_extension(options, B, A, sigma)
        first = Extension(A, B, second.columns, second.f, 0, second.fed if options["first"] == COX else NONE)
        reduction = Reduction(modulus, first, second, options["kappa"])
        rowers, exact = rowers_of(options, count), options["output"] == EXACT
        return MultiplierParameters(
            reduction, request.target, options["latency"], rowers, exact, local=local_of(request)
        )

    return fewest(request, modulus.bit_length() + 2, derived)
