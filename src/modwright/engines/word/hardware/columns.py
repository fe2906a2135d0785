# SPDX-License-Identifier: Apache-2.0
"""The multiply-accumulate with its limbs: those of the words, and those that columns have left.

Cycles from that of the control word of a product (`engines.word.control`):

    cycle   register that holds the value from this cycle on
    3       limbs of the words are at the inputs; `place`: that of the limb of t
    4       `a`, `b`: limbs at the multiply-accumulate, a is 0 without a product
    13      `word` of the accumulator
    14      the memory of t has the word
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ...columns.hardware.accumulator import ColumnAccumulator
from ..parameters import WordParameters

STROBES = ("first", "lower", "ones", "close", "store")
INPUTS = ("multiply", "a_t", "forward")


class WordColumns(wiring.Component):
    """Attributes
    ----------
    found_a, found_b : in
        Limbs of the words.
    multiply : in
        In the next cycle, limbs go to the inputs.
    a_t, forward : in
        With `multiply`: a limb of t goes to input a; the word that is there in the next cycle does.
    place : in
        Place of that limb of t.
    first, lower, ones, close, store, context : in
        Strobes of the accumulator, a cycle later than `multiply`; `ones` stands for what the context has stored, too.
    keep, kept : in
        The word that is there in the next cycle is written as a limb of t, and its place.
    word : out
    """

    def __init__(self, p: WordParameters) -> None:
        self.p = p
        place = range(p.contexts * p.places)
        super().__init__(
            {"found_a": In(p.w), "found_b": In(p.w), "place": In(place), "context": In(range(p.contexts))}
            | {name: In(1) for name in (*INPUTS, *STROBES, "keep")}
            | {"kept": In(place), "word": Out(p.w)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        accumulator = ColumnAccumulator(p, p.digit_bits, p.carry_bits, p.contexts)
        m.submodules.accumulator = accumulator
        m.submodules.t = store = memory.Memory(shape=p.w, depth=p.contexts * p.places, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [
            read.addr.eq(copied(m, self.place, p.target, "place")),
            write.addr.eq(delayed(m, self.kept, 1, "kept")),
            write.en.eq(delayed(m, self.keep, 1, "keep")),
            write.data.eq(accumulator.word),
            self.word.eq(accumulator.word),
        ]
        multiply, of_t, forward = (copied(m, getattr(self, name), p.target, name) for name in INPUTS)
        a, b = Signal(p.w, reset_less=True), Signal(p.w, reset_less=True)
        m.d.sync += b.eq(self.found_b)
        with m.If(multiply):
            m.d.sync += a.eq(Mux(forward, accumulator.word, Mux(of_t, read.data, self.found_a)))
        with m.Else():
            m.d.sync += a.eq(0)
        m.d.comb += [accumulator.a.eq(a), accumulator.b.eq(b)]
        for name in (*STROBES, "context"):
            m.d.comb += getattr(accumulator, name).eq(delayed(m, getattr(self, name), 1, f"given_{name}"))
        m.d.comb += accumulator.upper.eq(accumulator.ones)
        return m
