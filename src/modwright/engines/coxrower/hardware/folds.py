# SPDX-License-Identifier: Apache-2.0
"""Multiples by one of some constants, and the reduction of a rower, which folds modulo any of its moduli."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value

from ....contract import BuiltFold
from ....rns import Fold, signed_digits
from ....rtl.pipeline import delayed
from ..arithmetic import SumReduction
from ..obligations import FOLD, LAST_FOLD


def choose(select: Value, options: Sequence[Value]) -> Value:
    """One of the values."""
    if len(options) <= 2:
        return options[0] if len(options) == 1 else Mux(select, options[1], options[0])
    return Array(options)[select]


def padded(value: Value, width: int) -> Value:
    """The value as `width` bits."""
    return Cat(value, Const(0, max(0, width - len(value))))[:width]


def multiple(value: Value, us: Sequence[int], select: Value, width: int) -> tuple[list[Value], list[int]]:
    """Terms of value·u for the chosen u, modulo 2^width.

    Returns
    -------
    list of Value
        Terms of `width` bits, one for each signed digit of the longer u; a negative one is complemented.
    list of int
        For each u, the number that still has to be added: that of its negative digits.
    """
    digits = [signed_digits(u) for u in us]
    terms = []
    for k in range(max(len(d) for d in digits)):
        options: list[Value] = []
        for d in digits:
            sign, power = d[k] if k < len(d) else (1, width)
            shifted = padded(Cat(Const(0, power), value), width)
            options.append(shifted if sign > 0 else ~shifted)
        terms.append(choose(select, options))
    return terms, [sum(sign < 0 for sign, _ in d) for d in digits]


def constants(values: Sequence[int], select: Value, width: int) -> Value:
    """One of the constants, modulo 2^width."""
    return choose(select, [Const(value % (1 << width), width) for value in values])


def total(m: Module, terms: Sequence[Value], width: int, name: str) -> Signal:
    """The sum of terms modulo 2^width."""
    result = Signal(width, name=name)
    m.d.comb += result.eq(sum(terms[1:], terms[0]))
    return result


def fold(m: Module, steps: Sequence[Fold], select: Value, x: Value, name: str, plus: Sequence[int] = ()) -> Signal:
    """Fold (x mod 2^w) + (x >> w)·u by the chosen fold's u, plus a constant of each fold where `plus` has one."""
    w = steps[0].width
    more = plus or [0] * len(steps)
    width = max(step.result + c for step, c in zip(steps, more, strict=True)).bit_length()
    terms, fill = multiple(x[w:], [step.u for step in steps], select, width)
    fixed = [c + missing for c, missing in zip(more, fill, strict=True)]
    every = [padded(x[:w], width), *terms]
    if any(fixed):
        every.append(constants(fixed, select, width))
    return total(m, every, width, name)


def reduce(
    m: Module,
    plans: Sequence[SumReduction],
    stages: int,
    x: Value,
    select: Value,
    addend: Value,
    prefix: str,
    *,
    cut: bool = False,
    halves: bool = False,
) -> Signal:
    """The reduction of a sum, a register behind each stage but the last.

    Parameters
    ----------
    plans : sequence of SumReduction
        One for each modulus of the rower.
    stages : int
        Number of stages; at least those of every plan.
    x : Value
        The sum.
    select : Value
        Index of the plan, in the cycle of the sum.
    addend : Value
        Addend of the first fold.
    cut : bool
        Whether the last stage has a register within it, behind the multiple of u.
    halves : bool
        Whether the first stage has registers within it, behind the multiple of u and behind the sum of the rest.

    Returns
    -------
    Signal
        The representative, w bits, `stages` - 1 cycles after the sum, and one more for each stage with registers in it.
    """
    value: Value = _first(m, plans, x, select, addend, f"{prefix}_0", int(halves))
    select = delayed(m, select, int(halves), f"{prefix}_base_0")
    bounds = [plan.first.result for plan in plans]
    for stage in range(1, stages):
        value, select = delayed(m, value, 1, f"{prefix}_held_{stage}"), delayed(m, select, 1, f"{prefix}_base_{stage}")
        steps = [Fold(plan.first.width, plan.first.u, bound) for plan, bound in zip(plans, bounds, strict=True)]
        name = f"{prefix}_{stage}"
        if stage == stages - 1:
            value = _last(m, steps, select, value, name, int(cut))
        else:
            value = fold(m, steps, select, value, name)
        bounds = [step.result for step in steps]
    result = Signal(plans[0].first.width, name=f"{prefix}_result")
    m.d.comb += result.eq(value)
    return result


def build(owed: BuiltFold) -> Callable[[Module, Value, str], Value]:
    """Builder of the hardware of an obligation: (module, x, name) to its result."""
    steps = [Fold(owed.width, u, bound) for u, bound in owed.folds]
    select = Const(owed.chosen, max(1, (len(steps) - 1).bit_length()))
    make = {FOLD: fold, LAST_FOLD: _last}[owed.hardware]
    return lambda m, x, name: make(m, steps, select, x, name)


def _first(
    m: Module,
    plans: Sequence[SumReduction],
    x: Value,
    select: Value,
    addend: Value,
    name: str,
    registers: int = 0,
) -> Signal:
    """The first fold: the bits above 2w from a table, which includes the corrections of complemented terms.

    With a register, the multiple of u and the sum of the rest are made in one cycle, and added in the next one.
    """
    w = plans[0].first.width
    width = max(plan.first.result for plan in plans).bit_length()
    terms, fill = multiple(x[w : 2 * w], [plan.first.u for plan in plans], select, width)
    top = x[2 * w :]
    tables = []
    for plan, missing in zip(plans, fill, strict=True):
        known = [(entry + missing) % (1 << width) for entry in plan.first.table]
        rows = [Const(entry, width) for entry in known + [0] * ((1 << len(top)) - len(known))]
        tables.append(Array(rows)[top] if len(top) else rows[0])
    rest = [padded(x[:w], width), choose(select, tables), padded(addend, width)]
    if not registers:
        return total(m, [rest[0], *terms, *rest[1:]], width, name)
    parts = [total(m, terms, width, f"{name}_multiple"), total(m, rest, width, f"{name}_rest")]
    names = (f"{name}_multiple_held", f"{name}_rest_held")
    return total(m, [delayed(m, part, registers, held) for part, held in zip(parts, names, strict=True)], width, name)


def _last(m: Module, steps: Sequence[Fold], select: Value, x: Value, name: str, registers: int = 0) -> Signal:
    """The last fold, y ≤ 2^(w+1) - u - 1 and a fold of y: y and y + u in parallel, and a choice.

    Both share the multiple of u, which is narrow here; the sum of the low bits comes after it, `registers` later.
    """
    w = steps[0].width
    us = [step.u for step in steps]
    width = max(step.result + step.u for step in steps).bit_length()
    terms, fill = multiple(x[w:], us, select, width)
    bits = max((step.bound >> w) * step.u for step in steps).bit_length()
    more = [constants(fill, select, width)] if any(fill) else []
    added: Value = total(m, [*terms, *more], max(1, min(bits, width)), f"{name}_multiple")
    low = padded(delayed(m, x[:w], registers, f"{name}_low"), width)
    added = delayed(m, added, registers, f"{name}_multiple_held")
    select = delayed(m, select, registers, f"{name}_base")
    y = total(m, [low, added], width, f"{name}_folded")
    shifted = total(m, [low, added, constants(us, select, width)], width, f"{name}_shifted")
    result = Signal(w, name=name)
    m.d.comb += result.eq(Mux(y[w:].any(), shifted, y) if width > w else y)
    return result
