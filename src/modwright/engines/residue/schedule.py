# SPDX-License-Identifier: Apache-2.0
"""Schedules of the converters, and of a multiplier between them."""

from __future__ import annotations

from collections.abc import Callable

from ...rns.conversion import FromResidues, ToResidues
from ...schedule import Schedule, Step, chain
from .parameters import ConvertedParameters, M

PRODUCT_LATENCY = 4
"""Cycles of the converter's multiplier: operands, blocks, and two in the adder tree."""

FROM_SCALED, FROM_ALPHA, FROM_KAPPA = range(3)
"""Sources of the factor of the converter's multiplier."""


def to_residues_schedule(plan: ToResidues) -> Schedule:
    """Schedule of 2K + 2 cycles to the residues of two operands of K digits: x in odd cycles, y in even ones; 2K + 1
    for one operand.

    The step `residues` is the cycle in which they can be read.
    """
    names = "xy"[: plan.operands]
    steps = [Step("load", "operand registers", 0, 1, 1)]
    for digit in range(plan.digits):
        for turn, name in enumerate(names):
            at = 1 + 2 * digit + turn
            control = {f"digit_{name}": 1, "index": plan.digits - 1 - digit} | ({"first": 1} if digit == 0 else {})
            steps.append(Step(f"{name}{digit}·u+d", "conversion adder", at, 1, 1, control, ("load",)))
            steps.append(Step(f"<{name}{digit}>", "conversion fold", at + 1, 1, 1, after=(f"{name}{digit}·u+d",)))
    end = 2 * plan.digits + 1
    if plan.operands == 2:
        steps.append(Step("hold x", "residue registers", end, 1, 1, {"hold": 1}, (f"<x{plan.digits - 1}>",)))
        end += 1
    last = f"<{names[-1]}{plan.digits - 1}>"
    steps.append(Step("residues", "residues", end, 1, 1, {"finish": 1}, (last,)))
    # With one operand the digits leave every other cycle free, but not for another operation's odd cycles.
    return Schedule(tuple(steps), end + 1, "2K + 3" if plan.operands == 2 else "2K + 2", 2 * plan.digits)


def from_residues_schedule(plan: FromResidues) -> Schedule:
    """Schedule of rows of products: T's digits of κ, then the digits of the result, least first.

    The step `binary` is the cycle in which the result can be read.
    """
    n_rows = plan.kappa_rows + plan.rows
    steps = []
    cycle = 1
    address = 0
    for row in range(n_rows):
        main = row >= plan.kappa_rows
        slots = plan.base.count + (2 if main else 1)
        if row == plan.kappa_rows:  # κ must be there for the last product of the first main row
            cycle += max(0, PRODUCT_LATENCY - plan.base.count)
        for slot in range(slots):
            source = max(0, slot - plan.base.count + 1)
            control = {"address": address, "source": source, "multiply": 1}
            if row == 0 and source == FROM_SCALED:
                control |= {"sum_alpha": 1, "first_alpha": int(slot == 0)}
            steps.append(Step(f"r{row}·{slot}", "converter multiplier", cycle, 1, PRODUCT_LATENCY, control))
            mark = {"accumulate": 1} | ({"begin": 1} if slot == 0 else {})
            mark |= {"fresh": 1} if slot == 0 and row in (0, plan.kappa_rows) else {}
            at = cycle + PRODUCT_LATENCY
            steps.append(Step(f"s{row}·{slot}", "converter accumulator", at, 1, 1, mark, (f"r{row}·{slot}",)))
            cycle += 1
            address += 1
        end = cycle + PRODUCT_LATENCY
        if row == plan.kappa_rows - 1:
            steps.append(Step("κ'", "κ register", end, 1, 1, {"keep_kappa": 1}, (f"s{row}·{slots - 1}",)))
        elif main:
            k = row - plan.kappa_rows
            control = {"emit": 1, "row": k} | ({"emit_first": 1} if k == 0 else {})
            steps.append(Step(f"digit {k}", "result registers", end, 1, 1, control, (f"s{row}·{slots - 1}",)))
    # The ξ turn until α's and κ's products, the last two; the next ones may be loaded in the cycle before those.
    steps.append(Step("load ξ", "ξ registers", 0, cycle - 3, 1))
    steps.append(Step("binary", "binary", end + 1, 1, 1, {"finish": 1}, (f"digit {plan.rows - 1}",)))
    return Schedule(tuple(steps), end + 2, "t(N+1) + R(N+2) + 7")


def make_schedule(p: M | ConvertedParameters[M], inner_schedule: Callable[[M], Schedule]) -> Schedule:
    """Schedule of a multiplier, with its converters where there are some."""
    if not isinstance(p, ConvertedParameters):
        return inner_schedule(p)
    inner = inner_schedule(p.inner)
    conversion, out = to_residues_schedule(p.to_residues), from_residues_schedule(p.from_residues)
    readable = conversion.step("residues").start
    # each starts in the cycle in which the one before is done; a multiplier is done in the one before its latency
    start = readable if p.binary else 0
    begin = start + inner.latency - 1
    done = begin + out.step("binary").start
    chained = [("multiply", inner, start), ("out", out, begin)]
    if p.binary:
        chained = [("in", conversion, 0), *chained]
    else:
        chained.append(("back", conversion, done))
        done += readable
    return chain(chained, done + 1, f"{inner.formula}, and the converters")
