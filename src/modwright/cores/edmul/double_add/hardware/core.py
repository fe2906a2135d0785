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

from .....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE
from .....engines.ladder.hardware.core import CurveCore, first_of
from .....schedule import Schedule
from ..parameters import OFF_CURVE, EdmulParameters
from ..plan.microcode import EXTERNAL, FLIPS, NAMES, WORDS


class EdmulCore(CurveCore):
    """Streams `i` (curve, scalar, point) and `o` (point). One operation at a time."""

    def __init__(self, p: EdmulParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule, NAMES, WORDS)
        self.p = p

    def elaborate(self, platform: object) -> Module:
        m = Module()
        start = self.add_machine(m)
        self.hold(m, start, without=("k",))
        for name, register in self.held.items():
            m.d.comb += getattr(self.machine, f"given_{name}" if name in EXTERNAL else name).eq(register)
        self._scalar(m, start)
        self._release(m, self._error(m, start))
        return m

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

    def _error(self, m: Module, start: Value) -> Signal:
        """The error code; it is known when the set-up has ended."""
        machine, error, out_of_range = self.machine, Signal(2), Signal()
        self.remember(m, out_of_range, start, machine.word.range & ~machine.negative)
        codes = ((self.is_bad("m"), BAD_MODULUS), (out_of_range, OUT_OF_RANGE))
        m.d.comb += error.eq(first_of(codes, Mux(machine.flag_on_curve, 0, OFF_CURVE)))
        return error

    def _release(self, m: Module, error: Signal) -> None:
        """With an error the result is 0."""
        word = self.machine.word
        for name in ("x", "y"):
            with m.If(word[f"{name}_out"]):
                m.d.sync += getattr(self.o.p, name).eq(Mux(error != 0, 0, self.machine.found))
        with self.leaves(m, word.end):
            m.d.sync += self.o.p.error.eq(error)
