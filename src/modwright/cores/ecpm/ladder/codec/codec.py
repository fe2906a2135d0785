# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of a point multiplier."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import gmpy2

from .....catalog.points import multiply_point
from .....contract import PayloadValue
from .....contract.operands import Cover, Reading, Unpromised, one_in
from .....engines.ladder.codec import PointCodec
from .....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, is_bad
from .....functions.ecpm import FUNCTION
from ..parameters.operands import ERRORS, OFF_CURVE, EcpmOperands
from ..plan.formulas import BLIND, CURVE, POINT
from .covers import covers
from .drawing import draw_point, draw_scalar, spoil


class EcpmCodec(PointCodec[EcpmOperands]):
    """Plain affine values in and out; None stands for the coordinates of the point at infinity."""

    function = FUNCTION
    curve, point = CURVE, POINT

    def encode(self, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Encode a case with `modulus`, `a`, `b`, `order`, `k`, `x` and `y`, or a curve in place of its numbers."""
        infinity = case["x"] is None
        given = _without_none(case) | (dict.fromkeys(POINT, 0) if infinity else {})
        blind = given.get(BLIND) or _some_blind(case, self.completed(given)["modulus"])
        return super().encode({**given, "infinity": int(infinity), BLIND: blind})

    def fit(self, case: Mapping[str, Any]) -> Mapping[str, Any]:
        """The case; or, where the order of its curve has too many bits, that of a multiple of its point whose order has
        fewer, which is the point at infinity where the order is a prime."""
        order = case.get("order", 0)
        if order >> self.p.order_bits == 0:
            return case
        factor = next(q for q in range(2, order + 1) if order % q == 0 and order // q >> self.p.order_bits == 0)
        point = None if case["x"] is None else (case["x"], case["y"])
        x, y = multiply_point(factor, point, case["modulus"], case["a"]) or (None, None)
        return {**case, "order": order // factor, "x": x, "y": y}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Errors in the order of their codes: the modulus even or below 5, or the order 0; a coordinate, a, b or the
        blind out of range; the point off the curve. Coordinates of the point at infinity are not looked at.

        Nothing is promised for the rest: a modulus that is not prime, constants that are not those of the modulus, a
        curve with a singular point, and an order that is not a multiple of that of the point.
        """
        v = {name: value for name, value in payload.items() if isinstance(value, int)}
        m, infinite = v["m"], bool(v["infinity"])
        if is_bad(m) or v["order"] == 0:
            return Reading(error=ERRORS[BAD_MODULUS])
        checked = [*CURVE, *(() if infinite else POINT), *((BLIND,) if BLIND in v else ())]
        if max(v[name] for name in checked) >= m or v.get(BLIND) == 0:
            return Reading(error=ERRORS[OUT_OF_RANGE])
        a, b, x, y = (v[name] for name in (*CURVE, *POINT))
        if not self.promises(v):
            return None
        case = {"modulus": m, "a": a, "b": b, "order": v["order"], "k": v["k"], "x": None, "y": None}
        if infinite:
            return Reading(case)
        if (y * y - x**3 - a * x - b) % m:
            return Reading(error=ERRORS[OFF_CURVE])
        return Reading(case | {"x": x, "y": y}) if _annihilates(v["order"], x, y, m, a) else None

    def unpromised(self) -> list[Unpromised]:
        """Constants that are not those of the modulus, and no curve over a prime field, with operands in range; with a
        blind, which is reported when it is 0, nothing is promised."""
        if self.p.blinding:
            return []
        return [
            Unpromised(
                ("order", *pattern.fields), self._unless_bad(pattern.belong), pattern.operands, lambda order, m, *_: m
            )
            for pattern in super().unpromised()
        ]

    @staticmethod
    def _unless_bad(belong: Callable[..., bool]) -> Callable[..., bool]:
        """The condition, for payloads whose order is not reported."""
        return lambda order, *values: order == 0 or belong(*values)

    @staticmethod
    def is_curve(m: int, *coefficients: int) -> bool:
        """Whether m is a prime, and y² = x³ + a·x + b has no singular point."""
        a, b = coefficients
        return bool(gmpy2.is_prime(m)) and (4 * a**3 + 27 * b * b) % m != 0

    def covers(self) -> Iterator[Cover]:
        """See `covers`."""
        return covers(self.p, self.is_curve)

    @property
    def compared(self) -> Sequence[str]:
        """The blind, too."""
        return (*super().compared, *((BLIND,) if self.p.blinding else ()))

    def changes(self, known: Mapping[str, int]) -> dict[str, dict[str, int]]:
        """No order, no blind, and the point at infinity, next to coordinates that do not count then."""
        found = super().changes(known) | {"order = 0": {"order": 0}, "infinity": {"infinity": 1}}
        found |= {f"infinity, {name} = m": {"infinity": 1, name: known["m"]} for name in POINT}
        return found | ({"blind = 0": {BLIND: 0}} if self.p.blinding else {})

    def draw(self, rng: Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Scalars next to multiples of the order, points of small order, curves over small fields; one time in two,
        something that is reported, and now and then the point at infinity."""
        given = self.completed(_without_none(case))
        point = draw_point(rng, {"x": 0, "y": 0} | given, self.p)
        m, k = point["modulus"], draw_scalar(rng, point["order"], self.p.n + 1)
        blind = rng.choice((1, m - 1, rng.randrange(1, m)))
        payload = self.encode({**point, "k": k, BLIND: blind})
        if one_in(rng, 12):
            return payload | {"infinity": 1}
        known = {name: value for name, value in payload.items() if isinstance(value, int)}
        return payload | (spoil(rng, known, self.p) if one_in(rng, 2) else {})

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """`rx` and `ry`, or `infinity`, or the name of the error."""
        if payload["infinity"] and not payload["error"]:
            return {"infinity": True, "error": None}
        return super().decode(payload)

    def edges(self) -> dict[str, dict[str, Any]]:
        """Scalars near multiples of the order, of the base point and of its negative."""
        curve = self.p.example
        if curve is None:
            return {}
        scalars = {f"{c}N{d:+}": c * curve.order + d for c in (0, 1, 2) for d in (-3, -2, -1, 0, 1, 2, 3)}
        scalars["all ones"] = (1 << (self.p.n + 1)) - 1
        fitting = {name: k for name, k in scalars.items() if 0 <= k < 1 << (self.p.n + 1)}
        points = {"G": {"x": curve.gx, "y": curve.gy}, "-G": {"x": curve.gx, "y": curve.p - curve.gy}}
        return {f"[{s}]{name}": {"k": k, **point} for name, point in points.items() for s, k in fitting.items()}


def _without_none(case: Mapping[str, int | None]) -> dict[str, int]:
    return {name: value for name, value in case.items() if value is not None}


def _some_blind(case: Mapping[str, Any], m: int) -> int:
    """A number from 1 to m - 1 that differs from case to case, where the case has none; 1 for a modulus of 1, which the
    core reports. In use it is a random one."""
    text = repr(sorted((name, value) for name, value in case.items() if isinstance(value, int)))
    return 1 + int.from_bytes(hashlib.sha512(text.encode()).digest() * 2, "little") % max(m - 1, 1)


@lru_cache(maxsize=4096)
def _annihilates(order: int, x: int, y: int, m: int, a: int) -> bool:
    """Whether [order](x, y) is the point at infinity."""
    return multiply_point(order, (x, y), m, a) is None
