# SPDX-License-Identifier: Apache-2.0
"""Errors, width and codec of the Montgomery multipliers with a runtime modulus."""

from __future__ import annotations

from ..base.errors import ParameterError, UsageError
from .option import Option
from .payload import Field
from .request import Request
from .roles import ErrorCode, Errors

BAD_MODULUS = 1
"""Error code: the modulus is even, or below 3."""
OUT_OF_RANGE = 2
"""Error code: an operand is not below its bound."""

ERRORS = {BAD_MODULUS: Errors.BAD_MODULUS, OUT_OF_RANGE: Errors.NOT_REDUCED}
"""Errors by code; where both apply, the smaller code."""

SMALLEST = 4
"""Least bits of the widest modulus, n."""


def width_option(widest: int, whose: str = "request") -> Option:
    """The option `bits`: bits of the widest modulus, n, at most `widest`; without it those of the request's."""
    text = f"bits of the widest modulus; the {whose}'s when not given"
    return Option("bits", int, None, text, (), SMALLEST, widest, sizes="modulus")


def error_field(modulus: str, operand: str) -> Field:
    """The error field, with words on what each code means."""
    return Field("error", 2, bound=3, role=ErrorCode(ERRORS, {BAD_MODULUS: modulus, OUT_OF_RANGE: operand}))


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
