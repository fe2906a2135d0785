# SPDX-License-Identifier: Apache-2.0
"""Widths and bounds of Montgomery multiplication on limbs of D digits, for several operations in turn.

Operands are s limbs of w = D·b bits and below 4m, R = 2^(ws), and the modulus m is odd. The multiples of m that are
added make the s lowest limbs 0:

    z = (x·y + t·(mu·2^w - 1) + q·m·2^(w(s-1))) / R,    0 <= t < 2^(w(s-1)), 0 <= q < 2^w, mu = 2^-w mod m

The last two terms are below m each, the first one is 16m²/R: with 16m <= 2R, z is below 4m again, and nothing is
compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ...base.json import Constant
from ...contract import NO_CHANNEL, Certificate, Inequality, Obligations
from ...plan.tiling import TILE_SIZES
from .digits import DigitLayout
from .program import program

DOMAIN = 4
"""Factor: operands and results are below 4m."""
SPARE = 3
"""Bits of R beyond those of m: 16·2^n <= 2·2^(ws)."""
ADDED = 2
"""Multiples of m that are added, each below m."""
FEWEST_LIMBS, MOST_LIMBS = 2, 96
"""Limbs s of an operand: the control words of one operation are about 2s²."""


@dataclass(frozen=True)
class ColumnParameters(DigitLayout):
    """Every constant of one unit.

    Parameters
    ----------
    n : int
        Bits of the widest modulus.
    s : int
        Limbs of an operand.
    contexts : int
        Number P of operations in turn.
    digit_bits : int
        Bits of a redundant digit of a column.
    carry_bits : int
        Bits of the carry that a column leaves in addition to its digits.
    """

    n: int
    s: int
    contexts: int
    digit_bits: int
    carry_bits: int

    @property
    def modulus(self) -> None:
        """None: the modulus is an operand."""
        return None

    @property
    def T(self) -> int:
        """Exponent T of R = 2^T."""
        return self.w * self.s

    @property
    def operand_bits(self) -> int:
        """Bits of operands and result, which are below 4m."""
        return self.n + DOMAIN.bit_length() - 1

    @cached_property
    def largest_digits(self) -> tuple[int, int]:
        """Largest redundant digit and largest carry, with all limbs at their largest."""
        columns = ((column.opening, len(column.products), column.stores) for column in program(self.s))
        return self.largest(columns)

    # --- certificate

    @cached_property
    def certificate(self) -> Certificate:
        """All conditions, with slack."""
        sums = self._sums() if self.s <= MOST_LIMBS else ()  # of a refused program, which may have millions of words
        return Certificate((*self._result(), *sums, *self._shape()))

    def _result(self) -> tuple[Inequality, ...]:
        D, k = DOMAIN, ADDED
        return (
            Inequality(
                "chain",
                "16·2^n <= 2·2^(ws)",
                D * D << self.n,
                "<=",
                (D - k) << self.T,
                "x·y / R <= 2m for x, y < 4m, and two multiples of m are added, each below m: z < 4m",
            ),
            Inequality(
                "limbs",
                "s >= 2",
                self.s,
                ">=",
                FEWEST_LIMBS,
                "the program folds a limb before the last one",
                "one limb is right in integers, and has no program",
            ),
            Inequality(
                "program",
                f"s <= {MOST_LIMBS}",
                self.s,
                "<=",
                MOST_LIMBS,
                "about 2s² control words",
                "any number of limbs is right; this one keeps the memory of control words small",
            ),
        )

    def _sums(self) -> tuple[Inequality, ...]:
        digit, carry = self.largest_digits
        return (
            Inequality(
                "sum",
                "D·(2^b - 1)² < 2^E",
                self.largest_sum(self.D - 1),
                "<",
                1 << self.sum_bits,
                "sums of products of digits count modulo 2^E, and differences are subtracted from them",
            ),
            Inequality(
                "digit",
                "largest digit of a column < 2^A",
                digit,
                "<",
                1 << self.digit_bits,
                "digits have no carries between them until the word leaves",
            ),
            Inequality(
                "carry",
                "largest carry of a column < 2^c",
                carry,
                "<",
                1 << self.carry_bits,
                "what the lower digits of a column have above its word, next to the upper ones",
            ),
        )

    def _shape(self) -> tuple[Inequality, ...]:
        if self.target not in TILE_SIZES:
            return ()
        stronger = "wider digits are right as well; they would take several blocks and more cycles"
        block = TILE_SIZES[self.target][1]
        if self.in_halves:
            why = "the sum of two digits, and the magnitude of a difference of such, are the operands of a block"
            return (Inequality("block", "b + 1 <= block", self.b + 1, "<=", block, why, stronger),)
        why = "a digit, and the magnitude of a difference, are the operands of a block"
        return (Inequality("block", "b <= block", self.b, "<=", block, why, stronger),)

    def obligations(self) -> Obligations:
        """No obligations: no residue channel is folded."""
        return (NO_CHANNEL,)

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {
            "bits": self.n,
            "limb_digit_bits": self.b,
            "limb_digits": self.D,
            "limb_bits": self.w,
            "limbs": self.s,
            "montgomery_exponent": self.T,
            "contexts": self.contexts,
            "sum_bits": self.sum_bits,
            "column_digit_bits": self.digit_bits,
            "column_carry_bits": self.carry_bits,
            "domain": DOMAIN,
            "operand_bits": self.operand_bits,
            "multiplier_blocks": self.blocks,
            "target": self.target,
        }


def derive_unit(n: int, b: int, D: int, contexts: int, target: str) -> ColumnParameters:
    """Parameters with the fewest limbs for a modulus of n bits, and the narrowest digits of a column."""
    s = max(FEWEST_LIMBS, -(-(n + SPARE) // (b * D)))
    wide = ColumnParameters(b, D, target, n, s, contexts, 1, 1)
    if s > MOST_LIMBS:
        return wide
    digit, carry = wide.largest_digits
    return ColumnParameters(b, D, target, n, s, contexts, digit.bit_length(), max(1, carry.bit_length()))
