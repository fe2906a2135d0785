# SPDX-License-Identifier: Apache-2.0
"""A core behind APB4 (ARM IHI 0024), 32 bits of data.

The two least significant bits of an address are ignored; byte strobes say what is written. An access ends in the
cycle with PREADY, four cycles after its setup, and with PSLVERR if it is refused.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from .block import NamedBlock, RegisterBlock, Response
from .registers import BYTES, WORD, RegisterMap
from .wrapper import Wrapper


class Apb(Wrapper):
    """The wrapper; ports `s_apb_...` of the completer, `irq` and `idle`."""

    def __init__(self, registers: RegisterMap, block: RegisterBlock | NamedBlock) -> None:
        ports = {
            "s_apb_paddr": In(registers.address_bits),
            "s_apb_pprot": In(3),
            "s_apb_psel": In(1),
            "s_apb_penable": In(1),
            "s_apb_pwrite": In(1),
            "s_apb_pwdata": In(WORD),
            "s_apb_pstrb": In(BYTES),
            "s_apb_pready": Out(1),
            "s_apb_prdata": Out(WORD),
            "s_apb_pslverr": Out(1),
        }
        super().__init__(registers, block, ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.block = block = self.block
        waiting = Signal()  # for the block's answer
        dropped = Signal()  # the access was withdrawn, against the rules, so its response is discarded
        ready, refused, data = Signal(), Signal(), Signal(WORD)  # the answer, in the cycle after the block's
        access = self.s_apb_psel & self.s_apb_penable
        begin = access & ~waiting & ~ready
        m.d.comb += [
            block.write.eq(begin & self.s_apb_pwrite),
            block.write_address.eq(self.s_apb_paddr[2:]),
            block.write_data.eq(self.s_apb_pwdata),
            block.write_strobes.eq(self.s_apb_pstrb),
            block.read.eq(begin & ~self.s_apb_pwrite),
            block.read_address.eq(self.s_apb_paddr[2:]),
            self.s_apb_pready.eq(ready & access),
            self.s_apb_pslverr.eq(ready & access & refused),
            self.s_apb_prdata.eq(data),
            self.irq.eq(block.irq),
            self.idle.eq(~(self.s_apb_psel | waiting | ready | block.busy)),
        ]
        m.d.sync += [ready.eq(0), data.eq(0), refused.eq(0)]
        with m.If(begin):
            m.d.sync += [waiting.eq(1), dropped.eq(0)]
        with m.If(waiting & ~access):
            m.d.sync += dropped.eq(1)
        with m.If(block.write_done | block.read_done):
            m.d.sync += waiting.eq(0)
        with m.If((block.write_done | block.read_done) & access & ~dropped):
            m.d.sync += [
                ready.eq(1),
                data.eq(block.read_data),
                refused.eq(
                    (block.write_done & (block.write_response != Response.OKAY))
                    | (block.read_done & (block.read_response != Response.OKAY))
                ),
            ]
        return m
