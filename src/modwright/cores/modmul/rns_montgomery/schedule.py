# SPDX-License-Identifier: Apache-2.0
"""When a multiplication does what, as steps of the cox-rower.

L is the latency of a multiply-accumulate, F that of a reduction, G the cycles from the bus to an operand, c the number
of columns, r that of rows.
"""

from __future__ import annotations

from ....base.errors import ParameterError
from ....engines.coxrower.steps import HELD, INPUT, RESULT, SAVED, StepBuilder
from ....engines.residue.schedule import from_residues_schedule
from ....schedule import Schedule, Step, chain
from .parameters import MultiplierParameters

SLACK = 8
"""Cycles between the products of operands in B and in A that are tried together, for the smallest interval."""


def multiplier_schedule(p: MultiplierParameters) -> Schedule:
    """The multiplication, and the converter behind it where the result is exact."""
    inner = engine_schedule(p)
    if not p.exact:
        return inner
    out = from_residues_schedule(p.conversion)
    begin = inner.latency - 1
    parts = [("multiply", inner, 0), ("out", out, begin)]
    return chain(parts, begin + out.step("binary").start + 1, f"{inner.formula}, and the converter")


def engine_schedule(p: MultiplierParameters) -> Schedule:
    """Schedule that the engine plays.

    The smallest interval, then the smallest latency, over the distance between the products x·y in B and in A. Where
    none of them will do, as the first results come before the last operands, the slots are drawn apart, too. Where the
    products of the next operation find no gap between the rows of the two extensions, the first hats wait for the bus.
    """
    engine = p.engine
    results = engine.latency + engine.fold_cycles
    for pitch in range(engine.products, engine.products + results + 2):
        least = (engine.slots - 1) * pitch + engine.products
        for first in range(least, least + results + 2 * SLACK, SLACK):
            distances = range(first, first + SLACK)
            found = [s for distance in distances if (s := _multiplication(p, pitch, distance)) is not None]
            if found:
                return min([*found, *_with_waits(p, pitch, distances, found)], key=lambda s: (s.interval, s.latency))
    raise ParameterError(
        f"{engine.rowers} rowers for {engine.count} moduli, {engine.products} products in a sum",
        rule="products, reductions and the bus have one user in each cycle",
        hint="more rowers",
    )


def _with_waits(p: MultiplierParameters, pitch: int, distances: range, found: list[Schedule]) -> list[Schedule]:
    """Schedules in which the first hats wait, where that can shorten the interval.

    The rows of both extensions and the gap between them, which is too short for more rows, are the least interval. The
    other products of the next operation go into the gap when its first rows begin late enough.
    """
    engine = p.engine
    if p.exact or engine.slots > 1 or engine.passes_through:
        return []
    starts = [found[0].step(f"{name}: row 1").start for name in ("ŝ", "s")]
    least = starts[1] - starts[0] + engine.rows
    if min(s.interval for s in found) <= least:
        return []
    waits = range(1, least - 2 * engine.rows + 1)
    tried = (_multiplication(p, pitch, distance, wait) for wait in waits for distance in distances)
    return [s for s in tried if s is not None]


def _multiplication(p: MultiplierParameters, pitch: int, distance: int, wait: int = 0) -> Schedule | None:
    """One multiplication: x·y in B first, then in A, then both extensions; None when two steps want one unit.

    The hats of the first extension wait `wait` cycles for the bus.
    """
    engine = p.engine
    builder, slots, count = StepBuilder(engine), engine.slots, engine.products
    every = slots * count
    turns = [engine.travel + slot * pitch for slot in range(slots)]
    starts = builder.products("x·y in B", turns, [INPUT, *[HELD] * (every - 1)])
    in_b = builder.reduce("<x·y> in B", starts, 1, after=("x·y in B",))
    starts = builder.products("x·y in A", [distance + turn for turn in turns], [HELD] * every)
    in_a = builder.reduce("<x·y> in A", starts, 0, after=("x·y in A",))
    builder.steps.append(Step("x, y in A", "operands", turns[0], busy=distance + turns[-1] - turns[0] + count - 1))
    starts = builder.scaled("x·y·(-T/P)", in_a, [RESULT] * slots, 0, after=("<x·y> in A",))
    hats = builder.reduce("q̂", starts, 0, after=("x·y·(-T/P)",))
    hats = builder.hold("q̂ held", hats, wait, after=("q̂",))
    starts = builder.scaled("x·y/(A·T)", in_b, [RESULT] * slots, 1, after=("<x·y> in B",))
    builder.save("first of ŝ", starts, builder.first_sums(hats), after=("x·y/(A·T)",))
    if not builder.free_of_conflicts:  # seen before the extensions, which are most of the steps
        return None
    hats = builder.extend("ŝ", hats, 0, after=("q̂ held" if wait else "q̂",), first=SAVED)
    push = hats[-1]
    if p.exact:
        builder.take(hats, push, after=("ŝ",))
    else:
        ends = builder.extend("s", hats, 1, after=("ŝ",))
        # The queue is the last register of the result, so it is pushed one cycle before the result is readable; with
        # results to gather, when all of them are.
        push = ends[-1] - 1 if engine.from_fold else ends[-1]
        builder.keep("ŝ kept", hats, push, after=("ŝ",))
        builder.take(ends, push)
    if not builder.free_of_conflicts:
        return None
    return Schedule(tuple(builder.steps), push + 1, _latency(p, push + 1))


def _latency(p: MultiplierParameters, cycles: int) -> str:
    """The latency in symbols."""
    engine, times = p.engine, len(p.engine.extensions)
    short = engine.slots == 1 and engine.columns <= 2  # from hats to the bus it takes c cycles, else 2
    rounds, rows = 2 + times, times * engine.slots
    fixed = rounds * (engine.latency + engine.fold_cycles) + times * engine.bus_cycles
    more = cycles - fixed - (times * engine.columns if short else 0) - rows * engine.rows
    once = "" if times == 1 else str(times)
    bus = f"{once}c + " if short else ""
    return f"{rounds}L + {rounds}F + {once}G + {bus}{'' if rows == 1 else rows}r {'-' if more < 0 else '+'} {abs(more)}"
