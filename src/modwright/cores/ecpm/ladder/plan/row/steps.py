# SPDX-License-Identifier: Apache-2.0
"""Loops over a row multiplier that a solver has found, steps and batches; `bench/schedule_row.py` makes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ......engines.ladder.dataflow import FACTOR, PRODUCT, SCALE
from ......engines.row.machine import machine_of
from ......engines.row.parameters import RowParameters

STORED = Path(__file__).parent / "steps.json"


@dataclass(frozen=True)
class StoredLoop:
    """A loop: its period, and the first cycle of each operation."""

    period: int
    starts: Mapping[str, int]


def name_of(row: RowParameters, label: str) -> str:
    """Name of what a loop depends on: slots, digits, and the cycles of products, long and short, and of sums."""
    machine = machine_of(row)
    cycles = ", ".join(str(machine.timings[kind].latency) for kind in (PRODUCT, SCALE, FACTOR))
    found = f"{label}: {row.slots} slots, {row.N} digits, {row.K} divsteps, {cycles} and {machine.summed} cycles"
    return found if row.contexts == 1 else f"{found} of {row.contexts} contexts"


def stored_loop(row: RowParameters, label: str) -> StoredLoop | None:
    """The loop for a multiplier; None where none is stored."""
    loop = _loops().get(name_of(row, label))
    return None if loop is None else StoredLoop(loop["period"], loop["starts"])


@cache
def _loops() -> dict[str, dict]:
    return json.loads(STORED.read_text(encoding="utf-8"))
