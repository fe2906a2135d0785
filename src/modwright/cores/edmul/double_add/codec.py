# SPDX-License-Identifier: Apache-2.0
"""Between plain affine values and the operands of a point multiplier on Edwards curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from random import Random

import gmpy2

from ....contract import PayloadValue
from ....contract.operands import Bits, Cover, Reading, Unpromised, draw, draw_above, draw_bad_modulus, one_in
from ....contract.roles import Errors
from ....engines.ladder.codec import SMALL_PRIMES, constants_of, defaults
from ....functions.edmul import draw_small, is_square
from .parameters import BAD_MODULUS, ERRORS, OFF_CURVE, OUT_OF_RANGE, SMALLEST_MODULUS, EdmulParameters
from .plan.formulas import CURVE, POINT


class EdmulCodec:
    """Plain affine values in and out."""

    def __init__(self, p: EdmulParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Needs `modulus`, `a`, `d`, `k`, `x` and `y`, or a curve to take those of the curve from.

        Raises
        ------
        ValueError
            For an even modulus or one below 5, and what does not fit into its field.
        """
        values = {**self._defaults(case), **case}
        m = values["modulus"]
        if m % 2 == 0 or m < SMALLEST_MODULUS or m.bit_length() > self.p.n:
            raise ValueError(f"the modulus is odd, at least {SMALLEST_MODULUS} and below 2^{self.p.n}, not {m:#x}")
        given = {"m": m, **{name: values[name] for name in (*CURVE, "k", *POINT)}, **constants_of(self.p, m)}
        payload: dict[str, PayloadValue] = {}
        for field in self.p.i.fields:
            payload[field.name] = value = given[field.name]
            if value < 0 or value >> field.width:
                raise ValueError(f"{field.name} has at most {field.width} bits and no sign, not {value:#x}")
        return payload

    def _defaults(self, case: Mapping[str, int]) -> dict[str, int]:
        """The curve's constants, where the modulus is the curve's or is not given."""
        return defaults(("modulus", *CURVE), self.p.example, case)

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Errors in the order of their codes: the modulus even or below 5; x, y, a or d out of range; the point off
        the curve.

        Nothing is promised of the rest for a modulus that is no prime, constants that are not those of the modulus, and
        a curve that is not complete: a no square, or d one.
        """
        v = {name: value for name, value in payload.items() if isinstance(value, int)}
        m = v["m"]
        if _is_bad(m):
            return Reading(error=ERRORS[BAD_MODULUS])
        a, d, x, y = (v[name] for name in (*CURVE, *POINT))
        if max(a, d, x, y) >= m:
            return Reading(error=ERRORS[OUT_OF_RANGE])
        constants = constants_of(self.p, m)
        if not _is_complete(m, a, d) or any(v[name] != value for name, value in constants.items()):
            return None
        if (a * x * x + y * y - 1 - d * x * x * y * y) % m:
            return Reading(error=ERRORS[OFF_CURVE])
        return Reading({"modulus": m, "a": a, "d": d, "k": v["k"], "x": x, "y": y})

    def unpromised(self) -> list[Unpromised]:
        """Constants that are not those of the modulus, and no complete curve over a prime field, with operands in
        range."""
        names = tuple(constants_of(self.p, SMALLEST_MODULUS))

        def constants_belong(m: int, *values: int) -> bool:
            return _is_bad(m) or tuple(constants_of(self.p, m).values()) == values

        def curve_belongs(m: int, a: int, d: int) -> bool:
            return _is_bad(m) or max(a, d) >= m or _is_complete(m, a, d)

        def limit(m: int, *values: int) -> int:
            return m

        return [
            Unpromised(("m", *names), constants_belong, (*CURVE, *POINT), limit),
            Unpromised(("m", *CURVE), curve_belongs, POINT, limit),
        ]

    def covers(self) -> Iterator[Cover]:
        """Every point of every complete curve with every scalar; what is reported whatever comes after it in the order
        of errors, and points off a curve whatever the scalar is."""
        n = self.p.n
        yield from ({"m": Bits(0, 1)}, {"m": 1}, {"m": 3})
        for m in range(SMALLEST_MODULUS, 1 << n, 2):
            yield from ({"m": m, name: value} for name in (*CURVE, *POINT) for value in range(m, 1 << n))
            known = constants_of(self.p, m)
            own = {"m": m, **{name: value for name, value in known.items() if name in self.p.i.offsets}}
            for a, d in product(range(m), repeat=2):
                for x, y in product(range(m), repeat=2) if _is_complete(m, a, d) else ():
                    point = {**own, "a": a, "d": d, "x": x, "y": y}
                    on = (a * x * x + y * y - 1 - d * x * x * y * y) % m == 0
                    yield from ({**point, "k": k} for k in range(1 << n)) if on else [point]

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any scalar of n bits, complete curves over small fields, points of order 1 and 2; one time in four something
        that is reported."""
        given = {**self._defaults(case), **case}
        if one_in(rng, 3):
            given = draw_small(rng, rng.choice([prime for prime in SMALL_PRIMES if prime >> self.p.n == 0]))
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

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, PayloadValue | str | None]:
        """`rx` and `ry`, or the name of the error."""
        error = payload["error"]
        assert isinstance(error, int)
        if error:
            return {"error": ERRORS.get(error, Errors.UNKNOWN)}
        return {"rx": payload["x"], "ry": payload["y"], "error": None}

    def edges(self) -> dict[str, dict[str, int]]:
        """Scalars beyond the order, of the base point and of its negative."""
        if self.p.example is None:
            return {}
        p, _, _, order, x, y = self.p.example
        scalars = {"N": order, "2^n - 1": (1 << self.p.n) - 1, "2^(n-1)": 1 << (self.p.n - 1)}
        points = {"G": (x, y), "-G": (p - x, y)}
        return {f"[{s}]{n}": {"k": k, "x": u, "y": v} for s, k in scalars.items() for n, (u, v) in points.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """The multiple is the next point."""
        return [("x", "x"), ("y", "y")]


def _is_bad(m: int) -> bool:
    """Whether the modulus is reported."""
    return m % 2 == 0 or m < SMALLEST_MODULUS


@lru_cache(maxsize=4096)
def _is_complete(m: int, a: int, d: int) -> bool:
    """Whether m is a prime, a a square and d none."""
    return bool(gmpy2.is_prime(m)) and is_square(a, m) and d > 0 and not is_square(d, m)
