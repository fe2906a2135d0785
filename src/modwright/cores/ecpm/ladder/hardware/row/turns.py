# SPDX-License-Identifier: Apache-2.0
"""Two point multiplications in turn over one row multiplier, each as `core` has one.

Cycles of the clock belong to the contexts in turn (`rtl.turns`), and a control word of a context comes in every other
one: it reads in the cycle before its own, and does all else in its own, or behind registers. Words, lifts, moduli of
the multiplier and slots are those of the context; so are position, flags, scalar and divsteps, which are there twice.
The registers of the operands, those of the result and what is between are there once: an operation comes in when the
one before has its operands in words, and one whose result is still there lets the next one wait before its last part.

Registers, counted from the input transfer, of a microcode of C cycles whose last words are those of the part `last`:

    cycle        register that holds the value from this cycle on
    1            `held_*`: the payload but for k and order, until the field `kept`
    2t + 4       `word`, the control word t, for one cycle
    2C + 3       `x_result`, `y_result`; `o.valid`
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from ......engines.row.divsteps import MATRIX, RESET, STEPS, TAKEN_F, TAKEN_G
from ......engines.row.hardware.arithmetic import LIFT_SLICE, RowArithmetic
from ......engines.row.hardware.divsteps import DivstepUnit
from ......engines.row.hardware.incoming import Incoming
from ......engines.row.hardware.words import Words
from ......rtl.block_memory import BlockMemory
from ......rtl.pipeline import delayed
from ......rtl.turns import CONTEXTS, TurnPlayer, in_turn, turns
from ......schedule import Schedule
from ...parameters.row import RowLadderParameters
from ...plan.homes import FRESH
from ...plan.row.formulas import GIVEN
from ...plan.row.microcode import TURN_WORDS, make_plan
from .context import RowContext
from .pairs import PairedScalar
from .path import RowPath

OPENS = 3
"""Cycles from the last one in which an operation waits for another to come in to its own, and from the first one back:
registers."""


class RowTurnsCore(RowPath):
    """Two point multiplications in turn."""

    def __init__(self, p: RowLadderParameters, schedule: Schedule) -> None:
        self.p = p
        super().__init__(p, schedule)

    def elaborate(self, platform: object) -> Module:
        m, p, target = Module(), self.p, self.p.row.target
        code = self.schedule.microcode
        self.player = TurnPlayer(code, make_plan(p).begins["last"], target)
        m.submodules.sequencer = self.player
        m.submodules.arithmetic = self.arithmetic = RowArithmetic(p.row)
        m.submodules.words = self.words = Words(p.word_bits, CONTEXTS * TURN_WORDS, target, CONTEXTS - 1)
        m.submodules.incoming = self.incoming = Incoming(p.word_bits, len(GIVEN), target)
        self.turn = turns(m, CONTEXTS, 0, "turn")
        self.contexts = [RowContext(p, self.schedule, self.player.layout) for _ in range(CONTEXTS)]
        self.scalars = [PairedScalar(p, enabled=True) for _ in range(CONTEXTS)]
        self.divsteps = [DivstepUnit(p.row.K, p.word_bits, p.divsteps, target, enabled=True) for _ in range(CONTEXTS)]
        for k, context in enumerate(self.contexts):
            in_turn(m, context, k, f"context_{k}")
            for unit, name in ((self.scalars[k], f"scalar_{k}"), (self.divsteps[k], f"divsteps_{k}")):
                m.d.comb += unit.enable.eq(in_turn(m, unit, k, name))
        start = self.handshake(m)
        self.hold(m, p, start, "kept")
        self._operands(m)
        self._moduli(m)
        self._leave(m)
        self._addresses(m)
        self.drive_arithmetic(m)
        self._contexts(m, start)
        self._release(m)
        return m

    def own(self, m: Module, values: Sequence[Value], name: str) -> Value:
        """Value of the context whose turn it is, by a counter of that name."""
        return Mux(turns(m, CONTEXTS, 0, f"{name}_turn"), values[1], values[0])

    def handshake(self, m: Module) -> Signal:
        """Operations come in at least a distance apart, an odd number of cycles; the cycle of one."""
        start, begins, opens, waits = Signal(), Signal(), Signal(), Signal()
        free, left = Signal(CONTEXTS, init=(1 << CONTEXTS) - 1), Signal(range(self.schedule.burst_distance))
        self.owner, self.taken = Signal(), Signal()  # whose result is, or soon is, in its registers
        m.d.comb += [self.i.ready.eq(opens), start.eq(self.i.valid & opens)]
        m.d.sync += [begins.eq(start), self.player.start.eq(begins)]
        m.d.sync += opens.eq(self.own(m, list(reversed(free)), "free") & ~(waits | start))
        m.d.sync += [left.eq(Mux(start, self.schedule.burst_distance - OPENS, left - 1))]
        m.d.sync += waits.eq(start | (waits & (left != 0)))
        with m.If(self.player.passes):
            m.d.sync += [self.taken.eq(1), self.owner.eq(self.turn)]
        with m.Elif(self.o.valid & self.o.ready):
            m.d.sync += self.taken.eq(0)
        for k in range(CONTEXTS):
            with m.If(start & (self.turn == k)):
                m.d.sync += free[k].eq(0)
            with m.Elif(self.o.valid & self.o.ready & (self.owner == k)):
                m.d.sync += free[k].eq(1)
        m.d.comb += self.player.blocked.eq(self.taken)
        return start

    def _operands(self, m: Module) -> None:
        """Operands, and the matrix of divsteps, to the words."""
        turn, (first, second) = turns(m, CONTEXTS, 0, "matrix_turn"), self.divsteps
        self.offer_to_words(m, [Mux(turn, second.matrix[k], first.matrix[k]) for k in range(len(MATRIX))])

    def _moduli(self, m: Module) -> None:
        """The modulus of the multiplier of each context, in turn; a register behind that of the memory."""
        value = self.held["mk"]
        for number, low in enumerate(range(0, len(value), LIFT_SLICE)):
            part = slice(low, min(low + LIFT_SLICE, len(value)))
            m.submodules[f"modulus_{number}"] = store = BlockMemory(part.stop - low, CONTEXTS, self.p.row.target)
            m.d.comb += [
                store.read.eq(turns(m, CONTEXTS, 0, f"modulus_turn_{number}")),
                store.into.eq(turns(m, CONTEXTS, 0, f"modulus_into_{number}")),
                store.write.eq(self.field("kept")),
                store.word.eq(value[part]),
                self.arithmetic.m[part].eq(delayed(m, store.found, 1, f"modulus_{number}", reset=False)),
            ]

    def _leave(self, m: Module) -> None:
        """The coordinates, which stand above K bits, or 0 where there is no point."""
        none = self.own(m, [context.none for context in self.contexts], "none")
        for name in "xy":
            self.keep_coordinate(m, name, none)

    def _addresses(self, m: Module) -> None:
        """Addresses of the words, exchanged by flags; those of reads a cycle before the turn of their context."""
        field, words, first, contexts = self.field, self.words, self.player.first, self.contexts
        exchange, fresh = Signal(reset_less=True), Signal(reset_less=True)
        m.d.sync += [
            exchange.eq(self.own(m, [context.exchange for context in contexts], "exchange")),
            fresh.eq(self.own(m, [context.freshen for context in contexts], "fresh")),
        ]
        flips = self.own(m, [context.into_exchange for context in contexts], "flips")
        unwritten = self.own(m, [context.unwritten for context in contexts], "unwritten")
        read = Signal.like(first["read"], name="read_word")
        into = Signal.like(first["into"], name="into_word")
        m.d.comb += [
            read.eq(first["read"] ^ exchange ^ Mux(fresh, FRESH, 0)),
            into.eq(field("into") ^ flips),
            words.read.eq(Cat(read, turns(m, CONTEXTS, -1, "read_turn"))),
            words.into.eq(Cat(into, turns(m, CONTEXTS, 0, "into_turn"))),
            words.write.eq(field("write") & ~unwritten),
        ]

    def _contexts(self, m: Module, start: Value) -> None:
        """Position, flags, scalar and divsteps of each; operands and signs come to their cycles by a register."""
        field, unit = self.field, self.arithmetic
        found = delayed(m, self.words.found, 1, "found_late", reset=False)
        negative = delayed(m, unit.negative, 1, "negative_late")
        for context, scalar, divsteps in zip(self.contexts, self.scalars, self.divsteps, strict=True):
            m.d.comb += [
                context.word.eq(self.player.word),
                context.flip.eq(self.player.coming("flip")),
                context.fresh.eq(self.player.coming("fresh")),
                context.start.eq(start),
                context.odd.eq(self.i.p.m[0]),
                context.no_point.eq(self.i.p.infinity),
                context.bit.eq(scalar.bit),
                context.no_order.eq(scalar.zero),
                context.zero.eq(unit.zero),
                context.negative.eq(negative),
                context.low.eq(~found[-1]),
                context.signs.eq(divsteps.signs),
                context.f_negative.eq(divsteps.negative),
                scalar.idle.eq(context.idle),
                scalar.k.eq(self.i.p.k),
                scalar.order.eq(self.i.p.order),
                scalar.reduce.eq(field("reduce")),
                scalar.begin.eq(field("begin")),
                divsteps.found.eq(found),
                divsteps.reset.eq(field(RESET)),
                divsteps.take_f.eq(field(TAKEN_F)),
                divsteps.take_g.eq(field(TAKEN_G)),
                divsteps.step.eq(field(STEPS)),
            ]

    def _release(self, m: Module) -> None:
        """Offer the result, which stays in its registers, until it is taken."""
        infinite = self.own(m, [context.infinite for context in self.contexts], "infinite")
        failure = self.own(m, [context.failure for context in self.contexts], "failure")
        self.offer(m, infinite, failure)
