# SPDX-License-Identifier: Apache-2.0
"""Conversion between plain values and the payloads of an exponentiator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from random import Random

from ...contract import PayloadValue, integer
from ...contract.codec import constants_of
from ...contract.number import Number
from ...contract.operands import (
    Reading,
    Unpromised,
    bad_moduli,
    draw,
    draw_above,
    draw_bad_modulus,
    draw_modulus,
    one_in,
)
from ...contract.roles import Errors, Modulus, Operand
from .parameters import LEFT, RIGHT, ModexpParameters
from .plan.multiplier import ERROR, MODULUS


class ModexpCodec:
    """Codec: with a runtime modulus, plain values in and out; with a fixed one, the base of the multiplier's codec."""

    def __init__(self, p: ModexpParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Encode a case; ValueError for an exponent that is too long, and for a modulus that is even, below 3 or too
        wide."""
        p, exponent = self.p, case["exponent"]
        if exponent < 0 or exponent.bit_length() > p.exponent_bits:
            raise ValueError(f"the exponent has at most {p.exponent_bits} bits and no sign, not {exponent:#x}")
        if not p.multiplier.plain:
            inner = p.multiplier.codec.encode({"x": case["base"], "y": 0})
            return {**p.base.unpack(p.multiplier.word(inner)), "exponent": exponent}
        m = case["modulus"]
        if m % 2 == 0 or m < 3 or m.bit_length() > p.n:
            raise ValueError(f"the modulus is odd, at least 3 and below 2^{p.n}, not {m:#x}")
        if not self._belongs(m):
            raise ValueError(f"the modulus {m:#x} is a multiple of a modulus of a channel")
        if case["base"] < 0:
            raise ValueError("the base is not negative")
        return {"base": case["base"] % m, "exponent": exponent, **self._constants(m)}

    def _constants(self, m: int) -> dict[str, PayloadValue]:
        """The fields that belong to an odd modulus."""
        return {MODULUS: m, **constants_of(self.p.i, m)}

    def _belongs(self, m: int) -> bool:
        """Whether constants exist for an odd modulus."""
        ((_, role),) = self.p.i.having(Modulus)
        return gcd(m, role.coprime) == 1

    def _limit(self, m: int) -> int:
        """Exclusive limit of the base, which is an operand of the multiplier, for an odd modulus."""
        ((field, role),) = self.p.i.having(Operand)
        return Number(field, role).limit({}, m)

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Base and exponent, or the error that base or runtime modulus have as operands of the multiplier."""
        exponent = payload["exponent"]
        assert isinstance(exponent, int)
        found = self._read_plain(payload) if self.p.multiplier.plain else self._read_built_in(payload, exponent)
        return found if found is None or found.error else Reading({**found.case, "exponent": exponent})

    def _read_plain(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        m, base = payload[MODULUS], payload["base"]
        assert isinstance(m, int)
        assert isinstance(base, int)
        if m % 2 == 0 or m < 3:
            return Reading(error=Errors.BAD_MODULUS)
        if not self._belongs(m) or any(payload[name] != value for name, value in self._constants(m).items()):
            return None
        return Reading(error=Errors.NOT_REDUCED) if base >= self._limit(m) else Reading({"base": base, "modulus": m})

    def unpromised(self) -> list[Unpromised]:
        """Valid moduli with constants that are not theirs."""
        names = tuple(self._constants(3)) if self.p.multiplier.plain else ()

        def belong(*values: PayloadValue) -> bool:
            m = integer(values[names.index(MODULUS)])
            bad = m % 2 == 0 or m < 3
            return bad or (self._belongs(m) and tuple(self._constants(m).values()) == values)

        return [Unpromised(names, belong)] if len(names) > 1 else []

    def _read_built_in(self, payload: Mapping[str, PayloadValue], exponent: int) -> Reading | None:
        """The base as the multiplier reads it. A method that begins with the exponent's first or last bit of 1 reads
        no base for the exponent 0."""
        inner = self.p.multiplier
        names = [into for _, into in inner.pairs]
        operands = {name: payload["base" + name[1:]] for name in names}
        others = {"y" + name[1:]: value for name, value in operands.items()}
        found = inner.codec.read({**operands, **others})
        if found is None:
            return None
        if found.error:
            return Reading({"base": 0}) if exponent == 0 and self.p.method in (LEFT, RIGHT) else found
        return Reading({"base": found.case["x"]})

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any base that the multiplier accepts or reports as an error, with exponents of 0, 1 and all ones among
        others; any runtime modulus, one in eight invalid."""
        p = self.p
        exponent = rng.choice((0, 1, (1 << p.exponent_bits) - 1, *[draw(rng, 1 << p.exponent_bits)] * 3))
        if not p.multiplier.plain:
            inner = p.multiplier.codec.draw(rng, {**case, "x": case["base"], "y": 0})
            return {**p.base.unpack(p.multiplier.word(inner)), "exponent": exponent}
        m = draw_modulus(rng, case["modulus"], p.n)
        m = m if self._belongs(m) else case["modulus"]
        limit = min(self._limit(m), 1 << p.n)
        above = limit < 1 << p.n and one_in(rng, 4)
        base = draw_above(rng, limit, p.n) if above else draw(rng, limit)
        bad = {MODULUS: draw_bad_modulus(rng, p.n)} if one_in(rng, 8) else {}
        return {"base": base, "exponent": exponent, **self._constants(m), **bad}

    def fit(self, case: Mapping[str, int]) -> dict[str, int]:
        """A case like this one with an exponent that is not too long."""
        return {**case, "exponent": case["exponent"] & ((1 << self.p.exponent_bits) - 1)}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """The power, or the name of the multiplier's error."""
        p, error = self.p, payload[ERROR]
        inner = p.multiplier.parameters.o
        if error:
            nothing = {f.name: 0 if f.count == 1 else (0,) * f.count for f in inner.fields}
            return p.multiplier.codec.decode({**nothing, ERROR: error})
        if p.multiplier.plain:
            return {"z": payload["z"], "error": None}
        return p.multiplier.codec.decode(payload)

    def edges(self) -> dict[str, dict[str, int]]:
        """Exponents of whole and of partial digits."""
        E, w = self.p.exponent_bits, self.p.window
        alternate = ((1 << E) - 1) // 3
        return {
            "2^(all ones)": {"base": 2, "exponent": (1 << E) - 1},
            "3^0101..": {"base": 3, "exponent": alternate},
            f"3^(2^{min(w, E - 1)})": {"base": 3, "exponent": 1 << min(w, E - 1)},
        }

    def borders(self, case: Mapping[str, int]) -> dict[str, dict[str, PayloadValue]]:
        """A case with each kind of bad modulus, where the modulus comes in with the operation."""
        payload = self.encode(case)
        if MODULUS not in payload:
            return {}
        found = bad_moduli(integer(payload[MODULUS]), self.p.n)
        return {name: payload | {MODULUS: value} for name, value in found.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Results chain into the base."""
        if self.p.multiplier.plain:
            return [("z", "base")]
        return [(out, "base" + into[1:]) for out, into in self.p.multiplier.pairs]
