# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of a multiplier of x-coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from random import Random

import gmpy2

from ....catalog.points import multiply_x
from ....contract import Field, PayloadValue
from ....contract.operands import Bits, Cover, Reading, draw, draw_above, draw_bad_modulus, one_in
from ....engines.ladder.codec import PointCodec
from ....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, SMALLEST_MODULUS, is_bad
from ....functions.xmul import CLAMPS, FUNCTION, decoded_scalar
from .parameters import CLAMP_BITS, ERRORS, ZERO, XmulParameters


class XmulCodec(PointCodec[XmulParameters]):
    """Plain x-coordinates in and out."""

    function = FUNCTION
    curve = ("a24",)

    def width(self, field: Field, given: Mapping[str, int]) -> int:
        """Bits of a plain operand: of a scalar that is not clamped, n."""
        return self.p.n if field.name == "k" and not given["clamp"] else field.width

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Errors in the order of their codes: the modulus even or below 5; a24 out of range; the result 0.

        Nothing is promised for the rest: a modulus that is not prime, constants that are not those of the modulus, and
        a24 of 0 or 1, which belongs to no curve.
        """
        v = {name: value for name, value in payload.items() if isinstance(value, int)}
        m, a24 = v["m"], v["a24"]
        if is_bad(m):
            return Reading(error=ERRORS[BAD_MODULUS])
        if a24 >= m:
            return Reading(error=ERRORS[OUT_OF_RANGE])
        if not self.promises(v):
            return None
        clamp, bits = v["clamp"], m.bit_length()
        case = {"modulus": m, "a24": a24, "clamp": clamp, "k": v["k"] % (1 << self.p.n), "u": v["u"] % (1 << bits)}
        zero = not multiply_x(decoded_scalar(case["k"], clamp, bits), case["u"], m, a24)
        return Reading(error=ERRORS[ZERO]) if zero else Reading(case)

    @staticmethod
    @lru_cache(maxsize=4096)
    def is_curve(m: int, *coefficients: int) -> bool:
        """Whether m is a prime, and the curve has no singular point: A is neither 2 nor -2."""
        (a24,) = coefficients
        return bool(gmpy2.is_prime(m)) and a24 % m not in (0, 1)

    def covers(self) -> Iterator[Cover]:
        """Every curve, with every scalar and u as they are decoded; what is reported whatever they are."""
        n = self.p.n
        yield from ({"m": Bits(0, 1)}, {"m": 1}, {"m": 3})
        for m in range(SMALLEST_MODULUS, 1 << n, 2):
            yield from ({"m": m, "a24": a24} for a24 in range(m, 1 << n))
            own = {"m": m, **self.p.constants_of(m)}
            low = (1 << m.bit_length()) - 1
            for a24, clamp in product(range(2, m), range(1 << CLAMP_BITS)):
                if self.is_curve(m, a24):
                    free = (low >> 1) >> clamp << clamp if clamp else (1 << n) - 1  # bits of k that decoding leaves
                    scalars = dict.fromkeys(k & free for k in range(free + 1))
                    pairs = product(scalars, range(low + 1))
                    curve = {**own, "a24": a24, "clamp": clamp}
                    yield from ({**curve, "k": Bits(k, free), "u": Bits(u, low)} for k, u in pairs)

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any k and u of all bits of their fields, curves over small fields and all forms of scalars; one time in four
        something that is reported."""
        given = self.completed(case)
        m = self.small_prime(rng) if one_in(rng, 4) else given["modulus"]
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

    def changes(self, known: Mapping[str, int]) -> dict[str, dict[str, int]]:
        """The point of order 2, whose result is reported, too."""
        return {**super().changes(known), "u = 0": {"u": 0}}

    def edges(self) -> dict[str, dict[str, int]]:
        """Scalars whose clamped forms are the least and the largest, with the base point and on the twist."""
        c = self.p.example
        if c is None:
            return {}
        scalars = {"2^N - 2": (1 << c.p.bit_length()) - 2, "2^(N-1)": 1 << (c.p.bit_length() - 1)}
        return {f"[{s}]({u})": {"k": k, "u": u} for s, k in scalars.items() for u in (c.gx, 2)}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """The result is the next x-coordinate."""
        return [("z", "u")] if self.p.operand_bits == self.p.n else []
