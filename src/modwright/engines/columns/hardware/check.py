# SPDX-License-Identifier: Apache-2.0
"""Check of the modulus, odd and at least 3, and of operands below 4m, a limb a cycle while they come in.

Registers, counted from the cycle in which the operands come in; s limbs, k < s:

    cycle    register that holds the value from this cycle on
    k + 2    `part_x`, `part_y`, `part_m`: limb k of x and y without their two lowest bits, and of m
    k + 3    `carry_x`, `carry_y`: not below 4m, by the limbs up to k; `some`: groups of the bits of m
    k + 4    `above`: a bit of m but the lowest is 1
    s + 3    `error` of the operands, until s + 3 cycles after those after them
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
        Code of the operands, s + 2 cycles after `fresh`.
    """

    def __init__(self, p: ColumnParameters) -> None:
        self.p = p
        width = p.w + DOMAIN_BITS
        super().__init__({"fresh": In(1), "x": In(width), "y": In(width), "m": In(width), "error": Out(2)})

    def elaborate(self, platform: object) -> Module:
        m, w = Module(), self.p.w
        x, y, of_m = (Signal(w, name=f"part_{name}", reset_less=True) for name in "xym")
        first, odd, second = Signal(), Signal(), Signal()
        m.d.sync += [
            x.eq(self.x[DOMAIN_BITS:]),
            y.eq(self.y[DOMAIN_BITS:]),
            of_m.eq(self.m[:w]),
            first.eq(self.fresh),
            second.eq(first),
        ]
        with m.If(first):
            m.d.sync += odd.eq(of_m[0])
        high = [self._not_below(m, name, first, value, of_m) for name, value in (("x", x), ("y", y))]
        bits = Cat(of_m[0] & ~first, of_m[1:])
        some, above = Signal(-(-w // GROUP)), Signal()
        m.d.sync += [
            some.eq(Cat(bits[low : low + GROUP].any() for low in range(0, w, GROUP))),
            above.eq(some.any() | (above & ~second)),
        ]
        bad = ~odd | ~(above | some.any())
        m.d.comb += self.error.eq(Mux(bad, BAD_MODULUS, Mux(Cat(high).any(), OUT_OF_RANGE, 0)))
        return m

    def _not_below(self, m: Module, name: str, first: Value, limb: Value, bound: Value) -> Value:
        """Carry out of operand - bound, without which the operand is below its bound."""
        carry, difference = Signal(name=f"carry_{name}"), Signal(self.p.w + 1, name=f"difference_{name}")
        m.d.comb += difference.eq(limb + (~bound)[: self.p.w] + (first | carry))
        m.d.sync += carry.eq(difference[-1])
        return carry
