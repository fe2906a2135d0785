# SPDX-License-Identifier: Apache-2.0
"""A multiplier of x-coordinates with its streams: registers, scalar, and the machine that runs the program.

Registers by cycle, with the step of the schedule; C cycles of the mask, S words of set-up, P of a step, E of the exit:

    cycle              step              register that holds the value from this cycle on
    1                  operands          `held_*`: the payload but for k
    C + 2              k as decoded      `r` of `scalar`: the scalar, n bits
    S + n·P + 1        steps 2 to n      words 0 to 3: X2, X3, Z2, Z3, each below m or 2m
    S + n·P + E + 1    result            `z`: the result, below m; `o.valid`

A scalar's bit, in `now`, exchanges the words of Q and R that a step reads and writes; `before` is that of the step
before, whose last words are written in this one.
"""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, Signal, Value

from .....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE
from .....engines.ladder.hardware.core import CurveCore, first_of
from .....schedule import Schedule
from ..parameters import ZERO, XmulParameters
from ..plan.microcode import FLIPS, NAMES
from .scalar import Scalar


class XmulCore(CurveCore):
    """Streams `i` (curve, scalar, u) and `o` (z). One operation at a time."""

    def __init__(self, p: XmulParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule, NAMES)
        self.p = p

    def elaborate(self, platform: object) -> Module:
        m = Module()
        start = self.add_machine(m)
        m.submodules.scalar = self.scalar = Scalar(self.p)
        self.hold(m, start, {"u": self.i.p.u[: self.p.n]}, without=("k",))
        self._connect(m, self.held)
        self._scalar(m, self.held, start)
        self._release(m, self._error(m, start))
        return m

    def _connect(self, m: Module, held: dict[str, Signal]) -> None:
        """Modulus and operands of the machine; u without the bits above those of m."""
        machine = self.machine
        for name in ("m", "q", "mu"):
            if name in held:
                m.d.comb += getattr(machine, name).eq(held[name])
        m.d.comb += [
            machine.given_u.eq(held["u"] & self.scalar.mask),
            machine.given_a24.eq(held["a24"]),
            machine.given_r2.eq(held["r2"]),
        ]

    def _scalar(self, m: Module, held: dict[str, Signal], start: Value) -> None:
        """The scalar's bits, and what they exchange."""
        scalar, machine, word = self.scalar, self.machine, self.machine.word
        now, before = Signal(), Signal()
        m.d.comb += [
            scalar.start.eq(start),
            scalar.k.eq(self.i.p.k),
            scalar.m.eq(self.i.p.m),
            scalar.clamp.eq(held["clamp"]),
            scalar.smear.eq(word.smear),
            scalar.decode.eq(word.decode),
            scalar.begin.eq(word.begin),
            machine.exchange[FLIPS.index("now")].eq(now),
            machine.exchange[FLIPS.index("before")].eq(before),
        ]
        with m.If(word.begin):
            m.d.sync += [now.eq(scalar.bit), before.eq(now)]

    def _error(self, m: Module, start: Value) -> Signal:
        """The error code; of z = 0, once it is known."""
        machine, error, out_of_range = self.machine, Signal(2), Signal()
        self.remember(m, out_of_range, start, machine.word.range & ~machine.negative)
        codes = ((self.is_bad("m"), BAD_MODULUS), (out_of_range, OUT_OF_RANGE), (machine.flag_z_zero, ZERO))
        m.d.comb += error.eq(first_of(codes, 0))
        return error

    def _release(self, m: Module, error: Signal) -> None:
        """With an error the result is 0."""
        word, n = self.machine.word, self.p.n
        with m.If(word.z_out):
            m.d.sync += self.o.p.z.eq(Mux(error != 0, Const(0, n), self.machine.found))
        with self.leaves(m, word.end):
            m.d.sync += self.o.p.error.eq(error)
