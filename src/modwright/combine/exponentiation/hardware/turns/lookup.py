# SPDX-License-Identifier: Apache-2.0
"""Powers of the base in block RAM, by limbs; a look-up reads every limb of every entry, and masks all but the digit's.

Registers of a look-up of E entries of L limbs, counted from the cycle of `look`; addresses count entries, then limbs:

    cycle                  register that holds the value in this cycle
    1 + a, a < E·L         `address`: a
    3 + a                  the limb of the entry, behind the memory; `mask`: it is the digit's
    4 + a                  `gathered`: OR of the masked limbs since the first entry
    (k + 1)·E + 4          limb k is in the memory of found limbs, from which it is read without a register
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .....rtl.block_memory import BlockMemory
from .....rtl.pipeline import delayed
from ...plan.turns import Turns


class LookUp(wiring.Component):
    """Table of 2^window operands, and the one that was looked up.

    Attributes
    ----------
    put, entry, place, word : in
        Limb `place` of an entry is `word`, in this cycle.
    look : in
        A look-up starts.
    digit : in
        Index of the entry; stable until the end of the look-up.
    read : in
        Number of a limb of the found entry.
    found : out
        The limb with that number.
    """

    def __init__(self, turns: Turns, target: str) -> None:
        self.turns, self.target = turns, target
        digit, limb, limbs = turns.window, turns.limb, range(turns.limbs)
        super().__init__(
            {"put": In(1), "entry": In(digit), "place": In(limbs), "word": In(limb)}
            | {"look": In(1), "digit": In(digit), "read": In(limbs), "found": Out(limb)}
        )

    def elaborate(self, platform: object) -> Module:
        m, turns = Module(), self.turns
        words = turns.limbs << turns.window
        m.submodules.table = table = BlockMemory(turns.limb, words, self.target)
        address, scanning = Signal(range(words)), Signal()
        m.d.sync += address.eq(Mux(scanning, address + 1, 0))
        with m.If(self.look):
            m.d.sync += scanning.eq(1)
        with m.Elif(address == words - 1):
            m.d.sync += scanning.eq(0)
        m.d.comb += [
            table.write.eq(self.put),
            table.into.eq(Cat(self.entry, self.place)),
            table.word.eq(self.word),
            table.read.eq(address),
        ]
        entry, limb = address[: turns.window], address[turns.window :]
        mask = delayed(m, entry == self.digit, 2, "mask")
        begins = delayed(m, entry == 0, 2, "begins")
        ended = delayed(m, scanning & entry.all(), 3, "ended")
        gathered = Signal(turns.limb)
        chosen = table.found & mask.replicate(turns.limb)
        m.d.sync += gathered.eq(chosen | (gathered & ~begins.replicate(turns.limb)))
        m.submodules.limbs = limbs = memory.Memory(shape=turns.limb, depth=turns.limbs, init=[])
        write, read = limbs.write_port(), limbs.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(ended),
            write.addr.eq(delayed(m, limb, 3, "limb")),
            write.data.eq(gathered),
            read.addr.eq(self.read),
            self.found.eq(read.data),
        ]
        return m
