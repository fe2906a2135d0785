# SPDX-License-Identifier: Apache-2.0
"""Operand and result: a brought below M on the way in, and ±d into [0, M[ on the way out, by one adder in slices.

Registers, counted from the cycle in which v changes; L slices:

    cycle    register that holds the value from this cycle on
    1        `v`: the operand, v ± M or 0; after `take`, slice j of e in cycle j + 1
    j + 2    `carry_{j+1}`, `subtract_{j+1}`: carries of slice j of v ± M for the slice above
    L + 1    `under_M`: v ± M is negative
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..parameters import BinaryInversionParameters
from .slices import added, delayed


class Border(wiring.Component):
    """Register of a number v, and v - M or v + M, which is valid `slices` cycles after v has changed.

    Attributes
    ----------
    start : in
        Load `a`, of n + 1 bits.
    take : in
        Load e, slice j of it j cycles later.
    move : in
        Load v ± M.
    clear : in
        Load 0.
    subtract : in
        Compute v - M, not v + M; the sum is valid `slices` cycles after a change.
    m : in, n bits
        M, stable.
    e : in
        Slices of the cofactor; -M < e < M.
    under : out
        Whether v ± M < 0, a cycle later.
    v : out, n + 2 bits
        The number, with its sign.
    """

    def __init__(self, p: BinaryInversionParameters) -> None:
        self.p = p
        controls = {name: In(1) for name in ("start", "take", "move", "clear", "subtract")}
        data = {"a": In(p.n + 1), "m": In(p.n), "e": In(p.cofactor_bits), "under": Out(1), "v": Out(p.border_bits)}
        super().__init__(controls | data)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits = self.p.border_bits
        v, moved = Signal(bits, name="v"), Signal(bits, name="moved")
        modulus, subtract = Cat(self.m, Const(0, bits - self.p.n)), self.subtract
        carry: Value = subtract
        for j, (low, high) in enumerate(self.p.border_slices):
            part = modulus[low:high]
            total = added(m, v[low:high], Mux(subtract, ~part, part), carry, f"v_sum_{j}")
            m.d.comb += moved[low:high].eq(total[:-1])
            # a slice has its sign and its carry a cycle after the one below
            subtract, carry = delayed(m, subtract, f"subtract_{j + 1}"), delayed(m, total[-1], f"carry_{j + 1}")
        m.d.comb += [self.v.eq(v), self.under.eq(delayed(m, moved[-1], "under_M"))]
        operand, take = Cat(self.a, Const(0, 1)), self.take
        e = Cat(self.e, self.e[-1])  # of more bits than v, or of one bit less
        for low, high in self.p.cofactor_slices:
            high = bits if high == self.p.cofactor_bits else high
            with m.If(self.clear):
                m.d.sync += v[low:high].eq(0)
            with m.Elif(self.start):
                m.d.sync += v[low:high].eq(operand[low:high])
            with m.Elif(take):
                m.d.sync += v[low:high].eq(e[low:high])
            with m.Elif(self.move):
                m.d.sync += v[low:high].eq(moved[low:high])
            take = delayed(m, take, f"take_{low}")
        return m
