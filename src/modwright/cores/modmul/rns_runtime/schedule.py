# SPDX-License-Identifier: Apache-2.0
"""Schedule of a multiplication with a runtime modulus, as steps of the cox-rower.

L is the latency of a multiply-accumulate, F that of a reduction, G the cycles from the bus to an operand, c the number
of columns, r that of rows.
"""

from __future__ import annotations

from dataclasses import replace

from ....engines.coxrower.steps import ALONE, GIVEN, HELD, INPUT, RESULT, SAVED, StepBuilder
from ....schedule import Microcode, Schedule, Step
from ....schedule.shares import work_of_steps
from .parameters import WORD_F, WORD_G, RuntimeParameters

MOVES = ("advance", "again")
"""Control fields that move g from a register to the next, where two operations are in flight."""
BETWEEN = 2
"""Cycles after a result that a program of products takes for the next product."""


def runtime_schedule(p: RuntimeParameters) -> Schedule:
    """The shortest multiplication, one at a time; with two slots, two of them.

    x·y in B waits for Q, so it has time: its distance to x·y in A is free. With two slots the second operation of a
    pair starts Δ cycles after the first, or not at all: its rows pass between those of the first one's two extensions.
    The next pair starts π cycles after this one or later. Distance and Δ are those with the smallest π.
    """
    alone = _multiplication(p, 1)
    assert alone is not None
    if p.slots == 1:
        return replace(alone, minimum_interval=alone.latency)
    last = alone.step("ŝ, product 1").start
    pairs = [_pair(one) for distance in range(1, last) if (one := _multiplication(p, distance)) is not None]
    return min(pairs, key=lambda s: s.interval)


def _pair(schedule: Schedule) -> Schedule:
    """Two multiplications, the second as early after the first as no unit has to do two things."""
    meet = [distance for distance in range(1, schedule.latency) if schedule.collides(distance)]
    apart = next(distance for distance in range(1, schedule.latency + 1) if distance not in meet)
    every = ((u, s.start, s.busy, s.busy) for s in schedule.steps for u in (s.resource, *s.also))
    return replace(
        schedule,
        minimum_interval=max(schedule.latency + BETWEEN, apart + max(meet) + 1),
        burst=2,
        burst_distance=apart,
        control=Microcode(schedule.microcode.words, apart),
        counted=work_of_steps(every, 1),
    )


def _multiplication(p: RuntimeParameters, distance: int) -> Schedule | None:
    """One multiplication; None when two steps want one unit, or a product comes too late for its sum.

    Parameters
    ----------
    p : RuntimeParameters
    distance : int
        Cycles from x·y in A to x·y in B.
    """
    engine = p.engine
    builder = StepBuilder(engine)
    begin = engine.travel
    starts = builder.products("x·y in A", [begin], [INPUT])
    (in_a,) = builder.reduce("<x·y> in A", starts, 0, after=("x·y in A",))
    starts = builder.products("x·y in B", [begin + distance], [HELD])
    in_b = builder.reduce("<x·y> in B", starts, 1, after=("x·y in B",))
    builder.steps.append(Step("x, y in B", "operands", begin, busy=distance))
    q_hats = builder.sum_of("q̂", in_a, [(ALONE, {"a": GIVEN, "b": WORD_F})], 0, after=("<x·y> in A",))
    builder.steps.append(Step("f", "first words of P", begin, busy=in_a - begin + 1))
    saved = builder.scaled("x·y/(A·T)", in_b, [RESULT], 0, after=("<x·y> in B",))
    (q,) = builder.extend("q", [q_hats], 0, after=("q̂",))
    addition = q + engine.latency - 1
    if saved[0] >= addition:
        return None
    builder.save("first of ŝ", saved, [addition], after=("x·y/(A·T)",))
    hats = builder.sum_of("ŝ", q, [(SAVED, {"a": GIVEN, "b": WORD_G})], 1, after=("q",))
    (end,) = builder.extend("s", [hats], 1, after=("ŝ",))
    push = end - 1 if engine.from_fold else end
    _hold(p, builder, hats, push)
    builder.deliver([end], push)
    _hold_words(p, builder, begin, q)
    if not builder.free_of_conflicts:
        return None
    return Schedule(tuple(builder.steps), push + 1, _latency(p, push + 1))


def _hold(p: RuntimeParameters, builder: StepBuilder, hats: int, push: int) -> None:
    """Keep the hats of S for the result: in one register, or half the time in a second one."""
    middle = push if p.slots == 1 else (hats + push) // 2
    builder.keep("ŝ kept", [hats], middle, after=("ŝ",))
    if p.slots > 1:
        builder.add("ŝ moved", "kept results moved", middle, busy=push - middle, settle=1)


def _hold_words(p: RuntimeParameters, builder: StepBuilder, begin: int, read: int) -> None:
    """Let g wait until it is read: in one register, or a third of the time in each of three."""
    moves = MOVES if p.slots > 1 else ()
    ends = [begin + (read - begin) * place // (len(moves) + 1) for place in range(1, len(moves) + 2)]
    builder.steps.append(Step("g", "words of P", begin, busy=ends[0] - begin + 1))
    for field, start, end in zip(moves, ends[:-1], ends[1:], strict=True):
        builder.add(f"g: {field}", f"words of P, {field}", start, busy=end - start + 1, after=(), also=(), **{field: 1})


def _latency(p: RuntimeParameters, cycles: int) -> str:
    """The latency in symbols."""
    engine = p.engine
    short = engine.columns <= 2  # from hats to the bus it takes c cycles, else 2
    fixed = 5 * (engine.latency + engine.fold_cycles) + 2 * engine.bus_cycles + 2 * engine.rows
    more = cycles - fixed - (2 * engine.columns if short else 0)
    return f"5L + 5F + 2G + {'2c + ' if short else ''}2r {'-' if more < 0 else '+'} {abs(more)}"
