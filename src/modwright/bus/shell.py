# SPDX-License-Identifier: Apache-2.0
"""A core as the bus wrappers see it: whole payloads, and a reset of its own; built here, or named by its module."""

from __future__ import annotations

from amaranth.hdl import ClockSignal, Instance, Module, ResetInserter, ResetSignal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..contract import Payload


class Shell(wiring.Component):
    """Base class of both.

    Attributes
    ----------
    clear : in
        Resets the core.
    i_valid, i_ready, i_payload, o_valid, o_ready, o_payload
        The streams, payloads as `Payload.pack` lays them out.
    """

    def __init__(self, i: Payload, o: Payload) -> None:
        self.payload_i, self.payload_o = i, o
        super().__init__(
            {
                "clear": In(1),
                "i_valid": In(1),
                "i_ready": Out(1),
                "i_payload": In(i.width),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_payload": Out(o.width),
            }
        )


class Built(Shell):
    """A core that is elaborated with its wrapper.

    Parameters
    ----------
    core : Component
        With streams `i` and `o`.
    i, o : Payload
    """

    def __init__(self, core: wiring.Component, i: Payload, o: Payload) -> None:
        self.core = core
        super().__init__(i, o)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        core = self.core
        m.submodules.core = ResetInserter(self.clear)(core)
        m.d.comb += [
            core.i.valid.eq(self.i_valid),
            core.i.payload.eq(self.i_payload),
            self.i_ready.eq(core.i.ready),
            self.o_valid.eq(core.o.valid),
            self.o_payload.eq(core.o.payload),
            core.o.ready.eq(self.o_ready),
        ]
        return m


class Named(Shell):
    """A core by the name of its Verilog module, with the ports of `Ports`."""

    def __init__(self, name: str, i: Payload, o: Payload) -> None:
        self.name = name
        super().__init__(i, o)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ports: dict[str, object] = {
            "i_clk": ClockSignal(),
            "i_rst": ResetSignal() | self.clear,
            "i_i_valid": self.i_valid,
            "o_i_ready": self.i_ready,
            "o_o_valid": self.o_valid,
            "i_o_ready": self.o_ready,
        }
        for stream, direction, payload in (("i", "i", self.payload_i), ("o", "o", self.payload_o)):
            whole = self.i_payload if stream == "i" else self.o_payload
            for field in payload.fields:
                low = payload.offsets[field.name]
                ports[f"{direction}_{stream}_{field.name}"] = whole[low : low + field.bits]
        m.submodules.core = Instance(self.name, **ports)
        return m


class Ports(wiring.Component):
    """A core with a port for each field: `i_valid`, `i_ready`, `i_x`, ..., `o_valid`, `o_ready`, `o_z`, ...

    An array of elements is one port, the first element in the least significant bits.

    Parameters
    ----------
    core : Component
        With streams `i` and `o`.
    i, o : Payload
    """

    def __init__(self, core: wiring.Component, i: Payload, o: Payload) -> None:
        self.core, self.payload_i, self.payload_o = core, i, o
        members = {"i_valid": In(1), "i_ready": Out(1)}
        members |= {f"i_{f.name}": In(f.bits) for f in i.fields}
        members |= {"o_valid": Out(1), "o_ready": In(1)}
        members |= {f"o_{f.name}": Out(f.bits) for f in o.fields}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        core = self.core
        m.submodules.core = core
        m.d.comb += [
            core.i.valid.eq(self.i_valid),
            self.i_ready.eq(core.i.ready),
            self.o_valid.eq(core.o.valid),
            core.o.ready.eq(self.o_ready),
        ]
        into, out = core.i.payload.as_value(), core.o.payload.as_value()
        for field in self.payload_i.fields:
            low = self.payload_i.offsets[field.name]
            m.d.comb += into[low : low + field.bits].eq(getattr(self, f"i_{field.name}"))
        for field in self.payload_o.fields:
            low = self.payload_o.offsets[field.name]
            m.d.comb += getattr(self, f"o_{field.name}").eq(out[low : low + field.bits])
        return m
