# SPDX-License-Identifier: Apache-2.0
"""Columns of a sum of two products, of programs on limbs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from modwright.cores.modmul.limb_columns.model import columns
from modwright.engines.ladder.dataflow import SUM
from modwright.engines.word.parameters import WordParameters
from modwright.engines.word.rows import FACTORS

from .directed import Directed, altered, derived, directed


def small(n: int, digit: int, digits: int) -> WordParameters:
    """Columns for moduli of n bits."""
    return derived("ecpm/word-ladder", (1 << n) - 1, bits=n, digit=digit, digits=digits).words


def operands(p: WordParameters) -> Iterator[dict[str, int]]:
    """Operands near the largest of their limbs, with any constants."""
    drawn, m = random.Random(1), (1 << p.n) - 1
    for _ in range(400):
        near = {name: (1 << p.T) - 1 - drawn.randrange(8) for name in ("x", "y", "x2", "y2")}
        yield {**near, "m": m, "q": (1 << p.w) - 1 - drawn.randrange(4), "mu": m - drawn.randrange(4)}


def digit_wrong(p: WordParameters) -> str | None:
    """A digit of a column that has more bits than its register, or a carry that has."""
    for values in operands(p):
        for state in columns(p, values, FACTORS[SUM]):
            if max(state.digits) >> p.digit_bits or state.carry >> p.carry_bits:
                return f"digits {state.digits} and a carry of {state.carry}, for {values}"
    return None


@directed("word", "digit")
def digit(_: str) -> Directed:
    """A bit less of each digit."""
    good = small(5, 2, 3)
    return Directed(good, replace(good, digit_bits=good.digit_bits - 1), digit_wrong)


@directed("word", "carry")
def carry(_: str) -> Directed:
    """A bit less of the carry."""
    good = small(13, 2, 2)
    return Directed(good, replace(good, carry_bits=good.carry_bits - 1), digit_wrong)


@directed("word", "sum")
def sums(_: str) -> Directed:
    """A bit less of the sums of products of digits."""
    good = small(13, 2, 3)

    def wrong(p: WordParameters) -> str | None:
        most = p.D * ((1 << p.b) - 1) ** 2  # of two limbs of ones, in the middle
        return f"{most} in {p.sum_bits} bits" if most >> p.sum_bits else None

    return Directed(good, altered(good, sum_bits=good.sum_bits - 1), wrong)
