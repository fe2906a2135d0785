# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the residues of the coefficients of polynomials in M."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ....contract import PayloadValue
from ....contract.drawing import draw_below, draw_representatives
from ....contract.operands import Reading, Residues
from ....contract.roles import Errors
from .parameters import HybridParameters


class HybridCodec:
    """Codec of a hybrid multiplication; a number below P is encoded by its digits to the base M."""

    def __init__(self, p: HybridParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of x and y; ValueError when one is not below P."""
        payload: dict[str, PayloadValue] = {}
        for name in "xy":
            if not 0 <= case[name] < self.p.modulus:
                raise ValueError(f"{name} = {case[name]:#x} is not below {self.p.modulus:#x}")
            payload |= self.store(name, self.p.hybrid.digits(case[name]))
        return payload

    def store(self, name: str, coefficients: Sequence[int]) -> dict[str, PayloadValue]:
        """The residues of coefficients."""
        bases = {"a": self.p.A, "b": self.p.B}
        return {
            f"{name}_{letter}": tuple(r for c in coefficients for r in base.to_residues(c))
            for letter, base in bases.items()
        }

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The values of the polynomials whose coefficients the residues stand for, all below their bound."""
        found = {name: self.coefficients(payload, name) for name in "xy"}
        if max(max(coefficients) for coefficients in found.values()) >= self.p.bound:
            return None
        return Reading({name: self.p.hybrid.value(coefficients) for name, coefficients in found.items()})

    def residues(self) -> list[Residues]:
        """Every coefficient of both operands, in both bases."""
        n, bases = self.p.n, (("a", self.p.A), ("b", self.p.B))
        return [
            Residues(
                tuple(
                    (f"{name}_{letter}", k * n + channel, m, 1)
                    for letter, base in bases
                    for channel, m in enumerate(base.moduli)
                ),
                0,
                self.p.bound,
            )
            for name in "xy"
            for k in range(self.p.degree)
        ]

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any coefficients below their bound, any representatives of their residues."""
        payload: dict[str, PayloadValue] = {}
        for name in "xy":
            drawn = [draw_below(rng, self.p.bound, self.p.hybrid.radix) for _ in range(self.p.degree)]
            for letter, base in {"a": self.p.A, "b": self.p.B}.items():
                residues = [draw_representatives(rng, base, base.to_residues(c)) for c in drawn]
                payload[f"{name}_{letter}"] = tuple(r for group in residues for r in group)
        return payload

    def coefficients(self, payload: Mapping[str, PayloadValue], name: str = "z") -> tuple[int, ...]:
        """The integers that the residues of z, or of an operand, stand for."""
        in_a, in_b = payload[f"{name}_a"], payload[f"{name}_b"]
        assert isinstance(in_a, tuple)
        assert isinstance(in_b, tuple)
        n = self.p.n
        cuts = [slice(k * n, (k + 1) * n) for k in range(self.p.degree)]
        return tuple(self.p.hybrid.from_residues((*in_a[cut], *in_b[cut])) for cut in cuts)

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """The product modulo P; an error where a coefficient is beyond its bound."""
        found = self.coefficients(payload)
        value = self.p.hybrid.value(found)
        return {"z": value, "representative": value, "error": None if max(found) < self.p.bound else Errors.BOUND}

    def edges(self) -> dict[str, dict[str, int]]:
        """Identities, extremes, powers of M and digits of all ones."""
        P, M = self.p.modulus, self.p.hybrid.radix
        values = {"0": 0, "1": 1, "P-1": P - 1, "M-1": M - 1, "M": M, "2^-1": (P + 1) // 2, "P-M": P - M}
        cases = {f"{a}·{b}": {"x": x, "y": y} for a, x in values.items() for b, y in values.items()}
        return {**cases, "x·x^-1": {"x": M + 1, "y": pow(M + 1, -1, P)}}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Results chain into x."""
        return [("z_a", "x_a"), ("z_b", "x_b")]
