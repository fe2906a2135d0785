# SPDX-License-Identifier: Apache-2.0
"""Devices for place and route, with their capacities.

The capacities are those that nextpnr prints for each device ("Logic utilisation", "Device utilisation"); they
agree with table 1.1 of the ECP5 family data sheet (Lattice FPGA-DS-02012), which rounds LUTs to thousands, and with the
overview tables of the GW2A data sheet (Gowin DS102) and of CrossLink-NX (Lattice FPGA-DS-02049).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..base.errors import UsageError


@dataclass(frozen=True)
class Device:
    """One device of nextpnr.

    Parameters
    ----------
    name : str
        Name in options; for ECP5 also nextpnr's flag.
    part : str
        Part number.
    package : str
        The largest package that nextpnr knows for it. Out of context it does not matter.
    speed : str
        Speed grade: for ECP5 and Nexus the slowest of the family, so that a figure holds for every grade.
    lut, ff, dsp, bram, lutram : int
        LUT4 sites, flip-flops, multipliers of 18x18, RAM blocks of 18 Kbit, and places of a 16x4 RAM.
    family : str
        The target whose netlists fit: ecp5, gowin or nexus.
    pins : tuple of str
        Four pins of the package that can be any signal, for the harness; empty where nextpnr places pads by itself.
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
    family: str = "ecp5"
    pins: tuple[str, ...] = ()

    @property
    def capacity(self) -> dict[str, int]:
        """Capacities under the names of `Resources`."""
        return {"lut": self.lut, "ff": self.ff, "dsp": self.dsp, "bram": self.bram, "lutram": self.lutram}


DEVICES = {
    d.name: d
    for d in (
        Device("25k", "LFE5U-25F", "CABGA381", "6", 24288, 24288, 28, 56, 3036),
        Device("45k", "LFE5U-45F", "CABGA554", "6", 43848, 43848, 72, 108, 5481),
        Device("85k", "LFE5U-85F", "CABGA756", "6", 83640, 83640, 156, 208, 10455),
        Device("um5g-85k", "LFE5UM5G-85F", "CABGA756", "8", 83640, 83640, 156, 208, 10455),
        Device(
            "gw2a-18", "GW2A-LV18PG256C8/I7", "PG256", "C8/I7", 20736, 15552, 48, 46, 648,
            family="gowin", pins=("H11", "D10", "E10", "R7"),
        ),
        Device(
            "lifcl-40", "LIFCL-40-7BG400C", "BG400", "7", 32256, 32256, 56, 84, 4032,
            family="nexus", pins=("L13", "G14", "G15", "E17"),
        ),
    )
}  # fmt: skip
"""Devices by name. The 5G part exists in speed grade 8 only."""

FIRST = {"ecp5": "85k", "gowin": "gw2a-18", "nexus": "lifcl-40"}
"""The device of a family when none is named."""


def find_device(name: str, family: str | None = None) -> Device:
    """Look a device up; UsageError with the known ones when the name is unknown, or not of the family."""
    known = [d.name for d in DEVICES.values() if family in (None, d.family)]
    if name not in known:
        raise UsageError(f"unknown device {name!r}" + (f" of {family}" if family else ""), f"one of {', '.join(known)}")
    return DEVICES[name]
