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
            one, other = operand_registers(m, self.load, [value[part] for value in given], self.target, number)
            word = Mux(chosen, one | other, self.z[part])
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


def operand_registers(m: Module, load: Value, given: list[Value], target: str, number: int) -> list[Value]:
    """Two registers of which one is the chosen operand, three cycles after its number, and the other 0.

    A register of each operand is cleared unless its number comes, by a reset, which takes no LUT, nor one in front of
    it; so what chooses is an OR."""
    chosen: list[Value] = []
    for k, value in enumerate(given):
        register = Signal(len(value), name=f"given_{number}_{k}", reset_less=True)
        with m.If(copied(m, load != k + 1, target, f"other_{number}_{k}")):
            m.d.sync += register.eq(0)
        with m.Else():
            m.d.sync += register.eq(value)
        chosen.append(register)
    halves: list[Value] = []
    for half in range(2):
        register = Signal(len(given[0]), name=f"operand_{number}_{half}", reset_less=True)
        m.d.sync += register.eq(reduce(or_, chosen[half::2]))
        halves.append(register)
    return halves
