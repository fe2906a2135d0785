# SPDX-License-Identifier: Apache-2.0
"""Options of cores that are programs of field operations over limb multipliers."""

from __future__ import annotations

from ...contract import Option
from ...contract.runtime_modulus import width_option
from ..limb.parameters import LONGEST_LIMB, MOST_REGISTERS, SHORTEST_LIMB
from .curve import REGISTERS_IN_GATES, WIDEST
from .parameters import UNIT_ALIASES, UNITS

WIDTH = width_option(WIDEST, "curve")
LIMB = Option("limb", int, 64, "bits of a limb", (), SHORTEST_LIMB, LONGEST_LIMB)
UNIT = Option("unit", str, "fold-karatsuba", "kind of multiplier", tuple(UNITS), aliases=UNIT_ALIASES)
MACS = Option("macs", int, 1, "multipliers side by side", (1, 2))
REGISTERS = Option(
    "registers",
    int,
    None,
    f"registers inside a multiplier, which cost cycles; when none are given, {REGISTERS_IN_GATES[1]} in gates "
    "with macs=1, else 0",
    (),
    0,
    MOST_REGISTERS,
)
OPTIONS = (WIDTH, LIMB, UNIT, MACS, REGISTERS)
"""Options of a core with nothing of its own."""
