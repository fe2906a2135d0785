# SPDX-License-Identifier: Apache-2.0
"""A memory of wide words in block RAM, read through the output register of the block.

Registers, counted from the cycle of an address:

    cycle    register that holds the value from this cycle on
    1        the word written, or the one read, inside the memory
    2        `out`: the word read

On ECP5 the blocks are instances: Yosys infers block RAM, but not its output register, without which a word comes out of
the block as late as 5.6 ns after the edge.
"""

from __future__ import annotations

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

ADDRESS = 14
"""Address lines of a block of 2^14 bits, and a ninth of parity for every eight."""
SHAPES = ((18, 10), (9, 11))
"""Bits of a word of a block, and of its address."""


class BlockMemory(wiring.Component):
    """Memory with a port that writes and one that reads.

    Parameters
    ----------
    width, depth : int
        Bits of a word, at most 2048 words on ECP5.
    target : str
        Device family that the core is written for.

    Attributes
    ----------
    write, place, word : in
        `word` is written to `place` in a cycle with `write`.
    address : in
    out : out, width bits
        The word at the address of two cycles ago; not one that was written in the cycle of the address.
    """

    def __init__(self, width: int, depth: int, target: str) -> None:
        self.width, self.depth, self.target = width, depth, target
        super().__init__(
            {"write": In(1), "place": In(range(depth)), "word": In(width)}
            | {"address": In(range(depth)), "out": Out(width)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self.target == "ecp5":
            bits, lines = next(shape for shape in SHAPES if self.depth <= 1 << shape[1])
            for low in range(0, self.width, bits):
                self._block(m, slice(low, min(low + bits, self.width)), bits, lines)
            return m
        m.submodules.store = store = memory.Memory(shape=self.width, depth=self.depth, init=[])
        write, read = store.write_port(), store.read_port()
        m.d.comb += [write.en.eq(self.write), write.addr.eq(self.place), write.data.eq(self.word)]
        m.d.comb += [read.en.eq(1), read.addr.eq(self.address)]
        m.d.sync += self.out.eq(read.data)
        return m

    def _block(self, m: Module, part: slice, bits: int, lines: int) -> None:
        word, out = Cat(self.word[part], Const(0, bits))[:bits], Signal(bits)
        low = Const(0b11, ADDRESS - lines) if bits == SHAPES[0][0] else Const(0, ADDRESS - lines)  # byte enables
        ports: dict[str, object] = {}
        for name, address in (("A", self.place), ("B", self.address)):
            whole = Cat(low, address, Const(0, ADDRESS))
            ports |= {f"i_AD{name}{bit}": whole[bit] for bit in range(ADDRESS)}
            ports |= {f"i_CS{name}{bit}": Const(0, 1) for bit in range(3)}
            ports |= {f"i_CLK{name}": ClockSignal("sync"), f"i_RST{name}": Const(0, 1)}
            ports |= {f"i_CE{name}": Const(1, 1), f"i_OCE{name}": Const(1, 1)}
        ports |= {f"i_DIA{bit}": word[bit] for bit in range(bits)}
        ports |= {f"o_DOB{bit}": out[bit] for bit in range(bits)}
        m.submodules += Instance(
            "DP16KD",
            p_DATA_WIDTH_A=bits,
            p_DATA_WIDTH_B=bits,
            p_REGMODE_A="NOREG",
            p_REGMODE_B="OUTREG",
            p_RESETMODE="SYNC",
            p_WRITEMODE_A="NORMAL",
            p_WRITEMODE_B="NORMAL",
            p_GSR="DISABLED",
            i_WEA=self.write,
            i_WEB=Const(0, 1),
            **ports,
        )
        kept: Value = out[: part.stop - part.start]
        m.d.comb += self.out[part].eq(kept)
