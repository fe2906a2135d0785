# SPDX-License-Identifier: Apache-2.0
"""Ladder steps over a row multiplier that a solver has found; `bench/schedule_row.py` makes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ......engines.ladder.dataflow import PRODUCT, SCALE
from ......engines.orup.interleaved import InterleavedParameters
from ......engines.row.machine import product_cycles

STORED = Path(__file__).parent / "steps.json"


@dataclass(frozen=True)
class StoredStep:
    """A step: its period, and the first cycle of each operation."""

    period: int
    starts: Mapping[str, int]


def name_of(row: InterleavedParameters) -> str:
    """Name of what a step depends on: slots, digits, and the cycles of both kinds of products."""
    return f"{row.slots} slots, {row.N} digits, {product_cycles(row, PRODUCT)} and {product_cycles(row, SCALE)} cycles"


def stored_step(row: InterleavedParameters) -> StoredStep | None:
    """The step for a multiplier; None where none is stored."""
    step = _steps().get(name_of(row))
    return None if step is None else StoredStep(step["period"], step["starts"])


@cache
def _steps() -> dict[str, dict]:
    return json.loads(STORED.read_text(encoding="utf-8"))
