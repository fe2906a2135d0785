# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of a point multiplier."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from ...contract import PayloadValue
from .formulas import BLIND
from .parameters import ERRORS, EcpmParameters


class EcpmCodec:
    """Plain affine values in and out; None stands for the coordinates of the point at infinity."""

    def __init__(self, p: EcpmParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Needs `modulus`, `a`, `b`, `order`, `k`, `x` and `y`, or a curve to take those of the curve from.

        Raises
        ------
        ValueError
            For an even modulus or one below 5, and what does not fit into its field.
        """
        p = self.p
        values = self._defaults(case) | {name: value for name, value in case.items() if value is not None}
        m, w = values["modulus"], p.unit.w
        if m % 2 == 0 or m < 5 or m.bit_length() > p.n:
            raise ValueError(f"the modulus is odd, at least 5 and below 2^{p.n}, not {m:#x}")
        infinity = case["x"] is None
        payload: dict[str, PayloadValue] = {
            "m": m,
            "a": values["a"],
            "b": values["b"],
            "order": values["order"],
            "k": values["k"],
            "x": 0 if infinity else case["x"],
            "y": 0 if infinity else case["y"],
            "infinity": int(infinity),
            "q": -pow(m, -1, 1 << w) % (1 << w),
            "mu": pow(1 << w, -1, m),
            "r2": pow(2, 2 * p.T, m),
            BLIND: values.get(BLIND) or _some_blind(case, m),
        }
        payload = {field.name: payload[field.name] for field in p.i.fields}
        for field in p.i.fields:
            value = payload[field.name]
            if not isinstance(value, int) or value < 0 or value >> field.width:
                raise ValueError(f"{field.name} has at most {field.width} bits and no sign, not {value:#x}")
        return payload

    def _defaults(self, case: Mapping[str, Any]) -> dict[str, int]:
        """The curve's constants, where the modulus is the curve's or is not given."""
        example = self.p.example
        if example is None or case.get("modulus", example[0]) != example[0]:
            return {}
        return dict(zip(("modulus", "a", "b", "order"), example, strict=False))

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """`rx` and `ry`, or `infinity`, or the name of the error."""
        error = payload["error"]
        assert isinstance(error, int)
        if error:
            return {"error": ERRORS.get(error, "unknown")}
        if payload["infinity"]:
            return {"infinity": True, "error": None}
        return {"rx": payload["x"], "ry": payload["y"], "error": None}

    def edges(self) -> dict[str, dict[str, Any]]:
        """Scalars near multiples of the order, of the base point and of its negative."""
        if self.p.example is None:
            return {}
        p, _, _, order, x, y = self.p.example
        scalars = {f"{c}N{d:+}": c * order + d for c in (0, 1, 2) for d in (-3, -2, -1, 0, 1, 2, 3)}
        scalars["all ones"] = (1 << (self.p.n + 1)) - 1
        fitting = {name: k for name, k in scalars.items() if 0 <= k < 1 << (self.p.n + 1)}
        points = {"G": {"x": x, "y": y}, "-G": {"x": x, "y": p - y}}
        return {f"[{s}]{name}": {"k": k, **point} for name, point in points.items() for s, k in fitting.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """None: a result may be the point at infinity, which is no pair of coordinates."""
        return []


def _some_blind(case: Mapping[str, Any], m: int) -> int:
    """A number from 1 to m - 1 that differs from case to case, where the case has none. In use it is a random one."""
    text = repr(sorted((name, value) for name, value in case.items() if isinstance(value, int)))
    return 1 + int.from_bytes(hashlib.sha512(text.encode()).digest() * 2, "little") % (m - 1)
