# SPDX-License-Identifier: Apache-2.0
"""Options of the units that compute columns."""

from __future__ import annotations

from ...contract import Option
from .parameters import MOST_REGISTERS

REGISTERS = Option(
    "registers", int, 0, "registers inside the multiplier; more of them cost cycles", (), 0, MOST_REGISTERS
)
