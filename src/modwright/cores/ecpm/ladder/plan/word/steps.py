# SPDX-License-Identifier: Apache-2.0
"""Rounds of the loops, on columns, that a solver has found; `bench/schedule_word.py` makes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ......engines.ladder.dataflow import RUN
from ......engines.ladder.placement import Loop
from ......engines.word.machine import WordMachine
from ......engines.word.placement import WordPlacer
from ..formulas import EXCHANGED
from .formulas import BATCH_CARRIED, GRAPHS, STEP_CARRIED

Carried = tuple[Mapping[str, str], tuple[tuple[str, ...], ...]]

LOOPS: Mapping[str, Carried] = {"step": (STEP_CARRIED, EXCHANGED), "batch": (BATCH_CARRIED, ())}
"""Values that a round hands on, and those that are exchanged by data, by the label of the loop."""
STORED = Path(__file__).parent / "steps.json"


def name_of(machine: WordMachine, label: str) -> str:
    """Name of a loop and of what its rounds depend on."""
    kinds = {operation.kind for operation in GRAPHS[label].operations}
    steps = f", {machine.steps} divsteps" if RUN in kinds else ""
    halves = ", in halves" if machine.p.in_halves else ""
    return f"{label}: {machine.p.s} limbs, {machine.p.contexts} contexts{steps}{halves}"


def stored_loop(machine: WordMachine, label: str) -> Loop | None:
    """A loop for a machine; None where none is stored."""
    found = _stored().get(name_of(machine, label))
    return None if found is None else placed_loop(machine, label, found)


def placed_loop(machine: WordMachine, label: str, given: Mapping[str, Any]) -> Loop:
    """A round with its period and starts, placed; every constraint is checked again."""
    starts, period = given["starts"], given["period"]
    carried, together = LOOPS[label]
    placer = WordPlacer(GRAPHS[label], machine, period=period, carried=carried, together=together)
    order = sorted(starts, key=lambda name: starts[name][0])
    return Loop(period, tuple(placer.place_at(placer.graph.by_name[name], starts[name]) for name in order))


@cache
def _stored() -> dict[str, Any]:
    return json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
