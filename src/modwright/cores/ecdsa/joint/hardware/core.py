# SPDX-License-Identifier: Apache-2.0
"""An ECDSA core with its streams: registers, scalars, and the machine that runs the program modulo p and the order.

Registers by cycle, with the step of the schedule; S words of set-up, P of a step, E of the exit:

    cycle              step            register that holds the value from this cycle on
    1                  operands        `held_*`: the payload; `held_k` is d when a key is made
    S + n·P + 1        steps 2 to n    words 0 to 2: X, Y, Z, each below m or 2m
    S + n·P + E + 1    result          `first`, `second`, `equal`: what one pass has found

u1 and u2 are in registers of n bits, from which a step takes a bit each, in `now`; `before` is that of the step before.
`field` says that the modulus is p, and not the order.

With `check` the program is played twice. The second pass verifies the signature of the first, whose r and s take the
places of the operands; where a key is made, or a signature verified, it has to find the same again.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from .....engines.ladder.hardware.machine import FieldMachine
from .....functions.ecdsa import KEYGEN, SIGN, VERIFY
from .....rtl.streams import core_members
from .....schedule import Schedule
from ..parameters import BAD_MODULUS, OFF_CURVE, OUT_OF_RANGE, UNVERIFIED, ZERO, EcdsaParameters
from ..plan.microcode import ALWAYS, EXTERNAL, FLIPS, NAMES, PUBLIC, SCALAR, WORDS

RESULTS, SIGNATURE = ("first", "second"), ("r", "s")
"""Results of a pass, and the registers that hold those of the first for the second."""


class EcdsaCore(wiring.Component):
    """Streams `i` (curve, operation, numbers) and `o` (key, signature, or its validity). One operation at a time."""

    def __init__(self, p: EcdsaParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.machine = self.machine = machine = FieldMachine(self.p, NAMES, self.schedule, WORDS)
        start = Signal()
        self.again, self.second_pass = Signal(), Signal()  # the second pass starts, and is played
        m.d.comb += [
            self.i.ready.eq(machine.ready & ~self.o.valid & ~self.again),
            start.eq(self.i.valid & self.i.ready),
            machine.start.eq(start | self.again),
        ]
        self.held = self._hold(m, start)
        self.signing, self.verifying = Signal(), Signal()
        self.equal = Signal()  # r and s are in range, and r is that of the point
        m.d.comb += [
            self.signing.eq(self.held["op"] == SIGN),
            self.verifying.eq((self.held["op"] == VERIFY) | (self.signing & self.second_pass)),
        ]
        self._modulus(m)
        self._scalars(m)
        error = self._error(m)
        if self.p.check:
            self._check(m, start, error)
        else:
            self._leave(m, error)
        return m

    def _hold(self, m: Module, start: Value) -> dict[str, Signal]:
        """Registers of the operands, those that are read in programs as the machine's operands."""
        held: dict[str, Signal] = {}
        for field in self.p.i.fields:
            held[field.name] = register = Signal(field.width, name=f"held_{field.name}")
            if field.name in EXTERNAL:
                m.d.comb += getattr(self.machine, f"given_{field.name}").eq(register)
            given = getattr(self.i.p, field.name)
            if field.name == "k":
                given = Mux(self.i.p.op == KEYGEN, self.i.p.d, given)
            with m.If(start):
                m.d.sync += register.eq(given)
        return held

    def _modulus(self, m: Module) -> None:
        """The program begins and ends modulo the order."""
        machine, held, field = self.machine, self.held, Signal()
        with m.If(machine.start | machine.word.to_order):
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
        for name, register in self.scalars.items():
            with m.If(word[f"{name}_out"]):
                m.d.sync += register.eq(machine.found)
            with m.Elif(word.begin):
                m.d.sync += register.eq(register << 1)
        now, before = Signal(2), Signal(2)
        with m.If(word.begin):
            m.d.sync += [now.eq(Cat(*(register[-1] for register in self.scalars.values()))), before.eq(now)]
        low = {"now": now[0], "before": before[0], "verify": self.verifying, "sign": self.signing}
        high = {"now": now[1], "before": before[1]}
        m.d.comb += [machine.exchange[FLIPS.index(name)].eq(bit) for name, bit in low.items()]
        m.d.comb += [machine.exchange_high[FLIPS.index(name)].eq(bit) for name, bit in high.items()]

    def _error(self, m: Module) -> Signal:
        """The error code of a pass; it is known when the set-up has ended, but for r and s that are 0."""
        machine, held = self.machine, self.held
        error, wrong, scalar, public = Signal(3), Signal(), Signal(), Signal()
        m.d.comb += public.eq(self.verifying | (self.signing if self.p.check else 0))
        counted = (machine.word.range == ALWAYS) | ((machine.word.range == PUBLIC) & public)
        with m.If(machine.start):
            m.d.sync += [wrong.eq(0), scalar.eq(0)]
        with m.Elif(~machine.negative):
            m.d.sync += [wrong.eq(wrong | counted), scalar.eq(scalar | (machine.word.range == SCALAR))]
        bad = ~held["m"][0] | ~held["m"][2:].any() | ~held["order"][0] | ~held["order"][1:].any()
        beyond = scalar | machine.flag_ks_zero | machine.flag_dr_zero
        m.d.comb += self.equal.eq(machine.flag_equal & ~beyond)  # beyond its range, r or s belongs to no signature
        out = wrong | (beyond & ~self.verifying) | held["op"].all()
        off = ~machine.flag_on_curve & public
        zero = (machine.flag_rr_zero | machine.flag_ss_zero) & self.signing & ~self.verifying
        codes = ((bad, BAD_MODULUS), (out, OUT_OF_RANGE), (off, OFF_CURVE), (zero, ZERO))
        code: Value = Const(0, len(error))
        for condition, number in reversed(codes):
            code = Mux(condition, number, code)
        m.d.comb += error.eq(code)
        return error

    def _leave(self, m: Module, error: Value) -> None:
        """The result stays until it is taken; with an error it is 0, and so are both numbers when verifying."""
        word, verified = self.machine.word, self.held["op"] == VERIFY
        for name in RESULTS:
            with m.If(word[f"{name}_out"]):
                m.d.sync += getattr(self.o.p, name).eq(Mux(verified, 0, self.machine.found))
        with m.If(word.end):
            m.d.sync += [
                self.o.valid.eq(1),
                self.o.p.error.eq(error),
                self.o.p.valid.eq(verified & self.equal & (error == 0)),
            ]
            with m.If(error != 0):
                m.d.sync += [getattr(self.o.p, name).eq(0) for name in RESULTS]
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)

    def _check(self, m: Module, start: Value, error: Value) -> None:
        """Two passes: nothing is on the output before the second one has agreed with the first."""
        machine, held, word = self.machine, self.held, self.machine.word
        verified = held["op"] == VERIFY
        stored = Signal.like(error)  # error code of the first pass
        equal, differs, fault = Signal(), Signal(), Signal()
        m.d.sync += self.again.eq(word.end & ~self.second_pass)
        for name, place in zip(RESULTS, SIGNATURE, strict=True):
            with m.If(word[f"{name}_out"] & ~verified):
                with m.If(~self.second_pass):
                    m.d.sync += held[place].eq(machine.found)
                with m.Elif(machine.found != held[place]):
                    m.d.sync += differs.eq(1)
        other = Mux(verified, self.equal != equal, differs)
        m.d.comb += fault.eq(Mux(self.signing, ~self.equal, other) | (error != 0))
        with m.If(start):
            m.d.sync += [self.second_pass.eq(0), differs.eq(0)]
        with m.Elif(word.end & ~self.second_pass):
            m.d.sync += [self.second_pass.eq(1), stored.eq(error), equal.eq(self.equal)]
        final = Mux(stored != 0, stored, Mux(fault, UNVERIFIED, 0))
        right = final == 0
        with m.If(word.end & self.second_pass):
            m.d.sync += [
                self.o.valid.eq(1),
                self.o.p.error.eq(final),
                self.o.p.valid.eq(verified & equal & right),
            ]
            for name, place in zip(RESULTS, SIGNATURE, strict=True):
                m.d.sync += getattr(self.o.p, name).eq(Mux(right & ~verified, held[place], 0))
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
