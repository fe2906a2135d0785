# SPDX-License-Identifier: Apache-2.0
"""Divsteps on the lowest K bits of f and g, one a cycle, and their matrix (`engines.row.divsteps`).

Registers, counted from the cycle of a strobe:

    cycle   register that holds the value from this cycle on
    2       after `take_f`: `f`, `negative`; after `take_g`: `g`, and in the entries the matrix of no divstep
    2       after `step`: f, g, D and the entries behind the divstep; `odd`, `swap` of the next one
    3       after `take_g`: `odd`, `swap`

What a divstep does is known a cycle before, from the two lowest bits of f and g and from the sign of the next D. So a
register for each column chooses. With `enabled`, on ECP5, `odd_halfway` and `swap_halfway` have it a cycle earlier.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.chains import plus_or_minus
from ....rtl.copies import copied, pulse_copy
from ..divsteps import BEGIN as DISTANCE
from ..divsteps import ENTRIES, FACTORS, MATRIX, SIGNS

BEGIN = {"u": -1, "v": 0, "q": 0, "r": -1}
"""Negated entries of no divstep."""
COLUMNS = {"fg": ("f", "g"), "uq": ("u", "q"), "vr": ("v", "r")}
"""Pairs that a divstep exchanges and adds."""


class DivstepColumns(wiring.Component, ABC):
    """State of the unit: f, g, D, and the entries; a subclass says what is taken, and what comes of the entries.

    Parameters
    ----------
    K : int
        Bits of f and g.
    begin : int
        D after `reset`.
    steps : int
        Divsteps after a `reset`, at most.
    target : str
    members : mapping of str to Member
        Ports of the subclass.
    enabled : bool

    Attributes
    ----------
    reset : in
        Strobe: D begins, and no divstep is in the matrix.
    take_f, take_g : in
        Strobes: f or g is at `digits` in the next cycle.
    step : in
        A divstep, in the next cycle.
    enable : in
        With `enabled`: that which `EnableInserter` gives all registers but the copies on ECP5.
    """

    BEGUN = False
    """Whether D and the entries are configured with what they begin with: a flip-flop of ECP5 sets itself to no other
    value, and LUTs would stand behind the chains."""

    def __init__(
        self, K: int, begin: int, steps: int, target: str, members: Mapping[str, wiring.Member], enabled: bool = False
    ) -> None:
        self.K, self.begin, self.target, self.enabled = K, begin, target, enabled
        self.halfway: dict[str, Signal] = {}
        self.distance = (steps - begin).bit_length() + 1  # |D| is at most that
        inputs = {name: In(1) for name in ("reset", "take_f", "take_g", "step")}
        super().__init__({**inputs, **({"enable": In(1)} if enabled else {}), **members})

    def _copied(self, m: Module, value: Value, name: str) -> Signal:
        return copied(m, value, self.target, name, enable=self.enable if self.enabled else None)

    def _decided(self, m: Module, value: Value, what: str, column: str) -> Signal:
        """Register of a column for what the next divstep does.

        Where registers are enabled, values stand for two cycles. So on ECP5 a route has one of them on either side of
        an instance in the middle, which `EnableInserter` leaves alone."""
        if self.enabled and self.target == "ecp5":
            if what not in self.halfway:
                self.halfway[what] = copied(m, value, self.target, f"{what}_halfway")
            value = self.halfway[what]
        return self._copied(m, value, f"{what}_{column}")

    @property
    @abstractmethod
    def digits(self) -> Value:
        """Lowest K bits of f or g."""
        ...

    @abstractmethod
    def _give(self, m: Module, entries: dict[str, Signal]) -> None:
        """Results made of the entries."""
        ...

    def elaborate(self, platform: object) -> Module:
        m, K = Module(), self.K
        self.f, self.g = Signal(K, name="f", reset_less=True), Signal(K, name="g", reset_less=True)
        self.distances = Signal(signed(self.distance), name="D", reset_less=True, init=self.begin if self.BEGUN else 0)
        steps = {name: self._copied(m, self.step, f"step_{name}") for name in (*COLUMNS, "D")}
        odd, swap = self._decide(m, steps)
        self._column(m, steps["fg"], odd["fg"], swap["fg"])
        entries: dict[str, Signal] = {}
        begin = {name: pulse_copy(m, self.reset | self.take_g, f"begin_{name}") for name in COLUMNS if name != "fg"}
        for name, at in begin.items():
            entries |= self._entries(m, name, at, steps[name], odd[name], swap[name])
        self._give(m, entries)
        return m

    def _decide(self, m: Module, steps: dict[str, Signal]) -> tuple[dict[str, Signal], dict[str, Signal]]:
        """Registers of each column: the next divstep adds, or subtracts and exchanges; and D.

        The sign of the next D, -D or D + 1, comes from registers of both signs, so that no chain is before them."""
        f, g, D, step = self.f, self.g, self.distances, steps["D"]
        next_odd, next_swap, turned = Signal(), Signal(), Signal(signed(len(D)))
        self.above = Signal(reset_less=True)  # D > 0, so that -D < 0
        self.below = Signal(reset_less=True, init=int(self.BEGUN and self.begin < -1))  # D + 1 < 0
        odd = {name: self._decided(m, next_odd, "odd", name) for name in (*COLUMNS, "D")}
        swap = {name: self._decided(m, next_swap, "swap", name) for name in (*COLUMNS, "D")}
        # bit 1 of g + f and of g - f, both odd
        added = g[1] ^ (odd["D"] & ~(f[1] ^ swap["D"]))
        m.d.comb += [
            turned.eq(D ^ swap["D"].replicate(len(D))),  # less than the next D by 1
            next_odd.eq(Mux(step, added, g[0])),
            next_swap.eq(next_odd & ~Mux(step, Mux(swap["D"], self.above, self.below), D[-1])),
        ]
        with m.If(pulse_copy(m, self.reset, "begin_D")):
            m.d.sync += [D.eq(self.begin), self.above.eq(self.begin > 0), self.below.eq(self.begin < -1)]
        with m.Elif(step):
            m.d.sync += [D.eq(turned + 1), self.above.eq(~turned[-1]), self.below.eq((turned + 2)[len(D) - 1])]
        return odd, swap

    def _column(self, m: Module, step: Value, odd: Value, swap: Value) -> None:
        """f and g: f takes g, g a sum of which one bit leaves."""
        take_f, take_g = pulse_copy(m, self.take_f, "taken_f"), pulse_copy(m, self.take_g, "taken_g")
        total = plus_or_minus(m, self.g, self.f, swap, swap, self.target, odd)
        self._taken(m, take_f)
        with m.If(take_f | (step & swap)):
            m.d.sync += self.f.eq(Mux(take_f, self.digits, self.g))
        with m.If(take_g | step):
            m.d.sync += self.g.eq(Mux(take_g, self.digits, total[1 : self.K + 1]))

    def _taken(self, m: Module, take_f: Value) -> None:
        """Further use of f, in the cycle in which it is taken: none here."""

    def _entries(self, m: Module, column: str, begin: Value, step: Value, odd: Value, swap: Value) -> dict[str, Signal]:
        """A column of the matrix, negated."""
        size, names = self.K + 1, COLUMNS[column]
        init = BEGIN if self.BEGUN else dict.fromkeys(BEGIN, 0)
        mask = (1 << size) - 1
        upper, lower = (Signal(size, name=f"n{name}", reset_less=True, init=init[name] & mask) for name in names)
        total = plus_or_minus(m, lower, upper, swap, swap, self.target, odd)
        with m.If(begin):
            m.d.sync += [upper.eq(BEGIN[names[0]]), lower.eq(BEGIN[names[1]])]
        with m.Elif(step):
            m.d.sync += [upper.eq(Cat(Const(0, 1), Mux(swap, lower, upper))), lower.eq(total)]
        return dict(zip(names, (upper, lower), strict=True))


class DivstepUnit(DivstepColumns):
    """Divsteps on words of a row ladder.

    Attributes
    ----------
    found : in
    negative : out
        f was negative when it was taken.
    signs : out
        Signs of the negated entries.
    matrix : out
        Words of the negated entries, in the order of `MATRIX`.
    """

    BEGUN = True

    def __init__(self, K: int, word_bits: int, steps: int, target: str, enabled: bool = False) -> None:
        self.word_bits = word_bits
        outputs = {"negative": Out(1), "signs": Out(len(SIGNS))}
        matrix = Out(data.ArrayLayout(word_bits, len(MATRIX)))
        super().__init__(K, DISTANCE, steps, target, {"found": In(word_bits), **outputs, "matrix": matrix}, enabled)

    @property
    def digits(self) -> Value:
        """Digits of a word."""
        return self.found[self.K : 2 * self.K]

    def _taken(self, m: Module, take_f: Value) -> None:
        """Sign of f."""
        with m.If(take_f):
            m.d.sync += self.negative.eq(~self.found[-1])

    def _give(self, m: Module, entries: dict[str, Signal]) -> None:
        """Words of the entries, and their signs."""
        top, ordered = self.word_bits - 1, [entries[name] for name in ENTRIES]
        m.d.comb += self.signs.eq(Cat(entry[-1] for entry in ordered))
        for number, entry in enumerate(ordered):
            sign = entry[-1] ^ (ENTRIES[number] in "uq")
            m.d.comb += [
                self.matrix[number].eq(entry[: self.K]),
                self.matrix[len(FACTORS) + number].eq(Cat(Const(0, top - self.K), entry[: self.K], sign)),
            ]
