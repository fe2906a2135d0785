# SPDX-License-Identifier: Apache-2.0
"""Interleaved multiplication and modular addition: sums of a bit less, a subtraction less."""

from __future__ import annotations

from collections.abc import Iterator

from modwright.cores.modadd.carry.model import added
from modwright.cores.modadd.carry.parameters import AdderParameters
from modwright.cores.modmul.blakley.model import steps
from modwright.cores.modmul.blakley.parameters import BlakleyParameters

from .directed import Directed, altered, derived, directed


def operands(p: BlakleyParameters | AdderParameters) -> Iterator[tuple[int, int]]:
    """All pairs below p."""
    return ((x, y) for x in range(p.modulus) for y in range(p.modulus))


def product_wrong(p: BlakleyParameters) -> str | None:
    """A sum that loses a bit, an s that is not below p, or another product."""
    for x, y in operands(p):
        found = steps(p, x, y)
        for total, s in found:
            if total >> p.sum_width or s >= p.modulus:
                return f"{x}·{y}: {total} in {p.sum_width} bits leaves {s} modulo {p.modulus}"
        if found[-1][1] != x * y % p.modulus:
            return f"{x}·{y} is not {found[-1][1]} modulo {p.modulus}"
    return None


def sum_wrong(p: AdderParameters) -> str | None:
    """A sum that loses a bit, or another result."""
    for x, y in operands(p):
        if (x + y) >> p.sum_width or added(p, x, y) != (x + y) % p.modulus:
            return f"{x} + {y} in {p.sum_width} bits modulo {p.modulus}: {added(p, x, y)}"
    return None


@directed("blakley", "sum")
def product_sum(_: str) -> Directed:
    """A bit less for 2s + x_i·y."""
    good = derived("modmul/blakley", 61)
    return Directed(good, altered(good, sum_width=good.sum_width - 1), product_wrong)


@directed("blakley", "subtractions")
def product_subtractions(_: str) -> Directed:
    """p is subtracted once at most."""
    good = derived("modmul/blakley", 61)
    return Directed(good, altered(good, subtractions=good.subtractions - 1), product_wrong)


@directed("carry", "sum")
def sum_bits(_: str) -> Directed:
    """A bit less for x + y."""
    good = derived("modadd/carry", 61)
    return Directed(good, altered(good, sum_width=good.sum_width - 1), sum_wrong)


@directed("carry", "subtractions")
def sum_subtractions(_: str) -> Directed:
    """p is not subtracted."""
    good = derived("modadd/carry", 61)
    return Directed(good, altered(good, subtractions=good.subtractions - 1), sum_wrong)
