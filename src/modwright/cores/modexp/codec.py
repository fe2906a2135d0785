# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of an exponentiator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...contract import PayloadValue
from .multiplier import ERROR, MODULUS
from .parameters import STREAM, ModexpParameters


class ModexpCodec:
    """A run-time modulus: plain values in and out. A built-in one: the base as the multiplier's codec has it."""

    def __init__(self, p: ModexpParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """ValueError for an exponent that is too long, and for a modulus that is even, below 3 or too wide."""
        p, exponent = self.p, case["exponent"]
        if exponent < 0 or exponent.bit_length() > p.exponent_bits:
            raise ValueError(f"the exponent has at most {p.exponent_bits} bits and no sign, not {exponent:#x}")
        if p.multiplier.domain is None:
            inner = p.multiplier.codec.encode({"x": case["base"], "y": 0})
            return {**p.base.unpack(p.multiplier.word(inner)), "exponent": exponent}
        m = case["modulus"]
        if m % 2 == 0 or m < 3 or m.bit_length() > p.n:
            raise ValueError(f"the modulus is odd, at least 3 and below 2^{p.n}, not {m:#x}")
        if case["base"] < 0:
            raise ValueError("the base is not negative")
        payload: dict[str, PayloadValue] = {"base": case["base"] % m, "exponent": exponent, MODULUS: m}
        if p.constants == STREAM:
            payload["square"] = pow(2, 2 * p.multiplier.domain.T, m)
            if p.guard:
                payload["unit"] = pow(2, -p.guard, m)
        return payload

    def fit(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """A case like this one with an exponent that is not too long."""
        return {**case, "exponent": case["exponent"] & ((1 << self.p.exponent_bits) - 1)}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """The power, or the name of the multiplier's error."""
        p, error = self.p, payload[ERROR]
        inner = p.multiplier.parameters.o
        if error:
            nothing = {f.name: 0 if f.count == 1 else (0,) * f.count for f in inner.fields}
            return p.multiplier.codec.decode({**nothing, ERROR: error})
        if p.multiplier.domain:
            return {"z": payload["z"], "error": None}
        return p.multiplier.codec.decode(payload)

    def edges(self) -> dict[str, dict[str, int]]:
        """Exponents of whole and of broken digits."""
        E, w = self.p.exponent_bits, self.p.window
        alternate = ((1 << E) - 1) // 3
        return {
            "2^(all ones)": {"base": 2, "exponent": (1 << E) - 1},
            "3^0101..": {"base": 3, "exponent": alternate},
            f"3^(2^{min(w, E - 1)})": {"base": 3, "exponent": 1 << min(w, E - 1)},
        }

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Results chain into the base."""
        if self.p.multiplier.domain:
            return [("z", "base")]
        return [(out, "base" + into[1:]) for out, into in self.p.multiplier.pairs]
