# SPDX-License-Identifier: Apache-2.0
"""A constant multiple as a sum of shifted numbers, with a register behind each level."""

from __future__ import annotations

from amaranth.hdl import Const, Module, Signal, Value

from ..plan.fold import group_of, terms_of

Ranged = tuple[Value, int, int]
"""A value, its least and its largest number."""


def multiple(m: Module, value: Value, factor: int, levels: int, name: str, *, also: Value | None = None) -> Value:
    """factor·value + also, `levels` cycles later; never negative, in the bits of the largest number.

    Parameters
    ----------
    m : Module
    value : Value
    factor : int
    levels : int
        Levels of sums, each with a register behind it.
    name : str
        Name of the registers.
    also : Value, optional
        A number that is added.
    """
    most = (1 << len(value)) - 1
    terms: list[Ranged] = []
    for sign, at in terms_of(factor):
        shifted = value << at
        terms.append((shifted, 0, most << at) if sign > 0 else (-shifted, -(most << at), 0))
    largest = factor * most
    if also is not None:
        terms.append((also, 0, (1 << len(also)) - 1))
        largest += (1 << len(also)) - 1
    size = group_of(len(terms), levels)
    for level in range(levels):
        groups = [terms[low : low + size] for low in range(0, len(terms), size)]
        terms = [_sum(m, group, f"{name}_{level}_{at}") for at, group in enumerate(groups)]
    ((total, _, _),) = terms
    return total[: largest.bit_length()]


def _sum(m: Module, group: list[Ranged], name: str) -> Ranged:
    """Register of a sum."""
    least, most = sum(low for _, low, _ in group), sum(high for _, _, high in group)
    total = Signal(range(least, most + 1), name=name, reset_less=True)
    m.d.sync += total.eq(sum((value for value, _, _ in group), Const(0, 1)))
    return total, least, most
