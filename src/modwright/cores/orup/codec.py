# SPDX-License-Identifier: Apache-2.0
"""Between plain values and those of the Montgomery domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...contract import PayloadValue
from .parameters import BAD_MODULUS, OUT_OF_RANGE, OrupParameters

ERRORS = {BAD_MODULUS: "m = 0, or the modulus even or below 3", OUT_OF_RANGE: "not reduced"}


class OrupCodec:
    """x·R and y·R (mod M) go in, x·y·R comes out; plain operands of any size are reduced."""

    def __init__(self, p: OrupParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Needs `modulus`; ValueError when it is even, below 3 or too wide, or an operand is negative."""
        modulus = case["modulus"]
        if modulus % 2 == 0 or modulus < 3 or modulus.bit_length() > self.p.n:
            raise ValueError(f"the modulus is odd, at least 3 and below 2^{self.p.n}, not {modulus:#x}")
        if min(case["x"], case["y"]) < 0:
            raise ValueError("operands are not negative")
        x, y = ((case[name] << self.p.T) % modulus for name in "xy")
        return {"x": x, "y": y, "m": pow(1 << self.p.K, -1, modulus), "modulus": modulus}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """z·R^-1 (mod M) with the modulus that came out beside z; 0 and the name of the error where there is one."""
        z, modulus, error = payload["z"], payload["modulus"], payload["error"]
        assert isinstance(z, int)
        assert isinstance(modulus, int)
        if error:
            return {"z": 0, "error": ERRORS.get(int(error), "unknown") if isinstance(error, int) else "unknown"}
        if modulus % 2 == 0:
            return {"z": 0, "error": "an even modulus was not reported"}
        return {"z": z * pow(1 << self.p.T, -1, modulus) % modulus, "error": None}

    def edges(self) -> dict[str, dict[str, int]]:
        """Plain operands that become 0, 1, M - 1 and runs of bits in the Montgomery domain; none without a modulus."""
        modulus = self.p.example
        if modulus is None:
            return {}
        ones = (1 << (modulus.bit_length() - 1)) - 1
        stored = {
            "0": 0,
            "1": 1,
            "M-1": modulus - 1,
            "11..1": ones,
            "0101..": ones // 3,
            "1010..": ones // 3 * 2,
            "0011..": ones // 5,
            "1000..": (ones + 1) % modulus,
        }
        back = pow(1 << self.p.T, -1, modulus)
        plain = {name: value * back % modulus for name, value in stored.items()}
        return {f"{name} · (M-1)": {"x": x, "y": plain["M-1"]} for name, x in plain.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Results chain into x."""
        return [("z", "x")]
