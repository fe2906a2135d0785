# SPDX-License-Identifier: Apache-2.0
"""Constants of the inversion engine: the rowers of a cox-rower with a few registers each, the cox, and small residues.

A value X is held as hats x̂_i = <(X + κP)·(M/m_i)^-1>, any representatives of w bits. The cox finds q with
X + κP = Σ x̂_i·M/m_i - q·M; then X is known modulo any small number. With κ = 0 and an offset of 1/2 the cox rounds,
and X may be negative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...base.errors import ParameterError
from ...base.json import Constant
from ...contract import Field, Inequality, Obligations, Payload
from ...contract.obligation import owed_together
from ...contract.roles import ErrorCode, Errors, Residues, Result
from ...plan.pipeline import BLOCK, adder, place_registers
from ...plan.tiling import Tiling
from ...rns import Base
from ...rns.base import find_base
from ...rns.bounds import CoxBound
from ..coxrower.arithmetic import SumFold, SumReduction
from ..coxrower.obligations import rower_folds
from .parameters import NOT_INVERTIBLE, RowerParameters

TREE_CYCLES = 2
"""A: cycles of a sum over the rowers, in two levels."""


@dataclass(frozen=True, kw_only=True)
class InversionEngine(RowerParameters):
    """Constants of rowers and cox.

    Parameters
    ----------
    base, top_bits, target, latency, local
        See `RowerParameters`.
    constants : tuple of (str, tuple of int)
        Factors of products by name: one value below m_i for each rower.
    registers : int
        Results that a rower stores.
    products : int
        Most products in a sum.
    least, most : int
        Every value X + κP that the cox estimates lies in [least, most].
    coefficient : int
        Largest absolute value on the bus.
    """

    constants: tuple[tuple[str, tuple[int, ...]], ...]
    registers: int
    products: int
    least: int
    most: int
    coefficient: int

    @cached_property
    def addresses(self) -> dict[str, int]:
        """Address of each constant."""
        return {name: address for address, (name, _) in enumerate(self.constants)}

    @property
    def cox(self) -> CoxBound:
        """The estimate of q; it rounds to the nearest, α = 2^(t-1)."""
        return cox_of(self.base, self.top_bits)

    @property
    def travel(self) -> int:
        """Registers between common signals and a rower."""
        return int(self.local)

    @property
    def tiling(self) -> Tiling:
        """The multiplier of a rower; its last two rows are added by the accumulator."""
        return Tiling(self.width, self.width, self.target, open_rows=2)

    @property
    def multiplier_registers(self) -> tuple[int, ...]:
        """Registers of the multiplier: L less the operand's registers and the accumulator."""
        inside = self.latency - 2 - self.travel
        return place_registers([BLOCK, *self.tiling.delays], inside, tail=adder(2 * self.width, 3))

    def reduction(self, rower: int) -> SumReduction:
        """The reduction of a sum in a rower."""
        word = (1 << self.width) - 1
        return SumReduction(SumFold(self.width, self.base.u[rower], self.products * word * word, 0))

    @property
    def domain(self) -> Residues:
        """Residues of the base."""
        return Residues(self.base)

    def result_payload(self, limit: int) -> Payload:
        """Payload of an inverse z below `limit` in canonical residues, and of the error that none exists."""
        role, bound = Result("z", self.domain, limit, "1/a"), max(self.base.moduli)
        return Payload(
            (
                Field("z", self.width, self.n, bound=bound, role=role, more="above 0"),
                Field("error", 1, role=ErrorCode({NOT_INVERTIBLE: Errors.NO_INVERSE})),
            )
        )

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the cox, which rounds where values can be negative."""
        folds = (fold for k in range(self.n) for fold in rower_folds([self.reduction(k)], self.folds))
        below = Fraction(max(0, -self.least), self.base.product)
        return owed_together((*folds, self.cox.obligation(below)))

    def describe(self, modulus: int, bound: int, own: Mapping[str, Constant]) -> dict[str, Constant]:
        """Every constant of an inverter with results below `bound`: its own, and the engine's."""
        return {
            "modulus": modulus,
            "channel_bits": self.width,
            "channels": self.n,
            "base": self.base.moduli,
            **own,
            "cox_bits": self.top_bits,
            "cox_error": str(self.cox.error),
            "result_bound": bound,
            "rower_constants": dict(self.constants),
            "multiplier_latency": self.latency,
            "fold_cycles": self.fold_cycles,
        }

    @cached_property
    def folds(self) -> int:
        """Stages of a reduction."""
        return max(self.reduction(k).stages for k in range(self.n))

    @property
    def fold_cycles(self) -> int:
        """F, cycles of a reduction: one for each stage, and with `local` two for the last one."""
        return self.folds + self.travel

    @property
    def result_cycles(self) -> int:
        """Cycles L + F from the last product of a sum to the readable result."""
        return self.latency + self.fold_cycles

    def hats(self, value: int) -> tuple[int, ...]:
        """Canonical hats of a value, without κP."""
        return hats_of(self.base, value)

    def inequalities(self) -> tuple[Inequality, ...]:
        """Inequalities that make the cox exact, and coefficients operands."""
        product, alpha = self.base.product, self.cox.delta
        return (
            Inequality(
                "cox-low",
                "E - Y_min/M <= α/2^t",
                self.cox.error - Fraction(self.least, product),
                "<=",
                alpha,
                "else q can come out one too small",
                "what the cox adds lies on a grid of 2^-t, so that less than (α + 1)/2^t would do",
            ),
            Inequality(
                "cox-high",
                "α/2^t < 1 - Y_max/M",
                alpha,
                "<",
                1 - Fraction(self.most, product),
                "else q can come out one too large",
            ),
            Inequality(
                "coefficient",
                "largest coefficient < every m_i",
                self.coefficient,
                "<",
                min(self.base.moduli),
                "a negative coefficient c is the operand m_i + c",
            ),
            Inequality(
                "sums",
                "products of a sum >= 1",
                self.products,
                ">=",
                1,
                "the first fold's table covers them",
                "every inverter has sums of two products or three, so no parameters can break it",
            ),
        )


def hats_of(base: Base, value: int) -> tuple[int, ...]:
    """Hats <value·(M/m_i)^-1> for every modulus."""
    return tuple(value * t % m for t, m in zip(base.inverses, base.moduli, strict=True))


def cox_of(base: Base, top_bits: int) -> CoxBound:
    """A cox that adds t bits of every hat and rounds; hats are any representatives of w bits."""
    word = (1 << base.width) - 1
    return CoxBound(base.width, base.moduli, top_bits, 1 << (top_bits - 1), largest=[word] * base.count)


def fewest_bits(base: Base, least: int, most: int) -> int | None:
    """The smallest t with which the cox is exact for [least, most]; None when no t suffices."""
    for top_bits in range(1, base.width + 1):
        cox = cox_of(base, top_bits)
        low = cox.error - Fraction(least, base.product) <= cox.delta
        if low and cox.delta < 1 - Fraction(most, base.product):
            return top_bits
    return None


def find_bounded_base(width: int, least: int, most: int, *, coprime_to: int) -> tuple[Base, int]:
    """The fewest moduli for which the cox is exact over [least, most], and its t.

    Raises
    ------
    ParameterError
        When there are not enough moduli of this width, or they lie too far below 2^w.
    """
    count = max(1, (2 * max(-least, most)).bit_length() // width)
    last: Sequence[Fraction] = (Fraction(0),)
    for extra in range(6):
        base = find_base(width, count=count + extra, coprime_to=coprime_to)
        top_bits = fewest_bits(base, least, most)
        if top_bits is not None:
            return base, top_bits
        last = (cox_of(base, width).error,)
    raise ParameterError(
        f"no base of {width}-bit moduli with an exact cox for values up to {max(-least, most).bit_length()} bits",
        rule="E + |Y|/M <= 1/2",
        left=last[0],
        right=Fraction(1, 2),
        hint="a wider channel, whose moduli lie closer to 2^w",
    )
