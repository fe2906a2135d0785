# SPDX-License-Identifier: Apache-2.0
"""Options that every inverter in residues offers."""

from __future__ import annotations

from ...contract import Option

WIDEST = 4096
"""Bits of the widest modulus: 16 times a field of 256 bits."""
WIDTH = Option("width", int, 20, "bits of a channel, w", minimum=8, maximum=36)
LATENCY = Option("latency", int, 3, "cycles of a multiply-accumulate, L", minimum=2, maximum=8)
