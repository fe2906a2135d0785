# SPDX-License-Identifier: Apache-2.0
"""Conversion between plain values and operands, in the bases of a draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ....contract import PayloadValue, integer
from ....contract.codec import FieldCodec
from ....contract.number import Number
from ....contract.operands import Reading, Residues
from ....contract.roles import Errors, Operand, Result, Role
from ....functions.rns import PRODUCT
from .parameters import RandomBasesParameters


class RandomBasesCodec(FieldCodec):
    """Codec of products; a plain case has a draw that follows from its operands, or one of its own."""

    def __init__(self, p: RandomBasesParameters) -> None:
        super().__init__(p)
        self.p = p
        self.numbers = [_numbers(p, number) for number in range(len(p.drawn))]

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """The draw, and residues of both operands in its bases."""
        if case["op"] != PRODUCT:
            raise ValueError(f"no operation {case['op']}: products alone")
        number = case.get("draw", Random(repr((case["x"], case["y"]))).randrange(len(self.numbers)))
        payload: dict[str, PayloadValue] = {"draw": number}
        for name in ("x", "y"):
            operand = self.numbers[number][name]
            self._check_operand(operand, case[name], self.p.modulus)
            payload[name] = operand.write(operand.enter(case[name], self.p.modulus))
        return payload

    def fit(self, case: Mapping[str, int]) -> dict[str, int]:
        """The same numbers as a product."""
        return {**case, "op": PRODUCT}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Operands below λP of the draw, as integers modulo P."""
        number, P = integer(payload["draw"]), self.p.modulus
        operands = self.numbers[number]
        stored = {name: operands[name].read(payload[name]) for name in ("x", "y")}
        if max(stored.values()) >= self.p.drawn[number].bound:
            return None
        case = {name: operands[name].leave(x, P) for name, x in stored.items()}
        return Reading({"op": PRODUCT, **case}, echo={"drawn": number})

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any operands in the bases of any draw."""
        del case
        number = rng.randrange(len(self.numbers))
        return {"draw": number} | {
            name: self.numbers[number][name].draw_residues(rng, self.p.modulus) for name in ("x", "y")
        }

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """The result, from the bases of the draw next to it."""
        number = integer(payload["drawn"])
        result = self.numbers[number]["z"]
        stored = result.read(payload["z"])
        error = None if stored < self.p.drawn[number].bound else Errors.BOUND
        return {"z": result.leave(stored, self.p.modulus) % self.p.modulus, "representative": stored, "error": error}

    def roles_of(self, payload: Mapping[str, PayloadValue]) -> Mapping[str, Role]:
        """Operands or result in the bases of their draw."""
        operands = "draw" in payload
        own = self.numbers[integer(payload["draw" if operands else "drawn"])]
        return {name: own[name].role for name in (("x", "y") if operands else ("z",))}

    def edges(self) -> dict[str, dict[str, int]]:
        """Operands at both ends."""
        return {name: {"op": PRODUCT, **case} for name, case in super().edges().items()}

    def residues(self) -> Sequence[Residues]:
        """None: the moduli of an element depend on the draw."""
        return ()

    def feedback(self) -> Sequence[tuple[str, str]]:
        """None: a result is an operand of the same draw alone."""
        return ()


def _numbers(p: RandomBasesParameters, number: int) -> dict[str, Number]:
    part = p.drawn[number]
    x, y = Operand("x", part.domain, part.bound), Operand("y", part.domain, part.bound)
    fields = {"x": part.operand_field("x"), "y": part.operand_field("y"), "z": part.result_field("x·y")}
    roles = {"x": x, "y": y, "z": Result("z", part.domain, part.bound)}
    return {name: Number(field, roles[name]) for name, field in fields.items()}
