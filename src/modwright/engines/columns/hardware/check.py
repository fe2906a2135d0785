# SPDX-License-Identifier: Apache-2.0
"""Check of the modulus, odd and at least 3, and of operands below 4m, a limb a cycle while they come in.

Registers, counted from the cycle in which the operands come in; s limbs, k < s:

    cycle    register that holds the value from this cycle on
    k + 2    `part_x`, `part_y`, `part_m`: limb k of x and y without their two lowest bits, and of m
    k + 3    `carry_x_H_C`, `carry_y_H_C`: carry out of half H of limb k less that of 4m, with C into it; `some`: groups
             of the bits of m
    k + 4    `high_x`, `high_y`: not below 4m, by the limbs up to k; `above`: a bit of m but the lowest is 1

In cycle s + 3 `error` is the code of the operands.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from ..parameters import DOMAIN, ColumnParameters

GROUP = 16
"""Bits of m that are joined in front of a register: two levels of LUTs with 4 inputs."""
DOMAIN_BITS = DOMAIN.bit_length() - 1


class OperandCheck(wiring.Component):
    """Comparison of floor(x / 4) and floor(y / 4) with m.

    Attributes
    ----------
    fresh : in
        Limb 0 is at the inputs; the others follow in the next cycles.
    x, y, m : in
        Limbs, with the two bits above them, which belong to the limb of x / 4.
    error : out
        Code of the operands, s + 2 cycles after `fresh`, for a cycle.
    """

    def __init__(self, p: ColumnParameters) -> None:
        self.p = p
        width = p.w + DOMAIN_BITS
        super().__init__({"fresh": In(1), "x": In(width), "y": In(width), "m": In(width), "error": Out(2)})

    def elaborate(self, platform: object) -> Module:
        m, w = Module(), self.p.w
        x, y, of_m = (Signal(w, name=f"part_{name}", reset_less=True) for name in "xym")
        first, second = Signal(), Signal()
        m.d.sync += [
            x.eq(self.x[DOMAIN_BITS:]),
            y.eq(self.y[DOMAIN_BITS:]),
            of_m.eq(self.m[:w]),
            Cat(first, second).eq(Cat(self.fresh, first)),
        ]
        high = [self._not_below(m, name, value, of_m, second) for name, value in (("x", x), ("y", y))]
        bad = self._bad(m, of_m, first, second)
        m.d.comb += self.error.eq(Mux(bad, BAD_MODULUS, Mux(Cat(high).any(), OUT_OF_RANGE, 0)))
        return m

    def _bad(self, m: Module, limb: Value, first: Value, second: Value) -> Value:
        """The modulus is even, or below 3."""
        odd, above = Signal(), Signal()
        groups = range(0, len(limb), GROUP)
        some = Signal(len(groups))
        bits = Cat(limb[0] & ~first, limb[1:])
        with m.If(first):
            m.d.sync += odd.eq(limb[0])
        m.d.sync += [
            some.eq(Cat(bits[low : low + GROUP].any() for low in groups)),
            above.eq(some.any() | (above & ~second)),
        ]
        return ~odd | ~above

    def _not_below(self, m: Module, name: str, limb: Value, bound: Value, opens: Value) -> Value:
        """Carry out of operand - bound, without which the operand is below its bound.

        Both halves of a limb have it with either carry into them, so that no sum waits for the limb before.
        """
        half = len(limb) // 2
        low, up = (
            self._carries(m, f"{name}_{number}", limb[part], bound[part])
            for number, part in enumerate((slice(half), slice(half, None)))
        )
        high = Signal(name=f"high_{name}")
        m.d.sync += high.eq(Mux(Mux(opens | high, low[1], low[0]), up[1], up[0]))
        return high

    def _carries(self, m: Module, name: str, part: Value, bound: Value) -> list[Value]:
        """Registers of the carry out of part - bound, with 0 and with 1 into it."""
        width, found = len(part), list[Value]()
        for into, sum_of in enumerate((part + (~bound)[:width], Cat(part, 1) - bound)):
            total = Signal(width + 1, name=f"sum_{name}_{into}")
            carry = Signal(name=f"carry_{name}_{into}", reset_less=True)
            m.d.comb += total.eq(sum_of)
            m.d.sync += carry.eq(total[-1])
            found.append(carry)
        return found
