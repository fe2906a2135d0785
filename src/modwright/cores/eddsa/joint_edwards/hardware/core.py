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

from amaranth.hdl import Const, Module, Mux, Signal, Value

from .....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE
from .....engines.ladder.hardware.core import first_of
from .....engines.ladder.hardware.joint import JointCore
from .....functions.eddsa import COMBINE
from .....functions.signature import SIGN, VERIFY
from .....schedule import Schedule
from ..parameters import OFF_CURVE, UNVERIFIED, EddsaParameters
from ..plan.formulas import PUBLIC
from ..plan.microcode import ALWAYS, COMMITMENT, NAMES, SCALAR, WORDS

RESULTS = ("first", "second")


class EddsaCore(JointCore):
    """Streams `i` (curve, operation, numbers) and `o` (point, S, or validity). One operation at a time."""

    def __init__(self, p: EddsaParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule, NAMES, WORDS)
        self.p = p

    def elaborate(self, platform: object) -> Module:
        m = Module()
        start = self.add_machine(m)
        self.hold(m, start)
        self.connect_operands(m)
        self.combining, self.signing, self.verifying = (self.held["op"] == op for op in (COMBINE, SIGN, VERIFY))
        word = self.machine.word
        self.choose_modulus(m, self.machine.start)
        loads = {"u1": word.k_out | (word.s_out & ~self.combining), "u2": word.h_out}
        self.take_scalars(m, loads, {"checked": ~self.combining, "sign": self.signing})
        valid = self._valid(m)
        self._release(m, self._error(m, valid), valid)
        return m

    def _valid(self, m: Module) -> Signal:
        """Whether the point is R, and s in range where it comes in."""
        machine, word = self.machine, self.machine.word
        beyond, odd, valid = Signal(), Signal(), Signal()
        counted = (word.range == COMMITMENT) | ((word.range == SCALAR) & self.verifying)
        self.remember(m, beyond, machine.start, counted & ~machine.negative)
        with m.If(word.x_out):
            m.d.sync += odd.eq(machine.found[0])
        m.d.comb += valid.eq(machine.flag_equal & (odd == self.held["rs"]) & ~beyond)
        return valid

    def _error(self, m: Module, valid: Value) -> Signal:
        """The error code; that of a signature is known at the end of the exit."""
        machine = self.machine
        error, wrong = Signal(3), Signal()
        self.remember(m, wrong, machine.start, (machine.word.range == ALWAYS) & ~machine.negative)
        out, off = wrong | self.held["op"].all(), ~machine.flag_on_curve
        codes = (
            (self.are_bad(), BAD_MODULUS),
            (out, OUT_OF_RANGE),
            (off, OFF_CURVE),
            (self.signing & ~valid, UNVERIFIED),
        )
        m.d.comb += error.eq(first_of(codes, Const(0, len(error))))
        return error

    def _release(self, m: Module, error: Value, valid: Value) -> None:
        """With an error the result is 0."""
        word, held, right = self.machine.word, self.held, error == 0
        counts = {"first": ~self.verifying, "second": self.combining}
        for name, place in zip(RESULTS, PUBLIC, strict=True):
            with m.If(word[f"{name}_out"]):
                m.d.sync += held[place].eq(self.machine.found)
        with self.leaves(m, word.end):
            m.d.sync += self.o.p.error.eq(error)
            m.d.sync += self.o.p.accepted.eq(self.verifying & valid & right)
            for name, place in zip(RESULTS, PUBLIC, strict=True):
                m.d.sync += getattr(self.o.p, name).eq(Mux(right & counts[name], held[place], 0))
