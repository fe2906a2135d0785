# SPDX-License-Identifier: Apache-2.0
"""Conversion between plain values and operands of a processor; the operation decides which operands are read."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from random import Random

from ....contract import PayloadValue
from ....contract.codec import FieldCodec
from ....contract.operands import Reading, factor_of, one_in
from ....contract.roles import Errors
from ....functions.rns import INVERSION, PRODUCT
from .parameters import ProcessorParameters


class ProcessorCodec(FieldCodec):
    """Codec of products and inversions; without inversion there is no field for the operation."""

    def __init__(self, p: ProcessorParameters) -> None:
        super().__init__(p)
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of both operands, and the operation."""
        op = case["op"]
        if op not in ((PRODUCT, INVERSION) if self.p.kind else (PRODUCT,)):
            raise ValueError(f"no operation {op} of {'a processor' if self.p.kind else 'inversion=none'}")
        return self._with(op, super().encode(case))

    def _with(self, op: int, operands: Mapping[str, PayloadValue]) -> dict[str, PayloadValue]:
        return {"op": op, **operands} if self.p.kind else dict(operands)

    def fit(self, case: Mapping[str, int]) -> dict[str, int]:
        """The same numbers as a product, without inversion."""
        return dict(case) if self.p.kind else {**case, "op": PRODUCT}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Operands below λP, as integers modulo P; y of an inversion is ignored."""
        op = payload.get("op", PRODUCT)
        counted = ("x",) if op == INVERSION else ("x", "y")
        stored = {name: self.restore(payload[name]) for name in counted}
        if max(stored.values()) >= self.p.bound:
            return None
        case = {name: self.operands[name].leave(x, self.p.modulus) for name, x in stored.items()}
        if op == INVERSION and gcd(case["x"], self.p.modulus) > 1:
            return Reading(error=Errors.NO_INVERSE)
        return Reading({"op": op, "y": 0, **case})

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Either operation on any operands; one time in eight x has no inverse."""
        P = self.p.modulus
        drawn = self._draw_operands(rng, P)
        if one_in(rng, 8):
            factor = factor_of(P)
            drawn["x"] = self.operands["x"].represent(rng, factor * rng.randrange(-(-self.p.bound // factor)), P)
        return self._with(rng.randrange(INVERSION + 1), drawn)

    def edges(self) -> dict[str, dict[str, int]]:
        """Operands at both ends, as products and as those of inversions, and products with a small Q."""
        P, A = self.p.modulus, self.p.A.product % self.p.modulus
        one = pow(A, -1, P)
        found = {f"Q = {k}": {"op": PRODUCT, "x": -k * one % P, "y": one} for k in (1, 2, 3)}
        for name, case in super().edges().items():
            found[f"product, {name}"] = {"op": PRODUCT, **case}
            if self.p.kind and gcd(case["x"], P) == 1:
                found[f"inversion, {name}"] = {"op": INVERSION, **case}
        return found
