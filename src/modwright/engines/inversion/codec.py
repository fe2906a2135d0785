# SPDX-License-Identifier: Apache-2.0
"""Between plain values and residues of one base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from random import Random
from typing import Any, Protocol

from ...contract import PayloadValue
from ...contract.operands import Reading, Residues, factor_of, one_in, residues_of
from ...rns import Base
from ...rns.drawing import draw_below, draw_residues

NOT_INVERTIBLE = "not invertible"
"""The error of an operand that is 0 modulo P, or has a factor in common with it."""


class Inverter(Protocol):
    """Parameters as the codec needs them."""

    @property
    def modulus(self) -> int: ...
    @property
    def base(self) -> Base: ...
    @property
    def bound(self) -> int: ...


class InversionCodec:
    """Residues of a below 2P; the result is any representative below the bound."""

    def __init__(self, p: Inverter) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues; ValueError for an operand that is not below 2P."""
        a = case["a"]
        if not 0 <= a < 2 * self.p.modulus:
            raise ValueError(f"a = {a:#x} is not below {2 * self.p.modulus:#x}")
        return {"a": self.p.base.to_residues(a)}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The integer below 2P that the residues stand for, any representatives; an error where it has no inverse."""
        a = self.restore(payload["a"])
        return None if a >= 2 * self.p.modulus else reading_of(a, self.p.modulus)

    def draw(self, rng: Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Any integer below 2P, one in eight of them not invertible, any representatives."""
        P = self.p.modulus
        return {"a": self.draw_residues(rng, draw_candidate(rng, P, 2 * P))}

    def restore(self, residues: PayloadValue) -> int:
        """The integer that residues stand for."""
        assert isinstance(residues, tuple)
        return self.p.base.from_residues(residues)

    def draw_residues(self, rng: Random, a: int) -> tuple[int, ...]:
        """Residues of an integer below 2P; now and then those of one next to it."""
        return draw_residues(rng, self.p.base, a, 0, 2 * self.p.modulus, [1] * self.p.base.count)

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """The inverse modulo P; `representative` is the integer of the residues."""
        if payload["error"]:
            return {"z": 0, "error": NOT_INVERTIBLE}
        z = self.restore(payload["z"])
        error = None if 0 < z < self.p.bound else "bound"
        return {"z": z % self.p.modulus, "representative": z, "error": error}

    def edges(self) -> dict[str, dict[str, int]]:
        """Powers of 2 and 3, both ends of what is below P and of what is not, 0 and P."""
        P = self.p.modulus
        cases = {f"2^{k}": 1 << k for k in range(P.bit_length() + 1)}
        cases |= {f"3^{k}": 3**k for k in range(P.bit_length())}
        cases |= {"0": 0, "P": P, "P - 1": P - 1, "P - 2": P - 2, "P - 3": P - 3}
        cases |= {"P + 1": P + 1, "P + 2": P + 2, "2P - 1": 2 * P - 1, "2P - 2": 2 * P - 2}
        return {name: {"a": a} for name, a in cases.items() if a < 2 * P}

    def residues(self) -> list[Residues]:
        """The operand."""
        return [residues_of("a", self.p.base.moduli, 2 * self.p.modulus)]

    def feedback(self) -> Sequence[tuple[str, str]]:
        """The result is an operand again where it is below 2P."""
        return [("z", "a")] if self.p.bound <= 2 * self.p.modulus else []


def reading_of(a: int, modulus: int) -> Reading:
    """An operand, or the error that it has no inverse."""
    return Reading(error=NOT_INVERTIBLE) if gcd(a, modulus) > 1 else Reading({"a": a})


def draw_candidate(rng: Random, modulus: int, bound: int) -> int:
    """An operand below the bound; one time in eight, one without an inverse."""
    if not one_in(rng, 8):
        return draw_below(rng, bound, modulus)
    factor = factor_of(modulus)
    return factor * rng.randrange(-(-bound // factor))
