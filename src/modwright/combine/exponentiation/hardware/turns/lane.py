# SPDX-License-Identifier: Apache-2.0
"""One of two exponentiations in turn: the words of its program, its memories, and strobes to the common registers.

Cycle τ counts from 0 to π - 1 in every turn, the first of which begins two cycles after `start`. A word is active for a
turn, or until X has gone to the limb unit, or until the passes have ended. Registers of a turn, by τ:

    cycle               register that holds the value in this cycle
    0                   `at_0`: the row takes a product; X has the result of the turn before
    1 + j               X has its digit j in front; Y is written to the memory of the slot in cycle 1
    6 + 4l              `put`: limb l of X is written to the table, or to the limb unit
    3 + l               the same in the first turn, from Y
    π - L - 4 + l       `read`: number l of a limb that moves to Y
    π - L - 3 + l       `moved`: that limb
    π - 1               the result is behind the row, and goes to X
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....rtl.step_player import StepPlayer
from ...parameters import ModexpParameters
from ...plan.in_turn import words_in_turn
from ...plan.program import HALVE, REDUCE
from ...plan.turns import PARTS, Turns
from ..exponent import ExponentRegister
from .lookup import LookUp
from .unit import TurnsUnit

LAST = "last"
"""Field of the word of the pass in which the result leaves."""


class Lane(wiring.Component):
    """One exponentiation at a time.

    Attributes
    ----------
    start : in
        Strobe: the operation comes in, only while not `busy`; its turns begin two cycles later.
    exponent, opens, closes : in
        The register of the exponent follows the input from the cycle after `opens` to that of `closes`.
    busy, finished, take : out, out, in
        Until `take`; the result is in the lane's output register while `finished`.
    limb_m, word, error_found : in
        Lowest limb of M, which moves on while `moves_m`; a limb of X, or of Y for the first entry; the operands' code.
    issue, enters, first, same, one : out
        In the next cycle the row takes X; and Y as the second operand, not that of the turn before; and m; with X as Y;
        with X = 1.
    lands, holds : out
        Strobes two cycles before that in which X takes a result, and before that in which X stays.
    compared : out
        Strobe of the cycle of the last digit that is compared.
    from_y : out
        `word` is the lowest limb of Y in the next cycle.
    y_moves, y_stops : out
        Y moves by a limb from two cycles after the one to the cycle after the other.
    limb : out
        Limb that moves to Y in the next cycle, or to the output; else 0.
    leaves, ends : out
        The output register moves by a limb from two cycles after the one to the cycle after the other.
    moves_m : out
        Limbs of M are taken, one a cycle.
    goes_m, starts_m, ends_m : out
        Two cycles before the first of them, the cycle before it, and the cycle before the last.
    """

    control: list[Signal]
    """Control signals of a cycle, once the lane is elaborated: the same for all operands."""

    def __init__(self, p: ModexpParameters, turns: Turns) -> None:
        self.p, self.turns = p, turns
        self.player = StepPlayer(words_in_turn(p))
        limb = turns.limb
        outputs = ("busy", "finished", "issue", "enters", "first", "same", "one", "lands", "holds", "compared")
        outputs += ("from_y", "y_moves", "y_stops", "leaves", "ends", "goes_m", "moves_m", "starts_m", "ends_m")
        super().__init__(
            {name: In(1) for name in ("start", "take", "opens", "closes")}
            | {"exponent": In(p.exponent_bits), "error_found": In(2), "error": Out(2)}
            | {"limb_m": In(limb), "word": In(limb), "limb": Out(limb)}
            | {name: Out(1) for name in outputs}
        )

    def elaborate(self, platform: object) -> Module:
        m, turns = Module(), self.turns
        m.submodules.player = self.player
        self._m, self._strobes = m, {}
        self._tau = Signal(range(turns.period), name="tau")
        self._begin = Signal(name="begin")
        turned = self._at(turns.period - 1)
        m.d.sync += [self._begin.eq(self.start), self._tau.eq(Mux(self._begin | turned, 0, self._tau + 1))]
        with m.If(self.start):
            m.d.sync += self.busy.eq(1)
        with m.Elif(self.take):
            m.d.sync += self.busy.eq(0)
        turning, streaming, first = self._is("turn"), self._is("stream"), self._is("first")
        begins, ends = Signal(name="at_0"), turned & ~self._begin
        m.d.sync += begins.eq(self._begin | turned)
        m.d.comb += [
            self.lands.eq(self._at(turns.period - 3) & turning),
            self.holds.eq(self.start | (self._at(turns.period - 2) & turning)),
            self.compared.eq(self._at(self.turns.row.compared_digits) & first),
            self.finished.eq(self._is("end")),
        ]
        with m.If(self._at(turns.checked) & first):
            m.d.sync += self.error.eq(self.error_found)
        self._take(m, turned & turning)
        self.control = [self._tau, self.issue, self.finished, begins]
        self._follow(m, begins, ends)
        put, place = self._places(m)
        found = self._table(m, begins, put, place)
        self._unit(m, put & streaming, place)
        self._fill(m, begins, found)
        return m

    def _is(self, name: str) -> Value:
        """A field of the active word."""
        return self.player.field(name)

    def _at(self, cycle: int) -> Value:
        """A register that is 1 in cycle τ, of those after 0."""
        if cycle not in self._strobes:
            self._strobes[cycle] = Signal(name=f"at_{cycle}")
            self._m.d.sync += self._strobes[cycle].eq((self._tau == cycle - 1) & ~self._begin)
        return self._strobes[cycle]

    def _take(self, m: Module, ends: Value) -> None:
        """Say a cycle ahead what the row takes when a turn begins: the first one, or after another one's last cycle."""
        coming = self.player.coming
        follows = (self._begin | ends) & coming("turn")
        m.d.comb += [
            self.issue.eq(follows),
            self.enters.eq(follows & ~coming("stays")),
            *(getattr(self, name).eq(follows & coming(name)) for name in ("first", "same", "one")),
        ]

    # --- words

    def _follow(self, m: Module, begins: Value, ends: Value) -> None:
        """Decide when a word ends, and whether a loop is repeated; its counter changes in cycle 1 of a turn."""
        player, count = self.player, Signal(max(1, self._is("count").shape().width), name="count")
        self._unit_ending = Signal(name="unit_ending")
        counts = Signal(name="counts")
        m.d.sync += counts.eq(begins & self._is("turn"))
        with m.If(counts & (self._is("count") != 0)):
            m.d.sync += count.eq(self._is("count"))
        with m.Elif(counts & self._is("loop")):
            m.d.sync += count.eq(count - 1)
        checks = Signal(name="checks")
        m.d.sync += checks.eq(counts)
        streamed = self._at(self.turns.streamed - 1) & self._is("stream")
        m.d.comb += [
            player.start.eq(self._begin),
            player.stop.eq(self.take),
            player.next.eq((ends & self._is("turn")) | streamed | self._unit_ending),
            player.jump.eq(checks & self._is("loop") & (count != 0)),
        ]
        self.control += [count, player.next, player.jump]

    # --- limbs of X

    def _places(self, m: Module) -> tuple[Value, Value]:
        """Strobe and number of a limb in `word`: every fourth digit of X completes one; Y has one in each cycle."""
        L, first = self.turns.limbs, self._is("first")
        stores = self._is("store") | self._is("stream")
        of_x, of_y, put = Signal(), Signal(), Signal(name="put")
        place = Signal(range(L), name="place")
        m.d.sync += [
            of_y.eq((self._at(1) & first) | (of_y & ~self._at(L + 1))),
            of_x.eq((self._at(PARTS) & ~first & stores) | (of_x & ~self._at(PARTS * L + 1))),
            put.eq(of_y | (of_x & (self._tau[:2] == 1))),
            place.eq(Mux(self._at(1), 0, place + put)),
        ]
        m.d.comb += self.from_y.eq(of_y)
        return put, place

    def _table(self, m: Module, begins: Value, put: Value, place: Value) -> Value:
        """The table; its entries come in order. Returns the limb that was looked up."""
        m.submodules.table = table = LookUp(self.turns, self.p.target)
        m.submodules.exponent = exponent = ExponentRegister(self.p)
        entry = Signal(self.turns.window, name="entry")
        with m.If(self._begin):
            m.d.sync += entry.eq(0)
        with m.Elif(self._at(self.turns.period - 1) & self._is("store")):
            m.d.sync += entry.eq(entry + 1)
        self._read = Signal(range(self.turns.limbs), name="read")
        zero = self._is("entry_0")
        held = Signal(self.turns.window, name="digit")
        with m.If(begins & self._is("look")):
            m.d.sync += held.eq(exponent.digit & ~zero.replicate(self.turns.window))
        look = Signal(name="look")
        m.d.sync += look.eq(begins & self._is("look"))
        m.d.comb += [
            exponent.start.eq(self.closes),
            exponent.end.eq(self.opens),
            exponent.exponent.eq(self.exponent),
            exponent.shift.eq(begins & self._is("shift")),
            table.put.eq(put & self._is("store")),
            table.entry.eq(entry),
            table.place.eq(place),
            table.word.eq(self.word),
            table.look.eq(look),
            table.digit.eq(held),
            table.read.eq(self._read),
        ]
        self.control += [table.look, table.put]
        return table.found

    # --- limbs to Y and to the output

    def _fill(self, m: Module, begins: Value, found: Value) -> None:
        """Limbs of the value that moves to Y, and those of the result."""
        L, period, row = self.turns.limbs, self.turns.period, self.turns.row
        fills, back, first = self._is("fill"), self._is("power_back"), self._is("first")
        begin = period - L - 4
        given = Signal(name="given")
        m.d.sync += [
            given.eq((self._at(begin - 1) & fills) | (given & ~self._at(begin + L - 1))),
            self._read.eq(Mux(given, self._read + 1, 0)),
        ]
        constant = Mux(self._read == 0, 1 << row.K, 0)
        leaving, of_unit = Signal(name="leaving"), Signal(self.turns.limb)
        m.d.sync += leaving.eq(self._is(LAST))
        m.d.comb += of_unit.eq(self._row & leaving.replicate(len(of_unit)))
        moved = Signal(self.turns.limb, name="moved")
        m.d.sync += moved.eq(Mux(given, Mux(back, constant, found), 0))
        m.d.comb += [
            self.limb.eq(moved | of_unit),
            self.y_moves.eq((self._at(begin) & fills) | (begins & first)),
            self.y_stops.eq((self._at(begin + L) & fills) | (self._at(L) & first)),
        ]

    def _unit(self, m: Module, put: Value, place: Value) -> None:
        """V and M go to the limb unit, and the result leaves it."""
        L = self.turns.limbs
        most = max(self.p.guard, self.p.reductions)
        m.submodules.unit = unit = TurnsUnit(self.turns, most)
        place_m = Signal(range(L), name="place_m")
        moves = Signal(name="moves_m")
        m.d.sync += [
            moves.eq(self._begin | (moves & (place_m != L - 1))),
            place_m.eq(Mux(moves, place_m + 1, 0)),
        ]
        m.d.comb += [
            self.goes_m.eq(self.start),
            self.moves_m.eq(moves),
            self.starts_m.eq(self._begin),
            self.ends_m.eq(moves & (place_m == L - 2) if L > 1 else self._begin),
            unit.put.eq(put),
            unit.place.eq(place),
            unit.word.eq(self.word),
            unit.put_m.eq(moves),
            unit.place_m.eq(place_m),
            unit.word_m.eq(self.limb_m),
            unit.go.eq(self.player.fresh & self._is("pass")),
            unit.passes.eq(self._is("passes")),
            unit.halve.eq(self._is(HALVE)),
            unit.reduce.eq(self._is(REDUCE)),
            unit.clear.eq(self._is(LAST) & (self.error != 0)),
            self._unit_ending.eq(unit.ending),
            self.leaves.eq(unit.leaves & self._is(LAST)),
            self.ends.eq(unit.ends & self._is(LAST)),
        ]
        self._row = unit.row
        self.control += [unit.go, unit.ending]
