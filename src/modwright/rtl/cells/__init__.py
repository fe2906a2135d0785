# SPDX-License-Identifier: Apache-2.0
"""Verilog models of device cells, for simulations of cores that instantiate them."""

from __future__ import annotations

from pathlib import Path

SIMULATION: tuple[Path, ...] = tuple(sorted(Path(__file__).parent.glob("*.v")))
"""One file a cell, named after it."""


def used_in(text: str) -> list[Path]:
    """The models whose cells a text in Verilog or RTLIL names."""
    return [path for path in SIMULATION if path.stem in text]
