# SPDX-License-Identifier: Apache-2.0
"""Multipliers of x-coordinates modulo 2^n - c: digits of products, and of sums and differences of them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from modwright.cores.xmul.pseudo_mersenne.model.digits import Digits
from modwright.cores.xmul.pseudo_mersenne.parameters import PseudoMersenneParameters

from .directed import Directed, derived, directed

FAMILY = "pseudo_mersenne"
DRAWN = 400
PASSES = ("bias", "bias-above", "operand")


def product_wrong(p: PseudoMersenneParameters) -> str | None:
    """A product of sums and differences of products that is in another class than it has to be."""
    digits, rng = Digits(p), Random(1)
    values = [digits.split(value) for value in (0, 1, (1 << p.n) - 1)]
    for _ in range(DRAWN):
        x, y, a, b = (rng.choice(values) for _ in range(4))
        found = digits.multiply(digits.subtract(x, y), digits.unpack(digits.add(a, b)))
        expected = (digits.value(x) - digits.value(y)) * (digits.value(a) + digits.value(b))
        if (digits.value(found) - expected) % p.modulus:
            return f"({digits.unpack(x)} - {digits.unpack(y)})·({digits.unpack(a)} + {digits.unpack(b)})"
        values = [*values[-6:], found]
    return None


@directed(FAMILY, *PASSES)
def carries(name: str) -> Directed:
    """A pass less: carries are left in the digits."""
    good = derived("xmul/pseudo-mersenne-ladder", 8191, width=5)
    return Directed(good, replace(good, passes=good.passes - 1), product_wrong, frozenset(PASSES) - {name})
