# SPDX-License-Identifier: Apache-2.0
"""The register of the exponent, from which one digit leaves at a time.

Registers, counted from the cycle of `start` or `shift`; each slice has a copy of both:

    cycle    register that holds the value from this cycle on
    1        `idle_k`, `shift_k`: the copies
    2        `exponent_left`: after `shift`, without the digit that has left; before `start`, the exponent
    4        `rest`: a bit of that is 1, by `some_k` of the cycle before
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import level_copy, pulse_copy
from ..parameters import ModexpParameters
from .operands import slices


class ExponentRegister(wiring.Component):
    """Shift register of the remaining digits.

    Attributes
    ----------
    start, end : in
        Strobes: the register follows `exponent` until `start`, and again after `end`.
    shift : in
        Strobe: the next digit leaves in the following cycle.
    digit : out
        The next digit.
    following : out
        The bit behind the digit from the left.
    rest : out
        Some bit was 1 two cycles ago; from the right.
    """

    def __init__(self, p: ModexpParameters) -> None:
        self.p = p
        strobes = {name: In(1) for name in ("start", "end", "shift")}
        found = {"digit": Out(p.window), "following": Out(1), "rest": Out(1)}
        super().__init__(strobes | {"exponent": In(p.exponent_bits)} | found)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        left = Signal(p.exponent_places, name="exponent_left")
        shifted = left >> p.window if p.from_right else (left << p.window)[: len(left)]
        given = Cat(self.exponent, Const(0, len(left) - p.exponent_bits))
        some = []
        for number, part in enumerate(slices(len(left))):
            idle = level_copy(m, self.end, self.start, f"idle_{number}", init=1)
            shift = pulse_copy(m, self.shift, f"shift_{number}")
            with m.If(idle):
                m.d.sync += left[part].eq(given[part])
            with m.Elif(shift):
                m.d.sync += left[part].eq(shifted[part])
            if p.from_right:
                some.append(Signal(name=f"some_{number}"))
                m.d.sync += some[-1].eq(left[part].any())
        if p.from_right:
            m.d.comb += self.digit.eq(left[: p.window])
            m.d.sync += self.rest.eq(Cat(some).any())
            return m
        m.d.comb += self.digit.eq(left[-p.window :])
        if len(left) > p.window:
            m.d.comb += self.following.eq(left[-p.window - 1])
        return m
