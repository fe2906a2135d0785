# SPDX-License-Identifier: Apache-2.0
"""Two point multiplications in turn over one row multiplier, each as `core` has one.

Cycles of the clock belong to the contexts in turn (`rtl.turns`), and a control word of a context comes in every other
one: it reads in the cycle before its own, and does all else in its own, or behind registers. Words, lifts, moduli of
the multiplier and slots are those of the context; so are position, flags, scalar and divsteps, which are there twice.
So are registers of the result, which leaves in the order of the operations, however long it waits. Registers of the
operands and what is between are there once: an operation comes in when the one before has its operands in words.

Registers, counted from the input transfer, of a microcode of C cycles:

    cycle        register that holds the value from this cycle on
    1            `held_*`: the payload but for k and order, until the field `kept`
    2t + 4       `word`, the control word t, for one cycle
    2C + 3       `x_k_result`, `y_k_result` of context k; `done`
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
from ......rtl.copies import copied
from ......rtl.pipeline import delayed
from ......rtl.turns import CONTEXTS, TurnPlayer, in_turn, turns
from ......schedule import Schedule
from ...parameters.row import RowLadderParameters
from ...plan.homes import FRESH
from ...plan.row.formulas import GIVEN
from ...plan.row.microcode import TURN_WORDS
from .context import RowContext
from .pairs import PairedScalar
from .path import RESULT_SLICE, RowPath

STATES = {"infinity": 1, "failure": 2}.items()
"""Registers of what leaves next to the coordinates, and their bits."""


class RowTurnsCore(RowPath):
    """Two point multiplications in turn."""

    def __init__(self, p: RowLadderParameters, schedule: Schedule) -> None:
        self.p = p
        super().__init__(p, schedule)

    def elaborate(self, platform: object) -> Module:
        m, p, target = Module(), self.p, self.p.row.target
        code = self.schedule.microcode
        self.player = TurnPlayer(code, target)
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
        """Take the first operation of a pair in context 0, the other one a distance behind it or not at all; the cycle
        of one."""
        start, opens, counts = Signal(), Signal(), Signal()
        self.begins = begins = Signal()
        left = Signal(range(self.schedule.burst_distance - 1))
        self.free = free = Signal(CONTEXTS, init=(1 << CONTEXTS) - 1)
        m.d.comb += [self.i.ready.eq(opens), start.eq(self.i.valid & opens)]
        m.d.sync += [begins.eq(start), self.player.start.eq(begins)]
        # the turn is that before the one in which the operation comes in
        m.d.sync += opens.eq(Mux(self.turn, free[0], free[1] & counts & (left == 0)))
        with m.If(start & ~self.turn):
            m.d.sync += [counts.eq(1), left.eq(self.schedule.burst_distance - 2)]
        with m.Elif(left == 0):
            m.d.sync += counts.eq(0)
        with m.Else():
            m.d.sync += left.eq(left - 1)
        self._in_order(m)
        for k in range(CONTEXTS):
            with m.If(start & (self.turn == k)):
                m.d.sync += free[k].eq(0)
            with m.Elif(self.left & (self.older == k)):
                m.d.sync += free[k].eq(1)
        return start

    def _in_order(self, m: Module) -> None:
        """The context of the older operation, whose result leaves first; from the second cycle of one that starts alone
        on, its own."""
        self.left, self.older, self.next_older, alone = Signal(), Signal(), Signal(), Signal()
        m.d.comb += self.left.eq(self.o.valid & self.o.ready)
        m.d.sync += alone.eq(Mux(self.turn, self.free[0], self.free[1]))
        starts = self.begins & alone
        m.d.comb += self.next_older.eq(Mux(self.left, ~self.older, Mux(starts, ~self.turn, self.older)))
        m.d.sync += self.older.eq(self.next_older)

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
        """The coordinates of both contexts, of which those of the older operation are at the output."""
        target = self.p.row.target
        for name in "xy":
            results: list[Signal] = []
            for k, context in enumerate(self.contexts):
                out = Signal(name=f"{name}_{k}_out")  # with the word, which is in `first` a cycle before
                own = turns(m, CONTEXTS, k - 1, f"{name}_{k}_turn") == 0
                m.d.sync += out.eq(self.player.first[f"{name}_out"] & own)
                results.append(self.coordinate(m, f"{name}_{k}", out, context.none))
            for number, low in enumerate(range(0, self.p.n, RESULT_SLICE)):
                part = slice(low, min(low + RESULT_SLICE, self.p.n))
                older = copied(m, self.next_older, target, f"{name}_older_{number}")
                m.d.comb += getattr(self.o.p, name)[part].eq(Mux(older, results[1][part], results[0][part]))

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
        """Offer the results in the order of the operations; each stays in registers until it is taken."""
        done = Signal(CONTEXTS)
        infinite, failure = ([Signal(width, name=f"{name}_{k}") for k in range(CONTEXTS)] for name, width in STATES)
        for k, context in enumerate(self.contexts):
            with m.If(self.field("end") & (turns(m, CONTEXTS, k, f"end_{k}_turn") == 0)):
                m.d.sync += [done[k].eq(1), infinite[k].eq(context.infinite), failure[k].eq(context.failure)]
            with m.Elif(self.left & (self.older == k)):
                m.d.sync += done[k].eq(0)
        m.d.comb += [
            self.o.valid.eq(Mux(self.older, done[1], done[0])),
            self.o.p.infinity.eq(Mux(self.older, infinite[1], infinite[0])),
            self.o.p.error.eq(Mux(self.older, failure[1], failure[0])),
        ]
