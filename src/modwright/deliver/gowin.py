# SPDX-License-Identifier: Apache-2.0
"""A core on a Gowin part: a harness with four pins, and their places."""

from __future__ import annotations

from dataclasses import dataclass

from ..synthesize.devices import FIRST, find_device
from ..synthesize.harness import CLOCK, RESET, TOP, shift_harness
from ..synthesize.netlist import Port
from ..synthesize.nextpnr import GOWIN_FAMILY, pins_file
from .delivery import GOWIN
from .tops import Top

_DIRECTIONS = {"in": "input", "out": "output"}
_PINS = (CLOCK, RESET, "si", "so")
"""Ports of the harness."""


@dataclass(frozen=True)
class Harness:
    """The core with four pins, on a part.

    Parameters
    ----------
    part, family : str
        Part and family of Gowin; the family by Apicula's name.
    top : str
        Name of the harness.
    verilog : str
        Verilog without the core, which is in a file of the package.
    pins : str
        Gowin's physical constraints.
    """

    part: str
    family: str
    top: str
    verilog: str
    pins: str


def harness(core: Top) -> Harness:
    """The harness of a core without a wrapper, on the part that is the first choice."""
    device = find_device(FIRST[GOWIN], GOWIN)
    ports = [Port(port.name, _DIRECTIONS[port.direction], port.bits) for port in core.ports]
    declared, text = shift_harness(core.module, ports).split("endmodule\n", 1)
    assert declared.startswith("(* blackbox *)")
    return Harness(device.part, GOWIN_FAMILY, TOP, text.rstrip(), pins_file("gowin", _PINS, device.pins).rstrip())
