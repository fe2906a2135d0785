# SPDX-License-Identifier: Apache-2.0
"""Devices for place and route, with what they hold.

The capacities are those that nextpnr prints for each device ("Logic utilisation", "Device utilisation"); they
agree with table 1.1 of the ECP5 family data sheet (Lattice FPGA-DS-02012), which rounds LUTs to thousands.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UsageError


@dataclass(frozen=True)
class Device:
    """One device of nextpnr-ecp5.

    Parameters
    ----------
    name : str
        What the user writes; also nextpnr's flag.
    part : str
        Lattice's part.
    package : str
        The largest package that nextpnr knows for it. Out of context it does not matter.
    speed : str
        Speed grade: the slowest of the family, so that a figure holds for every grade.
    lut, ff, dsp, bram, lutram : int
        LUT4 sites, flip-flops, MULT18X18D, DP16KD, and slices that can be a 16x4 RAM.
    """

    name: str
    part: str
    package: str
    speed: str
    lut: int
    ff: int
    dsp: int
    bram: int
    lutram: int

    @property
    def capacity(self) -> dict[str, int]:
        """Capacities under the names that `Resources` has for them."""
        return {"lut": self.lut, "ff": self.ff, "dsp": self.dsp, "bram": self.bram, "lutram": self.lutram}


DEVICES = {
    d.name: d
    for d in (
        Device("25k", "LFE5U-25F", "CABGA381", "6", 24288, 24288, 28, 56, 3036),
        Device("45k", "LFE5U-45F", "CABGA554", "6", 43848, 43848, 72, 108, 5481),
        Device("85k", "LFE5U-85F", "CABGA756", "6", 83640, 83640, 156, 208, 10455),
        Device("um5g-85k", "LFE5UM5G-85F", "CABGA756", "8", 83640, 83640, 156, 208, 10455),
    )
}
"""By name. The 5G part exists in speed grade 8 only."""


def find_device(name: str) -> Device:
    """Look a device up; UsageError with those there are."""
    if name not in DEVICES:
        raise UsageError(f"unknown device {name!r}", f"one of {', '.join(DEVICES)}")
    return DEVICES[name]
