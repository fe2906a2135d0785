# SPDX-License-Identifier: Apache-2.0
"""Cycles of a product: a step of S every P cycles, so that P products are in turn; conversion to binary behind them.

Two products share no cycle of the row when the distance of their starts is not a multiple of P, or at least I·P. The
least distance is that of the operand registers, N + 1 = I, which is not a multiple of P where P and I have no common
factor.
"""

from __future__ import annotations

from .....engines.orup.cycles import CONVERSION, finished, first
from .....engines.orup.interleaved import FEWEST_SLOTS, InterleavedParameters
from .....schedule import Schedule, Step

OPERANDS, STORE, DIGITS, COMPARE = "operands", "Y and m to memory", "X to memory", "X, Y, m in range"
HELD = "m stays"
LIMBS, CARRIES, RESULT = "limbs of the last S", "to binary", "result"


def make_schedule(p: InterleavedParameters) -> Schedule:
    """Schedule of one product; each slot has one in flight, and behind them results are converted."""
    steps = [
        Step(OPERANDS, "operand registers", 0, p.N + 1),
        Step(STORE, "memories of Y and m", 1, after=(OPERANDS,)),
        Step(DIGITS, "memory of X", 1, p.N, after=(OPERANDS,)),
        Step(COMPARE, "comparators", 1, p.compared_digits, p.compared_digits + 1, after=(OPERANDS,)),
    ]
    before = STORE
    for index in range(p.digits):
        steps.append(Step(f"S {index}", "row of blocks", first(p) + index * p.slots, 1, p.slots, after=(before,)))
        before = steps[-1].name
    copied = finished(p)
    if (
        p.slots == FEWEST_SLOTS
    ):  # m is read two cycles later than that of the next operation of the slot would be written
        steps.append(Step(HELD, "row of blocks", copied, after=(before,)))
    steps += [
        Step(LIMBS, "limbs", copied, after=(before, COMPARE)),
        Step(CARRIES, "carries", copied + 1, latency=CONVERSION - 1, after=(LIMBS,)),
        Step(RESULT, "queue", copied + CONVERSION, after=(CARRIES,)),
    ]
    return Schedule(tuple(steps), copied + CONVERSION + 1, "I·P + 10 from 4 slots on, I·P + 14 - P below")
