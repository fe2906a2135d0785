# SPDX-License-Identifier: Apache-2.0
"""Cores behind buses: one description of the registers, and the wrappers and files that follow from it.

Every wrapper has an output `idle`. In a cycle with it no access is requested and nothing is in flight, so that
the clock of wrapper and core may be left out: all outputs are in every cycle what they are with the clock.
"""

from .apb import Apb
from .axi_lite import AxiLite
from .axi_stream import BEATS, MALFORMED, AxiStream
from .block import NamedBlock, RegisterBlock, Response
from .crossing import Crossing
from .exports import c_header, system_rdl, table
from .registers import RegisterMap, register_map
from .shell import Built, Named, Ports, Shell
from .tilelink import TileLink
from .wiring import ONE_CLOCK, PLAIN, WORDS, Wired, Wiring
from .wishbone import Wishbone

__all__ = [
    "BEATS",
    "MALFORMED",
    "ONE_CLOCK",
    "PLAIN",
    "WORDS",
    "Apb",
    "AxiLite",
    "AxiStream",
    "Built",
    "Crossing",
    "Named",
    "NamedBlock",
    "Ports",
    "RegisterBlock",
    "RegisterMap",
    "Response",
    "Shell",
    "TileLink",
    "Wired",
    "Wiring",
    "Wishbone",
    "c_header",
    "register_map",
    "system_rdl",
    "table",
]
