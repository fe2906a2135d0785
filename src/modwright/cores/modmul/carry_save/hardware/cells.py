# SPDX-License-Identifier: Apache-2.0
"""The data path that takes a digit a cycle: S <- (S + d·Y + q·M) / 2^k, in carry-save form but for radix 2.

No carry runs along these words: between two registers lie carry-save adders, a sum of k bits that gives q, and
where S is signed one of two bits at the top.

Registers, counted from the cycle in which a digit is at `digit` with `enable`:

    cycle    register that holds the value from this cycle on
    1        `total`, `carry`, `lost`: S after the digit, where nothing is cut
    1        with two products in turn: the first half of the digit; names of these registers end in `late`
    2        `total`, `carry`, `lost`: S after the digit, with two products in turn
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data

from ..plan import LONGEST, SPLIT
from .loop import StateLoop

Digit = data.View
Rows = list[tuple[str, Value, Value | None]]


class Pair(NamedTuple):
    """A sum and a carry word of W bits."""

    total: Value
    carry: Value


class DigitLoop(StateLoop):
    """A subclass for each architecture.

    `clear` is not needed where two products are interleaved: S becomes 0 in every cycle that had no digit.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self._late_m = self._later(m, "m_late", self.m)
        enable: Value = self.enable
        total, carry, lost = self._next(m)
        if self.p.interleave == 2:
            enable = self._later(m, "enable_late", self.enable)
            m.d.sync += [self.total.eq(Mux(enable, total, 0)), self.carry.eq(Mux(enable, carry, 0))]
            m.d.sync += self.lost.eq(enable & lost)
            return m
        with m.If(self.clear):
            m.d.sync += [self.total.eq(0), self.carry.eq(0), self.lost.eq(0)]
        with m.Elif(enable):
            m.d.sync += [self.total.eq(total), self.carry.eq(carry), self.lost.eq(lost)]
        return m

    def _next(self, m: Module) -> tuple[Value, Value, Value]:
        """Next values of total, carry and lost, after the digit."""
        k = self.p.cell.bits
        total, carry = self._sum(m)
        return self.signed(total) >> k, carry >> k, total[:k].any()

    @abstractmethod
    def _sum(self, m: Module) -> Pair:
        """Sum S + d·Y + q·M, with the carry lost before."""

    @abstractmethod
    def _digit_rows(self, digit: Digit) -> Rows:
        """Rows of d·Y: name, value, and the bit that says whether it is subtracted."""

    @abstractmethod
    def _quotient(self, m: Module, low: Value, digit: Digit) -> Value:
        """Word that encodes q, from the lowest bits of S + d·Y; behind the cut between the halves of a digit."""

    def _chosen(self, m: Module, pair: Pair) -> Value:
        """Word of this digit's q, from the lowest bits of S + d·Y."""
        return self._quotient(m, self._lowest(m, pair, self.p.cell.bits), self.digit)

    def _rows(self, m: Module) -> list[Signal]:
        """Rows of d·Y in W bits; where one is a complement, 1 is missing."""
        return [self._row(m, *row) for row in self._digit_rows(self.digit)]

    def _later(self, m: Module, name: str, value: Value) -> Value:
        """The cut between the two halves of a digit: a register where two products are interleaved."""
        if self.p.interleave == 1:
            return value
        register = Signal(len(value), name=name)
        m.d.sync += register.eq(value)
        return register

    def _pair_later(self, m: Module, pair: Pair) -> Pair:
        return Pair(self._later(m, "P_total_late", pair.total), self._later(m, "P_carry_late", pair.carry))

    # --- rows and adders of W bits

    def _row(self, m: Module, name: str, value: Value, minus: Value | None = None) -> Signal:
        """`value` in W bits; its complement where `minus` is 1, and then 1 is missing."""
        row = Signal(self.p.width, name=name)
        m.d.comb += row.eq(value)
        if minus is None:
            return row
        signed = Signal(self.p.width, name=f"{name}_signed")
        m.d.comb += signed.eq(row ^ minus.replicate(self.p.width))
        return signed

    def _add(self, m: Module, name: str, pair: Pair, row: Value, low: Value | None = None) -> Pair:
        """A carry-save adder; `low` goes into the free place of its carry word."""
        W = self.p.width
        total, carry = Signal(W, name=f"{name}_total"), Signal(W, name=f"{name}_carry")
        half = pair.total ^ pair.carry
        majority = (pair.total & pair.carry) | (half & row)
        m.d.comb += [total.eq(half ^ row), carry.eq(Cat(Const(0, 1) if low is None else low, majority[: W - 1]))]
        return Pair(total, carry)

    def _state(self, m: Module) -> Pair:
        return Pair(self._row(m, "S_total", self.signed(self.total)), self._row(m, "S_carry", self.carry))

    def _lowest(self, m: Module, pair: Pair, k: int) -> Signal:
        """The k lowest bits of the sum that the quotient has to cancel."""
        low = Signal(k, name="P")
        m.d.comb += low.eq(pair.total[:k] + pair.carry[:k] + self.lost)
        return low

    def _fold_top(self, m: Module, pair: Pair) -> Pair:
        """Move the two top bits of the carry word into the sum word, so that both can be shifted."""
        below = self.p.width - 2
        top = Signal(2)
        m.d.comb += top.eq(pair.total[below:] + pair.carry[below:])
        return Pair(Cat(pair.total[:below], top), pair.carry[:below])

    def _table(self, m: Module, low: Value, a: Value) -> Value:
        """Word of Table IV, for a digit of a + 1 places."""
        return self._later(m, "q_late", Array(quotient_table())[Cat(low, self.m[1:3], a)])

    def _add_quotient(self, m: Module, pair: Pair) -> Pair:
        """Add q·M as q1·M + q2·M of Table IV."""
        shift, neg, two = Signal(2, name="q1_shift"), Signal(name="q2_neg"), Signal(name="q2_two")
        m.d.comb += Cat(shift, neg, two).eq(self._chosen(m, pair))
        pair, modulus = self._pair_later(m, pair), self._late_m
        first = self._row(m, "q1_M", Array([modulus << n for n in range(4)])[shift])
        second = self._row(m, "q2_M", Mux(two, modulus << 1, modulus), neg)
        return self._add(m, "V", self._add(m, "A", pair, first, neg), second, self._late_lost(m))

    def _late_lost(self, m: Module) -> Value:
        return self._later(m, "lost_late", self.lost)


def quotient_table() -> list[Value]:
    """log2 q1, q2 < 0 and q2 = 2 by P mod 8, m2 m1 and a: Tables II, III and IV; for a = 0, q is P's lowest bit."""
    rows: list[Value] = []
    for a in range(4):
        size = 2 << min(a, LONGEST - 1)
        for m21 in range(4):
            inverse = pow(2 * m21 + 1, -1, size)
            for low in range(8):
                q1, q2 = SPLIT[-low * inverse % size]
                rows.append(Const((q1.bit_length() - 1) | (q2 < 0) << 2 | (q2 == 2) << 3, 4))
    return rows


class Radix2Loop(DigitLoop):
    """Algorithm 1: two carry chains of W bits in a row."""

    def _digit_rows(self, digit: Digit) -> Rows:
        return [("Y", Mux(digit.d, self.y, 0), None)]

    def _quotient(self, m: Module, low: Value, digit: Digit) -> Value:
        return low[0]

    def _sum(self, m: Module) -> Pair:
        total, odd = Signal(self.p.width, name="P"), Signal()
        m.d.comb += total.eq(self.total + self._digit_rows(self.digit)[0][1])
        late = self._later(m, "P_late", total)
        m.d.comb += odd.eq(late[0])
        return Pair(self._row(m, "V", late + Mux(odd, self._late_m, 0)), Const(0, self.p.width))


class PlainLoop(DigitLoop):
    """Algorithms 2 and 3: a row of Y for each bit of d, a row of M for each bit of q."""

    def _digit_rows(self, digit: Digit) -> Rows:
        return [(f"Y_{j}", Mux(digit.d[j], self.y << j, 0), None) for j in range(self.p.cell.bits)]

    def _sum(self, m: Module) -> Pair:
        pair = self._compress(m, "P", self._state(m), self._rows(m))
        q = self._chosen(m, pair)
        pair, lost = self._pair_later(m, pair), self._late_lost(m)
        rows = [Mux(q[j], self._late_m << j, 0) for j in range(self.p.cell.bits)]
        pair = self._compress(m, "V", pair, [self._row(m, f"M_{j}", row) for j, row in enumerate(rows)])
        return Pair(pair.total, pair.carry | lost)

    def _compress(self, m: Module, name: str, pair: Pair, more: Sequence[Value]) -> Pair:
        """Layers of carry-save adders, three rows each in their order, until two remain."""
        rows: list[Value] = [*pair, *more]
        layer = 0
        while len(rows) > 2:
            groups = len(rows) // 3
            added = [
                self._add(m, f"{name}_{layer}_{g}", Pair(rows[3 * g], rows[3 * g + 1]), rows[3 * g + 2])
                for g in range(groups)
            ]
            rows = [row for one in added for row in one] + rows[3 * groups :]
            layer += 1
        return Pair(rows[0], rows[1])

    def _quotient(self, m: Module, low: Value, digit: Digit) -> Value:
        """Quotient digit q = -low·M^-1 (mod 2^k), bit by bit: bit j of q cancels bit j of low + (q below j)·M."""
        k = len(low)
        bits: list[Value] = []
        for j in range(k):
            bits.append(low[j])
            if j < k - 1:
                rest = Signal(k, name=f"P_without_{j}")
                m.d.comb += rest.eq(low + Mux(low[j], self.m << j, 0))
                low = rest
        return self._later(m, "q_late", Cat(*bits))


class Vlm3Loop(DigitLoop):
    """Algorithm 8, with signs, the lost carry and the sum of the top bits."""

    def _next(self, m: Module) -> tuple[Value, Value, Value]:
        total, carry = self._sum(m)
        a = self._later(m, "a_late", self.digit.a)

        def by_digit(of: Callable[[int], Value]) -> Value:
            return Array([of(n) for n in range(1, LONGEST + 1)])[a]

        shifted = Signal.like(self.total, name="total_shifted")
        m.d.comb += shifted.eq(by_digit(lambda n: total.as_signed() >> n))
        return shifted, by_digit(lambda n: carry >> n), by_digit(lambda n: total[:n].any())

    def _digit_rows(self, digit: Digit) -> Rows:
        y = Array([self.y << n for n in range(LONGEST)])[digit.a]
        return [("Y", Mux(digit.nz, y, 0), digit.nz & digit.neg)]

    def _quotient(self, m: Module, low: Value, digit: Digit) -> Value:
        return self._table(m, low, digit.a)

    def _sum(self, m: Module) -> Pair:
        minus = Signal()
        ((name, row, negative),) = self._digit_rows(self.digit)
        if negative is not None:
            m.d.comb += minus.eq(negative)
        y = self._row(m, name, row, minus)
        pair = self._add(m, "P", self._state(m), y, minus)
        return self._fold_top(m, self._add_quotient(m, pair))


class Booth4Loop(DigitLoop):
    """Radix 4: one row of Y, and one of M, as q is taken from {-1, 0, 1, 2}."""

    def _digit_rows(self, digit: Digit) -> Rows:
        return [("Y", Mux(digit.one, self.y, 0) | Mux(digit.two, self.y << 1, 0), digit.neg)]

    def _quotient(self, m: Module, low: Value, digit: Digit) -> Value:
        """Word of q: bits for 1, 2 and the sign."""
        one, two, neg = Signal(), Signal(), Signal()
        m.d.comb += [
            two.eq(low == 2),
            one.eq(low[0]),
            neg.eq(low[0] & (low[1] == self.m[1])),  # -1 = 3 (mod 4) cancels 1·M for M = 1, and 3·M for M = 3 (mod 4)
        ]
        named = zip(("1", "2", "neg"), (one, two, neg), strict=True)
        return Cat(self._later(m, f"q_{name}_late", bit) for name, bit in named)

    def _sum(self, m: Module) -> Pair:
        (y,) = self._rows(m)
        pair = self._add(m, "P", self._state(m), y, self.digit.neg)
        one, two, neg = self._chosen(m, pair)
        pair, modulus = self._pair_later(m, pair), self._late_m
        # M is odd, so that -M is its complement with the lowest bit set, and no carry comes in
        row = self._row(m, "q_M", Mux(one, modulus, 0) | Mux(two, modulus << 1, 0), neg)
        return self._fold_top(m, self._add(m, "V", pair, row | neg, self._late_lost(m)))


class Booth8Loop(DigitLoop):
    """Radix 8: two rows of Y, as 3·Y = 4·Y - Y, and two of M, as in VLM3; only Y and M are stored."""

    def _digit_rows(self, digit: Digit) -> Rows:
        even = Mux(digit.two, self.y << 1, 0) | Mux(digit.four, self.y << 2, 0)
        return [("Y", even, digit.neg), ("Y_odd", Mux(digit.odd, self.y, 0), digit.odd_neg)]

    def _quotient(self, m: Module, low: Value, digit: Digit) -> Value:
        return self._table(m, low, Const(LONGEST - 1, 2))

    def _sum(self, m: Module) -> Pair:
        even, odd = self._rows(m)
        pair = self._add(m, "P_even", self._state(m), even, self.digit.neg)
        pair = self._add(m, "P", pair, odd, self.digit.odd_neg)
        return self._fold_top(m, self._add_quotient(m, pair))


LOOPS = {
    "radix2": Radix2Loop,
    "csa": PlainLoop,
    "csa-high-radix": PlainLoop,
    "vlm3": Vlm3Loop,
    "booth4-csa": Booth4Loop,
    "booth8-csa": Booth8Loop,
}
"""The data path of each architecture."""
