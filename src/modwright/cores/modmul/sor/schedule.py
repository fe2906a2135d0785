# SPDX-License-Identifier: Apache-2.0
"""Schedule of a sum-of-residues multiplier (Figures A1 to A3 of Mehrabi 2019, for any N and latency L).

sor-1m-n   (L+1)N + 3L + 1      one multiplier, idle while it accumulates            31 at N = 8, L = 2
sor-1m-p   4L + (N-1)I + 2      one multiplier, a product every I cycles             24
sor-2m     4L + (G-1)I + 4      two multipliers, G = ceil(N/2), two-cycle adders     18
sor-nm     4L + 4               a multiplier for each γ_i                            12
"""

from __future__ import annotations

from ....schedule import Schedule, Step
from .parameters import SorParameters

SELECT_XY, SELECT_GAMMA, SELECT_WEIGHT, SELECT_KAPPA = range(4)
"""Products of the RNS multiplier: x·y, xy·M_i^-1, γ_i·w_i, κ·(-p)."""


def make_schedule(p: SorParameters) -> Schedule:
    """Schedule of one product."""
    L = p.latency
    add = p.adder
    step = p.issue if p.overlap else L + 1
    first = 2 * L  # γ is readable
    products = [first + group * step for group in range(p.groups)]
    kappa = products[-1] + L + add  # the accumulator and κ are readable
    last = kappa + p.kappa_cycles
    latency = last + L + add
    steps = [
        Step("Z", "RNS multiplier", 0, p.issue, L),
        Step("γ", "RNS multiplier", L, p.issue, L, {"select": SELECT_GAMMA}, ("Z",)),
        *_products(p, products, add),
        *_alpha(p, products, kappa),
        *_kappa_in_channels(p, kappa),
        Step("κ·(-p)", "RNS multiplier", last, p.issue, L, {"select": SELECT_KAPPA}, (f"K{p.groups}",)),
        Step("κ cleared", "κ accumulator", kappa, control={"clear_kappa": 1}, after=(f"K{p.groups}",)),
        Step("z", "accumulator", latency - 1, 1, 1, {"take": 1}, ("κ·(-p)", "A+α")),
    ]
    return Schedule(tuple(steps), latency, _formula(p), minimum_interval=_least_interval(steps))


def _formula(p: SorParameters) -> str:
    """The latency in symbols, with the cycles of the adder and those in which κ comes to the channels."""
    more = 2 * p.adder + p.kappa_cycles
    if not p.overlap:
        return f"(L+1)N + 3L + {more - 1}"
    if p.groups == 1:
        return f"4L + {more}"
    return f"4L + ({'N' if p.multipliers == 1 else 'ceil(N/2)'}-1)I + {more}"


def _least_interval(steps: list[Step]) -> int:
    """Least interval by the registers that an operation occupies from a first write to a last read.

    A register that is written at the end of cycle t may be read, with its old value, in cycle t itself; the two
    accumulators are cleared at the end of their last cycle, so they are next written a cycle later at the earliest.
    """
    at = {step.name: step.start for step in steps}
    last = max((s for s in steps if s.name.startswith("L")), key=lambda s: s.start).start
    holds = [
        (at["A1"], at["z"] + 1),  # accumulator
        (at["K1"], at["κ cleared"] + 1),  # κ accumulator
        (at["L1"], last),  # γ registers
        (at["α1"], at["<-αM>"]),  # α accumulator
        (at["α1"] + 2, at["α read"]),  # table register, which follows the α accumulator by two cycles
    ]
    return max(1, *(read - write for write, read in holds))


def _products(p: SorParameters, starts: list[int], add: int) -> list[Step]:
    """The rounds of γ_i·w_i, of the κ products next to them, and their accumulation."""
    L = p.latency
    steps = []
    for group, start in enumerate(starts):
        load = {"load": 1} if group == 0 else {}
        control = {"select": SELECT_WEIGHT, "group": group, "shift": 1} | load
        steps.append(Step(f"L{group + 1}", "RNS multiplier", start, p.issue, L, control, ("γ",)))
        steps.append(Step(f"k{group + 1}", "κ multiplier", start, p.issue, L, after=("γ",)))
        at = start + L + add - 1  # the cycle in which the register itself is written
        steps.append(Step(f"A{group + 1}", "accumulator", at, 1, 1, {"accumulate": 1}, (f"L{group + 1}",)))
        steps.append(Step(f"K{group + 1}", "κ accumulator", at, 1, 1, {"accumulate_kappa": 1}, (f"k{group + 1}",)))
    return steps


def _alpha(p: SorParameters, products: list[int], at: int) -> list[Step]:
    """Steps of α from the passing γ_i, of its table, and of the correction that is added while κ·(-p) is computed."""
    steps = [Step(f"α{group + 1}", "α adder", start, 1, 1, after=("γ",)) for group, start in enumerate(products)]
    steps.append(Step("<-αM>", "α table", products[-1] + 1, 1, 2, after=(f"α{p.groups}",)))
    read = at - (p.adder - 1 if p.multipliers == 1 else 0)  # one multiplier's adder has its register behind the choice
    steps.append(Step("α read", "term", read, 1, 1, {"alpha_added": 1}, ("<-αM>",)))
    steps.append(Step("A+α", "accumulator", at, 1, 1, {"accumulate": 1}, ("<-αM>", f"A{p.groups}")))
    return steps


def _kappa_in_channels(p: SorParameters, at: int) -> list[Step]:
    """Steps of κ on its way to the channels and of its reduction, where these take separate cycles."""
    if not p.kappa_cycles:
        return []
    return [Step("κ in channels", "κ in channels", at, 1, p.kappa_cycles, after=(f"K{p.groups}",))]
