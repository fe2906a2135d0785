# SPDX-License-Identifier: Apache-2.0
"""A core behind TileLink-UL ("SiFive TileLink Specification" 1.8.1, chapter 6), 32 bits of data.

Get, PutFullData and PutPartialData of up to four bytes; one request is in flight at a time. What is refused, and any
other operation or size, is answered with `denied`, and a refused Get with `corrupt` as well, as section 5.2 requires.
A request that is marked as corrupt is denied, and writes nothing.
"""

from __future__ import annotations

from enum import IntEnum

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from .block import NamedBlock, RegisterBlock, Response
from .registers import BYTES, WORD, RegisterMap
from .wrapper import Wrapper

SOURCE_BITS = 8
"""Width of the source identifiers."""
SIZE_BITS = 2
"""Width of the logarithm of a size in bytes."""


class Opcode(IntEnum):
    """Operations on channel A, and answers on channel D."""

    PUT_FULL = 0
    PUT_PARTIAL = 1
    GET = 4
    ACK = 0
    ACK_DATA = 1


class TileLink(Wrapper):
    """The wrapper; ports `tl_a_...` and `tl_d_...` of the device, `irq` and `idle`."""

    def __init__(self, registers: RegisterMap, block: RegisterBlock | NamedBlock) -> None:
        ports = {
            "tl_a_valid": In(1),
            "tl_a_ready": Out(1),
            "tl_a_opcode": In(3),
            "tl_a_param": In(3),
            "tl_a_size": In(SIZE_BITS),
            "tl_a_source": In(SOURCE_BITS),
            "tl_a_address": In(registers.address_bits),
            "tl_a_mask": In(BYTES),
            "tl_a_data": In(WORD),
            "tl_a_corrupt": In(1),
            "tl_d_valid": Out(1),
            "tl_d_ready": In(1),
            "tl_d_opcode": Out(3),
            "tl_d_param": Out(2),
            "tl_d_size": Out(SIZE_BITS),
            "tl_d_source": Out(SOURCE_BITS),
            "tl_d_sink": Out(1),
            "tl_d_denied": Out(1),
            "tl_d_data": Out(WORD),
            "tl_d_corrupt": Out(1),
        }
        super().__init__(registers, block, ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.block = block = self.block
        free = Signal(init=1)
        taken = self.tl_a_valid & free
        reads = self.tl_a_opcode == Opcode.GET
        writes = (self.tl_a_opcode == Opcode.PUT_FULL) | (self.tl_a_opcode == Opcode.PUT_PARTIAL)
        known = (reads | (writes & ~self.tl_a_corrupt)) & (self.tl_a_size != 3)
        m.d.comb += [
            self.tl_a_ready.eq(free),
            block.write.eq(taken & known & writes),
            block.write_address.eq(self.tl_a_address[2:]),
            block.write_data.eq(self.tl_a_data),
            block.write_strobes.eq(self.tl_a_mask),
            block.read.eq(taken & known & reads),
            block.read_address.eq(self.tl_a_address[2:]),
            self.irq.eq(block.irq),
            self.idle.eq(~(self.tl_a_valid | ~free | self.tl_d_valid | block.busy)),
        ]
        answered = block.write_done | block.read_done
        with m.If(self.tl_d_valid & self.tl_d_ready):
            m.d.sync += [self.tl_d_valid.eq(0), self.tl_d_data.eq(0), free.eq(1)]
        with m.If(taken):
            m.d.sync += [
                free.eq(0),
                self.tl_d_opcode.eq(Mux(reads, Opcode.ACK_DATA, Opcode.ACK)),
                self.tl_d_size.eq(self.tl_a_size),
                self.tl_d_source.eq(self.tl_a_source),
                self.tl_d_valid.eq(~known),
                self.tl_d_denied.eq(~known),
                self.tl_d_corrupt.eq(~known & reads),
            ]
        with m.If(answered):
            refused = Mux(block.read_done, block.read_response, block.write_response) != Response.OKAY
            m.d.sync += [
                self.tl_d_valid.eq(1),
                self.tl_d_data.eq(block.read_data),
                self.tl_d_denied.eq(refused),
                self.tl_d_corrupt.eq(refused & block.read_done),
            ]
        return m
