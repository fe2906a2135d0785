# SPDX-License-Identifier: Apache-2.0
"""Folding reduction in hardware: one function for a fold, one for the last conditional subtraction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ..plan.pipeline import LOOKUP, adder
from ..rns.folding import Fold, FoldPlan, signed_digits


def fold(m: Module, step: Fold, x: Value, name: str, addend: Value | None = None, addend_bound: int = 0) -> Signal:
    """(x mod 2^w) + (x >> w)·u [+ addend]: shifts and adds, one term a signed digit of u.

    Parameters
    ----------
    step : Fold
        x ≤ step.bound.
    x : Value
        At least as wide as the bound.
    name : str
        Of the result signal.
    addend, addend_bound : Value, int
        A further summand and its largest value.

    Returns
    -------
    Signal
        In [0, step.result + addend_bound], just wide enough.
    """
    width = (step.result + addend_bound).bit_length()
    total: Value = x[: step.width]
    high = x[step.width : max(step.bound.bit_length(), step.width)]
    if len(high):
        total = total + times(high, step.u)
    if addend is not None:
        total = total + addend
    result = Signal(max(width, 1), name=name)
    m.d.comb += result.eq(total)
    return result


def times(value: Value, u: int) -> Value:
    """value·u for a constant u ≥ 0: shifts and adds, one term a signed digit."""
    total: Value = Const(0)
    for sign, power in signed_digits(u):
        term = Cat(Const(0, power), value)
        total = total + term if sign > 0 else total - term
    return total


def fold_delay(step: Fold, extra: int = 0) -> float:
    """Estimated delay of a fold in ns, for balancing."""
    return adder(step.width, 1 + len(signed_digits(step.u)) + extra)


def canonical(m: Module, width: int, u: int, x: Value, name: str) -> Signal:
    """x modulo 2^width - u for x < 2·(2^width - u): at most one subtraction, done as an addition of u.

    x ≥ 2^w - u exactly when x + u reaches bit w, and then x - (2^w - u) is x + u without that bit.
    """
    result = Signal(width, name=name)
    shifted = Signal(width + 1, name=f"{name}_shifted")  # < 2·2^w - u
    m.d.comb += [shifted.eq(x + u), result.eq(Mux(shifted[width], shifted, x))]
    return result


def last_fold(m: Module, step: Fold, x: Value, name: str, *, canonical_result: bool) -> Signal:
    """A fold y ≤ 2^(w+1) - u - 1 of x, and what still has to follow, with one carry chain and a choice.

    y and y + u are made side by side. For a canonical result (y < 2·(2^w - u)), y + u is right when it reaches bit w;
    for any representative, when y does: then a fold of y would add u to its low bits.
    """
    result = Signal(step.width, name=name)
    y = fold(m, step, x, f"{name}_folded")
    shifted = fold(m, step, x, f"{name}_shifted", Const(step.u), step.u)
    carry = (shifted if canonical_result else y)[step.width :]
    m.d.comb += result.eq(Mux(carry.any(), shifted, y) if len(carry) else y)
    return result


@dataclass(frozen=True)
class Stage:
    """A stretch of logic between two places for a register.

    Parameters
    ----------
    delay : float
        Estimated, in ns.
    apply : callable
        (module, value, name) to the stage's value.
    """

    delay: float
    apply: Callable[[Module, Value, str], Value]


def reduction(plan: FoldPlan, *, canonical_result: bool) -> list[Stage]:
    """The stages of a plan: x ≤ plan.bound to its representative `plan.apply(x)`, or to `plan.canonical(x)`."""
    folds = list(plan.folds)
    end: list[Stage] = []
    if not folds:
        return [_subtraction(plan)] if canonical_result and plan.bound >= plan.modulus else []
    limit = 2 * plan.modulus if canonical_result else (2 << plan.width) - plan.u
    before = [n for n, step in enumerate(folds) if step.result < limit]
    if before and before[0] < len(folds) - (0 if canonical_result else 1):
        last = folds[before[0]]
        folds = folds[: before[0]]
        end = [_ending(last, canonical_result)]
    elif canonical_result:
        end = [_subtraction(plan)]
    return [*(_folding(step) for step in folds), *end]


def _folding(step: Fold) -> Stage:
    return Stage(fold_delay(step), lambda m, value, name: fold(m, step, value, name))


def _ending(step: Fold, canonical_result: bool) -> Stage:
    def apply(m: Module, value: Value, name: str) -> Value:
        return last_fold(m, step, value, name, canonical_result=canonical_result)

    return Stage(fold_delay(step, 1) + LOOKUP, apply)


def _subtraction(plan: FoldPlan) -> Stage:
    def apply(m: Module, value: Value, name: str) -> Value:
        return canonical(m, plan.width, plan.u, value, name)

    return Stage(adder(plan.width) + LOOKUP, apply)


def modular_sum(m: Module, width: int, u: int, a: Value, b: Value, name: str) -> Signal:
    """a + b modulo 2^width - u for canonical a and b.

    The sum and the sum plus u are made side by side, so the delay is one carry chain and a choice: a + b ≥ 2^w - u
    exactly when a + b + u reaches bit w.
    """
    result = Signal(width, name=name)
    total = Signal(width + 1, name=f"{name}_total")
    shifted = Signal(width + 1, name=f"{name}_shifted")
    m.d.comb += [
        total.eq(a + b),
        shifted.eq(a + b + u),  # < 2·2^w - u
        result.eq(Mux(shifted[width], shifted, total)),
    ]
    return result
