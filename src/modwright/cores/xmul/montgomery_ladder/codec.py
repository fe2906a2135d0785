# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of a multiplier of x-coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from random import Random

import gmpy2

from ....catalog.points import multiply_x
from ....contract import PayloadValue
from ....contract.operands import Bits, Cover, Reading, Unpromised, draw, draw_above, draw_bad_modulus, one_in
from ....contract.roles import Errors
from ....engines.ladder.codec import SMALL_PRIMES, constants_of, defaults
from ....functions.xmul import CLAMPS, decoded_scalar
from .parameters import BAD_MODULUS, CLAMP_BITS, ERRORS, OUT_OF_RANGE, SMALLEST_MODULUS, ZERO, XmulParameters


class XmulCodec:
    """Plain x-coordinates in and out."""

    def __init__(self, p: XmulParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Needs `modulus`, `a24`, `clamp`, `k` and `u`, or a curve to take those of the curve from.

        Raises
        ------
        ValueError
            For an even modulus or one below 5, and what does not fit into its field.
        """
        p = self.p
        values = {**self._defaults(case), **case}
        m = values["modulus"]
        if m % 2 == 0 or m < SMALLEST_MODULUS or m.bit_length() > p.n:
            raise ValueError(f"the modulus is odd, at least {SMALLEST_MODULUS} and below 2^{p.n}, not {m:#x}")
        given = {"m": m, **{name: values[name] for name in ("a24", "clamp", "k", "u")}, **constants_of(self.p, m)}
        payload: dict[str, PayloadValue] = {field.name: given[field.name] for field in p.i.fields}
        for field in p.i.fields:
            value = given[field.name]
            width = p.n if field.name == "k" and not given["clamp"] else field.width
            if value < 0 or value >> width:
                raise ValueError(f"{field.name} has at most {width} bits and no sign, not {value:#x}")
        return payload

    def _defaults(self, case: Mapping[str, int]) -> dict[str, int]:
        """The curve's constants, where the modulus is the curve's or is not given."""
        return defaults(("modulus", "a24", "clamp"), self.p.example, case)

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Errors in the order of their codes: the modulus even or below 5; a24 out of range; the result 0.

        Nothing is promised of the rest for a modulus that is no prime, constants that are not those of the modulus, and
        a24 of 0 or 1, which is of no curve.
        """
        v = {name: value for name, value in payload.items() if isinstance(value, int)}
        m, a24 = v["m"], v["a24"]
        if _is_bad(m):
            return Reading(error=ERRORS[BAD_MODULUS])
        if a24 >= m:
            return Reading(error=ERRORS[OUT_OF_RANGE])
        constants = constants_of(self.p, m)
        if not _is_curve(m, a24) or any(v[name] != value for name, value in constants.items()):
            return None
        clamp, bits = v["clamp"], m.bit_length()
        case = {"modulus": m, "a24": a24, "clamp": clamp, "k": v["k"] % (1 << self.p.n), "u": v["u"] % (1 << bits)}
        zero = not multiply_x(decoded_scalar(case["k"], clamp, bits), case["u"], m, a24)
        return Reading(error=ERRORS[ZERO]) if zero else Reading(case)

    def unpromised(self) -> list[Unpromised]:
        """Constants that are not those of the modulus, and no curve over a prime field, with a24 in range."""
        names = tuple(constants_of(self.p, SMALLEST_MODULUS))

        def constants_belong(m: int, *values: int) -> bool:
            return _is_bad(m) or tuple(constants_of(self.p, m).values()) == values

        def curve_belongs(m: int, a24: int) -> bool:
            return _is_bad(m) or a24 >= m or _is_curve(m, a24)

        def limit(m: int, *values: int) -> int:
            return m

        return [
            Unpromised(("m", *names), constants_belong, ("a24",), limit),
            Unpromised(("m", "a24"), curve_belongs),
        ]

    def covers(self) -> Iterator[Cover]:
        """Every curve, with every scalar and u as they are decoded; what is reported whatever they are."""
        n = self.p.n
        yield from ({"m": Bits(0, 1)}, {"m": 1}, {"m": 3})
        for m in range(SMALLEST_MODULUS, 1 << n, 2):
            yield from ({"m": m, "a24": a24} for a24 in range(m, 1 << n))
            known = constants_of(self.p, m)
            own = {"m": m, **{name: value for name, value in known.items() if name in self.p.i.offsets}}
            low = (1 << m.bit_length()) - 1
            for a24, clamp in product(range(2, m), range(1 << CLAMP_BITS)):
                if _is_curve(m, a24):
                    free = (low >> 1) >> clamp << clamp if clamp else (1 << n) - 1  # bits of k that decoding leaves
                    scalars = dict.fromkeys(k & free for k in range(free + 1))
                    pairs = product(scalars, range(low + 1))
                    curve = {**own, "a24": a24, "clamp": clamp}
                    yield from ({**curve, "k": Bits(k, free), "u": Bits(u, low)} for k, u in pairs)

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any k and u of all bits of their fields, curves over small fields and all forms of scalars; one time in four
        something that is reported."""
        given = {**self._defaults(case), **case}
        m = (
            rng.choice([prime for prime in SMALL_PRIMES if prime >> self.p.n == 0])
            if one_in(rng, 4)
            else given["modulus"]
        )
        other = m != given["modulus"] or one_in(rng, 3)
        curve = {"a24": 2 + draw(rng, m - 2), "clamp": rng.choice(CLAMPS)} if other else given
        limit = 1 << self.p.operand_bits
        u = rng.choice((0, 1, m - 1)) if one_in(rng, 8) else draw(rng, limit)
        payload = self.encode({"modulus": m, "a24": curve["a24"], "clamp": curve["clamp"], "k": 0, "u": u})
        payload |= {"k": draw(rng, limit)} | ({"clamp": draw(rng, 1 << CLAMP_BITS)} if one_in(rng, 4) else {})
        if not one_in(rng, 4):
            return payload
        return payload | (
            {"m": draw_bad_modulus(rng, self.p.n)} if one_in(rng, 2) else {"a24": draw_above(rng, m, self.p.n)}
        )

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, PayloadValue | str | None]:
        """`z`, or the name of the error."""
        error = payload["error"]
        assert isinstance(error, int)
        if error:
            return {"error": ERRORS.get(error, Errors.UNKNOWN)}
        return {"z": payload["z"], "error": None}

    def edges(self) -> dict[str, dict[str, int]]:
        """Scalars whose clamped forms are the least and the largest, with the base point and on the twist."""
        if self.p.example is None:
            return {}
        p, _, _, base = self.p.example
        scalars = {"2^N - 2": (1 << p.bit_length()) - 2, "2^(N-1)": 1 << (p.bit_length() - 1)}
        return {f"[{s}]({u})": {"k": k, "u": u} for s, k in scalars.items() for u in (base, 2)}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """The result is the next x-coordinate."""
        return [("z", "u")] if self.p.operand_bits == self.p.n else []


def _is_bad(m: int) -> bool:
    """Whether the modulus is reported."""
    return m % 2 == 0 or m < SMALLEST_MODULUS


@lru_cache(maxsize=4096)
def _is_curve(m: int, a24: int) -> bool:
    """Whether m is a prime, and the curve has no singular point: A is neither 2 nor -2."""
    return bool(gmpy2.is_prime(m)) and a24 % m not in (0, 1)
