# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of a point multiplier."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from random import Random
from typing import Any

import gmpy2

from .....catalog.points import multiply_point
from .....contract import PayloadValue
from .....contract.operands import Cover, Reading, Unpromised, one_in
from .....contract.roles import Errors
from .....engines.ladder.codec import constants_of, defaults
from ..parameters import BAD_MODULUS, ERRORS, OFF_CURVE, OUT_OF_RANGE, EcpmParameters
from ..plan.formulas import BLIND, CURVE, POINT
from .covers import covers
from .drawing import draw_point, draw_scalar, spoil


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
        m = values["modulus"]
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
            **constants_of(self.p, m),
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
        return defaults(("modulus", "a", "b", "order"), self.p.example, case)

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Errors in the order of their codes: the modulus even or below 5, or the order 0; a coordinate, a, b or the
        blind out of range; the point off the curve. Coordinates of the point at infinity are not looked at.

        Nothing is promised of the rest for a modulus that is no prime, constants that are not those of the modulus, a
        curve with a singular point, and an order that is no multiple of that of the point.
        """
        v = {name: value for name, value in payload.items() if isinstance(value, int)}
        m, infinite = v["m"], bool(v["infinity"])
        if _is_bad(m, v["order"]):
            return Reading(error=ERRORS[BAD_MODULUS])
        checked = [*CURVE, *(() if infinite else POINT), *((BLIND,) if BLIND in v else ())]
        if max(v[name] for name in checked) >= m or v.get(BLIND) == 0:
            return Reading(error=ERRORS[OUT_OF_RANGE])
        a, b, x, y = (v[name] for name in (*CURVE, *POINT))
        constants = constants_of(self.p, m)
        if not _is_curve(m, a, b) or any(v[name] != value for name, value in constants.items()):
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
        names = tuple(constants_of(self.p, 5))

        def constants_belong(order: int, m: int, *values: int) -> bool:
            return _is_bad(m, order) or tuple(constants_of(self.p, m).values()) == values

        def curve_belongs(order: int, m: int, a: int, b: int) -> bool:
            return _is_bad(m, order) or max(a, b) >= m or _is_curve(m, a, b)

        def limit(order: int, m: int, *values: int) -> int:
            return m

        return [
            Unpromised(("order", "m", *names), constants_belong, (*CURVE, *POINT), limit),
            Unpromised(("order", "m", *CURVE), curve_belongs, POINT, limit),
        ]

    def covers(self) -> Iterator[Cover]:
        """See `covers`."""
        return covers(self.p, partial(constants_of, self.p), _is_curve)

    def draw(self, rng: Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Scalars next to multiples of the order, points of small order, curves over small fields; one time in two,
        something that is reported, and now and then the point at infinity."""
        given = self._defaults(case) | {name: value for name, value in case.items() if value is not None}
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
        error = payload["error"]
        assert isinstance(error, int)
        if error:
            return {"error": ERRORS.get(error, Errors.UNKNOWN)}
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


@lru_cache(maxsize=64)
def _is_bad(m: int, order: int) -> bool:
    """Whether the modulus or the order is reported."""
    return m % 2 == 0 or m < 5 or order == 0


def _is_curve(m: int, a: int, b: int) -> bool:
    """Whether m is a prime, and y² = x³ + a·x + b has no singular point."""
    return bool(gmpy2.is_prime(m)) and (4 * a**3 + 27 * b * b) % m != 0


@lru_cache(maxsize=4096)
def _annihilates(order: int, x: int, y: int, m: int, a: int) -> bool:
    """Whether [order](x, y) is the point at infinity."""
    return multiply_point(order, (x, y), m, a) is None
