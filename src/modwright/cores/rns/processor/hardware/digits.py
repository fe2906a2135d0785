# SPDX-License-Identifier: Apache-2.0
"""Digits of a number whose hats pass over the bus, less P, which is added again where the number was below P.

Registers of n hats, the first of which is on the bus in cycle 0; M cycles of a product:

    cycle        register that holds the value from this cycle on
    n            the cox's sum
    n + 1        `multiple`: h·B modulo 2^w
    k + 1 + M    `total`: the sum of the first k + 1 hats times their B/B_i, modulo 2^w

Counted from the cycle of `capture` of the last digit:

    cycle        register that holds the value from this cycle on
    1            `words`: every digit, less those of P; `adding`
    k + 2        `words`: P added to the first k + 1 of them, or 0
    n + 1        `done`
"""

from __future__ import annotations

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .....engines.coxrower.steps import COX_ADD
from .....rtl.multiplier import TiledMultiplier
from .....rtl.pipeline import delayed
from ..parameters import ProcessorParameters
from ..plan.conversions import digits_of
from ..schedule.converting import digit_latency, digit_registers, digit_tiling


class Digits(wiring.Component):
    """Digits modulo 2^w of a number in base B.

    Attributes
    ----------
    start : in
        Strobe: a number begins.
    hat : in, w bits
        Hat on the bus.
    code : in
        Operation of the cox: `COX_ADD`, or another code but 0 for the first hat.
    quotient : in
        Quotient that the cox has found.
    capture : in
        Strobe: the digit is stored.
    digit : out, w bits
    ended : out
        Level: the last digit of a number is stored.
    words : out, n elements of w bits
        The number, reduced once, the least word first.
    done : out
        Strobe: `words` has the number.
    """

    def __init__(self, p: ProcessorParameters, code: int, quotient: int) -> None:
        self.p = p
        ports = {"start": In(1), "hat": In(p.width), "code": In(code), "quotient": In(quotient), "capture": In(1)}
        results = {"digit": Out(p.width), "ended": Out(1), "done": Out(1)}
        super().__init__(ports | results | {"words": Out(data.ArrayLayout(p.width, p.n))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self._digit(m)
        self._number(m)
        return m

    def _digit(self, m: Module) -> None:
        """Σ ŝ_i·(B/B_i) - h·B modulo 2^w."""
        p, size = self.p, 1 << self.p.width
        first, row, following = Signal(), Signal(range(p.n)), Signal(range(p.n))
        m.d.comb += [first.eq((self.code != 0) & (self.code != COX_ADD)), row.eq(Mux(first, 0, following))]
        with m.If(self.code != 0):
            m.d.sync += following.eq(row + 1)
        m.submodules.multiplier = unit = TiledMultiplier(digit_tiling(p), digit_registers(p))
        m.d.comb += [unit.a[0].eq(self.hat), unit.b[0].eq(self._word([c % size for c in p.B.cofactors], row))]
        begins = delayed(m, first, digit_latency(p), "begins")
        total, multiple = Signal(p.width, name="total"), Signal(p.width, name="multiple")
        with m.If(delayed(m, self.code != 0, digit_latency(p), "counts")):
            m.d.sync += total.eq(Mux(begins, 0, total) + unit.p[: p.width])
        multiples = [h * p.B.product % size for h in range(1 << len(self.quotient))]
        m.d.sync += multiple.eq(self._word(multiples, self.quotient))
        m.d.comb += self.digit.eq(total - multiple)

    def _number(self, m: Module) -> None:
        """The words: those of P are subtracted as digits come, and added again, or 0, when all are there."""
        p = self.p
        number, carry, adding, below = Signal(range(p.n)), Signal(), Signal(), Signal()
        of_p, last = Signal(p.width, name="word_of_p"), Signal(name="last")
        subtracted, added = Signal(p.width + 1, name="subtracted"), Signal(p.width + 1, name="added")
        m.d.comb += [
            of_p.eq(self._word(list(digits_of(p.modulus, p.width, p.n)), number)),
            last.eq(number == p.n - 1),
            subtracted.eq(self.digit - of_p - carry),
            added.eq(self.words[0] + Mux(below, of_p, 0) + carry),
        ]
        m.d.sync += self.done.eq(adding & last)
        result = Mux(adding, added, subtracted)
        with m.If(self.start):
            m.d.sync += [number.eq(0), carry.eq(0), self.ended.eq(0)]
        with m.Elif(self.capture | adding):
            m.d.sync += [number.eq(Mux(last, 0, number + 1)), carry.eq(Mux(last, 0, result[p.width]))]
            m.d.sync += [
                word.eq(after) for word, after in zip(self.words, [*list(self.words)[1:], result], strict=True)
            ]
            with m.If(last):
                m.d.sync += [adding.eq(~adding), self.ended.eq(1), below.eq(result[p.width])]

    def _word(self, values: list[int], number: Value) -> Value:
        """A word of a table."""
        return Array(Const(value, self.p.width) for value in values)[number]
