# SPDX-License-Identifier: Apache-2.0
"""Words that wait for their turn, in slices whose addresses are near them.

Registers of a slice, counted from the cycle of the strobe:

    cycle               register that holds the value from this cycle on
    1, after `put`      `slice_k`: the word, at the place that `last_k` had; `last_k`: the next place
    1, after `taken`    `first_k`: the place of the word that comes first now
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

SLICE = 64
"""Bits of a slice: 16 LUT RAMs of ECP5 behind one address register."""


class WaitingWords(wiring.Component):
    """The words that were put and not taken, in order.

    Each slice counts its places from a start of its own: registers with different starts are not merged in synthesis,
    where copies of one register are, and one register is far from most of a wide memory. The word after the last one is
    written in every cycle and counts when `put` says so; so there is no enable that goes far, and one place more.

    Parameters
    ----------
    width : int
        Bits of a word.
    places : int
        Words that may wait at once; the one that puts them makes sure that there are no more.

    Attributes
    ----------
    put : in
        `word` is the next word.
    word : in, width bits
    taken : in
        The first word leaves.
    first : out, width bits
        The first word, from the cycle after its `put` on.
    """

    def __init__(self, width: int, places: int) -> None:
        self.width, self.places = width, places
        super().__init__({"put": In(1), "word": In(width), "taken": In(1), "first": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        slices = [self.word[low : low + SLICE] for low in range(0, self.width, SLICE)]
        m.d.comb += self.first.eq(Cat(self._slice(m, number, word) for number, word in enumerate(slices)))
        return m

    def _slice(self, m: Module, number: int, word: Value) -> Value:
        address = self.places.bit_length()  # 2^address > places
        depth = 1 << address
        m.submodules[f"slice_{number}"] = store = memory.Memory(shape=len(word), depth=depth, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        last, first = (Signal(address, init=number % depth, name=f"{name}_{number}") for name in ("last", "first"))
        m.d.comb += [write.addr.eq(last), write.data.eq(word), write.en.eq(1), read.addr.eq(first)]
        with m.If(self.put):
            m.d.sync += last.eq(last + 1)
        with m.If(self.taken):
            m.d.sync += first.eq(first + 1)
        return read.data
