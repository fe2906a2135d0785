# SPDX-License-Identifier: Apache-2.0
"""The modular adder whose registers an inversion takes, as in the engine of Xie et al. 2023: two sums of n + 2 bits.

Sums, differences and reductions are those of `arithmetic`, in the same cycles. In the inversion (`inversion`) A holds
U, and the register of the first sum R, so that U + V is the first sum, R + S or R - m the second one, and only V and S
have registers of their own. Nothing else may load A, or pass the adder, from `LOAD` to the cycle before `RESULT`:
`machine.Machine.alone`. K iterations follow each other, and `LOAD` is in cycle t:

    cycle        step                    register that holds the value from this cycle on
    t + 1        operand                 A: U = -m; V: d, below m; `kept`: R = 0; S: 1
    t + 2 + k    iteration k, from 0     A: U, V: both from -m to m; `kept`: R, below 2m; S, at most m
    t + K + 1    `RESULT`                word, a cycle later: R mod m, the second sum as of any other `kept`
    t + K + 2    `RESULT`                `inv_sign`: the sign of U
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ..control import FROM_UNIT, ITERATE, LOAD, PLUS, RESULT
from ..parameters import FieldParameters
from .arithmetic import Arithmetic, sum_of


def arithmetic_of(p: FieldParameters) -> Arithmetic:
    """The adder of a core, not elaborated."""
    return AloneArithmetic(p) if p.inverts_alone else Arithmetic(p)


class AloneArithmetic(Arithmetic):
    """Registers A, the first sum, V and S; the ports are those of the other form."""

    def elaborate(self, platform: object) -> Module:
        m, b = Module(), self.p.word_bits
        loading, iterating, odd = Signal(), Signal(), Signal()
        a, v, s = (Signal(b, name=name, reset_less=True) for name in "avs")
        kept, negative = Signal(self.p.sum_bits, reset_less=True), Signal()  # from -m to 3m - 1
        m.d.comb += [
            loading.eq(self.inverse == LOAD),
            iterating.eq(self.inverse == ITERATE),
            odd.eq(iterating & v[0]),
            self.negative.eq(negative),
        ]
        first, sign = self._with_a(m, iterating, a, v)
        m.d.sync += [kept.eq(first), negative.eq(sign)]  # in an iteration no operand is subtracted: not negative
        with m.If(self.load_a):
            m.d.sync += a.eq(Mux(self.clear_a, 0, self.filled))
        result, chosen = self._with_kept(m, odd, kept, s)
        swap = Signal()
        m.d.comb += swap.eq(odd & (first[self.p.n] ^ v[-1]))
        with m.If(loading):
            m.d.sync += [
                a.eq(Cat(Const(1, 1), ~self.m[1:], Const(1, 1))),  # -m, m odd
                v.eq(self.filled[: self.p.n]),
                kept.eq(0),
                s.eq(1),
            ]
        with m.Elif(iterating):
            halved = Mux(odd, first[:b], v)
            m.d.sync += [v.eq(Cat(halved[1:], halved[-1])), kept.eq(Mux(odd, Mux(swap, s, kept), chosen) << 1)]
            with m.If(swap):
                m.d.sync += a.eq(v)
            with m.If(odd):
                m.d.sync += s.eq(result)
        with m.If(self.inverse == RESULT):
            m.d.sync += self.inv_sign.eq(a[-1])
        return m

    def _with_a(self, m: Module, iterating: Value, a: Signal, v: Signal) -> tuple[Signal, Value]:
        """First sum, and its sign: A, or a product, with the second operand; in an iteration U + V."""
        b = self.p.sum_bits
        x, y, carry = Signal(b), Signal(b), Signal()
        m.d.comb += x.eq(Cat(a, a[-1] & iterating))
        for k in range(self.p.macs):
            with m.If(self.first == FROM_UNIT + k):
                m.d.comb += x.eq(getattr(self, f"z_{k}"))
        with m.If(iterating):
            m.d.comb += y.eq(Cat(v, v[-1]))
        with m.Elif(self.second == PLUS):
            m.d.comb += y.eq(self.read)
        return self.sum_of_operands(m, x, y, carry)

    def _with_kept(self, m: Module, odd: Value, kept: Signal, s: Signal) -> tuple[Signal, Signal]:
        """Second sum, and the word that leaves: the sum with m or -m, or R + S."""
        b = self.p.sum_bits
        y, subtract, chosen = Signal(b), Signal(), Signal(self.p.word_bits)
        m.d.comb += [
            subtract.eq(~(odd | self.negative)),
            y.eq(Mux(odd, s, Cat(self.m, Const(0, 2)) ^ subtract.replicate(b))),
        ]
        result, over = sum_of(m, "second", kept, y, subtract)
        m.d.comb += [chosen.eq(Mux(subtract & ~over, kept, result)), self.w.eq(chosen)]
        return result, chosen
