# SPDX-License-Identifier: Apache-2.0
"""Conversion between plain values and operands of a processor; the operation decides which operands are read."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from random import Random

from ....contract import PayloadValue, integer
from ....contract.codec import FieldCodec
from ....contract.operands import Reading, factor_of, one_in
from ....contract.roles import Errors
from ....functions.rns import HOLD, INVERSION, MOVE, PRODUCT, SUM
from .parameters import ProcessorParameters
from .plan import INTO, SOURCES, STREAM, operands_of, pair_after, register


class ProcessorCodec(FieldCodec):
    """Codec of products, inversions and moves; a multiplier alone has no field for the operation.

    Operands of a plain case are on the stream, and its result goes into no register.
    """

    def __init__(self, p: ProcessorParameters) -> None:
        super().__init__(p)
        self.p = p
        self.operations = (PRODUCT, *((INVERSION,) if p.kind else ()), *((MOVE,) if p.registers else ()))
        self.sums = (HOLD, SUM) if p.reduction.products > 1 else ()

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of both operands, and the operation."""
        op = case["op"]
        if op not in self.operations:
            known = ", ".join(map(str, self.operations))
            raise ValueError(f"operation {op} is none of {known}, which a case by itself can have")
        return self._with(op, super().encode(case))

    def _with(self, op: int, operands: Mapping[str, PayloadValue], *numbers: int) -> dict[str, PayloadValue]:
        """A payload, with the numbers of sources and destination, or none of them."""
        if self.p.registers:
            names = (*SOURCES.values(), INTO)
            return {"op": op, **dict(zip(names, numbers or (STREAM,) * len(names), strict=True)), **operands}
        return {"op": op, **operands} if self.p.kind else dict(operands)

    def fit(self, case: Mapping[str, int]) -> dict[str, int]:
        """The same numbers as a product, where the core lacks the operation."""
        return dict(case) if case["op"] in self.operations else {**case, "op": PRODUCT}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Operands below λP, as integers modulo P, from the stream or registers; y counts for products and pairs."""
        op = payload.get("op", PRODUCT)
        if op not in self.operations + self.sums:
            return None
        operands = operands_of(payload)
        if operands is None:
            return Reading(error=Errors.UNWRITTEN)
        stored = {name: self.restore(value) for name, value in operands.items()}
        if max(stored.values()) >= self.p.bound:
            return None
        case = {name: self.operands["x"].leave(x, self.p.modulus) for name, x in stored.items()}
        if op == INVERSION and gcd(case["x"], self.p.modulus) > 1:
            return Reading(error=Errors.NO_INVERSE)
        return Reading({"op": op, "y": 0, **case})

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any operation on any operands, from and to any register; one time in eight x has no inverse."""
        P = self.p.modulus
        drawn = self._draw_operands(rng, P)
        if one_in(rng, 8):
            factor = factor_of(P)
            drawn["x"] = self.operands["x"].represent(rng, factor * rng.randrange(-(-self.p.bound // factor)), P)
        if not self.p.registers:
            return self._with(rng.randrange(INVERSION + 1), drawn)
        sources = [STREAM if one_in(rng, 3) else rng.randrange(self.p.registers) for _ in SOURCES]
        ops = (*self.operations, *self.sums * 2)  # a sum has no pair but behind one that holds it
        return self._with(rng.choice(ops), drawn, *sources, rng.randrange(self.p.registers))

    def edges(self) -> dict[str, dict[str, int]]:
        """Operands at both ends, as products and as those of inversions, and products with a small Q."""
        P, A = self.p.modulus, self.p.A.product % self.p.modulus
        one = pow(A, -1, P)
        found = {f"Q = {k}": {"op": PRODUCT, "x": -k * one % P, "y": one} for k in (1, 2, 3)}
        for name, case in super().edges().items():
            found[f"product, {name}"] = {"op": PRODUCT, **case}
            if self.p.kind and gcd(case["x"], P) == 1:
                found[f"inversion, {name}"] = {"op": INVERSION, **case}
            if self.p.registers:
                found[f"move, {name}"] = {"op": MOVE, **case}
        return found


class RegisterCodec(ProcessorCodec):
    """Codec of a processor with registers."""

    def written(
        self, operands: Mapping[str, PayloadValue], result: Mapping[str, PayloadValue]
    ) -> dict[str, PayloadValue]:
        """The destination with the result, where one is named, and the pair that is held; nothing with an error."""
        number, numbers = integer(operands.get(INTO, STREAM)), operands_of(operands)
        if result["error"] or numbers is None:
            return {}
        pair = pair_after(operands["op"], numbers) if self.sums else {}
        return pair if number == STREAM else pair | {register(number): result["z"]}


def codec_of(p: ProcessorParameters) -> ProcessorCodec:
    """Codec of a processor, with registers or without."""
    return RegisterCodec(p) if p.registers else ProcessorCodec(p)
