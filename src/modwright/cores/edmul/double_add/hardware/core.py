# SPDX-License-Identifier: Apache-2.0
"""A point multiplier on Edwards curves with its streams: registers, scalar, and the machine that runs the program.

Registers by cycle, with the step of the schedule; S words of set-up, P of a step, E of the exit:

    cycle              step            register that holds the value from this cycle on
    1                  operands        `held_*`: the payload but for k, which is in `r`, n bits
    S + n·P + 1        steps 2 to n    words 0 to 2: X, Y, Z, each below m or 2m
    S + n·P + E + 1    result          `x`, `y`: the result, below m; `o.valid`

A scalar's bit, in `now`, chooses which of two points a step adds; `before` is that of the step before.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring

from .....engines.ladder.hardware.machine import FieldMachine
from .....rtl.streams import core_members
from .....schedule import Schedule
from ..parameters import BAD_MODULUS, OFF_CURVE, OUT_OF_RANGE, EdmulParameters
from ..plan.microcode import EXTERNAL, FLIPS, NAMES, WORDS


class EdmulCore(wiring.Component):
    """Streams `i` (curve, scalar, point) and `o` (point). One operation at a time."""

    def __init__(self, p: EdmulParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.machine = self.machine = machine = FieldMachine(self.p, NAMES, self.schedule, WORDS)
        start = Signal()
        m.d.comb += [
            self.i.ready.eq(machine.ready & ~self.o.valid),
            start.eq(self.i.valid & self.i.ready),
            machine.start.eq(start),
        ]
        held = self._hold(m, start)
        self._scalar(m, start)
        self._release(m, self._error(m, held, start))
        return m

    def _hold(self, m: Module, start: Value) -> dict[str, Signal]:
        """Registers of the operands, but for the scalar; they are the machine's modulus and operands."""
        held: dict[str, Signal] = {}
        for field in self.p.i.fields:
            if field.name != "k":
                held[field.name] = register = Signal(field.width, name=f"held_{field.name}")
                port = f"given_{field.name}" if field.name in EXTERNAL else field.name
                m.d.comb += getattr(self.machine, port).eq(register)
                with m.If(start):
                    m.d.sync += register.eq(getattr(self.i.p, field.name))
        return held

    def _scalar(self, m: Module, start: Value) -> None:
        """The scalar's bits from the left, and what they choose."""
        machine, r = self.machine, Signal(self.p.n)
        now, before = Signal(), Signal()
        m.d.comb += [
            machine.exchange[FLIPS.index("now")].eq(now),
            machine.exchange[FLIPS.index("before")].eq(before),
        ]
        with m.If(start):
            m.d.sync += r.eq(self.i.p.k)
        with m.Elif(machine.word.begin):
            m.d.sync += [r.eq(r << 1), now.eq(r[-1]), before.eq(now)]

    def _error(self, m: Module, held: dict[str, Signal], start: Value) -> Signal:
        """The error code; it is known when the set-up has ended."""
        machine, error, out_of_range = self.machine, Signal(2), Signal()
        with m.If(start):
            m.d.sync += out_of_range.eq(0)
        with m.Elif(machine.word.range & ~machine.negative):
            m.d.sync += out_of_range.eq(1)
        bad = ~held["m"][0] | ~held["m"][2:].any()
        off = Mux(machine.flag_on_curve, 0, OFF_CURVE)
        m.d.comb += error.eq(Mux(bad, BAD_MODULUS, Mux(out_of_range, OUT_OF_RANGE, off)))
        return error

    def _release(self, m: Module, error: Signal) -> None:
        """The result stays until it is taken; with an error it is 0."""
        word = self.machine.word
        for name in ("x", "y"):
            with m.If(word[f"{name}_out"]):
                m.d.sync += getattr(self.o.p, name).eq(Mux(error != 0, 0, self.machine.found))
        with m.If(word.end):
            m.d.sync += [self.o.valid.eq(1), self.o.p.error.eq(error)]
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
