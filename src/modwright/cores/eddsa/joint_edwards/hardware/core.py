# SPDX-License-Identifier: Apache-2.0
"""An EdDSA core with its streams: registers, scalars, and the machine that runs the program modulo p and the order.

Registers by cycle, with the step of the schedule; S words of set-up, P of a step, E of the exit:

    cycle              step            register that holds the value from this cycle on
    1                  operands        `held_*`: the payload
    S + n·P + 1        steps 2 to n    words 0 to 2: X, Y, Z, each below m or 2m
    S + n·P + E + 1    result          `first`, `second`, `valid`

u1 and u2 are in registers of n bits, from which a step takes a bit each, in `now`; `before` is that of the step before.
`field` says that the modulus is p, and not the order. What the exit finds waits in the registers of P, which nothing
reads any more, until all is known of it: a signature that does not fit is never on the output.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from .....engines.ladder.hardware.machine import FieldMachine
from .....functions.eddsa import COMBINE, SIGN, VERIFY
from .....rtl.streams import core_members
from .....schedule import Schedule
from ..parameters import BAD_MODULUS, OFF_CURVE, OUT_OF_RANGE, UNVERIFIED, EddsaParameters
from ..plan.formulas import PUBLIC
from ..plan.microcode import ALWAYS, COMMITMENT, EXTERNAL, FLIPS, NAMES, SCALAR, WORDS

RESULTS = ("first", "second")


class EddsaCore(wiring.Component):
    """Streams `i` (curve, operation, numbers) and `o` (point, S, or validity). One operation at a time."""

    def __init__(self, p: EddsaParameters, schedule: Schedule) -> None:
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
        self.held = self._hold(m, start)
        self.combining, self.signing, self.verifying = (self.held["op"] == op for op in (COMBINE, SIGN, VERIFY))
        self._modulus(m)
        self._scalars(m)
        valid = self._valid(m)
        self._release(m, self._error(m, valid), valid)
        return m

    def _hold(self, m: Module, start: Value) -> dict[str, Signal]:
        """Registers of the operands, those that are read in programs as the machine's operands."""
        held: dict[str, Signal] = {}
        for field in self.p.i.fields:
            held[field.name] = register = Signal(field.width, name=f"held_{field.name}")
            if field.name in EXTERNAL:
                m.d.comb += getattr(self.machine, f"given_{field.name}").eq(register)
            with m.If(start):
                m.d.sync += register.eq(getattr(self.i.p, field.name))
        return held

    def _modulus(self, m: Module) -> None:
        """The program begins modulo the order."""
        machine, held, field = self.machine, self.held, Signal()
        with m.If(machine.start):
            m.d.sync += field.eq(0)
        with m.Elif(machine.word.to_field):
            m.d.sync += field.eq(1)
        m.d.comb += machine.m.eq(Mux(field, held["m"], held["order"]))
        for name in ("q", "mu"):
            if name in held:
                m.d.comb += getattr(machine, name).eq(Mux(field, held[name], held[f"order_{name}"]))

    def _scalars(self, m: Module) -> None:
        """The scalars' bits from the left, and what they and the operation choose."""
        machine, word = self.machine, self.machine.word
        self.scalars = {name: Signal(self.p.n, name=name) for name in ("u1", "u2")}
        loads = {"u1": word.k_out | (word.s_out & ~self.combining), "u2": word.h_out}
        for name, register in self.scalars.items():
            with m.If(loads[name]):
                m.d.sync += register.eq(machine.found)
            with m.Elif(word.begin):
                m.d.sync += register.eq(register << 1)
        now, before = Signal(2), Signal(2)
        with m.If(word.begin):
            m.d.sync += [now.eq(Cat(*(register[-1] for register in self.scalars.values()))), before.eq(now)]
        low = {"now": now[0], "before": before[0], "checked": ~self.combining, "sign": self.signing}
        high = {"now": now[1], "before": before[1]}
        m.d.comb += [machine.exchange[FLIPS.index(name)].eq(bit) for name, bit in low.items()]
        m.d.comb += [machine.exchange_high[FLIPS.index(name)].eq(bit) for name, bit in high.items()]

    def _valid(self, m: Module) -> Signal:
        """Whether the point is R, and s in range where it comes in."""
        machine, word = self.machine, self.machine.word
        beyond, odd, valid = Signal(), Signal(), Signal()
        counted = (word.range == COMMITMENT) | ((word.range == SCALAR) & self.verifying)
        with m.If(machine.start):
            m.d.sync += beyond.eq(0)
        with m.Elif(counted & ~machine.negative):
            m.d.sync += beyond.eq(1)
        with m.If(word.x_out):
            m.d.sync += odd.eq(machine.found[0])
        m.d.comb += valid.eq(machine.flag_equal & (odd == self.held["rs"]) & ~beyond)
        return valid

    def _error(self, m: Module, valid: Value) -> Signal:
        """The error code; that of a signature is known at the end of the exit."""
        machine, held = self.machine, self.held
        error, wrong = Signal(3), Signal()
        with m.If(machine.start):
            m.d.sync += wrong.eq(0)
        with m.Elif((machine.word.range == ALWAYS) & ~machine.negative):
            m.d.sync += wrong.eq(1)
        bad = ~held["m"][0] | ~held["m"][2:].any() | ~held["order"][0] | ~held["order"][1:].any()
        out, off = wrong | held["op"].all(), ~machine.flag_on_curve
        codes = ((bad, BAD_MODULUS), (out, OUT_OF_RANGE), (off, OFF_CURVE), (self.signing & ~valid, UNVERIFIED))
        code: Value = Const(0, len(error))
        for condition, number in reversed(codes):
            code = Mux(condition, number, code)
        m.d.comb += error.eq(code)
        return error

    def _release(self, m: Module, error: Value, valid: Value) -> None:
        """The result stays until it is taken; with an error it is 0."""
        word, held, right = self.machine.word, self.held, error == 0
        counts = {"first": ~self.verifying, "second": self.combining}
        for name, place in zip(RESULTS, PUBLIC, strict=True):
            with m.If(word[f"{name}_out"]):
                m.d.sync += held[place].eq(self.machine.found)
        with m.If(word.end):
            m.d.sync += [self.o.valid.eq(1), self.o.p.error.eq(error)]
            m.d.sync += self.o.p.valid.eq(self.verifying & valid & right)
            for name, place in zip(RESULTS, PUBLIC, strict=True):
                m.d.sync += getattr(self.o.p, name).eq(Mux(right & counts[name], held[place], 0))
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
