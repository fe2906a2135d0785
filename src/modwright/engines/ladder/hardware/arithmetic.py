# SPDX-License-Identifier: Apache-2.0
"""The modular adder: two sums of n + 2 bits, for sums, differences and reductions, and the sums of the inversion.

The first sum makes a value from -m to 3m - 1, in its register a cycle later. The second one adds m to a negative
value, and subtracts m from others as long as that does not make them negative: what was below 2m leaves it below m.

    sum, difference     A + read port, A - read port, both below m (or A below 2m, in a difference)
    reduction           A - m for A < 2m
    product             z - m for z < 4m, the result of a multiplier: below m, or below 2m for z >= 3m

In an iteration of the inversion (`inversion`) the second sum is R + S or R - m. U + V has a chain of its own, so that
neither it nor the first sum waits for a choice between what is read from the words and U and V; in gates it is the
first sum. The second cycle of an operation and the cycle of an iteration need other cycles. `alone` has another form.

An operation has its first sum in cycle a; a product starts in cycle t, and M is the latency of the multiplier:

    cycle        step                       register that holds the value from this cycle on
    a + 2        set-up: y22 = y2 + y2      word: the second sum; before that, in cycle a, A (from the read port in
                                            a - 1), and in cycle a + 1 `kept`, -m to 3m - 1, with its sign
    t + M + 1    set-up: y1 = y·r2          word: z - m; the multiplier's z in cycle t + M - 1, `kept` in t + M
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..control import FROM_UNIT, ITERATE, LOAD, MINUS, MODULUS, PLUS, RESULT
from ..parameters import FieldParameters


class Arithmetic(wiring.Component):
    """Registers A, the first sum, and U, V, R, S.

    Attributes
    ----------
    read : in, n + 1 bits
        The read port, below 2m.
    filled : in, n + 1 bits
        Value that registers load.
    m : in, n bits
    z_k : in
        Result of multiplier k.
    load_a, clear_a : in
        A <- `filled`, or 0.
    first, second, one : in
        Operands of the first sum (`control`), and 1 added to it.
    inverse : in
        `LOAD`: V <- `filled`; `ITERATE`; `RESULT`: `w` is R mod m.
    w : out, n + 1 bits
        The second sum: belongs to the first sum of the cycle before, or to the inversion with `RESULT`.
    negative : out
        The first sum of the cycle before is negative.
    inv_sign : out
        U is negative; valid behind the cycle of `RESULT`.
    """

    def __init__(self, p: FieldParameters) -> None:
        self.p = p
        # an adder of gates costs more than a choice in front of it
        self.shared = p.unit.target == "asic"
        n = p.n
        super().__init__(
            {"read": In(n + 1), "filled": In(n + 1), "m": In(n), "load_a": In(1), "clear_a": In(1)}
            | {f"z_{k}": In(p.unit.result_bits) for k in range(p.macs)}
            | {"first": In(p.macs.bit_length()), "second": In(2), "one": In(1), "inverse": In(2)}
            | {"w": Out(n + 1), "negative": Out(1), "inv_sign": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m, b = Module(), self.p.word_bits
        iterating = Signal()
        m.d.comb += iterating.eq(self.inverse == ITERATE)
        u, v = Signal(b), Signal(b)  # signed, from -m to m
        first, sign = self._first_sum(m, iterating, u, v)
        kept, negative = Signal(self.p.sum_bits), Signal()  # from -m to 3m - 1
        m.d.sync += [kept.eq(first), negative.eq(sign)]
        m.d.comb += self.negative.eq(negative)
        total = first if self.shared else Signal(b)  # signed, from -m to m where V is odd
        if not self.shared:
            m.d.comb += total.eq(u + v)
        self._second_sum(m, iterating, kept, u, v, total)
        return m

    def _first_sum(self, m: Module, iterating: Value, u: Signal, v: Signal) -> tuple[Signal, Value]:
        """Value and sign; U + V in an iteration, where that has no chain of its own."""
        p, b = self.p, self.p.sum_bits
        a = Signal(p.word_bits)
        with m.If(self.load_a):
            m.d.sync += a.eq(Mux(self.clear_a, 0, self.filled))
        x, y, carry = Signal(b), Signal(b), Signal()
        m.d.comb += x.eq(a)
        for k in range(p.macs):
            with m.If(self.first == FROM_UNIT + k):
                m.d.comb += x.eq(getattr(self, f"z_{k}"))
        if self.shared:
            with m.If(iterating):
                m.d.comb += x.eq(Cat(u, u[-1]))
            with m.If(iterating):
                m.d.comb += y.eq(Cat(v, v[-1]))
        with (m.Elif if self.shared else m.If)(self.second == PLUS):
            m.d.comb += y.eq(self.read)
        return self.sum_of_operands(m, x, y, carry)

    def sum_of_operands(self, m: Module, x: Signal, y: Signal, carry: Signal) -> tuple[Signal, Value]:
        """The first sum, with what is subtracted; called where the read port has been chosen for `PLUS`."""
        with m.Elif(self.second == MINUS):
            m.d.comb += [y.eq(~Cat(self.read, Const(0, 1))), carry.eq(1)]
        with m.Elif(self.second == MODULUS):
            m.d.comb += [y.eq(~Cat(self.m, Const(0, 2))), carry.eq(1)]
        with m.If(self.one):
            m.d.comb += carry.eq(1)
        total, over = sum_of(m, "first", x, y, carry)
        return total, self.second[1] & ~over  # of a difference: it was borrowed

    def _second_sum(self, m: Module, iterating: Value, kept: Value, u: Signal, v: Signal, total: Value) -> None:
        n, b = self.p.n, self.p.sum_bits
        r, s = Signal(self.p.word_bits), Signal(self.p.word_bits, init=1)  # R < 2m, S <= m
        odd, inverting, subtract = Signal(), Signal(), Signal()
        m.d.comb += [
            inverting.eq(iterating | (self.inverse == RESULT)),
            odd.eq(iterating & v[0]),
            subtract.eq(Mux(inverting, ~odd, ~self.negative)),
        ]
        x, y = Signal(b), Signal(b)
        m.d.comb += x.eq(Mux(inverting, r, kept))
        m.d.comb += y.eq(Mux(odd, s, Cat(self.m, Const(0, 2)) ^ subtract.replicate(b)))
        result, over = sum_of(m, "second", x, y, subtract)
        chosen = Signal(self.p.word_bits)
        m.d.comb += [chosen.eq(Mux(subtract & ~over, x, result)), self.w.eq(chosen), self.inv_sign.eq(u[-1])]
        swap = Signal()
        m.d.comb += swap.eq(odd & (total[n] ^ v[-1]))
        with m.If(self.inverse == LOAD):
            m.d.sync += [
                u.eq(Cat(Const(1, 1), ~self.m[1:], Const(1, 1))),  # -m, m odd
                v.eq(self.filled[:n]),
                r.eq(0),
                s.eq(1),
            ]
        with m.Elif(iterating):
            halved = Mux(odd, total[: n + 1], v)
            m.d.sync += [
                v.eq(Cat(halved[1:], halved[-1])),
                r.eq(Mux(odd, Mux(swap, s, r), chosen) << 1),
            ]
            with m.If(swap):
                m.d.sync += u.eq(v)
            with m.If(odd):
                m.d.sync += s.eq(result)


def sum_of(m: Module, name: str, x: Signal, y: Signal, carry: Signal) -> tuple[Signal, Value]:
    """x + y + carry on one carry chain, and the carry out of it."""
    longer = Signal(len(x) + 2, name=f"{name}_longer")
    total = Signal(len(x), name=f"{name}_sum")
    m.d.comb += [longer.eq(Cat(Const(1, 1), x) + Cat(carry, y)), total.eq(longer[1:-1])]
    return total, longer[-1]
