# SPDX-License-Identifier: Apache-2.0
"""Codec and edge cases of extensions by mixed radix digits, which report an operand that is not below the modulus."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ....contract import PayloadValue
from ....contract.codec import FieldCodec
from ....contract.number import Number
from ....contract.operands import one_in
from ....rns import mixed_radix
from .parameters import MixedRadixParameters


class MixedRadixCodec(FieldCodec):
    """Codec of a core: an integer from 0 to A - 1 in A, and the same in B where it is below the modulus."""

    def __init__(self, p: MixedRadixParameters) -> None:
        super().__init__(p, lambda _: mixed_radix_edges(p))
        self.p = p

    def _check_operand(self, number: Number, x: int, m: int) -> None:
        """Every integer that residues in A hold is an operand."""
        if not 0 <= x < self.p.A.product:
            raise ValueError(f"{number.name} = {x:#x} is not in [0, {self.p.A.product:#x})")

    def edges(self) -> dict[str, dict[str, int]]:
        """The edges that residues in A hold."""
        return {name: case for name, case in super().edges().items() if case["x"] < self.p.A.product}

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Operands below the modulus, and one time in four any residues."""
        if one_in(rng, 4):
            return {"x": tuple(rng.randrange(1 << self.p.width) for _ in range(self.p.n))}
        return super().draw(rng, case)


def mixed_radix_edges(p: MixedRadixParameters) -> dict[str, dict[str, int]]:
    """Numbers around the modulus and the ends of the range; each digit alone at its largest, and one from the
    modulus's."""
    a = p.A.product
    cases = {f"p{d:+}": p.modulus + d for d in (-2, -1, 0, 1)} | {"A-1": a - 1, "A/2": a // 2}
    for k, (weight, modulus) in enumerate(zip(mixed_radix.weights(p.A), p.A.moduli, strict=True), 1):
        cases |= {f"largest v_{k}": weight * (modulus - 1)}
        cases |= {f"p{sign:+}·a_1..a_{k - 1}": p.modulus + sign * weight for sign in (-1, 1)}
    return {name: {"x": x} for name, x in cases.items() if 0 <= x < a}
