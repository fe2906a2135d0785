# SPDX-License-Identifier: Apache-2.0
"""The digit loop with q and the rows of d·Y made before they are added, and control in each slice of S.

All rows of a digit then come from registers next to the slice that adds them: S and d·Y as they are, q·M through a LUT
or two. They are added in the order in which they arrive, and the longest net is the way of q from the lowest slice to
all others.

Registers by cycle, for a digit that the recoder hands over in cycle c:

    cycle    register that holds the value from this cycle on
    c + 1    the digit, a copy for each slice; the lowest bits of its d·Y
    c + 2    rows of d·Y; q, a copy for each slice, from those bits and the lowest ones of what S becomes
    c + 3    S after the digit
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .....rtl.copies import copied, pulse_copy
from .....rtl.pipeline import delayed
from ..parameters import CarrySaveParameters
from ..plan import LONGEST
from .cells import quotient_table
from .recoder import digit_layout
from .supply import SLICE

WIDEST_TABLE = 4
"""Bits of a digit whose q is one table, of 2·4 - 1 bits: three levels of LUTs with 4 inputs; wider ones go bit after
bit."""


class Row(NamedTuple):
    """A word of W bits and the level of LUTs behind which it is there."""

    bits: Value
    level: int


class AheadLoop(wiring.Component, ABC):
    """Registers of S; a subclass for each kind of digit.

    Attributes
    ----------
    clear : in
        S becomes 0 in the cycle after; at least two cycles before the first digit.
    enable, digit : in
        A digit; it is in S three cycles later.
    y, m : in
        Y and M.
    total, carry, lost : out
        S = total + carry + lost; `total` in two's complement where S is signed.
    """

    def __init__(self, p: CarrySaveParameters) -> None:
        self.p = p
        state = {"total": Out(p.sum_width), "carry": Out(p.carry_width), "lost": Out(1)}
        super().__init__(
            {"clear": In(1), "enable": In(1), "digit": In(digit_layout(p.cell)), "y": In(p.operand_bits), "m": In(p.n)}
            | state
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        self._parts = [slice(low, min(low + SLICE, p.width)) for low in range(0, p.width, SLICE)]
        near = [self._near(m, f"digit_{s}", self.digit.as_value()) for s in range(len(self._parts))]
        self._digits = [data.View(digit_layout(p.cell), copy) for copy in near]
        low = Signal(p.cell.bits, name="low_of_digit")  # of d·Y, for the digit in the copies
        m.d.sync += low.eq(self._low_of(self.digit))
        self._quotients = [Signal(self._quotient_bits, name=f"q_{s}") for s in range(len(self._parts))]
        rows, lows = self._digit_rows(m)
        state = [self._wide(m, "S_total", self._signed(self.total)), self._wide(m, "S_carry", self.carry)]
        total, carry = self._sum(m, [Row(row, 0) for row in (*state, *rows)], [*lows, self.lost])
        after = self._shifted(m, *self._folded(total, carry))
        self._make_quotient(m, after, low)
        self._keep(m, after)
        return m

    def _near(self, m: Module, name: str, value: Value) -> Signal:
        """A copy in a slice, a cycle later."""
        return copied(m, value, self.p.target, name)

    def _signed(self, value: Value) -> Value:
        return value.as_signed() if self.p.cell.signed else value

    def _wide(self, m: Module, name: str, value: Value) -> Signal:
        """The value in W bits."""
        word = Signal(self.p.width, name=name)
        m.d.comb += word.eq(value)
        return word

    def _by_slice(self, make: Callable[[int, slice], Value]) -> Value:
        """A word of which each slice has the control of its own."""
        return Cat(make(s, part) for s, part in enumerate(self._parts))

    def _multiple(self, value: Value, shift: int) -> Value:
        """2^shift times the value, in W bits."""
        return Cat(Const(0, shift), value, Const(0, self.p.width))[: self.p.width]

    # --- d·Y

    @abstractmethod
    def _digit_rows(self, m: Module) -> tuple[list[Value], list[Value]]:
        """Registers of the rows of d·Y, and bits that are added to them at the lowest place."""

    @abstractmethod
    def _low_of(self, digit: data.View) -> Value:
        """The lowest bits of d·Y."""

    def _row_register(self, m: Module, name: str, row: Value) -> Signal:
        register = Signal(self.p.width, name=name)
        m.d.sync += register.eq(row)
        return register

    # --- q·M

    _quotient_bits: int
    """Bits of the word that says q."""

    @abstractmethod
    def _quotient(self, m: Module, low: Value) -> Value:
        """Word that says q, from the lowest bits of S + d·Y."""

    @abstractmethod
    def _quotient_rows(self, m: Module) -> tuple[list[Row], list[Value]]:
        """Rows of q·M, and bits that are added to them at the lowest place."""

    def _make_quotient(self, m: Module, after: tuple[Value, Value, Value], low: Value) -> None:
        """q of the digit after this one; where there is no digit now, S is 0."""
        k = self.p.cell.bits
        total, carry, lost = after
        now = delayed(m, delayed(m, self.enable, 1, "digit_near"), 1, "digit_added")
        given = now.replicate(k)
        a, b = total[:k] & given, carry[:k] & given
        # a carry-save adder, so that one sum of k bits is left
        half, majority = (a ^ b) ^ low, (a & b) | ((a ^ b) & low)
        found = Signal(k, name="P_next")
        m.d.comb += found.eq(half + Cat(lost & now, majority[: k - 1]))
        word = Signal(self._quotient_bits, name="q_next")
        m.d.comb += word.eq(self._quotient(m, found))
        for s, quotient in enumerate(self._quotients):
            m.d.comb += quotient.eq(self._near(m, f"q_near_{s}", word))

    # --- S

    def _sum(self, m: Module, rows: list[Row], lows: list[Value]) -> tuple[Value, Value]:
        """S + d·Y + q·M by carry-save adders, each of the three rows that are there first.

        Each adder has a free place in its carry word for one of the bits that are added at the lowest place.
        """
        of_m, bits = self._quotient_rows(m)
        rows, lows = _woven(rows, of_m), lows + bits
        number = 0
        while len(rows) > 2:
            rows.sort(key=lambda row: row.level)
            (a, b, c), level = (row.bits for row in rows[:3]), rows[2].level + 1
            low = lows.pop() if lows else Const(0, 1)
            total, carry = (Signal(self.p.width, name=f"V_{number}_{word}") for word in ("total", "carry"))
            half = a ^ b
            m.d.comb += [total.eq(half ^ c), carry.eq(Cat(low, ((a & b) | (half & c))[:-1]))]
            rows = [*rows[3:], Row(total, level), Row(carry, level)]
            number += 1
        assert not lows, "as many adders as bits at the lowest place"
        return rows[0].bits, rows[1].bits

    def _folded(self, total: Value, carry: Value) -> tuple[Value, Value]:
        """Where S is signed, the two top bits of the carry word go into the sum word, so that both can be shifted."""
        if not self.p.cell.signed:
            return total, carry
        below = self.p.width - 2
        top = (total[below:] + carry[below:])[:2]
        return Cat(total[:below], top), carry[:below]

    def _shifted(self, m: Module, total: Value, carry: Value) -> tuple[Value, Value, Value]:
        """total, carry and lost after the division."""
        k = self.p.cell.bits
        return self._signed(total) >> k, carry >> k, total[:k].any()

    def _keep(self, m: Module, after: tuple[Value, Value, Value]) -> None:
        """S, in slices with a control of their own."""
        near = delayed(m, self.enable, 1, "enable_near")
        registers = zip((self.total, self.carry, self.lost), after, strict=True)
        words = [(register, _fitting(value, len(register))) for register, value in registers]
        for s, part in enumerate(self._parts):
            clear = pulse_copy(m, self.clear, f"clear_{s}")
            enable = self._near(m, f"enable_{s}", near)
            with m.If(clear):
                m.d.sync += [register[part].eq(0) for register, _ in words]
            with m.Elif(enable):
                m.d.sync += [register[part].eq(value[part]) for register, value in words]


def _woven(rows: Sequence[Row], of_m: Sequence[Row]) -> list[Row]:
    """Two rows before each of M, which may be masked: a LUT of 4 inputs adds one such row to two registers."""
    woven: list[Row] = []
    rest = list(of_m)
    for at in range(0, len(rows), 2):
        woven += [*rows[at : at + 2], *rest[:1]]
        rest = rest[1:]
    return woven + rest


def _fitting(value: Value, bits: int) -> Value:
    """The value in that many bits, of which those above are 0 or copies of its sign."""
    if len(value) >= bits:
        return value[:bits]
    top = value[-1] if value.shape().signed else Const(0, 1)
    return Cat(value, top.replicate(bits - len(value)))


class AheadPlain(AheadLoop):
    """Digits of k bits: a row of Y for each, of which carry-save adders leave two, and a row of M for each bit of q."""

    @property
    def _quotient_bits(self) -> int:
        return self.p.cell.bits

    def _digit_rows(self, m: Module) -> tuple[list[Value], list[Value]]:
        def row(j: int) -> Value:
            word = self._multiple(self.y, j)
            return self._by_slice(lambda s, part: word[part] & self._digits[s].d[j].replicate(part.stop - part.start))

        rows = [self._wide(m, f"Y_{j}", row(j)) for j in range(self.p.cell.bits)]
        if len(rows) > 2:
            rows = list(self._compressed(m, rows))
        return [self._row_register(m, f"Y_row_{number}", word) for number, word in enumerate(rows)], []

    def _compressed(self, m: Module, rows: Sequence[Value]) -> tuple[Value, Value]:
        """Two rows with the sum of all."""
        left = list(rows)
        while len(left) > 2:
            a, b, c = left[:3]
            half = a ^ b
            left = [*left[3:], half ^ c, Cat(Const(0, 1), ((a & b) | (half & c))[:-1])]
        return left[0], left[1]

    def _low_of(self, digit: data.View) -> Value:
        k = self.p.cell.bits
        low: Value = Const(0, k)
        for j in range(k):
            low = (low + Mux(digit.d[j], self.y[:k] << j, 0))[:k]
        return low

    def _quotient(self, m: Module, low: Value) -> Value:
        """q = -low·M^-1 (mod 2^k): a table, or bit after bit, each what cancels a bit of low + (q below it)·M."""
        k = len(low)
        if k <= WIDEST_TABLE:
            inverses = [pow(2 * m_above + 1, -1, 1 << k) for m_above in range(1 << (k - 1))]
            table = [Const(-value * inverse % (1 << k), k) for inverse in inverses for value in range(1 << k)]
            return Array(table)[Cat(low, self.m[1:k])]
        bits: list[Value] = []
        for j in range(k):
            bits.append(low[j])
            rest = Signal(k, name=f"P_without_{j}")
            m.d.comb += rest.eq(low + Mux(low[j], self.m[:k] << j, 0))
            low = rest
        return Cat(*bits)

    def _quotient_rows(self, m: Module) -> tuple[list[Row], list[Value]]:
        def row(j: int) -> Value:
            word = self._multiple(self.m, j)
            return self._by_slice(lambda s, part: word[part] & self._quotients[s][j].replicate(part.stop - part.start))

        # a row that is masked needs no LUT of its own where it is added to two others
        return [Row(self._wide(m, f"M_{j}", row(j)), 0) for j in range(self.p.cell.bits)], []


class AheadBooth4(AheadLoop):
    """Radix 4: one row of Y, and one of M, as q is taken from {-1, 0, 1, 2}."""

    _quotient_bits = 2

    def _digit_rows(self, m: Module) -> tuple[list[Value], list[Value]]:
        one, two = self._multiple(self.y, 0), self._multiple(self.y, 1)

        def row(s: int, part: slice) -> Value:
            digit, size = self._digits[s], part.stop - part.start
            chosen = (one[part] & digit.one.replicate(size)) | (two[part] & digit.two.replicate(size))
            return chosen ^ digit.neg.replicate(size)

        minus = delayed(m, self._digits[0].neg, 1, "Y_neg")
        return [self._row_register(m, "Y_row", self._by_slice(row))], [minus]

    def _low_of(self, digit: data.View) -> Value:
        low = Mux(digit.one, self.y[:2], 0) | Mux(digit.two, self.y[:2] << 1, 0)
        return ((low ^ digit.neg.replicate(2)) + digit.neg)[:2]

    def _quotient(self, m: Module, low: Value) -> Value:
        """q, where 3 stands for -1: that cancels 1·M for M = 1, and 3·M for M = 3 (mod 4)."""
        minus = low[0] & (low[1] == self.m[1])
        return Cat(low[0], minus | (low == 2))

    def _quotient_rows(self, m: Module) -> tuple[list[Row], list[Value]]:
        one, two = self._multiple(self.m, 0), self._multiple(self.m, 1)

        def row(s: int, part: slice) -> Value:
            q = self._quotients[s]
            return Array([Const(0, part.stop - part.start), one[part], two[part], ~one[part]])[q]

        # M is odd, so that -M is its complement with the lowest bit set, and no carry comes in
        return [Row(self._wide(m, "q_M", self._by_slice(row) | self._quotients[0].all()), 1)], []


class _AheadTable(AheadLoop):
    """q as q1 + q2 of Table IV, in two rows."""

    _quotient_bits = 4  # log2 q1, q2 < 0, q2 = 2

    def _quotient_rows(self, m: Module) -> tuple[list[Row], list[Value]]:
        multiples = [self._multiple(self.m, shift) for shift in range(4)]

        def first(s: int, part: slice) -> Value:
            return Array([word[part] for word in multiples])[self._quotients[s][:2]]

        def second(s: int, part: slice) -> Value:
            neg, two = self._quotients[s][2], self._quotients[s][3]
            return Mux(two, multiples[1][part], multiples[0][part]) ^ neg.replicate(part.stop - part.start)

        rows = [
            Row(self._wide(m, "q1_M", self._by_slice(first)), 2),
            Row(self._wide(m, "q2_M", self._by_slice(second)), 1),
        ]
        return rows, [self._quotients[0][2]]


class AheadBooth8(_AheadTable):
    """Radix 8: two rows of Y, as 3·Y = 4·Y - Y."""

    def _digit_rows(self, m: Module) -> tuple[list[Value], list[Value]]:
        one, two, four = (self._multiple(self.y, shift) for shift in range(3))

        def even(s: int, part: slice) -> Value:
            digit, size = self._digits[s], part.stop - part.start
            chosen = (two[part] & digit.two.replicate(size)) | (four[part] & digit.four.replicate(size))
            return chosen ^ digit.neg.replicate(size)

        def odd(s: int, part: slice) -> Value:
            digit, size = self._digits[s], part.stop - part.start
            return (one[part] & digit.odd.replicate(size)) ^ digit.odd_neg.replicate(size)

        rows = [self._row_register(m, name, self._by_slice(row)) for name, row in (("Y_row", even), ("Y_odd_row", odd))]
        first = self._digits[0]
        return rows, [delayed(m, first.neg, 1, "Y_neg"), delayed(m, first.odd_neg, 1, "Y_odd_neg")]

    def _low_of(self, digit: data.View) -> Value:
        y = self.y[:3]
        even = Mux(digit.two, y << 1, 0) | Mux(digit.four, y << 2, 0)
        even = (even[:3] ^ digit.neg.replicate(3)) + digit.neg
        return (even + (Mux(digit.odd, y, 0) ^ digit.odd_neg.replicate(3)) + digit.odd_neg)[:3]

    def _quotient(self, m: Module, low: Value) -> Value:
        return Array(quotient_table()[-_TABLE_OF_A:])[Cat(low, self.m[1:3])]


class AheadVlm3(_AheadTable):
    """Algorithm 8: digits of one to three places."""

    def _digit_rows(self, m: Module) -> tuple[list[Value], list[Value]]:
        multiples = [self._multiple(self.y, shift) for shift in range(LONGEST)]

        def row(s: int, part: slice) -> Value:
            digit, size = self._digits[s], part.stop - part.start
            chosen = Array([word[part] for word in multiples])[digit.a]
            return (chosen & digit.nz.replicate(size)) ^ (digit.nz & digit.neg).replicate(size)

        first = self._digits[0]
        return [self._row_register(m, "Y_row", self._by_slice(row))], [delayed(m, first.nz & first.neg, 1, "Y_neg")]

    def _low_of(self, digit: data.View) -> Value:
        minus = digit.nz & digit.neg
        y = Mux(digit.nz, Array([self.y[:3] << a for a in range(LONGEST)])[digit.a], 0)[:3]
        return ((y ^ minus.replicate(3)) + minus)[:3]

    def _quotient(self, m: Module, low: Value) -> Value:
        return Array(quotient_table())[Cat(low, self.m[1:3], self._digits[0].a)]

    def _shifted(self, m: Module, total: Value, carry: Value) -> tuple[Value, Value, Value]:
        """By the places of the digit that is added, in each slice by its own copy."""
        places = [delayed(m, digit.a, 1, f"a_{s}") for s, digit in enumerate(self._digits)]
        p = self.p
        words = []
        for value, bits in ((self._signed(total), p.sum_width), (carry, p.carry_width)):
            shifts = [_fitting(value >> n, bits) for n in range(1, LONGEST + 1)]
            parts = [part for part in self._parts if part.start < bits]
            words.append(Cat(Array([word[part] for word in shifts])[places[s]] for s, part in enumerate(parts)))
        return words[0], words[1], Array([total[:n].any() for n in range(1, LONGEST + 1)])[places[0]]


_TABLE_OF_A = 32
"""Entries of `quotient_table` for one length of a digit; the last ones are for the longest."""

AHEAD = {
    "csa": AheadPlain,
    "csa-high-radix": AheadPlain,
    "vlm3": AheadVlm3,
    "booth4-csa": AheadBooth4,
    "booth8-csa": AheadBooth8,
}
"""The data path of each architecture, with q made ahead."""
