# SPDX-License-Identifier: Apache-2.0
"""Carry chains whose LUTs take more than the two operands of a sum.

Yosys gives every chain two operands, and LUTs of their own to what comes before. The carry cell of ECP5 has a LUT with
four inputs in front of each bit of the chain, which these functions use; on other targets the logic is plain.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Instance, Module, Signal, Value

PLUS_OR_MINUS = 0x96AA
"""Table of a bit, of inputs A, B, C and D: A ^ B ^ C, or A where D is 0; where that is 0 a carry out is A."""
NOTHING = 0
"""Table of a bit that gives the carry into it."""


def plus_or_minus(
    m: Module, a: Value, b: Value, minus: Value, carry: Value, target: str, counts: Value | None = None
) -> Value:
    """a + b + carry, or with `minus` a + ~b + carry, ~b of as many bits as b; a bit longer than the longer of both.

    Without `counts`, where it is given, a + carry.
    """
    width = max(len(a), len(b))
    if target != "ecp5":
        second = b ^ minus.replicate(len(b))
        second = second if counts is None else second & counts.replicate(len(b))
        return (a + second + carry)[: width + 1]
    none = Const(0, 1)
    total = Signal(width + 1)
    tables = [PLUS_OR_MINUS] * width + [NOTHING, NOTHING]
    inputs = [
        (a[k] if k < len(a) else none, b[k] if k < len(b) else none, minus if k < len(b) else none)
        for k in range(width)
    ] + [(none, none, none)] * 2
    for low in range(0, width + 1, 2):
        sums, out = Signal(2), Signal()
        ports: dict[str, object] = {}
        for k in range(2):
            ports |= {f"i_{name}{k}": value for name, value in zip("ABC", inputs[low + k], strict=True)}
            ports |= {
                f"i_D{k}": Const(1, 1) if counts is None else counts,
                f"p_INIT{k}": Const(tables[low + k], 16),
                f"p_INJECT1_{k}": "NO",
            }
            ports[f"o_S{k}"] = sums[k]
        m.submodules += Instance("CCU2C", i_CIN=carry, o_COUT=out, **ports)
        m.d.comb += Cat(total[low : low + 2]).eq(sums)
        carry = out
    return total
