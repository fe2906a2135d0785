# SPDX-License-Identifier: Apache-2.0
"""The multiply-accumulate with its limbs: those of the words, and the one that a column has just left.

Cycles from that of the control word of a product (`engines.word.control`):

    cycle   register that holds the value from this cycle on
    3       limbs of the words are at the inputs
    4       `a`, `b`: limbs at the multiply-accumulate, a is 0 without a product
    13      `word` of the accumulator, 0 where it is cleared; of limbs in halves, 15
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ...columns.hardware.accumulator import ColumnAccumulator
from ..parameters import WordParameters

STROBES = ("first", "lower", "ones", "close", "store")
INPUTS = ("multiply", "forward")


class WordColumns(wiring.Component):
    """Attributes
    ----------
    found_a, found_b : in
        Limbs of the words.
    multiply : in
        In the next cycle, limbs go to the inputs.
    forward : in
        With `multiply`: the word that is there in the next cycle goes to input a.
    first, lower, ones, close, store, context : in
        Strobes of the accumulator, a cycle later than `multiply`; `ones` stands for what the context has stored, too.
    outside : in
        The word is 0 in the cycle after the next one.
    word : out
    """

    def __init__(self, p: WordParameters) -> None:
        self.p = p
        super().__init__(
            {"found_a": In(p.w), "found_b": In(p.w), "context": In(range(p.contexts))}
            | {name: In(1) for name in (*INPUTS, *STROBES, "outside")}
            | {"word": Out(p.w)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        accumulator = ColumnAccumulator(p, p.digit_bits, p.carry_bits, p.contexts, chained=True)
        m.submodules.accumulator = accumulator
        m.d.comb += [
            self.word.eq(accumulator.word),
            accumulator.clear.eq(copied(m, self.outside, p.target, "clear")),
        ]
        multiply, forward = (copied(m, getattr(self, name), p.target, name) for name in INPUTS)
        a, b = Signal(p.w, reset_less=True), Signal(p.w, reset_less=True)
        m.d.sync += b.eq(self.found_b)
        with m.If(multiply):
            m.d.sync += a.eq(Mux(forward, accumulator.word, self.found_a))
        with m.Else():
            m.d.sync += a.eq(0)
        m.d.comb += [accumulator.a.eq(a), accumulator.b.eq(b)]
        for name in (*STROBES, "context"):
            m.d.comb += getattr(accumulator, name).eq(delayed(m, getattr(self, name), 1, f"given_{name}"))
        m.d.comb += accumulator.upper.eq(accumulator.ones)
        return m
