# SPDX-License-Identifier: Apache-2.0
"""The memory of the limbs, in block RAM, with three ports to read and one to write.

Cycles from that of the control word:

    cycle   read                              write
    0       `read_a`, `read_b`, `read`        `into`, `write`, `source`
    1       address registers                 address register; the limb
    2       the memories read                 the limb is in the memories
    3       `found_a`, `found_b`, `found`     -
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.block_memory import BlockMemory
from ....rtl.copies import copied

PORTS = ("_a", "_b", "")
"""Ends of the names of the ports: both inputs of the multiply-accumulate, and the adder."""


class WordMemory(wiring.Component):
    """Limbs with three ports to read, each a memory of its own with the same contents.

    Parameters
    ----------
    width, depth : int
    target : str

    Attributes
    ----------
    read_a, read_b, read, into : in
        Addresses.
    write : in
    source : in
        A cycle after `write`: the limb is that of a sum, not the word of a column or what comes in, of which one is 0.
    column, sum, operand : in
    found_a, found_b, found : out
    """

    def __init__(self, width: int, depth: int, target: str) -> None:
        self.width, self.depth, self.target = width, depth, target
        number = (depth - 1).bit_length()
        super().__init__(
            {f"read{port}": In(number) for port in PORTS}
            | {f"found{port}": Out(width) for port in PORTS}
            | {"into": In(number), "write": In(1), "source": In(1), "column": In(width), "sum": In(width)}
            | {"operand": In(width)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        source = copied(m, self.source, self.target, "source_copy")
        limb = Mux(source, self.sum, self.column | self.operand)
        for port in PORTS:
            written = copied(m, Cat(self.into, self.write), self.target, f"into{port}")
            m.submodules[f"memory{port}"] = store = BlockMemory(self.width, self.depth, self.target)
            m.d.comb += [
                store.read.eq(copied(m, getattr(self, f"read{port}"), self.target, f"address{port}")),
                store.into.eq(written[:-1]),
                store.write.eq(written[-1]),
                store.word.eq(limb),
                getattr(self, f"found{port}").eq(store.found),
            ]
        return m
