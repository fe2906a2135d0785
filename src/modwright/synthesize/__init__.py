# SPDX-License-Identifier: Apache-2.0
"""Area and clock rate by open tools: what was measured, with what, and what it does not say.

Resources
---------
Yosys (the pyosys wheel) maps the bare core: no I/O pads, hierarchy flattened. The counts follow from the cells
by the rules of `counts.RULES`, which every result carries; the raw cells stand beside them. Targets:

ecp5    `synth_ecp5`. `lut` counts LUT4 sites as nextpnr does, so that it can be held against a device.
xc7     `synth_xilinx` for series 7. No open place and route is at hand, so there is no clock rate.
asic    Gates of ABC without a cell library. The area in NAND2 equivalents is an estimate from transistor counts
        that ignores sizing, wires and real flip-flops; it compares architectures, and no more.

Clock rate
----------
nextpnr-ecp5 places and routes the same netlist, once for each seed. Only register-to-register paths count. A core
has more ports than a device has pins, hence two ways:

out-of-context    The netlist as it is. Paths from and to ports are left out, so that logic between an input and the
                  first register is not in the figure: fair for cores that register their operands first, far
                  too good for others. The clock is routed like any net; its skew is in no figure of
                  nextpnr-ecp5, whichever the way.
shift             In a harness of four pins (`harness`), with pads and a global clock. Every path of the core then
                  starts and ends at a register. The core inside is the same mapped netlist; the harness adds
                  flip-flops and wires.

A placement is one sample: change the seed and the clock rate moves by some per cent. A result therefore
has the best and the median over the seeds, and every single one.

Before placing, the counts are held against the device (`devices`), so that a design that cannot fit says so at once.

What is kept
------------
Netlists and placements lie in the store under the digest of the Verilog, the script or arguments, and the versions
of the tools. The folder of a placement has nextpnr's report and log. The same input with the same versions gives
the same bytes on every machine: file names are relative and source attributes are removed.
"""

from .counts import Resources, resources
from .netlist import synthesise
from .place_and_route import NotPlaced, SeedResult, Timing, timing

__all__ = ["NotPlaced", "Resources", "SeedResult", "Timing", "resources", "synthesise", "timing"]
