# SPDX-License-Identifier: Apache-2.0
"""The digit loop with q and the rows of d·Y computed before they are added, and control in each slice of S.

All rows of a digit then come from registers next to the slice that adds them: S and d·Y directly, q·M through a LUT
or two. They are added in the order in which they arrive, and the longest net is that of q from the lowest slice to
all others.

Registers by cycle, for a digit that the recoder hands over in cycle c:

    cycle    register that holds the value from this cycle on
    c + 1    the digit, a copy for each slice; the lowest bits of its d·Y
    c + 2    rows of d·Y; q, a copy for each slice, from those bits and the lowest ones of the next S
    c + 3    S after the digit
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data

from .....rtl.copies import copied, pulse_copy
from .....rtl.pipeline import delayed
from .loop import StateLoop
from .recoder import digit_layout
from .supply import SLICE

Rows = tuple[Sequence[Value], Sequence[Value]]
"""Rows of d·Y, and bits that are added to them at the lowest place."""


class Row(NamedTuple):
    """A word of W bits, with the level of LUTs behind which it is valid."""

    bits: Value
    level: int


class AheadLoop(StateLoop):
    """A subclass for each kind of digit.

    A digit is in S three cycles later; S is 0 two cycles after `clear`, before which no digit is added.
    """

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        self._parts = [slice(low, min(low + SLICE, p.width)) for low in range(0, p.width, SLICE)]
        near = [self._near(m, f"digit_{s}", self.digit.as_value()) for s in range(len(self._parts))]
        self._digits = [data.View(digit_layout(p.cell), copy) for copy in near]
        self._prepare(m)
        self._quotients = [Signal(self._quotient_bits, name=f"q_{s}") for s in range(len(self._parts))]
        rows, lows = self._digit_rows(m)
        state = [self._wide(m, "S_total", self.signed(self.total)), self._wide(m, "S_carry", self.carry)]
        total, carry = self._sum(m, [Row(row, 0) for row in (*state, *rows)], [*lows, self.lost])
        after = self._shifted(m, *self._folded(total, carry))
        self._make_quotient(m, after)
        self._keep(m, after)
        return m

    def _near(self, m: Module, name: str, value: Value) -> Signal:
        """A copy in a slice, a cycle later."""
        return copied(m, value, self.p.target, name)

    def _wide(self, m: Module, name: str, value: Value) -> Signal:
        """The value in W bits."""
        word = Signal(self.p.width, name=name)
        m.d.comb += word.eq(value)
        return word

    def _by_slice(self, make: Callable[[int, slice], Value]) -> Value:
        """A word whose slices each use their own copy of control."""
        return Cat(make(s, part) for s, part in enumerate(self._parts))

    def _multiple(self, value: Value, shift: int) -> Value:
        """The value times 2^shift, in W bits."""
        return Cat(Const(0, shift), value, Const(0, self.p.width))[: self.p.width]

    # --- d·Y

    @abstractmethod
    def _digit_rows(self, m: Module) -> Rows:
        """Registers of the rows of d·Y, and of the bits at the lowest place."""

    @abstractmethod
    def _low_of(self, digit: data.View) -> Value:
        """The lowest bits of d·Y, `_low_bits` of them."""

    @property
    def _low_bits(self) -> int:
        """Bits of d·Y that q depends on before its rows are added."""
        return self.p.cell.bits

    def _row_register(self, m: Module, name: str, row: Value) -> Signal:
        register = Signal(self.p.width, name=name)
        m.d.sync += register.eq(row)
        return register

    # --- q·M

    _quotient_bits: int
    """Bits of the word that encodes q."""

    @abstractmethod
    def _quotient(self, m: Module, low: Value) -> Value:
        """Word that encodes q, from the lowest bits of S + d·Y."""

    @abstractmethod
    def _quotient_rows(self, m: Module) -> tuple[list[Row], list[Value]]:
        """Rows of q·M, and bits that are added to them at the lowest place."""

    def _prepare(self, m: Module) -> None:
        """Make the register of the lowest bits of d·Y, for the digit in the copies."""
        self._low = Signal(self.p.cell.bits, name="low_of_digit")
        m.d.sync += self._low.eq(self._low_of(self.digit))

    def _make_quotient(self, m: Module, after: tuple[Value, Value, Value]) -> None:
        """Compute q of the next digit; without a digit in this cycle, S is 0."""
        k, low = self.p.cell.bits, self._low
        total, carry, lost = after
        now = delayed(m, delayed(m, self.enable, 1, "digit_near"), 1, "digit_added")
        given = now.replicate(k)
        a, b = total[:k] & given, carry[:k] & given
        # a carry-save adder first, so that one sum of k bits remains
        half, majority = (a ^ b) ^ low, (a & b) | ((a ^ b) & low)
        found = Signal(k, name="P_next")
        m.d.comb += found.eq(half + Cat(lost & now, majority[: k - 1]))
        self._copy_quotient(m, found)

    def _copy_quotient(self, m: Module, found: Value) -> None:
        """Registers of q in each slice, from the lowest bits of S + d·Y."""
        word = Signal(self._quotient_bits, name="q_next")
        m.d.comb += word.eq(self._quotient(m, found))
        for s, quotient in enumerate(self._quotients):
            m.d.comb += quotient.eq(self._near(m, f"q_near_{s}", word))

    # --- S

    def _sum(self, m: Module, rows: list[Row], lows: list[Value]) -> tuple[Value, Value]:
        """Sum S + d·Y + q·M by carry-save adders, each of the three rows that are valid first.

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
        """Next values of total, carry and lost, after the division."""
        k = self.p.cell.bits
        return self.signed(total) >> k, carry >> k, total[:k].any()

    def _keep(self, m: Module, after: tuple[Value, Value, Value]) -> None:
        """Registers of S, in slices with separate control."""
        near = delayed(m, self.enable, 1, "enable_near")
        registers = zip((self.total, self.carry, self.lost), after, strict=True)
        words = [(register, fitting(value, len(register))) for register, value in registers]
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


def fitting(value: Value, bits: int) -> Value:
    """The value in `bits` bits, with zeros or copies of its sign on top."""
    if len(value) >= bits:
        return value[:bits]
    top = value[-1] if value.shape().signed else Const(0, 1)
    return Cat(value, top.replicate(bits - len(value)))
