# SPDX-License-Identifier: Apache-2.0
"""Conversion between plain values and operands of a processor; the operation decides which operands are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from random import Random

from ....contract import PayloadValue
from ....contract.codec import FieldCodec
from ....contract.operands import Reading, draw, factor_of, one_in
from ....contract.operands import Residues as Group
from ....contract.roles import Errors
from ....functions.rns import CONVERSIONS, FROM_BINARY, HOLD, INTO_A, INTO_B, INVERSION, MOVE, PRODUCT, SUM
from .parameters import ProcessorParameters
from .plan.conversions import digits_of, in_place, number_of, words_in
from .plan.registers import INTO, SOURCES, STREAM, destination_of, operands_of, pair_after, register


class ProcessorCodec(FieldCodec):
    """Codec of products, inversions and moves; a multiplier alone has no field for the operation.

    Operands of a plain case are on the stream, and its result goes into no register.
    """

    def __init__(self, p: ProcessorParameters) -> None:
        super().__init__(p)
        self.p = p
        self.conversions = CONVERSIONS if p.conversion else ()
        self.operations = (
            PRODUCT,
            *((INVERSION,) if p.inverts else ()),
            *((MOVE,) if p.registers else ()),
            *self.conversions,
        )
        self.sums = (HOLD, SUM) if p.reduction.products > 1 else ()

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of both operands, and the operation."""
        op = case["op"]
        if op not in self.operations:
            known = ", ".join(map(str, self.operations))
            raise ValueError(f"operation {op} is none of {known}, which a case by itself can have")
        payload = super().encode(case)
        return self._with(
            op, payload | ({"x": self._represented(op, case["x"], payload["x"])} if op in CONVERSIONS else {})
        )

    def _represented(self, op: int, x: int, stored: PayloadValue) -> PayloadValue:
        """x as a conversion reads it: in words, or with zeros where it is not read."""
        assert isinstance(stored, tuple)
        n = self.p.n
        if op == FROM_BINARY:
            return in_place(digits_of(x, self.p.width, n))
        return {INTO_A: in_place(stored[n:]), INTO_B: (*stored[:n], *[0] * n)}.get(op, stored)

    def _stored(self, op: PayloadValue, value: PayloadValue) -> int:
        """The integer of an operand, by the residues that an operation reads."""
        assert isinstance(value, tuple)
        A, B, n = self.p.A, self.p.B, self.p.n
        if op == INTO_A:
            return sum(hat * m_over for hat, m_over in zip(value[n:], B.cofactors, strict=True)) % B.product
        return A.from_residues(value[:n]) if op == INTO_B else self.restore(value)

    def _with(self, op: int, operands: Mapping[str, PayloadValue], *numbers: int) -> dict[str, PayloadValue]:
        """A payload, with the numbers of sources and destination, or none of them."""
        if self.p.registers:
            names = (*SOURCES.values(), INTO)
            return {"op": op, **dict(zip(names, numbers or (STREAM,) * len(names), strict=True)), **operands}
        return {"op": op, **operands} if self.p.inverts else dict(operands)

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
        if op == FROM_BINARY:
            return Reading({"op": op, "y": 0, "x": number_of(words_in(operands["x"]), self.p.width) % self.p.modulus})
        stored = {name: self._stored(op, value) for name, value in operands.items()}
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
        singular = one_in(rng, 8)
        if singular:
            factor = factor_of(P)
            drawn["x"] = self.operands["x"].represent(rng, factor * rng.randrange(-(-self.p.bound // factor)), P)
        if not self.p.registers:
            return self._with(rng.randrange(INVERSION + 1), drawn)
        sources = [STREAM if one_in(rng, 3) else rng.randrange(self.p.registers) for _ in SOURCES]
        ops = (*self.operations, *self.sums * 2)  # a sum has no pair but behind one that holds it
        op = rng.choice(ops)
        if (
            singular and self.conversions and self.p.inverts
        ):  # with as many operations, x without an inverse would hardly meet one
            op, sources[0] = INVERSION, STREAM
        if op in CONVERSIONS:
            drawn["x"] = self._unread(rng, op, drawn["x"])
        return self._with(op, drawn, *sources, rng.randrange(self.p.registers))

    def _unread(self, rng: Random, op: int, value: PayloadValue) -> PayloadValue:
        """An operand with anything in the words that a conversion does not read, and any words in binary."""
        assert isinstance(value, tuple)
        n, w = self.p.n, self.p.width
        anything = tuple(rng.getrandbits(w) for _ in range(n))
        if op == FROM_BINARY:
            return (*anything, *digits_of(draw(rng, 1 << (w * n)), w, n))
        return {INTO_A: (*anything, *value[n:]), INTO_B: (*value[:n], *anything)}.get(op, value)

    def residues(self) -> Sequence[Group]:
        """Operands in residues; none with conversion, as what is read of x depends on the operation."""
        return () if self.p.conversion else super().residues()

    def feedback(self) -> Sequence[tuple[str, str]]:
        """The result chains into x; not with conversion, where it may be a binary number."""
        return () if self.p.conversion else super().feedback()

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """Plain results; those in binary are reduced ones."""
        if not payload.get("binary"):
            return super().decode(payload)
        z = number_of(words_in(payload["z"]), self.p.width)
        return {"z": z, "representative": z, "error": None if z < self.p.modulus else Errors.BOUND}

    def edges(self) -> dict[str, dict[str, int]]:
        """Operands at both ends, as products and as those of inversions, and products with a small Q."""
        P, A = self.p.modulus, self.p.A.product % self.p.modulus
        one = pow(A, -1, P)
        found = {f"Q = {k}": {"op": PRODUCT, "x": -k * one % P, "y": one} for k in (1, 2, 3)}
        for name, case in super().edges().items():
            found[f"product, {name}"] = {"op": PRODUCT, **case}
            if self.p.inverts and gcd(case["x"], P) == 1:
                found[f"inversion, {name}"] = {"op": INVERSION, **case}
            if self.p.registers:
                found[f"move, {name}"] = {"op": MOVE, **case}
            if name.startswith("x = "):
                found |= {f"operation {op}, {name}": {"op": op, **case} for op in self.conversions}
        return found


class RegisterCodec(ProcessorCodec):
    """Codec of a processor with registers."""

    def written(
        self, operands: Mapping[str, PayloadValue], result: Mapping[str, PayloadValue]
    ) -> dict[str, PayloadValue]:
        """The destination with the result, where one is named, and the pair that is held; nothing with an error."""
        number, numbers = destination_of(operands), operands_of(operands)
        if result["error"] or numbers is None:
            return {}
        pair = pair_after(operands["op"], numbers) if self.sums else {}
        return pair if number == STREAM else pair | {register(number): result["z"]}


def codec_of(p: ProcessorParameters) -> ProcessorCodec:
    """Codec of a processor, with registers or without."""
    return RegisterCodec(p) if p.registers else ProcessorCodec(p)
