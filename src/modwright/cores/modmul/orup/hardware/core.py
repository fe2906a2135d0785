# SPDX-License-Identifier: Apache-2.0
"""A multiplier with its streams, and its control words, which a counter of cycles issues.

One operation is in the core at a time. A register of an operand that is not in use takes whatever is at `i`, in every
clock: so what it does comes from a register and not from outside, and from one of its own, since these signals go far.

Registers by cycle, with the step of the schedule; I digits, L limbs of the result, d registers of the loop:

    cycle            step         register that holds the value from this cycle on
    1                operands     `x`, `y`: X and Y, which then move by a digit a cycle; `clock`: 1, the number of the
                                  cycle
    I + d + 3        last S       those of the converter: S after I digits
    I + L + d + 3    to binary    those of the converter: the result; `o.valid`
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from .....engines.orup.ahead import OrupParameters
from .....rtl.counting import CountedPlayer
from .....rtl.streams import core_members
from .....schedule import Schedule
from ..schedule.ahead import COMPARE, CONVERT, COPY, DIGITS, LOOP, Y_DIGITS
from .check import OperandCheck
from .converter import LimbConverter
from .loop import QuotientLoop


class OrupCore(wiring.Component):
    """Streams `i` (x, y, m, modulus) and `o` (z, m, modulus, error)."""

    def __init__(self, p: OrupParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        self.loop = QuotientLoop(p)
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p, loop = Module(), self.p, self.loop
        m.submodules.loop = loop
        m.submodules.check = check = OperandCheck(p)
        m.submodules.converter = converter = LimbConverter(p)
        clock = Signal((self.schedule.latency - 1).bit_length())  # since the input transfer; 0 without an operation
        start, free, busy = self._handshake(m, clock)
        player = CountedPlayer(self.schedule.microcode, clock, start)

        def during(step: str) -> Signal:
            return player.level(m, step, step.replace(" ", "_"))

        x, y = Signal(p.operand_bits), Signal(p.operand_bits)  # a digit leaves in every cycle
        zero = Signal()
        m.d.sync += [
            x.eq(Mux(during(DIGITS), x >> p.k, self.i.p.x)),
            y.eq(Mux(during(Y_DIGITS), y >> p.k, self.i.p.y)),
            zero.eq(check.error != 0),
        ]
        m.d.comb += [
            loop.load.eq(free),
            loop.y.eq(self.i.p.y),
            loop.m.eq(self.i.p.m),
            loop.digit.eq(x[: p.k]),
            loop.run.eq(during(LOOP)),
            check.load.eq(free),
            check.load_modulus.eq(~busy),
            check.m.eq(self.i.p.m),
            check.modulus.eq(self.i.p.modulus),
            check.compare.eq(during(COMPARE)),
            check.x_digit.eq(x[1 : p.k + 1]),  # when the first is compared, K bits of X and Y are gone
            check.y_digit.eq(y[1 : p.k + 1]),
            converter.word.eq(loop.word),
            converter.carries.eq(loop.carries),
            converter.load.eq(during(COPY)),
            converter.add.eq(during(CONVERT)),
            converter.zero.eq(zero),
            self.o.p.z.eq(converter.z),
            self.o.p.m.eq(check.held_m),
            self.o.p.modulus.eq(check.held_modulus),
            self.o.p.error.eq(check.error),
        ]
        return m

    def _handshake(self, m: Module, clock: Signal) -> tuple[Signal, Signal, Signal]:
        """Free -> at work -> result valid -> free.

        Returns the cycle of the input transfer, whether the core is free, and the opposite, each in a register.
        """
        free, busy, start, last = Signal(init=1), Signal(), Signal(), Signal()
        m.d.comb += [
            self.i.ready.eq(free),
            start.eq(self.i.valid & free),
            last.eq(clock == self.schedule.latency - 1),
        ]
        with m.If(start):
            m.d.sync += [free.eq(0), busy.eq(1), clock.eq(1)]
        with m.Elif(last):
            m.d.sync += [clock.eq(0), self.o.valid.eq(1)]
        with m.Elif(clock != 0):
            m.d.sync += clock.eq(clock + 1)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [self.o.valid.eq(0), free.eq(1), busy.eq(0)]
        return start, free, busy
