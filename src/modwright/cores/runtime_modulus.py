# SPDX-License-Identifier: Apache-2.0
"""What the Montgomery multipliers with a modulus at run time have in common: errors, width, and the codec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..contract import Field, PayloadValue
from ..errors import ParameterError, UsageError
from ..request import Request

BAD_MODULUS = 1
"""Error code: the modulus is even, or below 3."""
OUT_OF_RANGE = 2
"""Error code: an operand is not below its bound."""

ERRORS = {BAD_MODULUS: "modulus even or below 3", OUT_OF_RANGE: "not reduced"}

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


class MontgomeryCodec:
    """x·R and y·R (mod M) go in, x·y·R comes out; plain operands of any size are reduced.

    Parameters
    ----------
    p : Constants
    tag : str
        The field of the result with M, which says what the result is a residue of.
    operands : sequence of str
        Names of the operands.
    """

    def __init__(self, p: Constants, tag: str, operands: Sequence[str] = ("x", "y")) -> None:
        self._p, self._tag, self._operands = p, tag, tuple(operands)

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Needs `modulus`; ValueError when it is even, below 3 or too wide, or an operand is negative."""
        m = case["modulus"]
        if m % 2 == 0 or m < 3 or m.bit_length() > self._p.n:
            raise ValueError(f"the modulus is odd, at least 3 and below 2^{self._p.n}, not {m:#x}")
        if min(case[name] for name in self._operands) < 0:
            raise ValueError("operands are not negative")
        operands = {name: (case[name] << self._p.T) % m for name in self._operands}
        return operands | self.constants(m)

    def constants(self, m: int) -> dict[str, PayloadValue]:
        """The fields that belong to an odd modulus."""
        return {self._tag: m}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """z·R^-1 (mod M) with the modulus that came out beside z; 0 and the name of the error where there is one."""
        z, m, error = payload["z"], payload[self._tag], payload["error"]
        assert isinstance(z, int)
        assert isinstance(m, int)
        assert isinstance(error, int)
        if error:
            return {"z": 0, "error": ERRORS.get(error, "unknown")}
        if m % 2 == 0:
            return {"z": 0, "error": "an even modulus was not reported"}
        return {"z": z * pow(1 << self._p.T, -1, m) % m, "error": None}

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
