# SPDX-License-Identifier: Apache-2.0
"""The operand memory, in slices with their own address registers.

Cycles from that of the control word:

    cycle   read               write
    0       `read`             `into`, `write`; `z`, or an operand that comes in
    1       memory             memory: the word is valid at the end of the cycle
    2       `found`            -
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import copied
from .arithmetic import SLICE


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
        Word to be written.
    load : in
        Number of the operand that is written two cycles later, from 1 on.
    operand : in
        The operand is written in the next cycle, not `z`.
    given_K : in
        Operand K.
    found : out
    """

    def __init__(self, width: int, depth: int, operands: int, target: str) -> None:
        self.width, self.depth, self.operands, self.target = width, depth, operands, target
        number = (depth - 1).bit_length()
        super().__init__(
            {"read": In(number), "into": In(number), "write": In(1), "z": In(width), "found": Out(width)}
            | {"load": In(range(operands + 1)), "operand": In(1)}
            | {f"given_{k}": In(width) for k in range(operands)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        given = [getattr(self, f"given_{k}") for k in range(self.operands)]
        for number, low in enumerate(range(0, self.width, SLICE)):
            part = slice(low, min(low + SLICE, self.width))
            m.submodules[f"slice_{number}"] = store = memory.Memory(shape=part.stop - low, depth=self.depth, init=[])
            write, read = store.write_port(), store.read_port(domain="comb")
            control = copied(m, Cat(self.read, self.into, self.write), self.target, f"address_{number}")
            load = copied(m, Cat(self.operand, self.load), self.target, f"load_{number}")
            size = len(self.read)
            operand = Signal(part.stop - low, name=f"operand_{number}", reset_less=True)
            written = Signal(part.stop - low, name=f"written_{number}", reset_less=True)
            with m.Switch(load[1:]):
                for k, value in enumerate(given):
                    with m.Case(k + 1):
                        m.d.sync += operand.eq(value[part])
            m.d.sync += [
                written.eq(Mux(load[0], operand, self.z[part])),
                self.found[part].eq(read.data),
            ]
            m.d.comb += [
                read.addr.eq(control[:size]),
                write.addr.eq(control[size : 2 * size]),
                write.en.eq(control[2 * size]),
                write.data.eq(written),
            ]
        return m
