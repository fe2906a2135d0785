# SPDX-License-Identifier: Apache-2.0
"""Schedule of the binary inverter: operands, a brought below M, divsteps, halvings, the sign and the result."""

from __future__ import annotations

from ....schedule import Microcode, Schedule, Step
from .parameters import BinaryInversionParameters

LOAD, REDUCE, REFUSE, START = "load", "a mod M", "a < 2M", "first values"
DIVSTEPS, HALVINGS, FINISH, RESULT = "divsteps", "halvings", "sign and range", "result"
UNIT_LATENCY = 2
"""Cycles from the last bit of f to the flag that |f| is 1."""


def make_schedule(p: BinaryInversionParameters) -> Schedule:
    """One inversion at a time; the same cycles for every operand, an operand without inverse included.

    A carry takes a cycle in each slice, so that a sum is whole `slices` cycles after its operands.
    """
    L, S, H = p.slices, p.cycles, p.halving_cycles
    reduced = L + 2
    first = reduced + 1
    decided = first + S + L - 1  # f is whole in the cycle of that number
    halved = decided + H + L
    steps = (
        Step(LOAD, "border", 0, latency=1),
        Step(REDUCE, "border", 1, busy=L + 1, latency=L + 1, after=(LOAD,)),
        Step(REFUSE, "border", reduced, busy=L + 1, latency=L + 1, after=(REDUCE,)),
        Step(START, "pair", reduced, after=(REDUCE,)),
        Step(DIVSTEPS, "pair", first, busy=S, latency=S + L - 1, after=(START,)),
        Step(HALVINGS, "cofactors", decided, busy=H + L, latency=H + L, after=(DIVSTEPS,)),
        Step(FINISH, "border", halved, busy=2, latency=2, after=(HALVINGS,)),
        Step(RESULT, "result", halved + 2, after=(FINISH,)),
    )
    latency = steps[-1].end
    formula = f"{p.steps} divsteps / {p.per_cycle} a cycle + {H} with halvings + 5 + 3·{L} slices"
    strobes = {
        "first": reduced,
        "refuse": reduced + L,
        "reduce": L + 1,
        "decided": decided,
        "whole": decided + UNIT_LATENCY,
        "last": decided + H - 1,
        "take": decided + H + 1,  # slice 0 of f and g has nothing to do from the cycle before on
        "finish": halved + 1,
        "done": halved + 2,
    }
    control = Microcode.during({name: range(cycle, cycle + 1) for name, cycle in strobes.items()}, latency - 1)
    return Schedule(steps, latency, formula, minimum_interval=latency - 1, control=control)
