# SPDX-License-Identifier: Apache-2.0
"""Widths and bounds of Montgomery multiplication with several operations in turn, a digit of k bits a cycle.

With d = 0 a quotient digit of Orup's recurrence is needed in the next step of its own operation, so that step waits for
the registers of the row. P operations use the row in turn instead: each has a step every P cycles, and none waits.
So the operands are shorter by d digits than those of `OrupParameters`, whose bounds hold here. A quotient digit has
P·(d + 1) cycles to its sum, and takes four: d = 0 from four operations on, d = 1 for two or three.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from ...base.json import Constant
from ...contract import Inequality
from ...contract.request import Request
from ...contract.runtime_modulus import width_of
from .ahead import OrupParameters, certified_sizes, sizes_of

NAME = "modmul/orup-interleaved"

FEWEST_SLOTS, MOST_SLOTS = 2, 11
"""Operations in turn; some number from `STEP` up to the most has no factor in common with any I that a modulus of at
most 8192 bits gives with digits of 17 or 18 bits."""
STEP = 4
"""Cycles from a quotient digit to the sum with its product: operands, product, sums over a chunk, S."""
LIMB = 54
"""Bits of a limb, which are added in one cycle: three chunks; with four, that chain was the longest path on ECP5."""

GROUP = 4
"""Bits of a limb whose conjunction is one register: as many as a LUT has inputs; all groups are two levels of them."""


@dataclass(frozen=True)
class InterleavedParameters(OrupParameters):
    """Every constant of one multiplier; all limbs are added at once, and their carries after that.

    Parameters
    ----------
    slots : int
        Number P of operations in turn; a slot is the cycles of one of them.
    """

    slots: int = STEP

    @property
    def largest_shifted(self) -> int:
        """Largest sum of a chunk of S after the shift and the carry that the shift has moved into it."""
        return (1 << self.w) - 1 + (self.largest_carry << (self.w - self.k))

    @property
    def largest_part(self) -> int:
        """Largest sum of the products of one word over a chunk: the low part of a tile, the high part of that below."""
        return self.largest_addend // 2

    @property
    def way(self) -> int:
        """Registers between the products and their sums, for the routes."""
        return max(0, self.slots - STEP)

    @property
    def lead(self) -> int:
        """Cycles by which the products of a step begin before its S, where a step has fewer than four."""
        return max(0, STEP - self.slots)

    def _pipeline(self) -> tuple[Inequality, ...]:
        """Cycles from a quotient digit to its sum: one for each register."""
        slots = Inequality(
            "slots",
            "P·(d + 1) >= 4",
            self.slots * (self.d + 1),
            ">=",
            STEP,
            "registers of a step: operands, products, their sums over a chunk, S",
            "any number of slots is right in integers; fewer have no cycles for the registers",
        )
        return (slots, *(row for row in super()._pipeline() if row.name != "delay"))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return super().describe() | {"slots": self.slots}


def derive(request: Request) -> InterleavedParameters:
    """Parameters with the least N, and the requested slots, or the fewest with which the row is never empty; two for
    products that wait for each other.

    Raises
    ------
    UsageError
        When the request has neither a modulus nor `bits`.
    ParameterError
        For a modulus that is wider than `bits`, and for digits or tiles that do not fit each other or a block.
    """
    n = width_of(request, 256)
    k, w = sizes_of(request)
    example = None if request.modulus is None else request.modulus.value
    fewest = FEWEST_SLOTS if request.options.get("chained") else _coprime_slots(-(-(n + k + 2) // k) + 1)
    slots = request.options["slots"] or fewest
    d = -(-STEP // slots) - 1
    N = -(-(n + k * (d + 1) + 2) // k)
    one = InterleavedParameters(n, k, d, N, w, 1, max(1, LIMB // w), request.target, example, slots)
    return certified_sizes(replace(one, chunks=-(-one.largest_sum.bit_length() // w)), NAME)


def _coprime_slots(digits: int) -> int:
    """The fewest slots without a factor in common with I: operations that start I cycles apart then never meet."""
    return next((P for P in range(STEP, MOST_SLOTS + 1) if gcd(P, digits) == 1), STEP)
