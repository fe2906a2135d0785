# SPDX-License-Identifier: Apache-2.0
"""One exponentiation: the program's words, and their effect on registers, limb unit, table and multipliers.

The next word depends on the exponent in the methods of variable latency, and on nothing else: the ladder and the window
move data by the exponent's bits, never the control. A word acts in its first cycle, or when the look-up that it waits
for has ended:

    cycle       what the word says
    0           `act`: strobes leave, a product is offered from the next cycle on, the limb unit starts
    1           registers take what they take; words without a jump end
    2           loops end, and a leading zero is the next one's cycle 0
    3           a word that looks at the whole exponent ends

A product ends its word in the cycle in which its result is valid at the multiplier; the result is in A or B two cycles
later, in which the next product is offered.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.step_player import StepPlayer
from ..parameters import LADDER, RIGHT, WINDOW, ModexpParameters
from ..plan.microcode import OPERANDS, SECOND, words_of
from ..plan.multiplier import MODULUS
from ..plan.program import A, B, Program
from ..plan.residues import Conversion
from .exponent import ExponentRegister
from .operands import OperandRegisters
from .residues import Conversions
from .table import Table
from .unit import LimbUnit


class Sequencer(wiring.Component):
    """One exponentiation at a time.

    Attributes
    ----------
    start : in
        Strobe: the operands are at the inputs in this cycle; only while not `busy`.
    base, exponent, m, square, unit, inverse : in
        The operands; the last four where the payload has them. With residues, words of M as well.
    busy : out
        High from the cycle after `start` to that of `take`.
    finished : out
        The result is at `z` and `error`, until `take`.
    take : in
        The result leaves in this cycle.
    issue_k, ready_k : out, in
        A product for multiplier k is at `x`, `y` (or for the second one `x`, `b`); it is taken in a cycle with both.
    select, offers : out
        With `select`: whether a product for multiplier 0 is at `x` and `y` in the next cycle.
    done_k, error_k : in
        The result of multiplier k is valid in this cycle.
    z_k : in
        Result of multiplier k, a cycle after `done_k`.
    reduces_by, held_m : out
        2^-k modulo M, or M, and M; with a runtime modulus.
    held_inverse : out
        -M^-1 mod 2^w, where the multiplier takes it.
    held_f and so on : out
        Words of M, where it takes residues.
    """

    control: list[Signal]
    """Control signals of a cycle, once the sequencer is elaborated: the same for all operands with window and
    ladder."""

    def __init__(self, p: ModexpParameters, program: Program) -> None:
        self.p, self.program = p, program
        self._words = p.multiplier.residues.words if p.multiplier.residues else ()
        self.player = StepPlayer(words_of(program))
        w, e, domain = p.multiplier.width, p.multiplier.error.width, p.multiplier.domain
        members: dict[str, Any] = {"start": In(1), "busy": Out(1), "finished": Out(1), "take": In(1)}
        members |= {"base": In(p.base.width), "exponent": In(p.exponent_bits)}
        plain = ("m",) if self._words else ("m", "square", "unit")
        members |= {name: In(p.n) for name in plain if name in p.i.offsets}
        members |= {"inverse": In(p.inverse)} if "inverse" in p.i.offsets else {}
        members |= {name: In(p.i[name].bits) for name in self._words} | ({"square": In(w)} if self._words else {})
        members |= {"z": Out(p.n if p.multiplier.plain else w), "error": Out(e), "x": Out(w), "y": Out(w), "b": Out(w)}
        members |= {"select": Out(1), "offers": Out(1)}
        for k in range(p.ports):
            members |= {f"issue_{k}": Out(1), f"ready_{k}": In(1)}
            members |= {f"done_{k}": In(1), f"z_{k}": In(w), f"error_{k}": In(e)}
        if domain:
            members |= {"reduces_by": Out(p.n), "held_m": Out(p.n)}
            members |= {"held_inverse": Out(p.inverse)} if p.inverse else {}
        members |= {f"held_{name}": Out(p.i[name].bits) for name in (MODULUS, *self._words) if self._words}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.player = self.player
        m.submodules.exponent = self._exponent = ExponentRegister(self.p)
        m.submodules.operands = self._operands = OperandRegisters(self.p)
        self._act, self._second = Signal(name="act"), Signal(name="second")
        self._count = Signal(max(1, self.player.field("count").shape().width), name="count")
        self._looking: Value = Const(0, 1)
        self._unit_ending: Value = Const(0, 1)
        self._begin, self._base = self.start, self.base
        if self.p.multiplier.residues:
            self._begin, self._base = Signal(name="begin"), Signal(self.p.multiplier.width, name="base_residues")
        self.control = [self._act, self._second, self._count, self.issue_0, self.done_0, self.finished]
        self._stream(m)
        if self.p.method == WINDOW:
            self._table(m)
        if self.p.multiplier.domain:
            self._unit(m)
        if self.p.conversion:
            self._convert(m, self.p.conversion)
        self._collect_errors(m)
        self._follow(m, self._products(m))
        return m

    def _is(self, name: str) -> Value:
        """A field of the active word."""
        return self.player.field(name)

    @property
    def _bit(self) -> Value:
        """The exponent's next bit."""
        return self._exponent.digit[0] if self.p.from_right else self._exponent.digit[-1]

    # --- operands and result

    def _stream(self, m: Module) -> None:
        """Handshakes from operands to result, which stays in V, or without a domain in A or B."""
        p, operands = self.p, self._operands
        for unit in (self._exponent, operands):
            m.d.comb += [unit.start.eq(self.start), unit.end.eq(self.take)]
        m.d.comb += [
            self._exponent.exponent.eq(self.exponent),
            operands.base.eq(self._base),
            self.x.eq(operands.a),
            self.y.eq(operands.y),
            self.b.eq(operands.b),
        ]
        if not p.multiplier.residues:
            m.d.comb += self.finished.eq(self._is("end"))
        with m.If(self.start):
            m.d.sync += self.busy.eq(1)
        with m.Elif(self.take):
            m.d.sync += self.busy.eq(0)
        if not p.multiplier.plain:
            power = operands.b if p.from_right else operands.a
            m.d.comb += self.z.eq(Mux(self.error == 0, power, 0))

    def _collect_errors(self, m: Module) -> None:
        """Hold the first error of any product."""
        seen = [Mux(getattr(self, f"done_{k}"), getattr(self, f"error_{k}"), 0) for k in range(self.p.ports)]
        with m.If(self.start):
            m.d.sync += self.error.eq(0)
        with m.Elif(self.error == 0):
            first = seen[0] if len(seen) == 1 else Mux(seen[0] != 0, seen[0], seen[1])
            m.d.sync += self.error.eq(first)

    def _table(self, m: Module) -> None:
        m.submodules.table = table = Table(self.p)
        operands = self._operands
        m.d.comb += [
            table.start.eq(self.start),
            table.end.eq(self.take),
            table.put.eq(self._act & self._is("store")),
            table.word.eq(operands.a),
            table.look.eq(self._act & self._is("look")),
            table.digit.eq(self._exponent.digit),
            operands.clear.eq(table.look),
            operands.found.eq(table.found),
        ]
        self._looking = table.looking
        self.control += [table.look, table.looking]

    def _unit(self, m: Module) -> None:
        """The limb unit, whose limbs go to A and come from there."""
        p, operands = self.p, self._operands
        m.submodules.unit = unit = LimbUnit(p, self.program)
        leaving = Signal(2)  # limbs on their way to A take a cycle: these are `go` and `ending` of the cycle before
        m.d.sync += [operands.limb.eq(unit.row), leaving.eq(Cat(unit.go, unit.ending))]
        m.d.comb += [
            unit.start.eq(self.start),
            unit.end.eq(self.take),
            unit.m.eq(self.m),
            unit.go.eq(self._act & self._is("pass")),
            unit.count.eq(self._is("passes")),
            unit.clear.eq(self._is("last") & (self.error != 0)),
            unit.into_m.eq(self._is("into_m")),
            unit.a.eq(operands.a[: p.limb]),
            operands.shift.eq((unit.go & self._is("load_a")) | (leaving[0] & self._is("into_a"))),
            operands.shifted.eq(leaving[1] | (unit.ending & self._is("load_a"))),
            self.held_m.eq(unit.held_m),
            self.reduces_by.eq(unit.reduces_by if p.scaled else unit.held_m),
            self.z.eq(unit.v),
        ]
        m.d.comb += [
            getattr(unit, name).eq(self._is(name)) for name in ("double", "halve", "reduce", "fresh", "gather")
        ]
        m.d.comb += unit.load.eq(self._is("load_a"))
        if unit.stream:
            m.d.comb += unit.square.eq(self.square)
            if p.scaled:
                m.d.comb += unit.unit.eq(self.unit)
            if p.inverse:
                held = Signal(p.inverse, name="inverse_register")
                with m.If(self.start):
                    m.d.sync += held.eq(self.inverse)
                m.d.comb += self.held_inverse.eq(held)
        elif p.inverse:
            m.d.comb += self.held_inverse.eq(unit.inverse)
        self._unit_ending = unit.ending
        self.control += [unit.go, unit.ending]

    def _convert(self, m: Module, conversion: Conversion) -> None:
        """Operands of M, held; the base goes into residues before the program, and the power out of them after it."""
        operands = self._operands
        m.submodules.conversions = unit = Conversions(self.p, conversion)
        for name in (MODULUS, *self._words):
            held = getattr(self, f"held_{name}")
            with m.If(self.start):
                m.d.sync += held.eq(getattr(self, name))
        ended = Signal(name="program_ended")
        m.d.sync += ended.eq(self._is("end"))
        out = conversion.out.base
        m.d.comb += [
            unit.start.eq(self.start),
            unit.base.eq(self.base),
            unit.m.eq(self.held_m),
            unit.take.eq(self.take),
            unit.close.eq(self._is("end") & ~ended),
            unit.scaled.eq(operands.a[-out.width * out.count :]),
            self._base.eq(unit.residues),
            operands.square.eq(self.square),
            operands.begin.eq(unit.begin),
            self.finished.eq(unit.finished),
            self.z.eq(Mux(self.error == 0, unit.z, 0)),
        ]
        m.d.comb += self._begin.eq(unit.begin)
        self.control += [unit.begin, unit.close, unit.finished]

    # --- words

    def _follow(self, m: Module, ended: Value) -> None:
        """Decide when a word acts, when it ends, and which one follows.

        Parameters
        ----------
        m : Module
        ended : Value
            Level: the products of the word have ended.
        """
        player, act = self.player, self._act
        ages = [Signal(name=f"acted_{age}") for age in (1, 2, 3)]  # cycles ago, of the active word
        zero, final = Signal(name="zero"), Signal(name="final")  # of a skipped bit; no count follows
        skipped = act & self._is("skip") & ~self._bit
        counted = (act & self._is("counted")) | skipped
        with m.If(act):
            m.d.sync += [zero.eq(skipped), final.eq(self._count == 1)]
        with m.If(act & self._is("load")):
            m.d.sync += self._count.eq(self._is("count"))
        with m.Elif(counted):
            m.d.sync += self._count.eq(self._count - 1)
        again = ages[0] & self._is("skip") & zero & ~final
        end = (
            (ages[0] & (self._is("set") | (self._is("skip") & ~zero)))
            | (ages[1] & (self._is("loop") | (self._is("skip") & zero & final)))
            | (ages[2] & self._is("rest"))
            | (self._is("pass") & self._unit_ending)
            | ended
        )
        m.d.sync += Cat(ages).eq(Mux(end, 0, Cat(act, *ages[:-1])))
        back = act & self._is("loop") & ~(self._is("counted") & (self._count == 1))
        m.d.comb += [
            player.start.eq(self._begin),
            player.stop.eq(self.take),
            player.next.eq(end),
            player.jump.eq(back | (skipped & (self._count == 1)) | (ages[0] & self._is("rest") & ~self._exponent.rest)),
            self._exponent.shift.eq((act & self._is("shift")) | skipped),
        ]
        pending = Signal(name="pending")  # the word did not act yet
        m.d.sync += pending.eq(self._begin | end | again | (pending & ~act))
        m.d.comb += act.eq(pending & ~(self._is("waits") & self._looking) & self._in_turn(m))
        if self.p.method in (RIGHT, WINDOW):
            copied = act & self._is("copy")
            m.d.comb += self._operands.copy.eq(copied | self._copying)

    def _in_turn(self, m: Module) -> Value:
        """Whether a product may be offered in the next cycle: a multiple of the stride, counted from `start`."""
        stride = self.p.stride
        if stride == 1:
            return Const(1, 1)
        turn = Signal(range(stride))
        m.d.sync += turn.eq(Mux(self._begin, 1, Mux(turn == stride - 1, 0, turn + 1)))
        return ~self._is("product") | (turn == stride - 1)

    # --- products

    def _products(self, m: Module) -> Value:
        """Issue the products of a word; the value is 1 when the last result is valid, or none is due."""
        act, both = self._act, self._is("both")
        wanted = ~self._is("when_bit") | self._bit
        second = both & (~self._is(f"{SECOND}when_bit") | self._bit)
        offered = act & self._is("product") & wanted
        taken = self.issue_0 & self.ready_0
        if self.p.ports == 2:
            turns = Const(0, 1)
            self._offer(m, 1, offered & second, self.issue_1 & self.ready_1)
        else:
            turns = taken & second & ~self._second  # the other one of two
        self._offer(m, 0, offered, taken & ~turns)
        left_out = self._is("product") & ~wanted
        out = Signal(name="left_out")
        m.d.sync += out.eq(act & left_out)
        m.d.comb += [self.select.eq(offered | taken), self.offers.eq(offered | turns)]
        for name in OPERANDS.values() if self.p.multiplier.plain else (OPERANDS[A], OPERANDS[B]):
            chosen = (offered & self._is(name)) | (turns & self._is(SECOND + name))
            m.d.comb += getattr(self._operands, name).eq(chosen)
        m.d.comb += self._operands.select.eq(self.select)
        m.d.sync += self._second.eq((self._second | turns) & ~self.start)
        ended = self._results(m, second)
        with m.If(ended):
            m.d.sync += self._second.eq(0)
        return ended | out

    def _offer(self, m: Module, port: int, begin: Value, end: Value) -> None:
        issue = getattr(self, f"issue_{port}")
        m.d.sync += issue.eq(begin | (issue & ~end))

    def _results(self, m: Module, second: Value) -> Value:
        """Route results to A or B, in the order of the products; the value is 1 when the last one is valid."""
        got = Signal(2, name="got")
        self.control.append(got)
        m.d.comb += self._operands.z.eq(self.z_0)
        if self.p.ports == 2:
            return self._side_by_side(m, got, second)
        done, later = self.done_0, got[0]
        ended = done & (later | ~second)
        m.d.sync += got.eq((got | done) & ~ended)
        self._capture(m, done & ~later, done & later)
        return ended

    def _side_by_side(self, m: Module, got: Signal, second: Value) -> Value:
        """Two multipliers: the first one's results to A, or before and after the loop to B; the second one's to B."""
        done = Cat(self.done_0, self.done_1)
        ended = done.any() & (got[0] | done[0]) & (got[1] | done[1] | ~second)
        m.d.sync += got.eq(Mux(ended, 0, got | done))
        m.d.comb += [self._operands.z_second.eq(self.z_1), self._operands.later.eq(self.done_1)]
        self._capture(m, self.done_0, self.done_1)
        return ended

    def _capture(self, m: Module, first: Value, second: Value) -> None:
        """Values that A and B take from results of the first and of the second product."""
        operands, method = self._operands, self.p.method

        def due(name: str) -> Value:
            return (first & self._is(name)) | (second & self._is(SECOND + name))

        change = due("swap_change") & (self._bit ^ self._exponent.following)
        exchange = change | (due("swap_first") & self._bit)
        exchanging = due("swap_change") | due("swap_first")
        m.d.comb += [operands.to_a.eq(due("to_a")), operands.to_b.eq(due("to_b"))]
        self._copying = due("copy_b")
        if method == LADDER:
            m.d.comb += [operands.exchanges.eq(exchanging), operands.exchange.eq(exchange)]
