# SPDX-License-Identifier: Apache-2.0
"""Plain values as they are, a below twice the modulus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from random import Random
from typing import Any

from ....contract import PayloadValue
from ....contract.operands import Reading, draw_bad_modulus, draw_modulus, draw_operands, factor_of, one_in
from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from .parameters import ERRORS, NOT_INVERTIBLE, BinaryInversionParameters


class BinaryInversionCodec:
    """Codec of both forms; an operand without an inverse is let through, for the core to refuse."""

    def __init__(self, p: BinaryInversionParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """a; with a run-time modulus `modulus`, too. ValueError when one does not fit its port."""
        a, p = case["a"], self.p
        if a < 0 or a >> (p.n + 1):
            raise ValueError(f"a = {a:#x} does not fit {p.n + 1} bits")
        if p.modulus is not None:
            return {"a": a}
        m = case["modulus"]
        if m < 0 or m >> p.n:
            raise ValueError(f"the modulus {m:#x} does not fit {p.n} bits")
        return {"a": a, "m": m}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading:
        """Errors in the order of their codes: a modulus that is even or below 3, a not below 2M, a without an
        inverse."""
        a, m = payload["a"], payload.get("m", self.p.modulus)
        assert isinstance(a, int)
        assert isinstance(m, int)
        if m % 2 == 0 or m < 3:
            return Reading(error=ERRORS[BAD_MODULUS])
        if a >= 2 * m:
            return Reading(error=ERRORS[OUT_OF_RANGE])
        return Reading(error=ERRORS[NOT_INVERTIBLE]) if gcd(a, m) > 1 else Reading({"a": a, "modulus": m})

    def draw(self, rng: Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """a up to all bits of its port, and among them multiples of a factor of M; with a run-time modulus any, one
        in eight of them bad."""
        p = self.p
        m = draw_modulus(rng, case["modulus"], p.n) if p.modulus is None else p.modulus
        payload: dict[str, PayloadValue] = {**draw_operands(rng, {"a": (2 * m, p.n + 1)})}
        if one_in(rng, 8):
            factor = factor_of(m)
            payload["a"] = factor * rng.randrange(2 * m // factor)
        if p.modulus is None:
            payload["m"] = draw_bad_modulus(rng, p.n) if one_in(rng, 8) else m
        return payload

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """The inverse, or the name of the error."""
        error = payload["error"]
        assert isinstance(error, int)
        return {"z": payload["z"], "error": ERRORS[error] if error else None}

    def edges(self) -> dict[str, dict[str, int]]:
        """Of a built-in modulus M: powers of 2 and 3, ends of the range and of what lies above M, 0 and M."""
        m = self.p.modulus
        if m is None:
            return {}
        cases = {f"2^{k}": 1 << k for k in range(self.p.n)}
        cases |= {f"3^{k}": 3**k for k in range(self.p.n) if 3**k < 2 * m}
        cases |= {"0": 0, "M": m, "M + 1": m + 1, "2M - 1": 2 * m - 1, "M - 1": m - 1, "M - 2": m - 2}
        return {name: {"a": a} for name, a in cases.items() if a < 2 * m}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """None: the operand is a bit wider than the result."""
        return []
