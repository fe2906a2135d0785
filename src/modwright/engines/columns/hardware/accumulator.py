# SPDX-License-Identifier: Apache-2.0
"""Multiply-accumulate of limbs: columns of products in redundant digits, for several contexts in turn.

Registers, counted from the cycle of the limbs; a column's digits are `acc_D`, the lower half and the upper half:

    cycle    register that holds the value from this cycle on
    S        `e_E` of the products: 6, or 8 of limbs that are multiplied in halves
    S + 1    `addend_D`: what the product adds to each digit; `low_D`, `high_D`: what the column begins with
    S + 2    `acc_D`: the column with this product
    S + 3    `word`: the binary number of the lower half, and `carry` above it; or `below`: that of the lower digits,
             and `above_C`: that of the digits above, with C into them. The context has stored the upper half
    S + 4    `carry_CONTEXT`: the same carry, which the next column adds to its first product; of two chains, that
             column has it in `carry_lower` or `carry_upper` of cycle S + 1
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.chains import plus_or_first
from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ..digits import DigitLayout
from .halves import HalfProducts
from .products import DigitProducts, total

CLOSED = 2
"""Cycles from the sums E_e to the column with them."""
HALVED = 2
"""Rows of b bits of the digits of a word that is added in as many parts: the carry out of the lower one is a bit."""


class ColumnAccumulator(wiring.Component):
    """Sums of products of two limbs, which leave a limb at a time.

    Parameters
    ----------
    p : DigitLayout
    digit_bits : int
        Bits of a redundant digit.
    carry_bits : int
        Bits of the carry out of the lower half.
    contexts : int
        Columns that can have left something for the next one of theirs.
    chained : bool
        See `DigitProducts`; what a column begins with is in the LUTs of the carry chains, too, and `clear` is there.

    Attributes
    ----------
    a, b : in, w bits
        Limbs.
    first : in
        The product is the first one of its column.
    lower, ones, upper : in
        With `first`, the column begins with: what its context has stored; ones in the lower half; what its context has
        stored, in the upper half. Without `first` they are 0.
    close : in
        The product is the last one of its column.
    store : in
        With `close`, the context stores the upper half.
    context : in
        Context of the product.
    clear : in
        With `chained`: the word is 0 in the next cycle, whatever leaves.
    word : out, w bits
        Lower half of the column, three cycles after the sums of its last product.
    """

    def __init__(
        self, p: DigitLayout, digit_bits: int, carry_bits: int, contexts: int, *, chained: bool = False
    ) -> None:
        self.p, self.digit_bits, self.carry_bits, self.contexts = p, digit_bits, carry_bits, contexts
        self.chained = chained
        names = ("first", "lower", "ones", "upper", "close", "store", *(("clear",) if chained else ()))
        strobes = {name: In(1) for name in names}
        super().__init__(
            {"a": In(p.w), "b": In(p.w), "context": In(range(max(2, contexts)))} | strobes | {"word": Out(p.w)}
        )

    @property
    def halved(self) -> bool:
        """Whether the word comes from two chains."""
        return (self.p.in_halves or not self.chained) and self.digit_bits <= HALVED * self.p.b

    @property
    def sums(self) -> int:
        """Cycles from limbs to their sums."""
        return self.p.sums_cycles

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.products = products = (HalfProducts if p.in_halves else DigitProducts)(p, chained=self.chained)
        m.d.comb += [products.a.eq(self.a), products.b.eq(self.b)]
        context = delayed(m, self.context, self.sums, "context")
        m.submodules.contexts = contexts = Contexts(
            p.D, self.digit_bits, self.carry_bits, self.contexts, behind=self.halved
        )
        m.d.comb += contexts.context.eq(context)
        begin = self._begin(m, list(contexts.stored))
        addends = self._addends(m, products)
        first = delayed(m, self.first, self.sums, "first")
        carry = self._carries(m, contexts, context)
        columns = []
        for d in range(2 * p.D):
            column = Signal(self.digit_bits, name=f"acc_{d}", reset_less=True)
            extra = carry[d] if d in carry else Const(0, 1)
            if self.chained:
                m.d.sync += column.eq(self._opened(m, d, first, (addends[d], column, begin[d], extra)))
            else:
                opens = copied(m, first, p.target, f"first_{d}")
                m.d.sync += column.eq(Mux(opens, begin[d], column) + addends[d] + extra)
            columns.append(column)
        self._close(m, columns, contexts, delayed(m, context, CLOSED, "context_late"))
        return m

    def _opened(self, m: Module, d: int, first: Value, values: tuple[Value, Value, Value, Value]) -> Value:
        """Addend, and the column, or with `first` what it begins with: one chain; its carry in is one bit."""
        addend, column, begin, extra = values
        goes_on = copied(m, ~first, self.p.target, f"goes_on_{d}")
        if len(extra) > 1:
            addend, extra = addend + extra, Const(0, 1)
        return plus_or_first(m, addend, column, goes_on, begin, extra, self.p.target)

    def _carries(self, m: Module, contexts: Contexts, context: Value) -> dict[int, Value]:
        """Carry of the context at the digit that begins with the lowest one stored, in the cycle of the addends."""
        carry = Signal(self.carry_bits, name="carry_stored")
        late = 0 if self.halved else 1  # chosen a cycle before it is added, or then
        if self.halved:
            ahead = delayed(m, self.context, self.sums - 1, "context_ahead")
            m.d.comb += [contexts.next.eq(ahead), contexts.late.eq(copied(m, ahead, self.p.target, "context_carry"))]
        else:
            m.d.comb += contexts.late.eq(delayed(m, context, late, "context_first"))
        m.d.comb += carry.eq(contexts.carried)
        found = dict[int, Value]()
        for digit, name in ((0, "lower"), (self.p.D, "upper")):
            chosen = delayed(m, getattr(self, name), self.sums + late, f"{name}_late")
            own = carry & chosen.replicate(self.carry_bits)
            found[digit] = delayed(m, own, 1 - late, f"carry_{name}")
        return found

    def _addends(self, m: Module, products: DigitProducts) -> list[Value]:
        """Registers of what a product adds to each digit."""
        p, addends = self.p, []
        for d in range(2 * p.D):
            low = products.e[d][: p.b] if d < 2 * p.D - 1 else Const(0, 1)
            high = products.e[d - 1][p.b :] if d else Const(0, 1)
            addend = Signal(p.largest_addends[d].bit_length(), name=f"addend_{d}", reset_less=True)
            m.d.sync += addend.eq(low + high)
            addends.append(addend)
        return addends

    def _begin(self, m: Module, stored: list[Value]) -> list[Value]:
        """Registers of what a column begins with."""
        p, begin = self.p, []
        lower, ones, upper = (delayed(m, getattr(self, name), self.sums, name) for name in ("lower", "ones", "upper"))
        for half, chosen in (("low", lower), ("high", upper)):
            for d, digit in enumerate(stored):
                register = Signal(self.digit_bits, name=f"{half}_{d}", reset_less=True)
                with m.If(chosen):
                    m.d.sync += register.eq(digit)
                with m.Else():
                    m.d.sync += register.eq(Mux(ones, (1 << p.b) - 1, 0) if half == "low" else 0)
                begin.append(register)
        return begin

    def _close(self, m: Module, columns: list[Value], contexts: Contexts, place: Value) -> None:
        """The word, and what is stored: the digits of the lower half in binary, with the bits above b of each."""
        p = self.p
        rows: list[Value] = []
        for low in range(0, self.digit_bits, p.b):  # bits [low, low + b) of each digit; the topmost has the first only
            parts = [column[low : low + p.b] for column in columns[: p.D - 1 if low else p.D]]
            rows.append(Cat(Const(0, low), *(Cat(part, Const(0, p.b - len(part))) for part in parts)))
        close = delayed(m, Cat(self.close, self.store), self.sums + CLOSED, "close")
        upper = [columns[p.D] + columns[p.D - 1][p.b :], *columns[p.D + 1 :]]
        carry = self._halves(m, rows) if self.halved else self._whole(m, rows)
        m.d.comb += [
            contexts.write.eq(close.all()),
            contexts.place.eq(place),
            contexts.carry.eq(carry),
            *(digit.eq(value) for digit, value in zip(contexts.upper, upper, strict=True)),
        ]

    def _whole(self, m: Module, rows: list[Value]) -> Value:
        """The word, of one chain; returns the carry above it of the cycle before."""
        w, row_sum = self.p.w, Signal(self.p.w + self.carry_bits)
        m.d.comb += row_sum.eq(sum(rows[1:], rows[0]))
        m.d.sync += self.word.eq(row_sum[:w])
        if self.chained:
            with m.If(self.clear):
                m.d.sync += self.word.eq(0)
        return row_sum[w:]

    def _halves(self, m: Module, rows: list[Value]) -> Value:
        """The word, of two chains, the upper one with either carry into it, chosen behind them; returns the carry."""
        w, low = self.p.w, self.p.b * -(-self.p.D // HALVED)
        below = Signal(low + 1, reset_less=True)
        m.d.sync += below.eq(total([row[:low] for row in rows], [], len(below)))
        above: list[Value] = []
        for into in range(HALVED):
            register = Signal(w - low + self.carry_bits, name=f"above_{into}", reset_less=True)
            m.d.sync += register.eq(total([row[low:] for row in rows], [Const(into, 1)], len(register)))
            above.append(register)
        chosen = Cat(below[:low], Mux(below[low], above[1], above[0]))
        word = chosen[:w]
        if self.chained:
            word &= ~copied(m, self.clear, self.p.target, "cleared").replicate(w)
        m.d.comb += self.word.eq(word)
        return chosen[w:]


class Contexts(wiring.Component):
    """Digits that the contexts store between two columns, D of each, and a carry at the lowest one.

    Attributes
    ----------
    context : in
    stored : out, array of D digits
        Digits of that context.
    late, next : in
        Context whose carry is read; with `behind`, that of the next cycle.
    carried : out
        Carry of that context, which was stored a cycle before; with `behind`, which is stored in this cycle, or was.
    write : in
        The context `place` stores `upper`, and `carry` in the next cycle; with `behind`, it is that of the next cycle.
    """

    def __init__(self, D: int, digit_bits: int, carry_bits: int, contexts: int, *, behind: bool = False) -> None:
        self.contexts, self.behind = contexts, behind
        number, digits = range(max(2, contexts)), data.ArrayLayout(digit_bits, D)
        super().__init__(
            {"context": In(number), "stored": Out(digits), "write": In(1), "place": In(number), "upper": In(digits)}
            | {"carry": In(carry_bits), "late": In(number), "carried": Out(carry_bits)}
            | ({"next": In(number)} if behind else {})
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        write, place, carry = Signal(), Signal.like(self.place), Signal(len(self.carry), reset_less=True)
        stored = Signal.like(carry) if self.behind else self.carried
        m.d.sync += [write.eq(self.write), place.eq(self.place)]
        m.d["comb" if self.behind else "sync"] += carry.eq(self.carry)
        for number in range(self.contexts):
            register = Signal(len(carry), name=f"carry_{number}", reset_less=True)
            with m.If(write & (place == number)):
                m.d.sync += register.eq(carry)
            with m.If(self.late == number):
                m.d.comb += stored.eq(register)
        if self.behind:
            fresh = Signal()
            m.d.sync += fresh.eq(self.write & (self.place == self.next))
            m.d.comb += self.carried.eq(Mux(fresh, carry, stored))
        m.d.comb += [out.eq(self._digit(m, d)) for d, out in enumerate(self.stored)]
        return m

    def _digit(self, m: Module, d: int) -> Value:
        """A digit of the context; of one context, a register."""
        if self.contexts == 1:
            register = Signal(len(self.upper[d]), name=f"stored_{d}", reset_less=True)
            with m.If(self.write):
                m.d.sync += register.eq(self.upper[d])
            return register
        m.submodules[f"digit_{d}"] = store = memory.Memory(shape=len(self.upper[d]), depth=self.contexts, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [write.addr.eq(self.place), write.data.eq(self.upper[d]), write.en.eq(self.write)]
        m.d.comb += read.addr.eq(self.context)
        return read.data
