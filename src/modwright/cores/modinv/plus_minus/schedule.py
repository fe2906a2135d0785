# SPDX-License-Identifier: Apache-2.0
"""Schedule of plus-minus inversion: operands to hats, passes, sign and result. One part of the microcode each."""

from __future__ import annotations

from dataclasses import dataclass

from ....engines.inversion.engine import TREE_CYCLES
from ....engines.inversion.parts import BUS, INPUT, REGISTER, Part, Phases, Product
from ....engines.plus_minus import RESIDUES_V1, RESIDUES_V3
from ....schedule import Schedule, Step, times, total
from .parameters import U1, U3, V1, V3, PassParameters

ZERO, ONE, SHIFT, FACTOR = range(4)
"""Field `bus`: 0, 1, κ·(D - 1 - s), or that and f."""
BY_D, BY_SIGN_AND_D, P_BY_D, FROM_HATS, BACK = range(1, 6)
"""Field `choice`: 1/D, s/D, P/D, ±M/m_i, P ∓ κP."""
FLAG_CYCLES = 2
"""Cycles from readable hats to the flags of 0, 1 and -1."""
WHOLE = "engine"


@dataclass(frozen=True)
class Parts(Phases):
    """Schedules; `decided` of the first two is the cycle in which the next part starts.

    Parameters
    ----------
    load, turn, finish
        See `Phases`.
    load_cycles, turn_cycles : int
        Cycles from the start of a part to that of the next.
    finish_cycles : int
        Cycles from the start of the last part to the valid result.
    """

    load_cycles: int
    turn_cycles: int
    finish_cycles: int

    def cycles(self, passes: int) -> int:
        """Cycles of an operation of `passes` passes."""
        return self.load_cycles + passes * self.turn_cycles + self.finish_cycles


def parts_of(p: PassParameters) -> Parts:
    """All schedules."""
    load, loaded = _load(p)
    turn, turned = _pass(p)
    if turn.interval != turned:
        raise ValueError(f"a pass takes {turn.interval} cycles, not {turned}")
    finish, finished = _finish(p)
    return Parts(load, turn, finish, loaded, turned, finished)


def parts_in(schedule: Schedule) -> Parts:
    """Read the parts from the schedule of an inversion, as `make_schedule` puts them there."""
    load, turn, finish = (schedule.parts[name] for name in ("load", "turn", "finish"))
    return Parts(load, turn, finish, schedule.step("hats").latency, turn.interval, finish.latency)


def make_schedule(p: PassParameters) -> Schedule:
    """Schedule of the shortest run, with one pass; the latency is that of the most passes."""
    parts = parts_of(p)
    longest, least = parts.cycles(p.most_passes), parts.cycles(0)
    start, turn = parts.load_cycles, p.most_passes * parts.turn_cycles
    steps = (
        Step("hats", WHOLE, 0, busy=start, latency=start),
        Step("passes", WHOLE, start, busy=1, latency=turn + 1, after=("hats",), depends_on_data=True),
        Step("sign and result", "result", start + 1, busy=1, latency=longest - start - 1, depends_on_data=True),
    )
    formula = f"{start} + {parts.turn_cycles} a pass + {parts.finish_cycles}; at most {p.most_passes} passes"
    work = total(parts.load.work, times(parts.turn.work, 0, p.most_passes), parts.finish.work)
    return Schedule(steps, longest, formula, minimum_interval=least + 1, parts=parts.schedules, counted=work)


def small_cycles(p: PassParameters) -> int:
    """Cycles from readable hats to their small residues, which then go to a register.

    Residues in the rowers, and their sum; both can be cut.
    """
    return 1 + TREE_CYCLES + 2 * p.cuts


def _small(part: Part, p: PassParameters, name: str, cycle: int, keep: int) -> int:
    """Place the small residues of readable hats; return the cycle in which their register has them."""
    stored = cycle + small_cycles(p)
    part.add(f"small residues of {name}", "small residues", stored, keep=keep)
    return stored + 1


def _tested(part: Part, p: PassParameters, cycle: int) -> int:
    """Place the test of V3 and the decision; return the cycle of the decision.

    Where rowers have copies of control, words reach them a cycle later, and so do those of units that read their
    results. A decision is cut twice.
    """
    part.add("V3 = 0, 1, -1", "flags", cycle + FLAG_CYCLES, test=1)
    decided = _small(part, p, "V3", cycle, RESIDUES_V3) + 2 * p.cuts
    part.add("decision", "decision", decided, decide=1)
    return decided + part.engine.travel


def _load(p: PassParameters) -> tuple[Schedule, int]:
    """Schedule of the first hats: V3 = A, U3 = P, V1 = 1 or r, U1 = 0, all plus κP. The product of A starts with the
    operand."""
    part, after = Part(p.engine), p.engine.result_cycles
    ready = part.sum("A", 0, Product(INPUT, "to hats"))
    part.write("V3", ready, V3)
    shift = (Product(BUS, "κP", coefficient=ONE),) if p.kappa else ()
    first = (Product(INPUT, "to hats"), *shift) if p.blind else (Product(BUS, "1 + κP", coefficient=ONE),)
    rows = (
        ("V1", V1, first),
        ("U1", U1, (Product(BUS, "κP", coefficient=ONE),)),
        ("U3", U3, (Product(BUS, "P + κP", coefficient=ONE),)),
    )
    cycle = 2  # the coefficient is chosen in the cycle before, and word 0 of a schedule is empty
    for name, register, products in rows:
        ready_row = part.sum(name, cycle, *products)
        part.write(name, ready_row, register)
        if p.blind and name == "V1":
            _small(part, p, "V1", ready_row, RESIDUES_V1)
        cycle += len(products)
    if p.kappa:
        start = max(cycle, after + 1)
        ready = part.sum("A + κP", start, Product(REGISTER, "1", V3), Product(BUS, "κP", coefficient=ONE))
        part.write("V3 + κP", ready, V3)
    decided = _tested(part, p, ready)
    return Schedule(tuple(part.steps), max(step.end for step in part.steps), "hats"), decided


def _pass(p: PassParameters) -> tuple[Schedule, int]:
    """Schedule of a pass: (V3 + s·U3)/D, then (V1 + s·U1 + f·P)/D, whose f is computed meanwhile.

    Residues of V1 are stored after the next decision, so where the decision is cut V1 starts a cycle after V3.
    """
    part = Part(p.engine)
    shift = (Product(BUS, coefficient=SHIFT, choice=P_BY_D),) if p.kappa else ()
    sum_ = (Product(REGISTER, register=V3, choice=BY_D), Product(REGISTER, register=U3, choice=BY_SIGN_AND_D))
    ready = part.sum("V3", 1, *sum_, *shift)
    part.write("V3", ready, V3)
    start = 1 + len(sum_) + len(shift) + p.cuts
    last = Product(BUS, coefficient=FACTOR, choice=P_BY_D)
    sum_ = (Product(REGISTER, register=V1, choice=BY_D), Product(REGISTER, register=U1, choice=BY_SIGN_AND_D))
    done = part.sum("V1", start, *sum_, last)
    part.write("V1", done, V1)
    decided = _tested(part, p, ready)
    _small(part, p, "V1", done, RESIDUES_V1)
    latency = max(step.end for step in part.steps)
    return Schedule(tuple(part.steps), latency, "pass", minimum_interval=decided), decided


def _finish(p: PassParameters) -> tuple[Schedule, int]:
    """Schedule of the result ±(V1 + κP) ∓ κP + P, and the cycle after it."""
    part = Part(p.engine)
    products = (Product(REGISTER, register=V1, choice=FROM_HATS), Product(BUS, coefficient=ONE, choice=BACK))
    result = part.sum("±V1 + P", 2, *products)
    part.add("result", "result", result, take=1)
    latency = result + 1 + p.engine.travel
    return Schedule(tuple(part.steps), latency, "result"), latency
