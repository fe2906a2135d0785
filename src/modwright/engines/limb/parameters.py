# SPDX-License-Identifier: Apache-2.0
"""Widths and bounds of Montgomery multiplication on limbs, with multipliers of a limb by a limb.

Operands are s limbs of w bits, R = 2^(ws), and the modulus m is odd and below R. A unit adds multiples of m to a sum of
products of operands until its s lowest limbs are 0; the limbs above them are the result. For operands below m:

    without folds   z = (Σ x·y + t·m) / R,                                        0 <= t < R
    with folds      z = (Σ x·y + t·(mu·2^w - 1) + q·m·2^(w(s-1))) / R,            0 <= t < 2^(w(s-1)), 0 <= q < 2^w

where mu = 2^-w mod m, so that mu·2^w - 1 is a multiple of m. As m < R, each product of operands adds less than m to the
result, t·m / R and q·m·2^(w(s-1)) / R are below m, and t·mu·2^w / R is below mu < m.

Source: Xie et al., "A speed-area-efficient hardware ECPM-engine in GF(p) over generic Weierstrass curves", 2023,
Algorithm 3 (r64); the other units are Modwright's (cores/modmul/limb/README.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ...base.errors import ParameterError
from ...base.json import Constant
from ...contract import NO_CHANNEL, Certificate, Inequality, Obligations
from ...plan.tiling import Tiling
from .units import PRODUCT, R64, SUM, UNITS, Unit, unit_of
from .work import most_multipliers

WIDEST = 4096
"""Bits of the widest modulus, n."""
SHORTEST_LIMB, LONGEST_LIMB = 2, 128
"""Bits of a limb, w."""
FEWEST_LIMBS, MOST_LIMBS = 2, 34
"""Limbs of an operand, s: a program has about 2s^2 words, and 34 limbs of 16 bits hold 521 bits and more."""
MOST_REGISTERS = 8
"""Registers inside the multiplier."""
MOST_MULTIPLIERS = max(most_multipliers(unit, MOST_LIMBS, 1) for unit in UNITS if unit is not R64)
"""Most multipliers k that are of use with the most limbs; with fewer limbs, fewer are."""


@dataclass(frozen=True)
class UnitParameters:
    """Every constant of one unit.

    Parameters
    ----------
    core : str
        Name of the core.
    n : int
        Bits of the widest modulus.
    w : int
        Bits of a limb.
    s : int
        Limbs of an operand.
    accumulator : int
        Bits A of the accumulator (column units) or of reg1 (r64).
    registers : int
        Registers inside each multiplier, operand registers not counted.
    target : str
        Device family of the multiplier.
    macs : int
        Number k of multipliers, whose products enter one accumulator in one cycle; 1 for r64.
    """

    core: str
    n: int
    w: int
    s: int
    accumulator: int
    registers: int
    target: str
    macs: int = 1

    @property
    def modulus(self) -> None:
        """None: the modulus is an operand."""
        return None

    @cached_property
    def unit(self) -> Unit:
        """Kind of the unit."""
        return unit_of(self.core)

    @property
    def T(self) -> int:
        """Exponent T of R = 2^T."""
        return self.w * self.s

    @property
    def delay(self) -> int:
        """Cycles from operands at the multiplier to their product: the operand register, and those inside."""
        return 1 + self.registers

    @property
    def tiling(self) -> Tiling:
        """Tiling of a multiplier."""
        return Tiling(self.w, self.w, self.target)

    @property
    def signed(self) -> bool:
        """Whether the accumulator can be negative when a column is complete: it then has differences of the next
        column."""
        return self.unit.karatsuba and self.macs > 1

    @property
    def operand_bits(self) -> int:
        """Bits of x, y, x2 and y2, which are below m."""
        return self.n

    def multiple(self, kind: str) -> int:
        """Factor k of the exclusive bound k·m of the result of a kind."""
        products = 2 if kind == SUM else 1
        return products + (2 if self.unit.folds else 1)

    @cached_property
    def result_bits(self) -> int:
        """Bits of the result of every kind: the multiple of m is at most 4."""
        return self.n + (max(self.multiple(kind) for kind in self.unit.kinds) - 1).bit_length()

    # --- certificate

    @property
    def largest_product(self) -> int:
        """Largest product of two limbs."""
        return ((1 << self.w) - 1) ** 2

    def largest_column(self, kind: str) -> int:
        """Largest sum of a column of `kind` with the carry from the column below, in a column unit."""
        largest = carry = 0
        for column in range(2 * self.s - 1):
            total = carry + self._complete(column, kind)
            largest, carry = max(largest, total), total >> self.w
        return largest

    def _complete(self, column: int, kind: str) -> int:
        """Largest sum of a column without the carry."""
        high = (1 << self.w) - 1 if self._has_high_part(column) else 0  # floor(t·m / 2^w) and a carry: at most 2^w - 1
        return self.largest_product * self._products(column, kind) + high

    @cached_property
    def column_bits(self) -> int:
        """Bits of the largest complete column of a column unit; Karatsuba's squares in it are not more."""
        return max(self.largest_column(kind) for kind in self.unit.kinds).bit_length()

    def largest_sum(self, kind: str) -> int:
        """Largest content of the accumulator when a column of `kind` is complete.

        With several multipliers, products of the next column are in it: less than all of them. A product of differences
        replaces two products, and is not larger than one.
        """
        largest = carry = 0
        for column in range(2 * self.s - 1):
            total = carry + self._complete(column, kind)
            ahead = self._products(column + 1, kind) * self.largest_product if self.macs > 1 else 0
            largest, carry = max(largest, total + (ahead << self.w)), total >> self.w
        return largest

    def _products(self, column: int, kind: str) -> int:
        """Number of products of two limbs in a column, those of two limbs of a square twice, without the t·m that
        only give a carry."""
        s = self.s
        of_operands = min(column, s - 1) - max(0, column - s + 1) + 1
        if not self.unit.folds:
            of_modulus = sum(1 <= column - i < s for i in range(s))
        else:
            of_modulus = sum(0 <= column - i - 1 < s for i in range(s - 1)) + (1 <= column - s + 1 < s)
        return of_operands * (2 if kind == SUM else 1) + of_modulus

    def _has_high_part(self, column: int) -> bool:
        return column == self.s if self.unit.folds else 1 <= column <= self.s

    @cached_property
    def certificate(self) -> Certificate:
        """All conditions, with slack."""
        return Certificate((*self._result(), *(self._scanning() if self.unit is R64 else self._columns())))

    def _result(self) -> tuple[Inequality, ...]:
        bound = " and ".join(f"{self.multiple(kind)}m ({kind})" for kind in self.unit.kinds)
        return (
            Inequality(
                "result",
                "2^n <= 2^(ws)",
                1 << self.n,
                "<=",
                1 << self.T,
                f"m < R: each x·y / R is below m, and so is each multiple of m that is added; results below {bound}",
            ),
            Inequality(
                "limbs",
                "s >= 2",
                self.s,
                ">=",
                FEWEST_LIMBS,
                "the programs start with two limbs",
                "one limb is right in integers, and has no program",
            ),
            Inequality(
                "program",
                "s <= 34",
                self.s,
                "<=",
                MOST_LIMBS,
                "a program has about 2s^2 words",
                "any number of limbs is right; this one keeps the program's memory small",
            ),
            *(self._multiple_of(kind) for kind in self.unit.kinds),
        )

    def _multiple_of(self, kind: str) -> Inequality:
        """Inequality of the bound of a result and its bits."""
        return Inequality(
            f"bits-{kind}",
            f"{self.multiple(kind)}·(2^n - 1) <= 2^b",
            self.multiple(kind) * ((1 << self.n) - 1),
            "<=",
            1 << self.result_bits,
            f"z < {self.multiple(kind)}m: as many products and multiples of m, each below m, are added",
        )

    def _columns(self) -> tuple[Inequality, ...]:
        largest = max(self.largest_sum(kind) for kind in self.unit.kinds)
        several, sign = self.macs > 1, int(self.signed)
        return (
            Inequality(
                "accumulator",
                f"largest column sum{' with products of the next' * several} < 2^{'(A-1)' if sign else 'A'}",
                largest,
                "<",
                1 << (self.accumulator - sign),
                "the sum of a column is exact when it is complete; before, it counts modulo 2^A",
            ),
        )

    def _scanning(self) -> tuple[Inequality, ...]:
        """Inequalities of the registers of r64, with all limbs at their largest."""
        top, carry = (1 << self.w) - 1, (1 << (self.w + 1)) - 2
        first, second = top * top + 2 * top + 1, top * top + carry
        both = first + second
        return (
            Inequality(
                "reg1",
                "(2^w - 1)^2 + 2^(w+1) - 1 < 2^A",
                first,
                "<",
                1 << self.accumulator,
                "reg1 = x·y + z, z at most that of w + 1 bits",
                "one bit fewer holds all but 2^(2w), for which both limbs and z would have to be all ones at once",
            ),
            Inequality(
                "reg2",
                "(2^w - 1)^2 + c1 < 2^(2w)",
                second,
                "<",
                1 << (2 * self.w),
                "reg2 = q·m + c, c1 = 2^(w+1) - 2",
                "the left side is 2^(2w) - 1 for every w, so no parameters can break it",
            ),
            Inequality(
                "carry",
                "floor((reg1 + reg2) / 2^w) <= c1 + 1",
                both >> self.w,
                "<=",
                carry + 1,
                "c and the top limb of z have w + 1 bits",
                "the two sides are equal for every w, so no parameters can break it",
            ),
        )

    def obligations(self) -> Obligations:
        """No obligations: no residue channel is folded."""
        return (NO_CHANNEL,)

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {
            "limb_unit": self.unit.name,
            "bits": self.n,
            "limb_bits": self.w,
            "limbs": self.s,
            "montgomery_exponent": self.T,
            "accumulator_bits": self.accumulator,
            "registers": self.registers,
            "macs": self.macs,
            "result_bits": self.result_bits,
            "result_multiple": self.multiple(PRODUCT),
            "multiplier_blocks": self.macs * self.tiling.blocks,
            "target": self.target,
        }


def derive_unit(
    core: str, n: int, limb: int, target: str, *, spare: int = 0, registers: int = 0, macs: int = 1
) -> UnitParameters:
    """Derive the fewest limbs that hold a modulus of n bits, and the narrowest accumulator.

    Parameters
    ----------
    core : str
        Name of the unit's own core.
    n : int
        Bits of the widest modulus.
    limb : int
        Bits of a limb, w.
    target : str
        Device family of the multiplier.
    spare : int
        Least number of bits of all limbs beyond those of the modulus.
    registers : int
        Registers inside each multiplier.
    macs : int
        Multipliers.

    Raises
    ------
    ParameterError
        For too many limbs, and for more multipliers than can work at once.
    """
    w = limb
    s = max(FEWEST_LIMBS, -(-(n + spare) // w))
    p = UnitParameters(core, n, w, s, 2 * w + 1, registers, target, macs)
    if s > MOST_LIMBS:
        raise ParameterError(
            f"{core} with limbs of {w} bits: too many limbs",
            rule="ceil(n / w) <= 34",
            left=s,
            right=MOST_LIMBS,
            hint="a larger `limb`",
        )
    if p.unit is R64:
        return p
    _refuse_idle_multipliers(p)
    largest = max(p.largest_sum(kind) for kind in p.unit.kinds)
    return replace(p, accumulator=largest.bit_length() + int(p.signed))


def _refuse_idle_multipliers(p: UnitParameters) -> None:
    most = most_multipliers(p.unit, p.s, p.delay)
    if p.macs > most:
        raise ParameterError(
            f"{p.core} with {p.s} limbs: more multipliers than can work at once, as products wait for each other",
            rule="macs <= ceil(products / cycles of the longest chain of dependencies)",
            left=p.macs,
            right=most,
            hint="fewer `macs`, or a smaller `limb`",
        )
