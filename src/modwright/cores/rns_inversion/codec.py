# SPDX-License-Identifier: Apache-2.0
"""Between plain values and residues of one base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from random import Random
from typing import Any, Protocol

from ...contract import Codec, PayloadValue
from ...rns import Base


class Inverter(Protocol):
    """What the codec needs of parameters."""

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

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """The inverse modulo P; `representative` is the integer of the residues."""
        residues = payload["z"]
        assert isinstance(residues, tuple)
        if payload["error"]:
            return {"z": 0, "error": "not invertible"}
        z = self.p.base.from_residues(residues)
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

    def feedback(self) -> Sequence[tuple[str, str]]:
        """The result is an operand again where it is below 2P."""
        return [("z", "a")] if self.p.bound <= 2 * self.p.modulus else []


class BlindedCodec(InversionCodec):
    """Multiplies the operand by r, which follows from it, so that a case is always encoded alike.

    In use, r is drawn anew for every operand, and r·a is the one multiplication that blinding costs.
    """

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of r·a mod P and of r."""
        P = self.p.modulus
        super().encode(case)  # refuses what is not below 2P
        rng = Random(case["a"])
        r = next(r for r in iter(lambda: rng.randrange(1, P), 0) if gcd(r, P) == 1)
        return {"a": self.p.base.to_residues(r * case["a"] % P), "r": self.p.base.to_residues(r)}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """None: an operand comes with its r."""
        return []


class FermatCodec:
    """The representation of the multiplier, Montgomery factor included."""

    def __init__(self, p: Any, inner: Codec) -> None:
        self.p, self.inner = p, inner

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of a·A mod P in both bases; ValueError for an operand that the multiplier does not take."""
        return {"a": self.inner.encode({"x": case["a"], "y": 0})["x"]}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """The inverse modulo P."""
        if payload["error"]:
            return {"z": 0, "error": "not invertible"}
        return self.inner.decode(payload)

    def edges(self) -> dict[str, dict[str, int]]:
        """As those of the other inverters."""
        return InversionCodec(self.p).edges()

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Results are operands again."""
        return [("z", "a")]
