# SPDX-License-Identifier: Apache-2.0
"""The operand memory, in block RAM, in slices with their own address registers.

Cycles from that of the control word:

    cycle   read                              write
    0       `read`                            `into`, `write`
    1       address register                  address register; `z`, or an operand that comes in
    2       the memory reads (`block_memory`) the word is in the memory
    3       `found`, `terms`                  -

On ECP5 there are two memories with the same words: one for the products and all else, one for the sums, whose chains
begin at its output.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.block_memory import WIDE, BlockMemory
from ....rtl.copies import copied

SLICE = 3 * WIDE
"""Bits of a word behind one address register: three blocks."""


class Words(wiring.Component):
    """Words with one port to read and one to write.

    Parameters
    ----------
    width, depth : int
    operands : int
        Bits of all operands that come in, side by side in `given`, each as wide as a word.
    target : str

    Attributes
    ----------
    read, into : in
        Addresses.
    write : in
    z : in
        Word to be written, a cycle after `write`.
    load : in
        Number of the operand that is in its register three cycles later, from 1 on.
    operand : in
        With `write`: the operand is written, not `z`.
    given_K : in
        Operand K.
    found : out
        The word read.
    terms : out
        The same, for the sums.
    """

    def __init__(self, width: int, depth: int, operands: int, target: str) -> None:
        self.width, self.depth, self.operands, self.target = width, depth, operands, target
        number = (depth - 1).bit_length()
        super().__init__(
            {"read": In(number), "into": In(number), "write": In(1), "z": In(width)}
            | {"found": Out(width), "terms": Out(width)}
            | {"load": In(range(operands + 1)), "operand": In(1)}
            | {f"given_{k}": In(width) for k in range(operands)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        given = [getattr(self, f"given_{k}") for k in range(self.operands)]
        for number, low in enumerate(range(0, self.width, SLICE)):
            part = slice(low, min(low + SLICE, self.width))
            control = copied(m, Cat(self.read, self.into, self.write), self.target, f"address_{number}")
            chosen = copied(m, self.operand, self.target, f"chosen_{number}")
            operand = operand_register(m, self.load, [value[part] for value in given], self.target, number)
            word = Mux(chosen, operand, self.z[part])
            found = self._store(m, f"slice_{number}", control, word)
            terms = self._store(m, f"terms_{number}", control, word) if self.target == "ecp5" else found
            m.d.comb += [self.found[part].eq(found), self.terms[part].eq(terms)]
        return m

    def _store(self, m: Module, name: str, control: Value, word: Value) -> Value:
        """A memory of a slice."""
        size = len(self.read)
        m.submodules[name] = store = BlockMemory(len(word), self.depth, self.target)
        m.d.comb += [
            store.read.eq(control[:size]),
            store.into.eq(control[size : 2 * size]),
            store.write.eq(control[2 * size]),
            store.word.eq(word),
        ]
        return store.found


def operand_register(m: Module, load: Value, given: list[Value], target: str, number: int) -> Signal:
    """Register of the chosen operand, three cycles after its number: its choice, one of two, one of all."""
    loads = [copied(m, load == k + 1, target, f"load_{number}_{k}") for k in range(len(given))]
    pairs = []
    for low in range(0, len(given), 2):
        pair = Signal(len(given[low]), name=f"pair_{number}_{low}", reset_less=True)
        both = zip(given[low : low + 2], loads[low : low + 2], strict=True)
        m.d.sync += pair.eq(reduce(or_, (value & chosen.replicate(len(value)) for value, chosen in both)))
        pairs.append(pair)
    operand = Signal(len(given[0]), name=f"operand_{number}", reset_less=True)
    m.d.sync += operand.eq(reduce(or_, pairs))
    return operand
