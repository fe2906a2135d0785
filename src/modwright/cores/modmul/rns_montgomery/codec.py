# SPDX-License-Identifier: Apache-2.0
"""Between plain values and residues: of one base for extensions, of both with the Montgomery factor for products."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from ....contract import PayloadValue
from ....contract.operands import Reading, Residues, draw, residues_of
from ....rns.codec import ResidueCodec
from ....rns.drawing import draw_residues
from .parameters.extension import ExtensionParameters
from .parameters.multiplier import MultiplierParameters


class ExtensionCodec:
    """Codec of a base extension: an integer in A, and the same in B."""

    def __init__(self, p: ExtensionParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of x in A; ValueError for one whose result would not be right, or could not be told."""
        x, p = case["x"], self.p
        if not p.least <= x < p.limit:
            raise ValueError(f"x = {x:#x} is not in [{p.least:#x}, {p.limit:#x})")
        return {"x": p.A.to_residues(x)}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The integer in [least, limit) that the residues stand for, any representatives."""
        residues, p = payload["x"], self.p
        assert isinstance(residues, tuple)
        x = p.A.from_residues(residues)
        x = x if x < p.limit else x - p.A.product
        return Reading({"x": x}) if x >= p.least else None

    def residues(self) -> list[Residues]:
        """The operand."""
        return [residues_of("x", self.p.A.moduli, self.p.limit, least=self.p.least)]

    def draw(self, rng: random.Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Residues of any integer of the range, half of them next to 0 or the modulus, any representatives."""
        p = self.p
        x = draw(rng, p.limit - p.least) + p.least
        if rng.randrange(2):
            x = rng.choice((0, p.modulus, x)) + rng.randrange(-3, 4)
            x = min(max(x, p.least), p.limit - 1)
        return {"x": draw_residues(rng, p.A, x, p.least, p.limit, [1] * p.n)}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """X; `representative` is the integer in B, X + A where that is what came out."""
        residues, p = payload["z"], self.p
        assert isinstance(residues, tuple)
        found = p.B.from_residues(residues)
        if not p.exact:
            z = found if found < p.modulus else (found - p.A.product) % p.B.product
            return {"z": z, "representative": z if z == found else z + p.A.product, "error": None}
        z = found if found < p.limit else found - p.B.product
        return {"z": z, "representative": z, "error": None}

    def edges(self) -> dict[str, dict[str, int]]:
        """Ends of the range, multiples of the super-moduli's cofactors, the largest hats, E·A."""
        p = self.p
        product = p.A.product
        cases = {"0": 0, "1": 1, "-1": -1, "largest": p.limit - 1, "least": p.least, "modulus - 1": p.modulus - 1}
        cases["modulus"] = p.modulus
        at = int(p.extension.error * product)
        cases |= {f"E·A{d:+}": at + d for d in (-1, 0, 1)}
        cases |= {f"{k}/8 of the range": p.limit * k // 8 for k in range(1, 8)}
        cases["every hat largest"] = -sum(p.A.cofactors) % product
        cases |= {f"A/a_{k}": cofactor for k, cofactor in enumerate(p.A.cofactors)}
        cases |= {f"2^{k}": 1 << k for k in range(1, product.bit_length())}
        return {name: {"x": x} for name, x in cases.items() if p.least <= x < p.limit}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """None: a result is in another base than the operand."""
        return []


class MultiplierCodec(ResidueCodec):
    """Codec of RNS Montgomery multiplication: x is stored as x·A mod P, plus the multiple of P that x has."""

    def __init__(self, p: MultiplierParameters) -> None:
        super().__init__(p.base, p.modulus, p.bound, p.scale)
        self.pairs, self.exact = p.pairs, p.exact
        self.factor = p.A.product % p.modulus

    def inside(self, x: int) -> int:
        """The integer that stands for x < bound, below bound."""
        multiple, least = x // self.modulus, x * self.factor % self.modulus
        inside = multiple * self.modulus + least
        return inside if inside < self.bound else inside - self.modulus

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of the operands, 0 for a pair that is not given; ValueError when one is not below the bound."""
        names = [name for pair in self.pairs for name in pair]
        given = {name: case[name] if name in "xy" else case.get(name, 0) for name in names}
        for name, value in given.items():
            if not 0 <= value < self.bound:
                raise ValueError(f"{name} = {value:#x} is not below {self.bound:#x}")
        return {name: self.store(self.inside(value)) for name, value in given.items()}

    def fit(self, case: Mapping[str, int]) -> dict[str, int]:
        """The case with the pairs that it lacks, drawn from what it has."""
        drawn = random.Random(repr(sorted(case.items())))
        names = [name for pair in self.pairs for name in pair]
        return {**{name: drawn.randrange(self.modulus) for name in names}, **case}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The integers below the bound that the residues stand for, times A^-1 modulo P."""
        found = super().read(payload)
        if found is None:
            return None
        back = pow(self.factor, -1, self.modulus)
        return Reading({name: value * back % self.modulus for name, value in found.case.items()})

    def residues(self) -> list[Residues]:
        """Every operand of every pair."""
        return [residues_of(name, self.base.moduli, self.bound, self.scale) for pair in self.pairs for name in pair]

    def draw(self, rng: random.Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Random operands, as of any residue multiplier, for every pair."""
        return {name: self.draw_operand(rng) for pair in self.pairs for name in pair}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """The product modulo P; `representative` is the integer that the residues stand for, which is z·A."""
        if self.exact:
            return {"z": payload["z"], "representative": payload["z"], "error": None}
        found = super().decode(payload)
        return found | {"z": found["z"] * pow(self.factor, -1, self.modulus) % self.modulus}

    def edges(self) -> dict[str, dict[str, int]]:
        """Those of any residue multiplier; and x·y that make Q small, so that its extension gives Q + A."""
        small = {f"x·y·A = {k}": {"x": k * pow(self.factor, -2, self.modulus) % self.modulus, "y": 1} for k in (1, 2)}
        one = pow(self.factor, -1, self.modulus)
        small |= {f"Q = {k}": {"x": -k * one % self.modulus, "y": one} for k in (1, 2, 3)}
        return super().edges() | small

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Residues chain into x; a binary result does not."""
        return [] if self.exact else super().feedback()
