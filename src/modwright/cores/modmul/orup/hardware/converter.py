# SPDX-License-Identifier: Apache-2.0
"""Converter from the last S to the result in binary, a limb a cycle.

Registers, counted from the cycle of `load`; limb g of L is added in cycle c + g, c >= 1:

    cycle        register that holds the value from this cycle on
    1            `upper`: the word of S; `waiting`: its carries; `dropped`: the d digits that S dropped last
    c + g + 1    `upper`: the limbs above g of S, and above them those of the sum; `carry`: out of limb g
    c + L        `upper`: S in binary, unless the result is 0
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .....engines.orup.ahead import OrupParameters


class LimbConverter(wiring.Component):
    """The d digits that S dropped last, and S in binary above them.

    S moves through its register by a limb a cycle: the lowest limb leaves with the carries at its bits, and their sum
    enters at the top. So no limb is chosen.

    Attributes
    ----------
    load : in
        Strobe: S is at `word` and `carries`.
    add : in
        Level: a limb is added; L cycles in all.
    word, carries : in
        See `QuotientLoop`; S < 2^(n+k+1).
    zero : in
        Whether the result is 0; stable from `load` until the result was taken.
    z : out
        Result, after the last limb.
    """

    def __init__(self, p: OrupParameters) -> None:
        self.p = p
        super().__init__(
            {"load": In(1), "add": In(1), "zero": In(1), "z": Out(p.operand_bits)}
            | {"word": In(p.w * p.chunks), "carries": In(data.ArrayLayout(p.carry_width, p.chunks - 1))}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        size, places = p.limb, p.limbs * p.limb_chunks
        upper = Signal(p.limbs * size)
        # carry j has weight 2^(w·j); none exists at j = 0, nor above the last chunk of S
        waiting = Signal(data.ArrayLayout(p.carry_width, places))
        carry = Signal()
        row = Cat(Cat(waiting[j], Const(0, p.w - p.carry_width)) for j in range(p.limb_chunks))
        total = Signal(size + 1)
        m.d.comb += total.eq(upper[:size] + row + carry)
        with m.If(self.load):
            m.d.sync += [
                waiting.as_value().eq(Cat(Const(0, p.carry_width), self.carries.as_value())),
                carry.eq(0),
            ]
        with m.Elif(self.add):
            m.d.sync += [
                waiting.as_value().eq(waiting.as_value() >> (p.limb_chunks * p.carry_width)),
                carry.eq(total[-1]),
            ]
        # the last d quotient digits, and those before `load`, which are the lowest digits of the result
        recent, dropped = Signal(p.k * p.d), Signal(p.k * p.d)
        m.d.sync += recent.eq(Cat(recent[p.k :], self.word[: p.k]))
        with m.If(self.zero):  # a reset, not a choice behind the sum
            m.d.sync += [upper.eq(0), dropped.eq(0)]
        with m.Elif(self.load):
            m.d.sync += [upper.eq(self.word[: p.limbs * size]), dropped.eq(recent)]
        with m.Elif(self.add):
            m.d.sync += upper.eq(Cat(upper[size:], total[:size]))
        m.d.comb += self.z.eq(Cat(dropped, upper))
        return m
