# SPDX-License-Identifier: Apache-2.0
"""The residue below p of a number in digits, a digit a cycle in three passes.

The first pass takes carries out: what is above n bits is E. The second adds c·(E + 1), which reaches bit n where the
number and c·E are not below p; where it does not, the third one subtracts c again.

Cycles are counted from the first digit of a pass:

    cycle    register that holds the value from this cycle on
    k + 1    `z`: digit k in its highest place; `carry`
    k + 2    `zero`: all digits until k are 0
    N        `above`: what is above n bits
    N + 1    `raised`: c·(above + 1)
    N + 2    `begin`: what the next pass begins with
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .....rtl.copies import copied
from ..parameters import PseudoMersenneParameters
from ..plan.fold import terms_of
from ..plan.microcode import CARRIES

FIELDS = {"serial": 2, "begins": 1, "ends": 1, "odd": 1}
"""Fields of the control word, in the cycle before they count."""


class Exact(wiring.Component):
    """Attributes
    ----------
    serial : in
        Pass of this cycle, 0 for none.
    begins, ends : in
        First and last digit of a pass.
    odd : in
        Strobe: the second of the digits that come in counts.
    ahead : in, digits of v bits
        Digits of the number, for the first pass.
    z : out, n bits
        The residue, behind the third pass.
    zero : out
        The residue is 0.
    """

    def __init__(self, p: PseudoMersenneParameters) -> None:
        self.p = p
        super().__init__(
            {name: In(width) for name, width in FIELDS.items()}
            | {"ahead": In(data.ArrayLayout(p.v, p.rows)), "z": Out(p.n), "zero": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        control = copied(m, Cat(self.serial, self.begins, self.ends, self.odd), p.target, "control")
        serial, begins, ends, odd = control[:2], control[2], control[3], control[4]
        z, zero = Signal(p.w * p.count, reset_less=True), Signal(reset_less=True)
        carry, begin = Signal(signed(p.carry_bits)), Signal(signed(p.carry_bits))
        digit, total = Signal(p.v), Signal(signed(max(p.v, p.carry_bits) + 2))
        given = self.ahead[0] if p.rows == 1 else Mux(odd, self.ahead[1], self.ahead[0])
        m.d.comb += [
            digit.eq(Mux(serial == CARRIES, given, z[: p.w])),
            total.eq(digit + Mux(begins, Mux(serial == CARRIES, 0, begin), carry)),
        ]
        above, raised, of_pass = Signal(signed(p.carry_bits)), Signal(signed(p.carry_bits)), Signal(2)
        moved, begun = Signal(), Signal()
        out = Mux(ends, total[: p.top_bits], total[: p.w])
        m.d.sync += [
            carry.eq(total >> p.w),
            above.eq(Mux(ends, total >> p.top_bits, above)),
            of_pass.eq(Mux(ends, serial, of_pass)),
            raised.eq(sum((sign * (above << at) for sign, at in terms_of(p.c)), Const(p.c))),
            begin.eq(Mux(of_pass == CARRIES, raised, Mux(above[0], 0, Const(-p.c)))),
            moved.eq(serial != 0),
            begun.eq(begins),
        ]
        with m.If(serial != 0):
            m.d.sync += z.eq(Cat(z[p.w :], out | Const(0, p.w)))
        with m.If(moved):
            m.d.sync += zero.eq((zero | begun) & ~z[-p.w :].any())
        m.d.comb += [self.z.eq(z), self.zero.eq(zero)]
        return m
