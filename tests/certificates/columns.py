# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication on limbs in redundant digits."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from modwright.cores.modmul.limb_columns.model import columns, result
from modwright.cores.modmul.limb_columns.parameters import LimbColumnParameters
from modwright.engines.columns.parameters import DOMAIN

from .directed import Directed, altered, derived, directed

CORE = "modmul/limb-columns"


@cache
def small(n: int, digit: int, digits: int) -> LimbColumnParameters:
    """A multiplier for moduli of n bits."""
    return derived(CORE, (1 << n) - 1, bits=n, digit=digit, digits=digits)


def chain_wrong(p: LimbColumnParameters) -> str | None:
    """A result of the largest operands that is no operand."""
    for m in range((1 << (p.n - 1)) + 1, 1 << p.n, 2):
        top = DOMAIN * m - 1
        values = {"x": top, "y": top, "m": m, "q": -pow(m, -1, 1 << p.w) % (1 << p.w), "mu": pow(2, -p.w, m)}
        if (z := result(p, values)) >= DOMAIN * m:
            return f"{top}² modulo {m} came out as {z}"
    return None


@directed("limb_columns", "chain")
def chain(_: str) -> Directed:
    """A bit more of the modulus on the same limbs."""
    good = small(5, 2, 2)
    return Directed(good, replace(good, n=good.n + 1), chain_wrong)


def payloads(p: LimbColumnParameters) -> Iterator[dict[str, int]]:
    """Operands near their ends, with any constants: the hardware does not compare them with the modulus."""
    drawn, m = random.Random(1), (1 << p.n) - 1
    for _ in range(800):
        x, y = (DOMAIN * m - 1 - drawn.randrange(DOMAIN * m if drawn.randrange(2) else 8) for _ in range(2))
        yield {"x": x, "y": y, "m": m, "q": (1 << p.w) - 1 - drawn.randrange(4), "mu": m - drawn.randrange(4)}


def digit_wrong(p: LimbColumnParameters) -> str | None:
    """A digit of a column that has more bits than its register, or a carry that has."""
    for values in payloads(p):
        for state in columns(p, values):
            if max(state.digits) >> p.digit_bits or state.carry >> p.carry_bits:
                return f"digits {state.digits} and a carry of {state.carry}, for {values}"
    return None


@directed("limb_columns", "digit")
def digit(_: str) -> Directed:
    """A bit less of each digit."""
    good = small(11, 4, 2)
    return Directed(good, replace(good, digit_bits=good.digit_bits - 1), digit_wrong)


@directed("limb_columns", "carry")
def carry(_: str) -> Directed:
    """A bit less of the carry."""
    good = small(13, 2, 2)
    return Directed(good, replace(good, carry_bits=good.carry_bits - 1), digit_wrong)


@directed("limb_columns", "sum")
def sums(_: str) -> Directed:
    """A bit less of the sums of products of digits."""
    good = small(13, 2, 3)

    def wrong(p: LimbColumnParameters) -> str | None:
        ones = [(1 << p.b) - 1] * p.D
        for e in range(2 * p.D - 1):
            total = sum(ones[i] * ones[e - i] for i in p.diagonals(e))
            if total >> p.sum_bits:
                return f"E_{e} = {total} of limbs of ones in {p.sum_bits} bits"
        return None

    return Directed(good, altered(good, sum_bits=good.sum_bits - 1), wrong)
