# SPDX-License-Identifier: Apache-2.0
"""Ladder steps stored next to this file, and how one is placed.

`steps.json` has, for each kind of multiplier and number of them, the order of the operations; and for the main sizes
the cycles of all, with what is known of the shortest period. `python bench/schedule_ecpm.py` makes it. For other
sizes the operations are placed one after the other in the stored order.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from .....base.json import JsonObject
from .....engines.ladder.dataflow import Graph
from .....engines.ladder.machine import Machine, Placed, Read
from .....engines.ladder.placement import Loop, place_loop
from ..parameters import EcpmParameters
from .formulas import CARRIED, EXCHANGED

STORED = Path(__file__).with_name("steps.json")


@cache
def stored_steps() -> JsonObject:
    """The file."""
    return json.loads(STORED.read_text(encoding="utf-8"))


def variant_of(p: EcpmParameters) -> str:
    """Name of a kind of multiplier and their number."""
    return f"{p.unit.unit.name} x {p.macs}"


def size_of(machine: Machine) -> str:
    """Facts of a machine that decide the cycles of a step."""
    return "; ".join(
        f"{kind} {timing.interval} {timing.latency} " + " ".join(f"{a}:{b}-{c}" for a, b, c in timing.banks)
        for kind, timing in sorted(machine.timings.items())
    )


def stored_loop(p: EcpmParameters, graph: Graph, machine: Machine) -> Loop:
    """The step of these multipliers."""
    variant = stored_steps()[variant_of(p)]
    for size in variant["sizes"]:
        if size["machine"] == size_of(machine):
            return loop_of(graph, size)
    return place_loop(graph, machine, variant["order"], CARRIED, EXCHANGED)


def loop_of(graph: Graph, size: JsonObject) -> Loop:
    """Loop from its stored form."""
    placed = []
    for name, row in size["operations"].items():
        reads = tuple(Read(cycle, index, target) for cycle, index, target in row["reads"])
        placed.append(Placed(graph.by_name[name], row["start"], row["unit"], reads, written=row["written"]))
    return Loop(size["period"], tuple(placed))


def stored_form(loop: Loop) -> JsonObject:
    """Inverse of `loop_of`."""
    operations = {
        placement.operation.name: {
            "start": placement.start,
            "unit": placement.unit,
            "reads": [[read.cycle, read.index, read.target] for read in placement.reads],
            "written": placement.written,
        }
        for placement in loop.placed
    }
    return {"period": loop.period, "operations": operations}
