# SPDX-License-Identifier: Apache-2.0
"""Exact division by an odd number, a bit a cycle from the right; see `engines.row.model.quotient`.

The register of the dividend serves whatever else is read bit by bit. With `load` or `step` in cycle 0:

    cycle   after `load`                         after `step`
    1       `load_K`                             `step_K`; `bit`, `digit`: of this step
    2       `rest_of_z`: z; `rest`: 0            `rest_of_z`: a bit less; `rest`: what the digits leave, less than t
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.chains import plus_or_minus
from ....rtl.copies import copied, pulse_copy

SLICE = 32
"""Bits of the dividend behind one copy of a control signal."""


class Division(wiring.Component):
    """Attributes
    ----------
    load : in
        Strobe: z is valid in the next cycle.
    z : in, as many bits as the quotient has
        Lowest bits of the dividend.
    t : in
        Odd divisor, stable while there are steps.
    step : in
        Strobe: compute a bit; once for each bit of the quotient.
    bit : out
        Lowest bit of what is left of z.
    digit : out
        Digit of the quotient, in the cycle after `step`.
    """

    def __init__(self, bits: int, divisor_bits: int, target: str) -> None:
        self.bits, self.divisor_bits, self.target = bits, divisor_bits, target
        inputs = {"load": In(1), "z": In(bits), "t": In(divisor_bits), "step": In(1)}
        super().__init__({**inputs, "bit": Out(1), "digit": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        left = Signal(self.bits, name="rest_of_z", reset_less=True)
        for number, low in enumerate(range(0, self.bits, SLICE)):
            part = slice(low, min(low + SLICE, self.bits))
            load = pulse_copy(m, self.load, f"load_{number}")
            step = copied(m, self.step, self.target, f"step_{number}")
            moved = Cat(left, Const(0, 1))[part.start + 1 : part.stop + 1]
            with m.If(load | step):
                m.d.sync += left[part].eq(Mux(load, self.z[part], moved))
        self._divide(m, left)
        return m

    def _divide(self, m: Module, left: Signal) -> None:
        """A digit is computed next to the sum before it, of whose bit 1 it depends."""
        load, step = pulse_copy(m, self.load, "load"), copied(m, self.step, self.target, "step")
        rest, following = Signal(self.divisor_bits + 1, reset_less=True), Cat(left, Const(0, 1))[1]
        m.d.comb += self.bit.eq(left[0])
        none = Const(0, 1)
        total = plus_or_minus(m, rest, self.t, none, none, self.target, self.digit)
        with m.If(load):
            m.d.sync += [rest.eq(0), self.digit.eq(self.z[0])]
        with m.Elif(step):
            carry = rest[0] & self.digit
            m.d.sync += [
                rest.eq(total >> 1),
                self.digit.eq(rest[1] ^ (self.digit & self.t[1]) ^ carry ^ following),
            ]
