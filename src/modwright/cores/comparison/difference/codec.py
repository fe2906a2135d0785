# SPDX-License-Identifier: Apache-2.0
"""Codec and edge cases of comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ....contract import PayloadValue
from ....contract.codec import FieldCodec
from ....contract.operands import one_in
from ....rns import mixed_radix
from .parameters import ComparisonParameters

NEAR = 4
"""One drawn pair in so many is of equal numbers, and as many differ by the weight of a digit."""


class ComparisonCodec(FieldCodec):
    """Codec of a core: two numbers in residues, and two bits."""

    def __init__(self, p: ComparisonParameters) -> None:
        super().__init__(p, lambda _: comparison_edges(p))
        self.p = p

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """The two bits; nothing is reported."""
        return {"less": payload["less"], "equal": payload["equal"], "error": None}

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any representatives of operands below the modulus, often of equal ones, and of ones next to each other in
        one digit."""
        drawn = super().draw(rng, case)
        x, limit = self.operands["x"].read(drawn["x"]), self.p.modulus
        if one_in(rng, NEAR):
            near = x
        elif one_in(rng, NEAR):
            near = (x + rng.choice((-1, 1)) * rng.choice(mixed_radix.weights(self.p.A))) % limit
        else:
            return drawn
        return {**drawn, "y": self.operands["y"].represent(rng, near, limit)}


def comparison_edges(p: ComparisonParameters) -> dict[str, dict[str, int]]:
    """Numbers that differ by 1 and by the weight of each digit, at both ends of the range, in both orders; differences
    with one digit alone at its largest."""
    most, cases = p.modulus - 1, dict[str, tuple[int, int]]()
    for k, (weight, modulus) in enumerate(zip(mixed_radix.weights(p.A), p.A.moduli, strict=True), 1):
        near = {"1": weight, "largest": weight * (modulus - 1), "last": weight * (most // weight)}
        for name, difference in near.items():
            cases[f"v_{k} {name}"] = (difference, 0)
            cases[f"v_{k} {name} below"] = (most - difference, most)
    every = {name: pair for name, pair in cases.items() if all(0 <= x <= most for x in pair)}
    return {name: {"x": x, "y": y} for name, (x, y) in every.items()}
