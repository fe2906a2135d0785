# SPDX-License-Identifier: Apache-2.0
"""Cycles of a product: a step of S every P cycles, so that P products are in turn; conversion to binary behind them.

Two products share no cycle of the row when the distance of their starts is no multiple of P, or at least I·P. The least
distance is that of the operand registers, N + 1 = I, which is no multiple of P where P and I have no common factor.
"""

from __future__ import annotations

from .....schedule import Schedule, Step
from ..parameters.interleaved import InterleavedParameters

OPERANDS, STORE, DIGITS, COMPARE = "operands", "Y and m to memory", "X to memory", "X, Y, m in range"
COPY, CONVERT, RESULT = "last S", "to binary", "result"

FIRST = 5
"""Cycle in which the S before the first digit is in its register: operand registers, memories, their output registers,
the choice of a digit, and the operand registers of the blocks lie before it."""


def finished(p: InterleavedParameters) -> int:
    """Cycle in which the last S is in its register."""
    return FIRST + p.digits * p.slots


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
        steps.append(Step(f"S {index}", "row of blocks", FIRST + index * p.slots, 1, p.slots, after=(before,)))
        before = steps[-1].name
    copied = finished(p)
    steps += [
        Step(COPY, "converter", copied, after=(before, COMPARE)),
        Step(CONVERT, "converter", copied + 1, p.limbs, p.limbs, after=(COPY,)),
        Step(RESULT, "queue", copied + 1 + p.limbs, after=(CONVERT,)),
    ]
    return Schedule(tuple(steps), copied + p.limbs + 2, "I·P + L + 7")
