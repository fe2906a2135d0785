# SPDX-License-Identifier: Apache-2.0
"""A core behind Wishbone B4, classic cycles, 32 bits of data with a granularity of bytes."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from .block import NamedBlock, RegisterBlock, Response
from .registers import BYTES, WORD, RegisterMap
from .wrapper import Wrapper


class Wishbone(Wrapper):
    """The wrapper; `wb_adr` is in words. Every access ends with `wb_ack`, or with `wb_err` if it is refused."""

    def __init__(self, registers: RegisterMap, block: RegisterBlock | NamedBlock) -> None:
        ports = {
            "wb_cyc": In(1),
            "wb_stb": In(1),
            "wb_we": In(1),
            "wb_adr": In(registers.address_bits - 2),
            "wb_dat_w": In(WORD),
            "wb_sel": In(BYTES),
            "wb_dat_r": Out(WORD),
            "wb_ack": Out(1),
            "wb_err": Out(1),
        }
        super().__init__(registers, block, ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.block = block = self.block
        waiting = Signal()  # for the block's answer
        dropped = Signal()  # the access was withdrawn, so its response is discarded
        requested = self.wb_cyc & self.wb_stb
        answered = block.write_done | block.read_done
        begin = Signal()
        m.d.comb += [
            begin.eq(requested & ~waiting & ~self.wb_ack & ~self.wb_err),
            block.write.eq(begin & self.wb_we),
            block.write_address.eq(self.wb_adr),
            block.write_data.eq(self.wb_dat_w),
            block.write_strobes.eq(self.wb_sel),
            block.read.eq(begin & ~self.wb_we),
            block.read_address.eq(self.wb_adr),
            self.irq.eq(block.irq),
        ]
        good = (block.write_done & (block.write_response == Response.OKAY)) | (
            block.read_done & (block.read_response == Response.OKAY)
        )
        fresh = answered & requested & ~dropped
        ack, err = Signal(), Signal()
        m.d.comb += [
            self.wb_ack.eq(ack & requested),  # B4, rule 3.35: to a strobe only
            self.wb_err.eq(err & requested),
            self.idle.eq(~(requested | waiting | ack | err | block.busy)),
        ]
        m.d.sync += [ack.eq(fresh & good), err.eq(fresh & ~good), self.wb_dat_r.eq(0)]
        with m.If(fresh & block.read_done):
            m.d.sync += self.wb_dat_r.eq(block.read_data)
        with m.If(begin):
            m.d.sync += [waiting.eq(1), dropped.eq(0)]
        with m.Elif(answered):
            m.d.sync += waiting.eq(0)
        with m.If(waiting & ~requested):
            m.d.sync += dropped.eq(1)
        return m
