# SPDX-License-Identifier: Apache-2.0
"""Schedule of a lean multiplier: 2L + G - 1 cycles, G = ceil(N / k) rounds of products by k multipliers.

With plain operands, between converters, x·M_i^-1 comes first and takes L more.
"""

from __future__ import annotations

from ....schedule import Schedule, Step
from .parameters import LeanParameters


def make_schedule(p: LeanParameters) -> Schedule:
    """Schedule of one product: x·y, which is ±γ at once, then the rounds of γ_i·w_i, then the reduction.

    α is read, through its table's register, at the first fold of the last sum: at most L - 1 cycles after the issue of
    that sum's last product, G - 1 cycles after that of the first. The next operation overwrites α D cycles after the
    first, which is late enough for D ≥ G + L - 3. A plain y is held from cycle 0 to L, so that D ≥ L.
    """
    L = p.latency
    steps = [Step("γ", "multipliers", 0, 1, L)]
    if not p.rooted:
        steps = [Step("x·M^-1", "multipliers", 0, 1, L)]
        steps.append(Step("γ", "multipliers", L, 1, L, {"second": 1}, ("x·M^-1",)))
    first = steps[-1].end
    for group in range(p.groups):
        start = first + group
        control = {"weigh": 1, "group": group} | ({"load": 1} if group == 0 else {"keep": 1})
        last = group == p.groups - 1
        control |= {"finish": 1} if last else {}
        name = "z" if last else f"A{group + 1}"
        steps.append(Step(name, "multipliers", start, 1, L, control, ("γ",)))
        steps.append(Step(f"α{group + 1}", "α adder", start, 1, 1, after=("γ",)))
    latency = first + p.groups - 1 + L
    # The queue is the last of the L registers for the result, so it is pushed one cycle before the result is readable.
    steps.append(Step("push", "result", latency - 1, control={"take": 1}))
    formula = f"{2 if p.rooted else 3}L + ceil(N/k) - 1"
    return Schedule(tuple(steps), latency, formula, minimum_interval=max(1, p.groups + L - 3, 1 if p.rooted else L))
