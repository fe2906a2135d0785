# SPDX-License-Identifier: Apache-2.0
"""Between plain values and those of the Montgomery domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...contract import PayloadValue
from .parameters import BAD_MODULUS, OUT_OF_RANGE, LimbParameters

ERRORS = {BAD_MODULUS: "modulus even or below 3", OUT_OF_RANGE: "not reduced"}


class LimbCodec:
    """x·R and y·R (mod m) go in with m and its constants, x·y·R comes out; plain operands of any size are reduced."""

    def __init__(self, p: LimbParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Needs `modulus`; ValueError when it is even, below 3 or too wide, or an operand is negative."""
        m = case["modulus"]
        if m % 2 == 0 or m < 3 or m.bit_length() > self.p.n:
            raise ValueError(f"the modulus is odd, at least 3 and below 2^{self.p.n}, not {m:#x}")
        if min(case[name] for name in self.p.operands) < 0:
            raise ValueError("operands are not negative")
        operands = {name: (case[name] << self.p.T) % m for name in self.p.operands}
        return operands | self.constants(m)

    def constants(self, m: int) -> dict[str, PayloadValue]:
        """The fields that belong to an odd modulus."""
        base = 1 << self.p.w
        values = {"m": m, "q": -pow(m, -1, base) % base, "mu": pow(base, -1, m)}
        return {field.name: values[field.name] for field in self.p.i.fields if field.name in values}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """z·R^-1 (mod m) with the modulus that came out beside z; 0 and the name of the error where there is one."""
        z, m, error = payload["z"], payload["modulus"], payload["error"]
        assert isinstance(z, int)
        assert isinstance(m, int)
        if error:
            return {"z": 0, "error": ERRORS.get(int(error), "unknown") if isinstance(error, int) else "unknown"}
        if m % 2 == 0:
            return {"z": 0, "error": "an even modulus was not reported"}
        return {"z": z * pow(1 << self.p.T, -1, m) % m, "error": None}

    def edges(self) -> dict[str, dict[str, int]]:
        """Plain operands that become 0, 1, m - 1 and runs of bits in the Montgomery domain; none without a modulus."""
        m = self.p.example
        if m is None:
            return {}
        ones = (1 << (m.bit_length() - 1)) - 1
        limb = (1 << self.p.w) - 1
        stored = {
            "0": 0,
            "1": 1,
            "m-1": m - 1,
            "11..1": ones,
            "0101..": ones // 3,
            "1010..": ones // 3 * 2,
            "0011..": ones // 5,
            "1000..": (ones + 1) % m,
            "lowest limb full": limb % m,
            "all but the lowest limb": (ones - limb) % m,
        }
        back = pow(1 << self.p.T, -1, m)
        plain = {name: value * back % m for name, value in stored.items()}
        return {f"{name} · (m-1)": {"x": x, "y": plain["m-1"]} for name, x in plain.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """None: a result is below a small multiple of m, and operands are below m."""
        return []
