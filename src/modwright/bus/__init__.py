# SPDX-License-Identifier: Apache-2.0
"""Cores behind buses: one description of the registers, and the wrappers and files that are made from it."""

from .apb import Apb
from .axi_lite import AxiLite
from .axi_stream import BEATS, MALFORMED, AxiStream
from .block import NamedBlock, RegisterBlock, Response
from .exports import c_header, ip_xact, system_rdl, table
from .registers import RegisterMap, register_map
from .shell import Built, Named, Ports, Shell
from .tilelink import TileLink
from .wishbone import Wishbone

__all__ = [
    "BEATS",
    "MALFORMED",
    "Apb",
    "AxiLite",
    "AxiStream",
    "Built",
    "Named",
    "NamedBlock",
    "Ports",
    "RegisterBlock",
    "RegisterMap",
    "Response",
    "Shell",
    "TileLink",
    "Wishbone",
    "c_header",
    "ip_xact",
    "register_map",
    "system_rdl",
    "table",
]
