# SPDX-License-Identifier: Apache-2.0
"""Powers of the base; a look-up reads every entry, and selects the digit's by a mask.

Each slice counts its addresses itself, all of them alike, so that no address goes far. Entries are read all the time,
in turn, so a look-up begins with whichever is next.

Registers of a look-up of E entries, counted from the cycle of `look`:

    cycle          register that holds the value in this cycle
    k of 1 to E    `turn`: the entry that is read, at its address; `reading`
    k + 1          the entry, behind the memory; `chosen`: it is the digit's
    k + 2          `found`: the entry if it is chosen, else 0
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import level_copy, pulse_copy
from ..parameters import ModexpParameters
from .operands import slices


class Table(wiring.Component):
    """Table of 2^window words.

    Attributes
    ----------
    start, end : in
        The next word is the first one, from `start` on; none is put after `end`.
    put : in
        `word`, as it is in the next cycle, is the next entry.
    look : in
        A look-up starts.
    digit : in
        Index of the entry; stable until the end of the look-up.
    found : out
        The entry, see the table of registers; 0 in all other cycles.
    looking : out
        High in cycles 1 to E + 1 of a look-up.
    """

    def __init__(self, p: ModexpParameters) -> None:
        self.bits = p.window
        w = p.multiplier.width
        strobes = {name: In(1) for name in ("start", "end", "put", "look")}
        super().__init__(strobes | {"word": In(w), "digit": In(p.window), "found": Out(w), "looking": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        turn, left = Signal(self.bits), Signal(self.bits)
        reading, chosen = Signal(), Signal()
        m.d.sync += [turn.eq(turn + 1), left.eq(left - 1), self.looking.eq(self.look | reading)]
        with m.If(self.look):
            m.d.sync += [reading.eq(1), left.eq((1 << self.bits) - 1)]
        with m.Elif(left == 0):
            m.d.sync += reading.eq(0)
        m.d.comb += chosen.eq(reading & (turn == self.digit))
        for number, part in enumerate(slices(len(self.word))):
            self._slice(m, number, part, chosen)
        return m

    def _slice(self, m: Module, number: int, part: slice, chosen: Signal) -> None:
        word = self.word[part]
        m.submodules[f"slice_{number}"] = store = memory.Memory(shape=len(word), depth=1 << self.bits, init=[])
        write, read = store.write_port(), store.read_port()
        put = pulse_copy(m, self.put, f"put_{number}")
        idle = level_copy(m, self.end, self.start, f"idle_{number}", init=1)
        place, turn = Signal(self.bits, name=f"place_{number}"), Signal(self.bits, name=f"turn_{number}")
        with m.If(idle):
            m.d.sync += place.eq(0)
        with m.Elif(put):
            m.d.sync += place.eq(place + 1)
        kept = pulse_copy(m, chosen, f"chosen_{number}")
        m.d.sync += [turn.eq(turn + 1), self.found[part].eq(read.data & kept.replicate(len(word)))]
        m.d.comb += [write.addr.eq(place), write.data.eq(word), write.en.eq(put)]
        m.d.comb += [read.addr.eq(turn), read.en.eq(1)]
