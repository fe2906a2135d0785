# SPDX-License-Identifier: Apache-2.0
"""Widths and bounds of Montgomery multiplication with several operations in turn, a digit of k bits a cycle.

With d = 0 a quotient digit of Orup's recurrence is needed in the next step of its own operation, so that step waits for
the registers of the row. P operations take the row in turn instead: each has its step every P cycles, and none waits.
So the operands are shorter by d digits than those of `OrupParameters`, whose bounds hold here with d = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from .....base.json import Constant
from .....contract import Inequality
from .....contract.request import Request
from .....contract.runtime_modulus import width_of
from .ahead import OrupParameters, certified_sizes, sizes_of

NAME = "modmul/orup-interleaved"

FEWEST_SLOTS, MOST_SLOTS = 4, 11
"""Operations in turn: at least the registers of a step; some number up to the most has no factor in common with any I
that a modulus of at most 8192 bits gives with digits of 17 or 18 bits."""


@dataclass(frozen=True)
class InterleavedParameters(OrupParameters):
    """Every constant of one multiplier; d is 0, and a limb is one chunk.

    Parameters
    ----------
    slots : int
        P, operations in turn; a slot is the cycles of one of them.
    """

    slots: int = FEWEST_SLOTS

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
        """Registers between the products and their sums, for the way."""
        return self.slots - FEWEST_SLOTS

    def _pipeline(self) -> tuple[Inequality, ...]:
        """No delay; as many slots as there are registers in a step."""
        slots = Inequality(
            "slots",
            "P >= 4",
            self.slots,
            ">=",
            FEWEST_SLOTS,
            "registers of a step: operands, products, their sums over a chunk, S",
            "any number of slots is right in integers; fewer have no cycles for the registers",
        )
        return (slots, *(row for row in super()._pipeline() if row.name != "delay"))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return super().describe() | {"slots": self.slots}


def derive(request: Request) -> InterleavedParameters:
    """The least N, and as many slots as asked for, or the fewest with which the row is never empty.

    Raises
    ------
    UsageError
        When neither a modulus nor `bits` says how wide the modulus is.
    ParameterError
        For a modulus that is wider than `bits`, and for digits or tiles that do not fit each other or a block.
    """
    n = width_of(request, 256)
    k, w = sizes_of(request)
    N = -(-(n + k + 2) // k)
    example = None if request.modulus is None else request.modulus.value
    slots = request.options["slots"] or _coprime_slots(N + 1)
    one = InterleavedParameters(n, k, 0, N, w, 1, 1, request.target, example, slots)
    return certified_sizes(replace(one, chunks=-(-one.largest_sum.bit_length() // w)), NAME)


def _coprime_slots(digits: int) -> int:
    """The fewest slots without a factor in common with I: operations that start I cycles apart then never meet."""
    return next((P for P in range(FEWEST_SLOTS, MOST_SLOTS + 1) if gcd(P, digits) == 1), FEWEST_SLOTS)
