# SPDX-License-Identifier: Apache-2.0
"""A multiplier of x-coordinates modulo 2^n - c, as the control words say.

Registers by cycle, with the step of the schedule; L words of the set-up and the ladder, W of all:

    cycle     step                  register that holds the value from this cycle on
    1         operands              `held_u`, `held_a24`, `scalar`: k as RFC 7748 decodes it
    L + 1     steps                 words 0 to 3: X2, X3, Z2, Z3, but for products in flight
    W + 1     z mod p               `z` of `exact`: the result, below p

A scalar's bit, in `now`, exchanges the words of Q and R that a step reads and writes; `before` is that of the step
before, whose last words are written in this one. Both work on the control word in its own cycle; what the word
controls has it in a register a cycle later.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from .....rtl.control import datapath_members
from .....rtl.player import Player
from .....schedule import Schedule
from ..parameters import CLAMP_BITS, ZERO, PseudoMersenneParameters
from .exact import FIELDS as EXACT_FIELDS
from .exact import Exact
from .operands import FIELDS, NUMBER, Operands
from .row import Row


class PseudoMersenneDatapath(wiring.Component):
    """The ladder without streams; see `rtl.control.StreamCore` for the ports."""

    def __init__(self, p: PseudoMersenneParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        code = self.schedule.microcode
        self.player = Player(code, overlap=False, fetch=True, shared=True, target=p.target)
        m.submodules.sequencer = self.player
        m.submodules.operands = operands = Operands(p)
        m.submodules.row = row = Row(p)
        m.submodules.exact = exact = Exact(p)
        held_u, held_a24 = Signal(p.n, reset_less=True), Signal(p.v, reset_less=True)
        with m.If(self.start):
            m.d.sync += [held_u.eq(self.u), held_a24.eq(self.a24)]
        m.d.comb += [
            self.player.start.eq(self.start),
            operands.u.eq(held_u),
            operands.a24.eq(held_a24),
            operands.made.eq(row.made),
            row.factors.eq(operands.factors),
            row.digits.eq(operands.digits),
            row.first.eq(self._field("first")),
            exact.ahead.eq(operands.ahead),
            self.z.eq(exact.z),
            self.error.eq(Mux(exact.zero, ZERO, 0)),
        ]
        m.d.comb += [getattr(exact, name).eq(self._field(name)) for name in EXACT_FIELDS]
        self._words(m, operands)
        m.d.sync += self.done.eq(self._field("end"))
        return m

    def _field(self, name: str) -> Value:
        return self.player.field(name)

    def _words(self, m: Module, operands: Operands) -> None:
        """Fields of the operands, with the exchanges of the scalar's bit."""
        exchanged = self._scalar(m)
        changes = {"read": self._exchange("read_bit", exchanged), "into": self._exchange("into_bit", exchanged)}
        settled = Signal()  # a step has ended: what is left of one is in the words of the next
        with m.If(self.start):
            m.d.sync += settled.eq(0)
        with m.Elif(self._field("again")):
            m.d.sync += settled.eq(1)
        for name in FIELDS:
            value = self._field(name)
            if name in changes:
                value = value ^ changes[name]
            if name == "write":
                value = value & (settled | ~self._field("tail"))
            m.d.comb += getattr(operands, name).eq(value)

    def _scalar(self, m: Module) -> Value:
        """The bits of this step and of the one before, behind a 0: what a control word chooses from."""
        p, scalar = self.p, Signal(self.p.n, reset_less=True)
        now, before = Signal(reset_less=True), Signal(reset_less=True)
        cleared = Cat((self.clamp > bit for bit in range((1 << CLAMP_BITS) - 1)), Const(0, p.n))[: p.n]
        top = Mux(self.clamp.any(), 1 << p.n - 1, 0)
        with m.If(self.start):
            m.d.sync += scalar.eq((self.k[: p.n] & ~cleared) | top)
        with m.Elif(self._field("begin")):
            m.d.sync += [scalar.eq(scalar << 1), now.eq(scalar[-1]), before.eq(now)]
        return Cat(Const(0, 1), now, before)

    def _exchange(self, field: str, exchanged: Value) -> Value:
        """Bit 0 of an address, in its place."""
        return Cat(exchanged.bit_select(self._field(field), 1), Const(0, NUMBER - 1))
