# SPDX-License-Identifier: Apache-2.0
"""Schedule of a multiplication, as steps of the cox-rower.

L is the latency of a multiply-accumulate, F that of a reduction, G the cycles from the bus to an operand, c the number
of columns, r that of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial

from ...base.errors import ParameterError
from ...schedule import Schedule, Step
from .engine import CoxrowerEngine
from .steps import HELD, INPUT, RESULT, SAVED, Cycles, StepBuilder

SLACK = 8
"""Cycles between the products of operands in B and in A that are tried together, for the smallest interval."""


@dataclass(frozen=True)
class Shape:
    """Kind of a multiplication.

    Parameters
    ----------
    exact : bool
        Whether the result is that of the first extension, which a converter takes.
    rooted : bool
        Whether the products in A are hats of Q, as operands are stored times a root.
    doubly : bool
        Whether products in B are first terms of the hats of S, too; only with `rooted`, and with one slot.
    """

    exact: bool = False
    rooted: bool = False
    doubly: bool = False


@lru_cache(maxsize=64)
def engine_schedule(engine: CoxrowerEngine, shape: Shape = Shape()) -> Schedule:
    """Schedule of a multiplication on the engine.

    The smallest interval, then the smallest latency, over the distance between the products x·y in B and in A. Where
    none of them works, as the first results come before the last operands, the slots are spread, too. Where the
    products of the next operation find no gap between the rows of the two extensions, the first hats wait for the bus.
    """
    results = engine.latency + engine.fold_cycles
    for pitch in range(engine.products, engine.products + results + 2):
        least = (engine.slots - 1) * pitch + engine.products
        for first in range(least, least + results + 2 * SLACK, SLACK):
            distances = range(first, first + SLACK)
            found = [s for distance in distances if (s := _multiplication(engine, shape, pitch, distance)) is not None]
            if found:
                return min(
                    [*found, *_with_waits(engine, shape, pitch, distances, found)],
                    key=lambda s: (s.interval, s.latency),
                )
    raise ParameterError(
        f"{engine.rowers} rowers for {engine.count} moduli, {engine.products} products in a sum",
        rule="products, reductions and the bus have one user in each cycle",
        hint="more rowers",
    )


def _with_waits(
    engine: CoxrowerEngine, shape: Shape, pitch: int, distances: range, unchained: list[Schedule]
) -> list[Schedule]:
    """Schedules in which the first hats wait, where that can shorten the interval.

    The rows of both extensions and the gap between them, which is too short for more rows, bound the interval. The
    other products of the next operation fit into the gap when its first rows begin late enough.
    """
    if shape.exact or engine.slots > 1 or engine.passes_through:
        return []
    starts = [unchained[0].step(f"{name}: row 1").start for name in ("ŝ", "s")]
    least = starts[1] - starts[0] + engine.rows
    if min(s.interval for s in unchained) <= least:
        return []
    waits = range(1, least - 2 * engine.rows + 1)
    tried = (_multiplication(engine, shape, pitch, distance, wait) for wait in waits for distance in distances)
    return [s for s in tried if s is not None]


def _multiplication(engine: CoxrowerEngine, shape: Shape, pitch: int, distance: int, wait: int = 0) -> Schedule | None:
    """One multiplication: the hats of S, then their extension to A; None when two steps collide."""
    builder = StepBuilder(engine)
    place = rooted_hats if shape.doubly else partial(reduced_hats, pitch=pitch, rooted=shape.rooted)
    hats = place(builder, distance=distance, wait=wait)
    if hats is None:
        return None
    push = hats[-1]
    if shape.exact:
        builder.deliver(hats, push, after=("ŝ",))
    elif shape.doubly:
        push = _leave_rooted(builder, hats)
    else:
        push = leave(builder, "s", "ŝ", hats)
    if not builder.free_of_conflicts:
        return None
    return Schedule(tuple(builder.steps), push + 1, _latency(engine, push + 1, rooted=shape.rooted))


def reduced_hats(
    builder: StepBuilder, pitch: int, distance: int, wait: int = 0, *, rooted: bool = False
) -> Cycles | None:
    """Place x·y in B, x·y in A `distance` cycles later, and the first extension, which gives the hats ŝ of S in B.

    The hats of the first extension, which are x·y in A themselves where operands are `rooted`, wait `wait` cycles for
    the bus.

    Returns
    -------
    list of int or None
        Cycles in which the hats can be read; None when two steps collide.
    """
    engine = builder.engine
    slots, count = engine.slots, engine.products
    every = slots * count
    turns = [engine.travel + slot * pitch for slot in range(slots)]
    starts = builder.products("x·y in B", turns, [INPUT, *[HELD] * (every - 1)])
    in_b = builder.reduce("<x·y> in B", starts, 1, after=("x·y in B",))
    starts = builder.products("x·y in A", [distance + turn for turn in turns], [HELD] * every)
    in_a = builder.reduce("q̂" if rooted else "<x·y> in A", starts, 0, after=("x·y in A",))
    builder.steps.append(Step("x, y in A", "operands", turns[0], busy=distance + turns[-1] - turns[0] + count - 1))
    if rooted:
        hats = in_a
    else:
        starts = builder.scaled("x·y·(-T/P)", in_a, [RESULT] * slots, 0, after=("<x·y> in A",))
        hats = builder.reduce("q̂", starts, 0, after=("x·y·(-T/P)",))
    hats = builder.hold("q̂ held", hats, wait, after=("q̂",))
    starts = builder.scaled("x·y/(A·T)", in_b, [RESULT] * slots, 0 if rooted else 1, after=("<x·y> in B",))
    builder.save("first of ŝ", starts, builder.first_sums(hats), after=("x·y/(A·T)",))
    if not builder.free_of_conflicts:  # checked before the extensions, which are most of the steps
        return None
    return builder.extend("ŝ", hats, 0, after=("q̂ held" if wait else "q̂",), first=SAVED)


def rooted_hats(builder: StepBuilder, distance: int, wait: int = 0) -> Cycles | None:
    """Place x·y in A, x·y in B `distance` cycles later, and the first extension, which adds to the second product.

    See `reduced_hats`; rowers have one slot, and a sum one product.
    """
    begin = builder.engine.travel
    starts = builder.products("x·y in A", [begin], [INPUT])
    hats = builder.reduce("q̂", starts, 0, after=("x·y in A",))
    hats = builder.hold("q̂ held", hats, wait, after=("q̂",))
    starts = builder.products("x·y in B", [begin + distance], [HELD])
    builder.steps.append(Step("x, y in B", "operands", begin, busy=distance))
    until = builder.first_sums(hats)
    if starts[-1] >= until[-1]:
        return None
    builder.save("first of ŝ", starts, until, after=("x·y in B",))
    if not builder.free_of_conflicts:
        return None
    return builder.extend("ŝ", hats, 0, after=("q̂ held" if wait else "q̂",), first=SAVED)


def _leave_rooted(builder: StepBuilder, hats: Cycles) -> int:
    """Place the product by which the result in B is stored, next to the extension to A, and the steps that deliver
    both; return the cycle of the push."""
    starts = builder.scaled("ŝ·r/T", hats, [RESULT], 0, after=("ŝ",))
    stored = builder.reduce("s in B", starts, 1, after=("ŝ·r/T",))
    ends = builder.extend("s", hats, 1, after=("ŝ",))
    push = ends[-1] - 1 if builder.engine.from_fold else ends[-1]
    builder.keep("s in B kept", stored, push, after=("s in B",))
    builder.deliver(ends, push)
    return push


def leave(builder: StepBuilder, name: str, hats_of: str, hats: Cycles, *, after: bool = True) -> int:
    """Place the extension of a result to A, and the steps that deliver hats and residues.

    Parameters
    ----------
    name, hats_of : str
        Names of the extension and of the hats.
    hats : list of int
        Cycles in which the hats can be read.
    after : bool
        Whether the step that computes the hats is among the builder's.

    Returns
    -------
    int
        Cycle in which the result is pushed. The queue is its last register, so this is one cycle before the
        result is readable; with results to gather, before all of them are.
    """
    source = (hats_of,) if after else ()
    ends = builder.extend(name, hats, 1, after=source)
    push = ends[-1] - 1 if builder.engine.from_fold else ends[-1]
    builder.keep(f"{hats_of} kept", hats, push, after=source)
    builder.deliver(ends, push)
    return push


def _latency(engine: CoxrowerEngine, cycles: int, *, rooted: bool) -> str:
    """The latency in symbols."""
    times = len(engine.extensions)
    short = engine.slots == 1 and engine.columns <= 2  # from hats to the bus it takes c cycles, else 2
    rounds, rows = 2 + times - int(rooted), times * engine.slots
    fixed = rounds * (engine.latency + engine.fold_cycles) + times * engine.bus_cycles
    more = cycles - fixed - (times * engine.columns if short else 0) - rows * engine.rows
    once = "" if times == 1 else str(times)
    bus = f"{once}c + " if short else ""
    return f"{rounds}L + {rounds}F + {once}G + {bus}{'' if rows == 1 else rows}r {'-' if more < 0 else '+'} {abs(more)}"
