# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of a multiplier of x-coordinates modulo a fixed prime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random

from ....catalog.points import multiply_x
from ....contract import Field, PayloadValue, integer
from ....contract.operands import Bits, Cover, Reading, Unpromised, draw, one_in
from ....contract.roles import Errors
from ....functions.xmul import CLAMPS, FUNCTION, decoded_scalar
from .parameters import CLAMP_BITS, ERRORS, ZERO, PseudoMersenneParameters


class PseudoMersenneCodec:
    """Plain x-coordinates in and out."""

    def __init__(self, p: PseudoMersenneParameters) -> None:
        self.p = p

    # --- in

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Encode a case with k, u and the constants of a curve, those of the request's where it has none.

        Raises
        ------
        ValueError
            For another modulus, and what does not fit into its field.
        """
        values = self._completed(case)
        if values["modulus"] != self.p.modulus:
            raise ValueError(f"the modulus of the core is {self.p.modulus:#x}, not {values['modulus']:#x}")
        payload: dict[str, PayloadValue] = {}
        for field in self.p.i.fields:
            payload[field.name] = value = values[field.name]
            width = self._width(field, values)
            if value < 0 or value >> width:
                raise ValueError(f"{field.name} has at most {width} bits and no sign, not {value:#x}")
        return payload

    def _completed(self, case: Mapping[str, int]) -> dict[str, int]:
        example = self.p.example
        own = {} if example is None else FUNCTION.curve_constants(example)
        return {"modulus": self.p.modulus, **own, **case}

    def _width(self, field: Field, values: Mapping[str, int]) -> int:
        """Bits of a plain operand: of a scalar that is not clamped, n."""
        return self.p.n if field.name == "k" and not values["clamp"] else field.width

    def fit(self, case: Mapping[str, int]) -> dict[str, int]:
        """The case with a constant of the curve that is a digit."""
        if "a24" not in case or not case["a24"] >> self.p.v:
            return dict(case)
        return {**case, "a24": 2 + case["a24"] % (min(self.p.modulus, 1 << self.p.v) - 2)}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The error of the result 0; nothing is promised for a24 of 0 or 1, which belongs to no curve."""
        p, v = self.p, {name: integer(value) for name, value in payload.items()}
        if not self._is_curve(v["a24"]):
            return None
        low = (1 << p.n) - 1
        case = {"a24": v["a24"], "clamp": v["clamp"], "k": v["k"] & low, "u": v["u"] & low}
        zero = not multiply_x(decoded_scalar(case["k"], case["clamp"], p.n), case["u"], p.modulus, case["a24"])
        return Reading(error=ERRORS[ZERO]) if zero else Reading(case)

    def _is_curve(self, a24: int) -> bool:
        """Whether the curve has no singular point: A is neither 2 nor -2."""
        return a24 % self.p.modulus not in (0, 1)

    def unpromised(self) -> list[Unpromised]:
        """Constants that belong to no curve."""
        return [Unpromised(("a24",), self._is_curve)]

    def covers(self) -> Iterator[Cover]:
        """Every curve, with every scalar and u as they are decoded."""
        p, low = self.p, (1 << self.p.n) - 1
        for a24, clamp in product(filter(self._is_curve, range(1 << p.v)), range(1 << CLAMP_BITS)):
            free = (low >> 1) >> clamp << clamp if clamp else low  # bits of k that decoding leaves
            scalars = dict.fromkeys(k & free for k in range(free + 1))
            pairs = product(scalars, range(low + 1))
            yield from ({"a24": a24, "clamp": clamp, "k": Bits(k, free), "u": Bits(u, low)} for k, u in pairs)

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any k and u of all bits of their fields, any curve and all forms of scalars."""
        p, given = self.p, self._completed(case)
        other = "a24" not in given or given["a24"] >> p.v or one_in(rng, 3)
        curve = {"a24": self._draw_constant(rng), "clamp": rng.choice(CLAMPS)} if other else given
        limit = 1 << p.operand_bits
        u = rng.choice((0, 1, p.modulus - 1, p.modulus)) if one_in(rng, 8) else draw(rng, limit)
        clamp = draw(rng, 1 << CLAMP_BITS) if one_in(rng, 4) else curve["clamp"]
        return {"a24": curve["a24"], "clamp": clamp, "k": draw(rng, limit), "u": u}

    def _draw_constant(self, rng: Random) -> int:
        a24 = 0
        while not self._is_curve(a24):
            a24 = draw(rng, 1 << self.p.v)
        return a24

    # --- out

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """The result, or the name of the error."""
        if error := integer(payload["error"]):
            return {"error": ERRORS.get(error, Errors.UNKNOWN)}
        z = integer(payload["z"])
        return {"z": z, "error": None if z < self.p.modulus else Errors.BOUND}

    def borders(self, case: Mapping[str, int]) -> dict[str, dict[str, PayloadValue]]:
        """The point of order 2, whose result is reported, as 0 and as p."""
        payload = self.encode(self.fit(case))
        return {f"u = {name}": {**payload, "u": value} for name, value in (("0", 0), ("p", self.p.modulus))}

    def edges(self) -> dict[str, dict[str, int]]:
        """Scalars whose clamped forms are the least and the largest, with the base point and on the twist."""
        c = self.p.example
        if c is None:
            return {}
        scalars = {"2^n - 2": (1 << self.p.n) - 2, "2^(n-1)": 1 << (self.p.n - 1)}
        return {f"[{s}]({u})": {"k": k, "u": u} for s, k in scalars.items() for u in (c.gx, 2)}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """The result is the next x-coordinate."""
        return [("z", "u")] if self.p.operand_bits == self.p.n else []
