# SPDX-License-Identifier: Apache-2.0
"""A field in residues: its bases, and the cox that rounds for numbers of both signs."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from modwright.engines.rowers.model import ResidueField
from modwright.engines.rowers.parameters import BELOW, LIFTED, RowerField
from modwright.engines.rowers.program import parse

from .directed import Directed, derived, directed

TRIES = 300
SUM = parse("z = x * y - y * y + x * #3 - x * x")[0]


def field(modulus: int, **options: Any) -> RowerField:
    """A field with moduli of 8 bits, where no other width is given."""
    return derived("ecpm/rns-ladder", modulus, **{"width": 8, **options}).rowers


def sum_wrong(p: RowerField) -> str | None:
    """A sum of products in another class, or not one integer in both bases; or constants that do not exist."""
    drawn, P = random.Random(3), p.modulus
    try:
        model, three = ResidueField(p), p.constants["3"]
        for _ in range(TRIES):
            x, y = drawn.randrange(P), drawn.randrange(P)
            model.load("x", x)
            model.load("y", y)
            model.run(SUM, {})
            if (model.number("z") * p.A.product - (x * y - y * y + x * three - x * x)) % P:
                return f"the sum of {x} and {y} is in another class"
    except ValueError as error:
        return str(error)
    return None


@directed("ladder", "coprime")
def coprime(_: str) -> Directed:
    """A prime that is the first modulus of A."""
    good = field(13)
    return Directed(good, replace(good, modulus=good.A.moduli[0]), sum_wrong)


@directed("ladder", "bases")
def bases(_: str) -> Directed:
    """One base twice: A has no inverse modulo B."""
    good = field(13)
    same = replace(good, first=replace(good.first, target=good.A), second=replace(good.second, source=good.A))
    return Directed(good, same, sum_wrong)


def rounding_wrong(p: RowerField) -> str | None:
    """A number from the least one up, or from the largest one down, whose multiple of B the cox has wrong."""
    drawn, second, B = random.Random(6), p.second, p.B
    least, above = -int(BELOW * p.modulus), LIFTED * p.modulus
    for value in range(least, above + 1):
        canonical = zip(B.to_residues(value), B.inverses, B.moduli, strict=True)
        hats = [
            hat + m if hat + m <= p.word and drawn.randrange(2) else hat
            for hat, m in ((r * t % m, m) for r, t, m in canonical)
        ]
        q = (sum(hat * c for hat, c in zip(hats, B.cofactors, strict=True)) - value) // B.product
        if second.estimate(hats) != q:
            return f"q = {second.estimate(hats)} instead of {q} for {value}"
    return None


@directed("ladder", "cox2-low")
def second_low(_: str) -> Directed:
    """The cox of the second extension starts a unit lower."""
    good = field(1009)
    second = good.second
    return Directed(good, replace(good, second=replace(second, offset=second.offset - 1)), rounding_wrong)


@directed("ladder", "cox2-high")
def second_high(_: str) -> Directed:
    """The largest start of that cox, with nothing cut off, and a unit higher."""
    rough = field(101, t=8)
    second = rough.second
    most = (1 << second.f) - 1 - (LIFTED * rough.modulus << second.f) // rough.B.product
    good, broken = (replace(rough, second=replace(second, offset=offset)) for offset in (most, most + 1))
    return Directed(good, broken, rounding_wrong)
