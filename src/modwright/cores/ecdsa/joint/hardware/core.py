# SPDX-License-Identifier: Apache-2.0
"""An ECDSA core with its streams: registers, scalars, and the machine that runs the program modulo p and the order.

Registers by cycle, with the step of the schedule; S words of set-up, P of a step, E of the exit:

    cycle              step            register that holds the value from this cycle on
    1                  operands        `held_*`: the payload; `held_k` is d when a key is made
    S + n·P + 1        steps 2 to n    words 0 to 2: X, Y, Z, each below m or 2m
    S + n·P + E + 1    result          `first`, `second`, `equal`: what one pass has found

u1 and u2 are in registers of n bits, from which a step takes a bit each, in `now`; `before` is that of the step before.
`field` says that the modulus is p, and not the order.

With `check` the program runs twice. The second pass verifies the signature of the first, whose r and s take the
places of the operands; where a key is made, or a signature verified, its results have to be the same.
"""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, Signal, Value

from .....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE
from .....engines.ladder.hardware.core import first_of
from .....engines.ladder.hardware.joint import JointCore
from .....functions.ecdsa import KEYGEN
from .....functions.signature import SIGN, VERIFY
from .....schedule import Schedule
from ..parameters import OFF_CURVE, UNVERIFIED, ZERO, EcdsaParameters
from ..plan.microcode import ALWAYS, NAMES, PUBLIC, SCALAR, WORDS

RESULTS, SIGNATURE = ("first", "second"), ("r", "s")
"""Results of a pass, and the registers that hold those of the first for the second."""


class EcdsaCore(JointCore):
    """Streams `i` (curve, operation, numbers) and `o` (key, signature, or its validity). One operation at a time."""

    def __init__(self, p: EcdsaParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule, NAMES, WORDS)
        self.p = p

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.again, self.second_pass = Signal(), Signal()  # the second pass starts, and is in progress
        start = self.add_machine(m, self.again)
        self.hold(m, start, {"k": Mux(self.i.p.op == KEYGEN, self.i.p.d, self.i.p.k)})
        self.connect_operands(m)
        self.signing, self.verifying = Signal(), Signal()
        self.equal = Signal()  # r and s are in range, and r is that of the point
        m.d.comb += [
            self.signing.eq(self.held["op"] == SIGN),
            self.verifying.eq((self.held["op"] == VERIFY) | (self.signing & self.second_pass)),
        ]
        word = self.machine.word
        self.choose_modulus(m, self.machine.start | word.to_order)
        loads = {"u1": word.u1_out, "u2": word.u2_out}
        self.take_scalars(m, loads, {"verify": self.verifying, "sign": self.signing})
        error = self._error(m)
        if self.p.check:
            self._check(m, start, error)
        else:
            self._leave(m, error)
        return m

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
        beyond = scalar | machine.flag_ks_zero | machine.flag_dr_zero
        m.d.comb += self.equal.eq(machine.flag_equal & ~beyond)  # beyond its range, r or s belongs to no signature
        out = wrong | (beyond & ~self.verifying) | held["op"].all()
        off = ~machine.flag_on_curve & public
        zero = (machine.flag_rr_zero | machine.flag_ss_zero) & self.signing & ~self.verifying
        codes = ((self.are_bad(), BAD_MODULUS), (out, OUT_OF_RANGE), (off, OFF_CURVE), (zero, ZERO))
        m.d.comb += error.eq(first_of(codes, Const(0, len(error))))
        return error

    def _leave(self, m: Module, error: Value) -> None:
        """With an error the result is 0, and so are both numbers when verifying."""
        word, verified = self.machine.word, self.held["op"] == VERIFY
        for name in RESULTS:
            with m.If(word[f"{name}_out"]):
                m.d.sync += getattr(self.o.p, name).eq(Mux(verified, 0, self.machine.found))
        with self.leaves(m, word.end):
            m.d.sync += [
                self.o.p.error.eq(error),
                self.o.p.accepted.eq(verified & self.equal & (error == 0)),
            ]
            with m.If(error != 0):
                m.d.sync += [getattr(self.o.p, name).eq(0) for name in RESULTS]

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
        with self.leaves(m, word.end & self.second_pass):
            m.d.sync += [
                self.o.p.error.eq(final),
                self.o.p.accepted.eq(verified & equal & right),
            ]
            for name, place in zip(RESULTS, SIGNATURE, strict=True):
                m.d.sync += getattr(self.o.p, name).eq(Mux(right & ~verified, held[place], 0))
