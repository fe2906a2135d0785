# SPDX-License-Identifier: Apache-2.0
"""The register file: a memory of residues, read at two numbers at once, and a bit for each register that was written.

A reset clears the bits, and none of the memory; so whatever a memory holds, a register is read only after it was
written. Registers, counted from a cycle with `write`:

    cycle    register that holds the value from this cycle on
    1        `words`: the word, at number `into`; the bit of `written` for it
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out


class RegisterFile(wiring.Component):
    """Registers from 1 on, for numbers below `count`; number 0 is never written, and counts as written.

    Parameters
    ----------
    width : int
        Bits of a register.
    count : int
        Numbers, a power of two.

    Attributes
    ----------
    from_x, from_y : in
        Numbers that are read in the same cycle.
    x, y : out, `width` bits each
        Their words.
    known_x, known_y : out
        Levels: they were written since the reset.
    into : in
        Number that is written.
    word : in, `width` bits
    write : in
        Level: `word` is written into number `into`, which is read from the next cycle on.
    """

    def __init__(self, width: int, count: int) -> None:
        self.width, self.count = width, count
        numbers = {name: In(range(count)) for name in ("from_x", "from_y", "into")}
        read = {"x": Out(width), "y": Out(width), "known_x": Out(1), "known_y": Out(1)}
        super().__init__(numbers | read | {"word": In(width), "write": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.words = store = memory.Memory(shape=self.width, depth=self.count, init=[])
        written = Signal(self.count - 1)  # by registers 1, 2, ...
        known = Cat(Const(1, 1), written)
        for name in ("x", "y"):
            port, number = store.read_port(domain="comb"), getattr(self, f"from_{name}")
            m.d.comb += [
                port.addr.eq(number),
                getattr(self, name).eq(port.data),
                getattr(self, f"known_{name}").eq(known.bit_select(number, 1)),
            ]
        port = store.write_port()
        m.d.comb += [port.addr.eq(self.into), port.data.eq(self.word), port.en.eq(self.write)]
        for number in range(1, self.count):
            with m.If(self.write & (self.into == number)):
                m.d.sync += written[number - 1].eq(1)
        return m
