# SPDX-License-Identifier: Apache-2.0
"""Area and clock rate by open tools: measurements, the tools behind them, and their limits.

Resources
---------
Yosys (the pyosys wheel) maps the bare core: no I/O pads, hierarchy flattened. The counts follow from the cells
by the rules of `counts.RULES`, which every result carries, next to the raw cells. Targets:

ecp5    `synth_ecp5`. `lut` counts LUT4 sites as nextpnr does, so that it can be compared with a device.
gowin   `synth_gowin` for GW2A.
nexus   `synth_nexus` for LIFCL-40, with the blocks of a core for ECP5 as its own.
xc7     `synth_xilinx` for series 7. No open place and route is at hand, so there is no clock rate. `vivado` writes a
        project for users of Vivado, and reads its reports.
xcup    `synth_xilinx` for UltraScale+: DSP blocks only.
asic    With a Liberty file, its cells: area in units of its own NAND2, and clock rates by static timing, without wires
        and with a wire load (`asic`, `static_timing`). Without one, gates of ABC, and an area from transistor counts
        that ignores sizing, wires and real flip-flops; it serves to compare architectures only.

`foreign` takes third-party Verilog through the same flow.

Clock rate
----------
nextpnr places and routes the same netlist (ecp5, gowin and nexus), once for each seed. Only register-to-register paths
count. A core has more ports than a device has pins, hence two methods:

out-of-context    The netlist as it is. Paths from and to ports are left out, so that logic between an input and the
                  first register is not in the figure: fair for cores that register their operands first, far
                  too good for others. The clock is routed like any net; its skew is in no figure of
                  nextpnr-ecp5, with either method.
shift             In a harness of four pins (`harness`), with pads and a global clock. Every path of the core then
                  starts and ends at a register. The core inside is the same mapped netlist; the harness adds
                  flip-flops and wires. It is the only way for Gowin and Nexus.

A floorplan (`floorplan`, ecp5) gives the blocks of a row multiplier, or block RAMs of tables, their sites before
the placement.

A placement is one sample: change the seed and the clock rate moves by some per cent. A result therefore
has the best and the median over the seeds, and every single one.

Before placing, the counts are compared with the device (`devices`), so that a design that cannot fit is refused at
once.

Stored results
--------------
Netlists and placements lie in the store under the digest of the Verilog, the script or arguments, and the versions
of the tools. The folder of a placement has nextpnr's report and log. The same input with the same versions gives
the same bytes on every machine: file names are relative and source attributes are removed.
"""

from ..contract.request import RTL_OF
from .asic import gates
from .counts import Resources, resources
from .devices import DEVICES
from .floorplan import FLOORPLANS
from .foreign import elaborate, timing_of_foreign
from .liberty import find_liberty, read_liberty, read_library
from .netlist import PLACED, synthesise
from .nextpnr import PACKAGES, PLACEMENTS
from .place_and_route import (
    NotPlaced,
    SeedResult,
    Timing,
    check_floorplan,
    router_by_rule,
    seed_digest,
    timing,
)
from .settings import FREQUENCY_MHZ, HARNESSES, ROUTERS, Settings
from .static_timing import GateTiming

__all__ = [
    "DEVICES",
    "FLOORPLANS",
    "FREQUENCY_MHZ",
    "HARNESSES",
    "PACKAGES",
    "PLACED",
    "PLACEMENTS",
    "ROUTERS",
    "RTL_OF",
    "GateTiming",
    "NotPlaced",
    "Resources",
    "SeedResult",
    "Settings",
    "Timing",
    "check_floorplan",
    "elaborate",
    "find_liberty",
    "gates",
    "read_liberty",
    "read_library",
    "resources",
    "router_by_rule",
    "seed_digest",
    "synthesise",
    "timing",
    "timing_of_foreign",
]
