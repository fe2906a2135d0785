# SPDX-License-Identifier: Apache-2.0
"""Constants of hybrid position-residue multiplication (`rns.hybrid`) on a cox-rower.

Both bases have moduli of the rowers: those of A are 2^s times moduli of w - s bits, and values in A are held times
2^s. So A folds at w bits as B does, and B = 2^g·M leaves room for q.

    α_k, β_k    <z_k> in A and B, of coefficient k of the product of polynomials
    q̂_k         <T_b·M^-1·(z_k - r_k)> in B: z_k's part, and the extension of <α_k·T_a> with weights -T_b/A_i
    p_k         q_k in A, the extension of q̂_k
    s_k in A    α_k + p_(k-1) + t_(k-2) + e_k
    s_k in B    β_k - M·q_k + q_(k-1) - t_(k-1)·M + t_(k-2) + e_k
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ....base.errors import ParameterError
from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Obligations, Payload, first_certified, unchecked
from ....contract.obligation import owed_together
from ....contract.representation import NamedChannels
from ....contract.request import Request
from ....contract.roles import Coefficients, Operand, Result
from ....engines.coxrower.engine import CoxrowerEngine
from ....engines.coxrower.obligations import built_folds
from ....rns import Base
from ....rns.extension import SUM, Extension
from ....rns.hybrid import Hybrid, radix_of, smallest_base

BETA = 2
"""Constant β; a sum is doubled in the accumulator."""
MOST_SPARE = 6
"""Largest s that is tried."""
LEAST_WIDTH = 8
"""Least width of a modulus of A without its factor 2^s."""


class EvenBase(Base):
    """Moduli of A in the rowers: 2^s times co-prime ones."""

    def __post_init__(self) -> None:
        """Check that the moduli without 2^s are co-prime."""


@dataclass(frozen=True)
class HybridParameters:
    """Every constant of one multiplier.

    Parameters
    ----------
    hybrid : Hybrid
        Bases A and B, of w - s and of w bits, and both extensions.
    target : str
        Device family of the multiplier blocks.
    latency : int
        Cycles L of a multiply-accumulate.
    """

    hybrid: Hybrid
    target: str
    latency: int

    @property
    def modulus(self) -> int:
        """Modulus P."""
        return self.hybrid.modulus

    @property
    def degree(self) -> int:
        """Degree d: digits of a number."""
        return self.hybrid.degree

    @property
    def A(self) -> Base:
        """The base whose product is M."""
        return self.hybrid.A

    @property
    def B(self) -> Base:
        """The other base."""
        return self.hybrid.B

    @property
    def width(self) -> int:
        """Bits of a channel, w."""
        return self.B.width

    @property
    def spare(self) -> int:
        """Bits s of the extra modulus 2^s."""
        return self.B.width - self.A.width

    @property
    def n(self) -> int:
        """Moduli of a base."""
        return self.A.count

    @property
    def bound(self) -> int:
        """Exclusive bound of coefficients."""
        return self.hybrid.bound

    @cached_property
    def even(self) -> Base:
        """Base A in the rowers, with the factor 2^s."""
        return EvenBase(self.width, tuple(u << self.spare for u in self.A.u))

    # --- constants of products, by use

    @cached_property
    def constants(self) -> dict[str, tuple[int, ...]]:
        """Constants by product: the value in every channel, of A or of B."""
        s, M, d = self.spare, self.hybrid.radix, self.degree
        a, b = self.A.moduli, self.B.moduli
        T_b = self.B.inverses

        def in_a(value: int) -> tuple[int, ...]:
            return tuple(value % m << s for m in a)

        def in_b(value: int) -> tuple[int, ...]:
            return tuple(value % m for m in b)

        found = {
            "T": tuple(t * pow(1 << s, -1, m) % m for t, m in zip(self.A.inverses, a, strict=True)),
            "T/M": tuple(pow(M, -1, m) * t % m for t, m in zip(T_b, b, strict=True)),
            "α": tuple(pow(1 << s, -1, m) for m in a),
            "q": tuple(-M * pow(t, -1, m) % m for t, m in zip(T_b, b, strict=True)),
        }
        for times in (1, BETA):
            found[f"p·{times}"] = (times,) * self.n
            found[f"q'·{times}"] = tuple(times * pow(t, -1, m) % m for t, m in zip(T_b, b, strict=True))
            found[f"tM·{times}"] = in_b(-times * M)
            found[f"t·{times} in A"], found[f"t·{times} in B"] = in_a(times), in_b(times)
        for k in range(d):
            found[f"e{k} in A"], found[f"e{k} in B"] = in_a(self.hybrid.zero[k]), in_b(self.hybrid.zero[k])
        return found

    def address(self, name: str) -> int:
        """Address of a constant in the memory of every rower."""
        return list(self.constants).index(name)

    @cached_property
    def engine(self) -> CoxrowerEngine:
        """The cox-rower."""
        first, second, s, c = self.hybrid.first, self.hybrid.second, self.spare, self.hybrid.first.columns
        a, b = self.A.moduli, self.B.moduli
        scale = 1 << (s * c)  # a row of hats that are 2^s times as large
        into_b = tuple(
            tuple(-t * pow(row * scale, -1, m) % m for row in first.super_moduli)
            for t, m in zip(self.B.inverses, b, strict=True)
        )
        into_a = tuple(tuple(self.B.product // row % m << s for row in second.super_moduli) for m in a)
        corrections = (self.B.inverses, tuple(-self.B.product % m << s for m in a))
        return CoxrowerEngine(
            (self.even, self.B),
            (
                Extension(self.even, self.B, c, first.f, first.offset, first.fed),
                Extension(self.B, self.even, c, second.f, second.offset, second.fed),
            ),
            tuple(self.constants.values()),
            (into_b, into_a),
            corrections,
            self.target,
            self.latency,
            operands=2,
            initial=False,
            products=self.hybrid.terms,
            rowers=self.n,
            sums_alongside=6,  # s_k in B is the longest sum
            file=4 * self.degree,
            carries=self.degree,
            carry_bits=self.hybrid.headroom,
        )

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the exact estimate, of the second extension."""
        return owed_together((*built_folds(self.engine), self.hybrid.second.cox.obligation()))

    @cached_property
    def certificate(self) -> Certificate:
        """All conditions, with slack."""
        return Certificate(self.hybrid.inequalities())

    def _fields(self, number: Operand | Result) -> tuple[Field, ...]:
        """A number in both bases: the residues of its coefficients, any representatives."""
        radix, degree = self.hybrid.radix, self.degree
        return tuple(
            Field(
                f"{number.name}_{name.lower()}",
                base.width,
                degree * self.n,
                role=replace(
                    number, domain=Coefficients(base, radix, degree, (NamedChannels(name, self.n),)), limit=self.bound
                ),
            )
            for name, base in (("A", self.A), ("B", self.B))
        )

    @cached_property
    def i(self) -> Payload:
        """Operands."""
        return Payload((*self._fields(Operand("x")), *self._fields(Operand("y"))))

    @cached_property
    def o(self) -> Payload:
        """Result, x·y mod P."""
        return Payload((*self._fields(Result("z", formula="x·y")), unchecked()))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        first, second, engine = self.hybrid.first, self.hybrid.second, self.engine
        return {
            "modulus": self.modulus,
            "radix": self.hybrid.radix,
            "degree": self.degree,
            "beta": self.hybrid.beta,
            "coefficient_bound": self.bound,
            "channel_bits": self.width,
            "spare_bits": self.spare,
            "headroom_bits": self.hybrid.headroom,
            "channels": self.n,
            "row_channels": engine.columns,
            "base_a": self.A.moduli,
            "base_b": self.B.moduli,
            "cox_bits": second.top_bits,
            "cox_error": str(first.error),
            "second_cox_error": str(second.error),
            "second_sigma": str(second.sigma),
            "rower_constants": self.constants,
            "extension_weights": engine.weights,
            "corrections": engine.corrections,
            "multiplier_latency": engine.latency,
            "fold_cycles": engine.fold_cycles,
            "bus_cycles": engine.bus_cycles,
        }


def derive(request: Request) -> HybridParameters:
    """The smallest s for which P has its form, then the fewest fraction bits for which the certificate holds."""
    P, options = request.fixed_modulus("--modulus P, of the form M^d - 2"), request.options
    width, degree, columns = options["width"], options["degree"], options["c"]

    def candidates() -> Iterator[HybridParameters | ParameterError]:
        for spare in range(1, min(MOST_SPARE, width - LEAST_WIDTH) + 1):
            try:
                A = radix_of(P, width - spare, degree, BETA)
            except ParameterError as error:
                yield error
                continue
            if A.count % columns:
                raise ParameterError(
                    f"{A.count} moduli in rows of {columns}",
                    rule="n mod c = 0",
                    left=A.count % columns,
                    right=0,
                    hint="c=1",
                )
            B = smallest_base(width, A.count, A.product)
            for f in range(2, A.width + 1):
                first = Extension(A, B, columns, f, 0, SUM)
                second = Extension(B, A, columns, f, 1 << (f - 1), SUM)
                yield HybridParameters(Hybrid(degree, BETA, first, second), request.target, options["latency"])

    def refused(problem: Inequality) -> ParameterError:
        message = f"{request.core}: {problem.name} fails ({problem.why})"
        return problem.refusal(message, "more moduli, or wider ones")

    return first_certified(candidates(), refused)
