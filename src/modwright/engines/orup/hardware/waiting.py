# SPDX-License-Identifier: Apache-2.0
"""Queue of words, in slices with their own address registers.

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
    """Queue of the words that were put and not taken.

    Each slice counts its places from a different start: synthesis merges copies of one register, but not registers with
    different starts, and one register would be far from most of a wide memory. The place after the last word is
    written in every cycle and becomes valid with `put`; so no long enable is needed, and one more place.

    Parameters
    ----------
    width : int
        Bits of a word.
    places : int
        Words that may wait at once; whatever puts them ensures that there are no more.
    slice_bits : int
        Bits of a slice.

    Attributes
    ----------
    put : in
        Strobe: `word` is the next word.
    word : in, width bits
    taken : in
        Strobe: the first word leaves.
    first : out, width bits
        The first word, from the cycle after its `put` on.
    """

    def __init__(self, width: int, places: int, slice_bits: int = SLICE) -> None:
        self.width, self.places, self.slice_bits = width, places, slice_bits
        super().__init__({"put": In(1), "word": In(width), "taken": In(1), "first": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        slices = [self.word[low : low + self.slice_bits] for low in range(0, self.width, self.slice_bits)]
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
