# SPDX-License-Identifier: Apache-2.0
"""When a lean multiplier does what: 2L + G - 1 clocks, G = ceil(N / multipliers) rounds of products."""

from __future__ import annotations

from ...schedule import Schedule, Step
from .parameters import LeanParameters


def make_schedule(p: LeanParameters) -> Schedule:
    """Schedule of one product: x·y, which is ±γ at once, then the rounds of γ_i·w_i, then the reduction.

    α is read, through its table's register, at the first fold of the last sum: at most L - 1 clocks after its issue in
    clock L + G - 1. The next operation overwrites α from clock D + L on, which is late enough for D ≥ G + L - 3.
    """
    L = p.latency
    steps = [Step("γ", "multipliers", 0, 1, L)]
    for group in range(p.groups):
        start = L + group
        control = {"weigh": 1, "group": group} | ({"load": 1} if group == 0 else {"keep": 1})
        last = group == p.groups - 1
        control |= {"finish": 1} if last else {}
        name = "z" if last else f"A{group + 1}"
        steps.append(Step(name, "multipliers", start, 1, L, control, ("γ",)))
        steps.append(Step(f"α{group + 1}", "α adder", start, 1, 1, after=("γ",)))
    latency = L + p.groups - 1 + L
    # The queue is the last of the L registers for the result, so it is pushed one clock before the result is readable.
    steps.append(Step("push", "result", latency - 1, control={"take": 1}))
    return Schedule(tuple(steps), latency, "2L + ceil(N/k) - 1", minimum_interval=max(1, p.groups + L - 3))
