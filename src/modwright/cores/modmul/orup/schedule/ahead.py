# SPDX-License-Identifier: Apache-2.0
"""Schedule of a multiplier with quotients ahead: d + 3 cycles until the first digit is in S, I digits, and L limbs."""

from __future__ import annotations

from .....engines.orup.ahead import OrupParameters
from .....schedule import Microcode, Schedule, Step

OPERANDS, DIGITS, Y_DIGITS, COMPARE = "operands", "digits of X", "digits of Y", "X, Y, m in range"
LOOP, COPY, CONVERT = "S", "last S", "to binary"
CONTROLLED = (DIGITS, Y_DIGITS, COMPARE, LOOP, COPY, CONVERT)
"""Steps that have a control field of their name, set as long as their resource is in use."""


def make_schedule(p: OrupParameters) -> Schedule:
    """Schedule of one product; the core takes one at a time.

    Digit i of X is at the blocks in cycle 1 + i; its product takes operand register, product registers, and the
    registers of two sums, d + 1 in all. That of a quotient digit takes one sum less. X, Y and m are compared from digit
    d + 1 on, when the K bits below are gone.
    """
    first = p.d + 2  # in this cycle the product of digit 0 is added
    copied = first + p.digits
    converted = copied + 1
    latency = converted + p.limbs
    steps = (
        Step(OPERANDS, "operand registers", 0),
        Step(DIGITS, "register of X", 1, p.digits, p.d + 1, after=(OPERANDS,)),
        Step(Y_DIGITS, "register of Y", 1, p.d + 1 + p.compared_digits, p.d + 1, after=(OPERANDS,)),
        Step(COMPARE, "comparators", p.d + 2, p.compared_digits, p.compared_digits + 2, after=(DIGITS, Y_DIGITS)),
        Step(LOOP, "S", first, p.digits, p.digits, after=(DIGITS,), also=("blocks",)),
        Step(COPY, "result register", copied, after=(LOOP, COMPARE)),
        Step(CONVERT, "limb adder", converted, p.limbs, p.limbs, after=(COPY,)),
    )
    runs = {step.name: range(step.start, step.start + step.busy) for step in steps if step.name in CONTROLLED}
    control = Microcode.during(runs, latency + 1)
    return Schedule(steps, latency, "I + L + d + 3", minimum_interval=latency + 1, control=control)
