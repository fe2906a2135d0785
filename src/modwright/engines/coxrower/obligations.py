# SPDX-License-Identifier: Apache-2.0
"""Obligations for the folds of rowers, which choose among the moduli of a rower."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...contract import BuiltFold
from ...rns import Fold
from .arithmetic import SumReduction
from .engine import CoxrowerEngine

FOLD, LAST_FOLD = "cox-rower: fold", "cox-rower: last fold"
"""Kinds of hardware, built by `folds.build`."""


def rower_folds(plans: Sequence[SumReduction], cycles: int) -> Iterator[BuiltFold]:
    """Obligations of `folds.reduce`, but for its first fold: one for each later fold and modulus."""
    word = (1 << plans[0].first.width) - 1
    bounds = [plan.first.result for plan in plans]
    for stage in range(1, cycles):
        steps = [Fold(plan.first.width, plan.first.u, bound) for plan, bound in zip(plans, bounds, strict=True)]
        last = stage == cycles - 1
        for index, step in enumerate(steps):
            most = min(step.result, word) if last else step.result
            yield _owed(LAST_FOLD if last else FOLD, steps, index, most)
        bounds = [step.result for step in steps]


def bus_folds(engine: CoxrowerEngine, rower: int) -> Iterator[BuiltFold]:
    """Obligations of the hardware between the bus's rows and operands; none for KBE."""
    if engine.columns == 1:
        return
    units = [unit.stages(engine.bus_folds) for unit in engine.bus_operands(rower)]
    for number, count in enumerate(engine.bus_folds):
        for steps in zip(*(stages[number].folded(count) for stages in units), strict=True):
            for index, step in enumerate(steps):
                yield _owed(FOLD, steps, index, step.result)


def built_folds(engine: CoxrowerEngine) -> tuple[BuiltFold, ...]:
    """Every fold of a cox-rower but the first ones of sums."""
    every = range(engine.rowers)
    return tuple(fold for k in every for fold in (*rower_folds(engine.plans(k), engine.folds), *bus_folds(engine, k)))


def _owed(hardware: str, steps: Sequence[Fold], chosen: int, most: int) -> BuiltFold:
    step, folds = steps[chosen], tuple((step.u, step.bound) for step in steps)
    return BuiltFold(step.width, step.u, step.bound, most, hardware, folds, chosen)
