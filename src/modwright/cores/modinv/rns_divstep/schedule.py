# SPDX-License-Identifier: Apache-2.0
"""Schedule of inversion with constant latency: operands to hats, rounds that overlap, sign and result."""

from __future__ import annotations

from dataclasses import dataclass

from ....engines.inversion.parts import BUS, INPUT, REGISTER, RESULT, Part, Phases, Product
from ....schedule import Schedule, Step, times, total
from .parameters import D_SUM, E_SUM, D, DivstepParameters, E, F, G
from .plan import FIRST_F, FIRST_G, low_cycles

ZERO, ONE, U, V, Q, R, C_D, C_E = range(8)
"""Field `bus`: the coefficient that the rowers have in the next cycle."""
LOW_F, LOW_G, LOW_D, LOW_E = range(1, 5)
"""Field `keep`: the low bits to be stored."""
BY_SIGN = 1
"""Field `choice`: M/m_i with the sign of f."""

WHOLE = "engine"


@dataclass(frozen=True)
class Parts(Phases):
    """Schedules, and the cycles in which they start.

    Parameters
    ----------
    load, turn, finish
        See `Phases`.
    first : int
        Cycle in which the first round starts; the last part starts where one more round would.
    latency : int
        Latency of the whole operation.
    """

    first: int
    latency: int


def parts_of(p: DivstepParameters) -> Parts:
    """All schedules."""
    load, ready = _load(p)
    first = ready - 1
    finish, done = _finish(p)
    turn = _round(p)
    if turn.interval != p.times.period:
        raise ValueError(f"a round takes {turn.interval} cycles, not {p.times.period}")
    return Parts(load, turn, finish, first, first + p.rounds * p.times.period + done + 1 + 2 * p.engine.travel)


def make_schedule(p: DivstepParameters) -> Schedule:
    """Schedule of one inversion at a time, with the same cycles for every operand, also for one without inverse."""
    parts, R = parts_of(p), p.times.period
    steps = [Step("hats", WHOLE, 0, busy=parts.first + 1, latency=parts.first + 1)]
    for number in range(p.rounds):
        after = (f"round {number}",) if number else ("hats",)
        start = parts.first + 1 + number * R
        steps.append(Step(f"round {number + 1}", WHOLE, start, busy=R, latency=R, after=after))
    start = parts.first + 1 + p.rounds * R
    left = parts.latency - start
    steps.append(Step("sign and result", WHOLE, start, busy=left, latency=left, after=(f"round {p.rounds}",)))
    formula = f"{parts.first + 1} + {p.rounds} rounds of {R} + {left}; {p.k} divsteps a round"
    work = total(parts.load.work, times(parts.turn.work, p.rounds), parts.finish.work)
    length = parts.latency
    return Schedule(tuple(steps), length, formula, minimum_interval=length, parts=parts.schedules, counted=work)


def _load(p: DivstepParameters) -> tuple[Schedule, int]:
    """Schedule of the first hats, f = P, g = A, d = 0, e = 1, and the cycle in which those of f can be read.

    The product of g starts with the operand, in cycle 0; a product with 1 repeats g after f.
    """
    part, after = Part(p.engine), p.engine.result_cycles
    part.write("g", part.sum("A", 0, Product(INPUT, "to hats")), G)
    part.write("d", part.sum("0", 1, Product(BUS, "to hats", coefficient=ZERO)), D)
    part.write("e", part.sum("1", 2, Product(BUS, "to hats", coefficient=ONE)), E)
    start = max(3, after + 1 - (FIRST_G - FIRST_F))
    ready = part.sum("P", start, Product(BUS, "P", coefficient=ONE))
    part.write("f", ready, F)
    part.write("g again", part.sum("g·1", start + FIRST_G - FIRST_F, Product(REGISTER, "1", G)), G)
    return Schedule(tuple(part.steps), ready + FIRST_G + 1, "hats"), ready


def _round(p: DivstepParameters) -> Schedule:
    """Schedule of a round; its cycle 0 is the one before the hats of f can be read."""
    part, t = Part(p.engine), p.times
    _low(part, p, "f", 1 + FIRST_F, Product(RESULT, "low"), LOW_F)
    _low(part, p, "g", 1 + FIRST_G, Product(RESULT, "low"), LOW_G)
    for cycle in range(p.steps_cycles):
        part.add(f"divsteps {cycle + 1}", "divsteps", 1 + t.steps + cycle, step=1)
    for name, register, cycle in (("f", F, t.scale[0]), ("g", G, t.scale[1])):
        part.write(f"{name}/2^k", part.sum(f"{name}·2^-k", 1 + cycle, Product(REGISTER, "2^-k", register)), register)
    rows = (("f", U, V, F, t.matrix), ("g", Q, R, G, t.matrix + 2))
    for name, first, second, register, cycle in rows:
        sum_ = (Product(BUS, register=F, coefficient=first), Product(BUS, register=G, coefficient=second))
        part.write(f"next {name}", part.sum(f"next {name}", 1 + cycle, *sum_), register)
    rows = (("D'", U, V, D_SUM, 0, LOW_D, C_D, D), ("E'", Q, R, E_SUM, 1, LOW_E, C_E, E))
    for name, first, second, register, number, low, c, into in rows:
        sum_ = (Product(BUS, register=D, coefficient=first), Product(BUS, register=E, coefficient=second))
        part.write(name, part.sum(name, 1 + t.sums[number], *sum_), register)
        _low(part, p, name, 1 + t.low[number], Product(REGISTER, "low/P", register), low)
        update = (Product(BUS, "P/2^k", coefficient=c), Product(REGISTER, "2^-k", register))
        part.write(f"{name} + cP", part.sum(f"({name} + cP)/2^k", 1 + t.update[number], *update), into)
    latency = max(step.end for step in part.steps)
    return Schedule(tuple(part.steps), latency, "round", minimum_interval=t.period)


def _low(part: Part, p: DivstepParameters, name: str, cycle: int, product: Product, keep: int) -> None:
    """Place the low bits of the hats that the product reads."""
    part.sum_of_rowers(f"low bits of {name}", cycle, product)
    part.add(f"low bits of {name} kept", "low bits", cycle + low_cycles(p.engine), keep=keep)


def _finish(p: DivstepParameters) -> tuple[Schedule, int]:
    """Schedule of the end, the test f = ±1 and ±d + κP, with cycle 0 at its start; and the cycle of the result."""
    part, after = Part(p.engine), p.engine.result_cycles
    # flags of the rowers, then of all of them, then the sign
    tested = 1 + FIRST_F + 2
    part.add("sign of f", "sign", tested, test=1)
    start = max(tested + 1 + p.engine.travel, 1 + p.times.update[0] + 1 + after + 1 - p.times.period)
    result = part.sum(
        "±d + κP", start, Product(REGISTER, register=D, choice=BY_SIGN), Product(BUS, "offset", coefficient=ONE)
    )
    part.add("result", "result", result, take=1)
    return Schedule(tuple(part.steps), result + 1, "sign and result"), result
