# SPDX-License-Identifier: Apache-2.0
"""Between plain affine values and the operands of a point multiplier on Edwards curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from random import Random

import gmpy2

from ....contract import PayloadValue
from ....contract.operands import Bits, Cover, Reading, draw, draw_above, draw_bad_modulus, one_in
from ....engines.ladder.codec import PointCodec
from ....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, SMALLEST_MODULUS, is_bad
from ....functions.edmul import FUNCTION, draw_small, is_square
from .parameters import ERRORS, OFF_CURVE, EdmulParameters
from .plan.formulas import CURVE, POINT


class EdmulCodec(PointCodec[EdmulParameters]):
    """Plain affine values in and out."""

    function = FUNCTION
    curve, point = CURVE, POINT

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Errors in the order of their codes: the modulus even or below 5; x, y, a or d out of range; the point off
        the curve.

        Nothing is promised for the rest: a modulus that is not prime, constants that are not those of the modulus, and
        a curve that is not complete: a not a square, or d a square.
        """
        v = {name: value for name, value in payload.items() if isinstance(value, int)}
        m = v["m"]
        if is_bad(m):
            return Reading(error=ERRORS[BAD_MODULUS])
        a, d, x, y = (v[name] for name in (*CURVE, *POINT))
        if max(a, d, x, y) >= m:
            return Reading(error=ERRORS[OUT_OF_RANGE])
        if not self.promises(v):
            return None
        if (a * x * x + y * y - 1 - d * x * x * y * y) % m:
            return Reading(error=ERRORS[OFF_CURVE])
        return Reading({"modulus": m, "a": a, "d": d, "k": v["k"], "x": x, "y": y})

    @staticmethod
    @lru_cache(maxsize=4096)
    def is_curve(m: int, *coefficients: int) -> bool:
        """Whether m is a prime, a a square and d not one: the curve is complete."""
        a, d = coefficients
        return bool(gmpy2.is_prime(m)) and is_square(a, m) and d > 0 and not is_square(d, m)

    def covers(self) -> Iterator[Cover]:
        """Every point of every complete curve with every scalar; what is reported whatever comes after it in the order
        of errors, and points off a curve whatever the scalar is."""
        n = self.p.n
        yield from ({"m": Bits(0, 1)}, {"m": 1}, {"m": 3})
        for m in range(SMALLEST_MODULUS, 1 << n, 2):
            yield from ({"m": m, name: value} for name in (*CURVE, *POINT) for value in range(m, 1 << n))
            own = {"m": m, **self.p.constants_of(m)}
            for a, d in product(range(m), repeat=2):
                for x, y in product(range(m), repeat=2) if self.is_curve(m, a, d) else ():
                    point = {**own, "a": a, "d": d, "x": x, "y": y}
                    on = (a * x * x + y * y - 1 - d * x * x * y * y) % m == 0
                    yield from ({**point, "k": k} for k in range(1 << n)) if on else [point]

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any scalar of n bits, complete curves over small fields, points of order 1 and 2; one time in four something
        that is reported."""
        given = self.completed(case)
        if one_in(rng, 3):
            given = draw_small(rng, self.small_prime(rng))
        elif one_in(rng, 4):
            given = {**given, "x": 0, "y": rng.choice((1, given["modulus"] - 1))}
        payload = self.encode({**given, "k": draw(rng, 1 << self.p.n)})
        if not one_in(rng, 4):
            return payload
        m = given["modulus"]
        kind = rng.randrange(3)
        if kind == 0:
            return payload | {"m": draw_bad_modulus(rng, self.p.n)}
        if kind == 1:
            return payload | {rng.choice((*CURVE, *POINT)): draw_above(rng, m, self.p.n)}
        return payload | {"y": (given["y"] + rng.randrange(1, m)) % m}

    def edges(self) -> dict[str, dict[str, int]]:
        """Scalars beyond the order, of the base point and of its negative."""
        c = self.p.example
        if c is None:
            return {}
        scalars = {"N": c.order, "2^n - 1": (1 << self.p.n) - 1, "2^(n-1)": 1 << (self.p.n - 1)}
        points = {"G": (c.gx, c.gy), "-G": (c.p - c.gx, c.gy)}
        return {f"[{s}]{n}": {"k": k, "x": u, "y": v} for s, k in scalars.items() for n, (u, v) in points.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """The multiple is the next point."""
        return [("x", "x"), ("y", "y")]
