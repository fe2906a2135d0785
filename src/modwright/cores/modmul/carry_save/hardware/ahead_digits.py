# SPDX-License-Identifier: Apache-2.0
"""Rows of d·Y and q·M of each architecture, for q computed ahead."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data

from .....rtl.pipeline import delayed
from ..plan import LONGEST
from .ahead import AheadLoop, Row, Rows, fitting
from .cells import quotient_table

WIDEST_TABLE = 4
"""Widest digit whose q is one table, of 2·4 - 1 bits: three levels of LUTs with 4 inputs; q of wider ones is
computed bit by bit."""


class AheadPlain(AheadLoop):
    """Digits of k bits: a row of Y for each bit, reduced to two by carry-save adders, and a row of M for each bit of
    q."""

    @property
    def _quotient_bits(self) -> int:
        return self.p.cell.bits

    def _digit_rows(self, m: Module) -> Rows:
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
        bits = self._low_bits
        low: Value = Const(0, bits)
        for j in range(self.p.cell.bits):
            low = (low + Mux(digit.d[j], self.y[:bits] << j, 0))[:bits]
        return low

    def _quotient(self, m: Module, low: Value) -> Value:
        """Quotient digit q = -low·M^-1 (mod 2^k): a table, or bit by bit, each to cancel a bit of low + (q below
        it)·M."""
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

    def _digit_rows(self, m: Module) -> Rows:
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
        """Quotient digit q, with 3 for -1, which cancels 1·M for M = 1, and 3·M for M = 3 (mod 4)."""
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
    """Quotient digits q = q1 + q2 of Table IV, in two rows."""

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

    def _digit_rows(self, m: Module) -> Rows:
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

    def _digit_rows(self, m: Module) -> Rows:
        multiples = [self._multiple(self.y, shift) for shift in range(LONGEST)]

        def row(s: int, part: slice) -> Value:
            digit, size = self._digits[s], part.stop - part.start
            chosen = Array([word[part] for word in multiples])[digit.a]
            return (chosen & digit.nz.replicate(size)) ^ (digit.nz & digit.neg).replicate(size)

        first = self._digits[0]
        return [self._row_register(m, "Y_row", self._by_slice(row))], [delayed(m, first.nz & first.neg, 1, "Y_neg")]

    def _low_of(self, digit: data.View) -> Value:
        bits, minus = self._low_bits, digit.nz & digit.neg
        y = Mux(digit.nz, Array([self.y[:bits] << a for a in range(LONGEST)])[digit.a], 0)
        return ((fitting(y, bits) ^ minus.replicate(bits)) + minus)[:bits]

    def _quotient(self, m: Module, low: Value) -> Value:
        return Array(quotient_table())[Cat(low, self.m[1:3], self._digits[0].a)]

    def _shifted(self, m: Module, total: Value, carry: Value) -> tuple[Value, Value, Value]:
        """Next values after a shift by the places of the digit, selected in each slice by its own copy."""
        places = [delayed(m, digit.a, 1, f"a_{s}") for s, digit in enumerate(self._digits)]
        p = self.p
        words = []
        for name, value, bits in (("total", self.signed(total), p.sum_width), ("carry", carry, p.carry_width)):
            shifts = [fitting(value >> n, bits) for n in range(1, LONGEST + 1)]
            parts = [part for part in self._parts if part.start < bits]
            # a signal, as it is read slice by slice, and an expression would be made again for each
            word = Signal(bits, name=f"{name}_shifted")
            m.d.comb += word.eq(Cat(Array([each[part] for each in shifts])[places[s]] for s, part in enumerate(parts)))
            words.append(word)
        return words[0], words[1], Array([total[:n].any() for n in range(1, LONGEST + 1)])[places[0]]


_TABLE_OF_A = 32
"""Entries of `quotient_table` for one length of a digit; those of the longest are last."""
