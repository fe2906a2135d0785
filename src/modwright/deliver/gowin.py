# SPDX-License-Identifier: Apache-2.0
"""A core on a part of Gowin: a harness that needs four pins, and where they are."""

from __future__ import annotations

from ..base.json import JsonObject
from ..synthesize.devices import FIRST, find_device
from ..synthesize.harness import CLOCK, RESET, TOP, shift_harness
from ..synthesize.netlist import Port
from ..synthesize.nextpnr import GOWIN_FAMILY, pins_file
from .delivery import GOWIN
from .tops import Top

_DIRECTIONS = {"in": "input", "out": "output"}
_PINS = (CLOCK, RESET, "si", "so")
"""Ports of the harness."""


def gowin(core: Top) -> JsonObject:
    """What the templates say of the part and of the harness.

    Parameters
    ----------
    core : Top
        The core without a wrapper.
    """
    device = find_device(FIRST[GOWIN], GOWIN)
    ports = [Port(port.name, _DIRECTIONS[port.direction], port.bits) for port in core.ports]
    declared, text = shift_harness(core.module, ports).split("endmodule\n", 1)
    assert declared.startswith("(* blackbox *)")  # the core itself is in a file of the package
    return {
        "device": device,
        "family": GOWIN_FAMILY,
        "harness": TOP,
        "verilog": text.rstrip(),
        "pins": pins_file(_PINS, device.pins).rstrip(),
    }
