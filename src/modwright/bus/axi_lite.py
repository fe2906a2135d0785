# SPDX-License-Identifier: Apache-2.0
"""A core behind AXI4-Lite (ARM IHI 0022), 32 bits of data.

The two least significant bits of an address are ignored; byte strobes say what is written. One write and one
read are in flight at a time. A reset ends both, and a transfer that was waiting is not answered.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import In, Out

from .block import NamedBlock, RegisterBlock
from .registers import BYTES, WORD, RegisterMap
from .wrapper import Wrapper


class AxiLite(Wrapper):
    """The wrapper; ports `s_axi_...` of the subordinate, `irq` and `idle`."""

    def __init__(self, registers: RegisterMap, block: RegisterBlock | NamedBlock) -> None:
        address = registers.address_bits
        ports = {
            "s_axi_awaddr": In(address),
            "s_axi_awprot": In(3),
            "s_axi_awvalid": In(1),
            "s_axi_awready": Out(1),
            "s_axi_wdata": In(WORD),
            "s_axi_wstrb": In(BYTES),
            "s_axi_wvalid": In(1),
            "s_axi_wready": Out(1),
            "s_axi_bresp": Out(2),
            "s_axi_bvalid": Out(1),
            "s_axi_bready": In(1),
            "s_axi_araddr": In(address),
            "s_axi_arprot": In(3),
            "s_axi_arvalid": In(1),
            "s_axi_arready": Out(1),
            "s_axi_rdata": Out(WORD),
            "s_axi_rresp": Out(2),
            "s_axi_rvalid": Out(1),
            "s_axi_rready": In(1),
        }
        super().__init__(registers, block, ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.block = block = self.block
        m.d.comb += self.irq.eq(block.irq)
        writing, reading = self._writes(m, block), self._reads(m, block)
        requested = self.s_axi_awvalid | self.s_axi_wvalid | self.s_axi_arvalid
        m.d.comb += self.idle.eq(~(requested | writing | reading | block.busy))
        return m

    def _writes(self, m: Module, block: RegisterBlock | NamedBlock) -> Value:
        """Address and data are taken in any order; the ready lines are registers, high while there is room. Returns
        whether a write is in flight."""
        address_free, data_free = Signal(init=1), Signal(init=1)
        waiting = Signal()  # for the block's answer
        m.d.comb += [
            self.s_axi_awready.eq(address_free),
            self.s_axi_wready.eq(data_free),
            block.write.eq(~address_free & ~data_free & ~waiting & ~self.s_axi_bvalid),
        ]
        with m.If(self.s_axi_awvalid & address_free):
            m.d.sync += [block.write_address.eq(self.s_axi_awaddr[2:]), address_free.eq(0)]
        with m.If(self.s_axi_wvalid & data_free):
            m.d.sync += [
                block.write_data.eq(self.s_axi_wdata),
                block.write_strobes.eq(self.s_axi_wstrb),
                data_free.eq(0),
            ]
        with m.If(block.write):
            m.d.sync += waiting.eq(1)
        with m.If(block.write_done):
            m.d.sync += [
                self.s_axi_bvalid.eq(1),
                self.s_axi_bresp.eq(block.write_response),
                waiting.eq(0),
                block.write_data.eq(0),  # no operand stays behind
                address_free.eq(1),
                data_free.eq(1),
            ]
        with m.Elif(self.s_axi_bready):
            m.d.sync += self.s_axi_bvalid.eq(0)
        return ~(address_free & data_free) | waiting | self.s_axi_bvalid

    def _reads(self, m: Module, block: RegisterBlock | NamedBlock) -> Value:
        """Add the hardware, and return whether a read is in flight."""
        free = Signal(init=1)
        m.d.comb += [
            self.s_axi_arready.eq(free),
            block.read.eq(self.s_axi_arvalid & free),
            block.read_address.eq(self.s_axi_araddr[2:]),
        ]
        with m.If(block.read):
            m.d.sync += free.eq(0)
        with m.If(block.read_done):
            m.d.sync += [
                self.s_axi_rvalid.eq(1),
                self.s_axi_rdata.eq(block.read_data),
                self.s_axi_rresp.eq(block.read_response),
            ]
        with m.Elif(self.s_axi_rvalid & self.s_axi_rready):
            m.d.sync += [self.s_axi_rvalid.eq(0), self.s_axi_rdata.eq(0), free.eq(1)]
        return ~free | self.s_axi_rvalid
