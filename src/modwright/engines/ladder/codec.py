# SPDX-License-Identifier: Apache-2.0
"""Codecs of cores with a curve and its field as operands: from plain values to payloads, and back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar, Generic, TypeVar

from ...contract import Field, PayloadValue
from ...contract.operands import Reading, Unpromised
from ...contract.payload import integer
from ...contract.roles import ErrorCode, Errors, Result, Value
from ...functions import Function
from .curve import SMALLEST_MODULUS, CurveOperands, is_bad

SMALL_PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)
"""Fields over which any curve is drawn."""

P = TypeVar("P", bound=CurveOperands)


class CurveCodec(ABC, Generic[P]):
    """Plain values in and out: operands of the function by their names, next to constants of the curve and the modulus.

    Attributes
    ----------
    p : CurveOperands
    function : Function
        Names of the operands, and of the curve's constants.
    """

    function: ClassVar[Function]

    def __init__(self, p: P) -> None:
        self.p = p

    # --- in

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Encode a case with the operands of the function and the constants of a curve, or a curve in their place.

        Raises
        ------
        ValueError
            For an even modulus or one below 5, and what does not fit into its field.
        """
        values = self.completed(case)
        m = values["modulus"]
        require_odd("the modulus", m, SMALLEST_MODULUS, self.p.n)
        given = {**values, "m": m, **self.constants(values)}
        payload: dict[str, PayloadValue] = {}
        for field in self.p.i.fields:
            payload[field.name] = value = given[field.name]
            width = self.width(field, given)
            if value < 0 or value >> width:
                raise ValueError(f"{field.name} has at most {width} bits and no sign, not {value:#x}")
        return payload

    def completed(self, case: Mapping[str, int]) -> dict[str, int]:
        """The case with the modulus and the constants of the example, where its modulus is that one's or not given."""
        example = self.p.example
        if example is None or case.get("modulus", example.p) != example.p:
            return dict(case)
        return {"modulus": example.p, **self.function.curve_constants(example), **case}

    def constants(self, values: Mapping[str, int]) -> dict[str, int]:
        """Operands that are computed once from the numbers of a completed case."""
        return self.p.constants_of(values["modulus"])

    def width(self, field: Field, given: Mapping[str, int]) -> int:
        """Bits that a plain operand may have."""
        return field.width

    @abstractmethod
    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The reading of a payload, None where nothing is promised."""
        ...

    @abstractmethod
    def unpromised(self) -> list[Unpromised]:
        """Payloads of which nothing is promised, with operands in range."""
        ...

    # --- borders

    @property
    @abstractmethod
    def compared(self) -> Sequence[str]:
        """Operands that are compared with the modulus."""
        ...

    def borders(self, case: Mapping[str, int]) -> dict[str, dict[str, PayloadValue]]:
        """Each operand that is compared at its limit, and the others of `changes`."""
        payload = self.encode(case)
        known = self.known_numbers(payload)
        found = {f"{name} = m": {name: known["m"]} for name in self.compared} | self.changes(known)
        payloads = {name: payload | change for name, change in found.items() if self._fits(change)}
        return {name: payload for name, payload in payloads.items() if self.read(payload) is not None}

    def known_numbers(self, payload: Mapping[str, PayloadValue]) -> dict[str, int]:
        """The numbers of a payload by their fields."""
        return {name: value for name, value in payload.items() if isinstance(value, int)}

    def changes(self, known: Mapping[str, int]) -> dict[str, dict[str, int]]:
        """Other changes of a payload that are reported, or are just not, by what they are."""
        return {"m even": {"m": known["m"] - 1}, "m = 3": {"m": 3}, "m = 1": {"m": 1}}

    def _fits(self, change: Mapping[str, int]) -> bool:
        return all(value >> self.p.i[name].width == 0 for name, value in change.items())

    def small_prime(self, rng: Random, primes: Sequence[int] = SMALL_PRIMES) -> int:
        """A prime of at most n bits."""
        return rng.choice([prime for prime in primes if prime >> self.p.n == 0])

    # --- out

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """Results by their names, or the name of the error."""
        if error := integer(payload["error"]):
            ((_, role),) = self.p.o.having(ErrorCode)
            return {"error": role.codes.get(error, Errors.UNKNOWN)}
        results = (*self.p.o.having(Result), *self.p.o.having(Value))
        return {**{role.name: payload[field.name] for field, role in results}, "error": None}

    def edges(self) -> dict[str, dict[str, int]]:
        """No edges but those of the function."""
        return {}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """None."""
        return []


class PointCodec(CurveCodec[P]):
    """Codec of a core with one curve of any order and one scalar.

    Attributes
    ----------
    curve : tuple of str
        Coefficients of the curve, which are compared with the modulus.
    point : tuple of str
        Coordinates that are compared with it, too.
    """

    curve: ClassVar[tuple[str, ...]]
    point: ClassVar[tuple[str, ...]] = ()

    @property
    def compared(self) -> Sequence[str]:
        """Coefficients and coordinates."""
        return (*self.curve, *self.point)

    def changes(self, known: Mapping[str, int]) -> dict[str, dict[str, int]]:
        """A point off the curve, too."""
        off = {name: {name: (known[name] + 1) % known["m"]} for name in self.point[-1:]}
        return {**super().changes(known), **{f"{name} + 1": change for name, change in off.items()}}

    @staticmethod
    @abstractmethod
    def is_curve(m: int, *coefficients: int) -> bool:
        """Whether the modulus is a prime, and the formulas hold on the curve with these coefficients."""
        ...

    def promises(self, v: Mapping[str, int]) -> bool:
        """Whether something is promised of operands in range: for a curve, with the constants of its modulus."""
        m = v["m"]
        own = all(v[name] == value for name, value in self.p.constants_of(m).items())
        return own and self.is_curve(m, *(v[name] for name in self.curve))

    def unpromised(self) -> list[Unpromised]:
        """Constants that are not those of the modulus, and no curve over a prime field, with operands in range."""
        names = tuple(self.p.constants_of(SMALLEST_MODULUS))

        def constants_belong(m: int, *values: int) -> bool:
            return is_bad(m) or tuple(self.p.constants_of(m).values()) == values

        def curve_belongs(m: int, *coefficients: int) -> bool:
            return is_bad(m) or max(coefficients) >= m or self.is_curve(m, *coefficients)

        return [
            Unpromised(("m", *names), constants_belong, (*self.curve, *self.point), modulus_first),
            Unpromised(("m", *self.curve), curve_belongs, self.point, modulus_first),
        ]


def modulus_first(m: int, *values: int) -> int:
    """Limit of operands: the modulus, first of the fields that belong together."""
    return m


def require_odd(name: str, value: int, least: int, bits: int) -> None:
    """Raise a ValueError for what is even, too small or too wide."""
    if value % 2 == 0 or value < least or value.bit_length() > bits:
        raise ValueError(f"{name} is odd, at least {least} and below 2^{bits}, not {value:#x}")
