# SPDX-License-Identifier: Apache-2.0
"""The operand memory, in block RAM, in slices with their own address registers.

Cycles from that of the control word:

    cycle   read                              write
    0       `read`                            `into`, `write`
    1       address register                  address register; `z`
    2       the memory reads (`block_memory`) the word is in the memory
    3       its output register               -
    4       `found`, `terms`                  -
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.block_memory import WIDE, BlockMemory
from ....rtl.copies import copied
from ....rtl.pipeline import delayed

SLICE = 3 * WIDE
"""Bits of a word behind one address register: three blocks."""


class Words(wiring.Component):
    """Words with one port to read and one to write.

    Parameters
    ----------
    width, depth : int
    target : str
    later : int
        Cycles by which `terms` is later than `found`.

    Attributes
    ----------
    read, into : in
        Addresses.
    write : in
    z : in
        Word to be written, a cycle after `write`.
    found : out, a register
        The word read.
    terms : out, a register
        The same, for the sums.
    """

    def __init__(self, width: int, depth: int, target: str, later: int = 0) -> None:
        self.width, self.depth, self.target, self.later = width, depth, target, later
        number = (depth - 1).bit_length()
        super().__init__(
            {"read": In(number), "into": In(number), "write": In(1), "z": In(width)}
            | {"found": Out(width), "terms": Out(width)}
        )

    def elaborate(self, platform: object) -> Module:
        m, size = Module(), len(self.read)
        for number, low in enumerate(range(0, self.width, SLICE)):
            part = slice(low, min(low + SLICE, self.width))
            control = copied(m, Cat(self.read, self.into, self.write), self.target, f"address_{number}")
            word = self.z[part]
            m.submodules[f"slice_{number}"] = store = BlockMemory(len(word), self.depth, self.target)
            m.d.comb += [
                store.read.eq(control[:size]),
                store.into.eq(control[size : 2 * size]),
                store.write.eq(control[2 * size]),
                store.word.eq(word),
                self.terms[part].eq(self._terms(m, store.found, self.found[part], number)),
            ]
            m.d.sync += self.found[part].eq(store.found)
        return m

    def _terms(self, m: Module, read: Value, found: Value, number: int) -> Value:
        """Register for the sums, of what is read or of what was found before."""
        if self.later:
            return delayed(m, found, self.later, f"terms_{number}", reset=False)
        return copied(m, read, self.target, f"terms_{number}", reset=False)
