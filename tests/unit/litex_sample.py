# SPDX-License-Identifier: Apache-2.0
"""A small SoC of LiteX with one peripheral; LiteX is imported only when it is built."""

from importlib import import_module
from typing import Any

ORIGIN = 0x9000_0000


def litex_soc(peripheral: Any) -> tuple[str, list[str]]:
    """Verilog of a SoC without a processor that has the peripheral on its bus, and the sources that it asked for."""
    core = import_module("litex.soc.integration.soc_core")
    soc = import_module("litex.soc.integration.soc")
    pins = import_module("litex.build.generic_platform").Pins
    domain = import_module("migen").ClockDomain
    platform = import_module("litex.build.sim").SimPlatform("SIM", [("sys_clk", 0, pins(1)), ("sys_rst", 0, pins(1))])

    made = core.SoCCore(platform, 50e6, cpu_type=None, integrated_sram_size=0, uart_name="stub", with_timer=False)
    made.clock_domains.cd_sys = domain()
    made.comb += made.cd_sys.clk.eq(platform.request("sys_clk"))
    made.comb += made.cd_sys.rst.eq(platform.request("sys_rst"))
    made.submodules.modwright = peripheral(platform)
    region = soc.SoCRegion(origin=ORIGIN, size=peripheral.SIZE, cached=False)
    made.bus.add_slave("modwright", made.modwright.bus, region)
    made.finalize()
    return str(platform.get_verilog(made)), [source[0] for source in platform.sources]
