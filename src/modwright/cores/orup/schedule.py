# SPDX-License-Identifier: Apache-2.0
"""When a multiplier does what: d + 3 clocks until the first digit is in S, I digits in all, and L limbs behind them."""

from __future__ import annotations

from ...schedule import Schedule, Step
from .parameters import OrupParameters

OPERANDS, DIGITS, COMPARE = "operands", "digits of X", "X, Y, m in range"
LOOP, COPY, CONVERT = "S", "last S", "to binary"


def make_schedule(p: OrupParameters) -> Schedule:
    """Schedule of one product; the core takes one at a time.

    Digit i of X is at the blocks in clock 1 + i; its product takes operand register, product registers, and the
    registers of two sums, d + 1 in all. That of a quotient digit takes one sum less. X, Y and m are compared from digit
    d + 1 of X on, the lowest above the K + 1 bits that do not count.
    """
    first = p.d + 2  # its last clock has the product of digit 0
    copied = first + p.digits
    converted = copied + 1
    latency = converted + p.limbs
    steps = (
        Step(OPERANDS, "operand registers", 0),
        Step(DIGITS, "products", 1, p.N, p.d + 1, after=(OPERANDS,)),
        Step(COMPARE, "comparators", p.d + 2, p.compared_digits, p.compared_digits + 1, after=(OPERANDS,)),
        Step(LOOP, "S", first, p.digits, p.digits, after=(DIGITS,)),
        Step(COPY, "result register", copied, after=(LOOP, COMPARE)),
        Step(CONVERT, "limb adder", converted, p.limbs, p.limbs, after=(COPY,)),
    )
    return Schedule(steps, latency, "I + L + d + 3", minimum_interval=latency + 1)
