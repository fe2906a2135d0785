# SPDX-License-Identifier: Apache-2.0
"""What the Montgomery multipliers with a modulus at run time have in common: errors, width, and the codec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, Protocol

from ..base.errors import ParameterError, UsageError
from . import Field, Payload, PayloadValue
from .operands import Reading, Unpromised, draw_bad_modulus, draw_modulus, draw_operands, one_in
from .request import Request

BAD_MODULUS = 1
"""Error code: the modulus is even, or below 3."""
OUT_OF_RANGE = 2
"""Error code: an operand is not below its bound."""

ERRORS = {BAD_MODULUS: "modulus even or below 3", OUT_OF_RANGE: "not reduced"}
"""Errors by code; where both apply, the smaller code."""

SMALLEST = 4
"""Least bits of the widest modulus, n."""


def error_field(modulus: str, operand: str) -> Field:
    """The error field, with words on what each code means."""
    return Field("error", 2, bound=3, note=f"{BAD_MODULUS}: {modulus}; {OUT_OF_RANGE}: {operand}")


def width_of(request: Request, example: int) -> int:
    """n, from the option `bits` or the modulus; `example` is a width to suggest.

    Raises
    ------
    UsageError
        When neither says it.
    ParameterError
        For a modulus that is wider than `bits`.
    """
    bits, modulus = request.options["bits"], request.modulus
    if modulus is None:
        if bits is None:
            hint = f"--option bits={example}, or --modulus N"
            raise UsageError(f"{request.core} needs the width of its modulus", hint)
        return bits
    least = max(modulus.value.bit_length(), SMALLEST)
    if bits is not None and bits < least:
        raise ParameterError(
            f"{request.core}: {modulus.name} does not fit",
            rule="bits of M <= bits",
            left=least,
            right=bits,
            hint="a larger `bits`, or none",
        )
    return bits or least


class Constants(Protocol):
    """What the codec needs of a multiplier's parameters."""

    @property
    def n(self) -> int:
        """Bits of the widest modulus."""
        ...

    @property
    def T(self) -> int:
        """R = 2^T."""
        ...

    @property
    def example(self) -> int | None:
        """A modulus to make edge cases for."""
        ...

    @cached_property
    def i(self) -> Payload:
        """Payload of the operands."""
        ...


class MontgomeryCodec:
    """x·R and y·R (mod M) go in, x·y·R comes out; plain operands of any size are reduced.

    A core's own codec says how far operands and results may exceed M: `limit` and `result_limit`.

    Parameters
    ----------
    p : Constants
    tag : str
        The field of the result with M, which says what the result is a residue of.
    operands : sequence of str
        Names of the operands.
    checked : str
        The field of the operands with M.
    """

    def __init__(self, p: Constants, tag: str, operands: Sequence[str] = ("x", "y"), checked: str = "m") -> None:
        self._p, self._tag, self._operands, self._checked = p, tag, tuple(operands), checked

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Needs `modulus`; ValueError when it is even, below 3 or too wide, or an operand is negative."""
        m = case["modulus"]
        if m % 2 == 0 or m < 3 or m.bit_length() > self._p.n:
            raise ValueError(f"the modulus is odd, at least 3 and below 2^{self._p.n}, not {m:#x}")
        if min(case[name] for name in self._operands) < 0:
            raise ValueError("operands are not negative")
        operands = {name: (case[name] << self._p.T) % m for name in self._operands}
        return {**operands, **self.constants(m)}

    def constants(self, m: int) -> dict[str, int]:
        """The fields that belong to an odd modulus."""
        return {self._checked: m}

    def limit(self, fields: Mapping[str, int]) -> int:
        """Exclusive limit of the operands next to these fields of the modulus; M where a core says nothing else."""
        return fields[self._checked]

    def result_limit(self, fields: Mapping[str, int]) -> int:
        """Exclusive limit of z next to these fields of the modulus; M where a core says nothing else."""
        return fields[self._tag]

    def bad(self, fields: Mapping[str, int]) -> bool:
        """Whether the fields of the modulus are reported."""
        m = fields[self._checked]
        return m % 2 == 0 or m < 3

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Error 1 of a bad modulus; error 2 of an operand at or above its limit; else, next to constants that are
        those of the modulus, each operand times R^-1."""
        fields = {name: value for name, value in payload.items() if isinstance(value, int)}
        echo = self.repeated(fields)
        if self.bad(fields):
            return Reading(error=ERRORS[BAD_MODULUS], echo=echo)
        if max(fields[name] for name in self._operands) >= self.limit(fields):
            return Reading(error=ERRORS[OUT_OF_RANGE], echo=echo)
        m = fields[self._checked]
        if any(fields[name] != value for name, value in self.constants(m).items()):
            return None
        back = pow(1 << self._p.T, -1, m)
        return Reading({"modulus": m} | {name: fields[name] * back % m for name in self._operands}, echo=echo)

    def unpromised(self) -> list[Unpromised]:
        """Good moduli next to other constants than theirs, with operands in range."""
        names = (self._checked, *(name for name in self.constants(3) if name != self._checked))

        def belong(*values: int) -> bool:
            fields = dict(zip(names, values, strict=True))
            return self.bad(fields) or self.constants(fields[self._checked]) == fields

        def limit(*values: int) -> int:
            return self.limit(dict(zip(names, values, strict=True)))

        return [Unpromised(names, belong, self._operands, limit)] if len(names) > 1 else []

    def repeated(self, fields: Mapping[str, int]) -> dict[str, int]:
        """Fields of the result that repeat one of the operands."""
        return {self._tag: fields[self._checked]}

    def draw(self, rng: Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Operands below the limit, with any modulus; one time in four an operand is out of range, and one in eight the
        modulus is bad."""
        fields = self.constants(draw_modulus(rng, case["modulus"], self._p.n))
        limit = self.limit(fields)
        operands = draw_operands(rng, dict.fromkeys(self._operands, (limit, self.operand_bits)))
        return {**operands, **fields, **(self.draw_bad(rng) if one_in(rng, 8) else {})}

    def draw_bad(self, rng: Random) -> dict[str, int]:
        """A bad modulus."""
        return {self._checked: draw_bad_modulus(rng, self._p.n)}

    @property
    def operand_bits(self) -> int:
        """Bits of an operand's field."""
        return self._p.i[self._operands[0]].width

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """z·R^-1 (mod M) with the modulus that came out next to z; 0 and the name of the error where there is one."""
        z, m, error = payload["z"], payload[self._tag], payload["error"]
        assert isinstance(z, int)
        assert isinstance(m, int)
        assert isinstance(error, int)
        if error:
            return {"z": 0, "error": ERRORS.get(error, "unknown")}
        if m % 2 == 0:
            return {"z": 0, "error": "an even modulus was not reported"}
        fields = {name: value for name, value in payload.items() if isinstance(value, int)}
        error = None if z < self.result_limit(fields) else "bound"
        return {"z": z * pow(1 << self._p.T, -1, m) % m, "error": error}

    def edges(self) -> dict[str, dict[str, int]]:
        """Plain operands that become 0, 1, M - 1 and runs of bits in the Montgomery domain; none without a modulus."""
        m = self._p.example
        if m is None:
            return {}
        back = pow(1 << self._p.T, -1, m)
        plain = {name: value * back % m for name, value in self.stored(m).items()}
        return {f"{name} · (M-1)": {"x": x, "y": plain["M-1"]} for name, x in plain.items()}

    def stored(self, m: int) -> dict[str, int]:
        """Values in the domain, for the edge cases."""
        ones = (1 << (m.bit_length() - 1)) - 1
        return {
            "0": 0,
            "1": 1,
            "M-1": m - 1,
            "11..1": ones,
            "0101..": ones // 3,
            "1010..": ones // 3 * 2,
            "0011..": ones // 5,
            "1000..": (ones + 1) % m,
        }

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Results chain into x."""
        return [("z", "x")]
