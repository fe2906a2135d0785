# SPDX-License-Identifier: Apache-2.0
"""The modulus and the streams that binary cores with a fixed modulus have in common."""

from __future__ import annotations

from ..base.errors import ParameterError, UsageError
from .payload import Field, Payload
from .request import Request
from .roles import ErrorCode, Errors, Operand, Result

WIDEST = 1024
"""Bits of the largest modulus."""


def modulus_of(request: Request) -> int:
    """The modulus of a request.

    Raises
    ------
    UsageError
        Without one.
    ParameterError
        When it has more than `WIDEST` bits.
    """
    if request.modulus is None:
        raise UsageError(f"{request.core} needs a modulus", "--field or --modulus")
    p = request.modulus.value
    if p.bit_length() > WIDEST:
        raise ParameterError(
            f"{request.core} modulo a number of {p.bit_length()} bits",
            rule=f"bits of p <= {WIDEST}",
            left=p.bit_length(),
            right=WIDEST,
        )
    return p


def operands_below(p: int, *names: str) -> Payload:
    """Operands that should be below p; every value of a field is allowed, and one not below p is an error."""
    width = p.bit_length()
    return Payload(tuple(Field(name, width, note=f"0 <= {name} < p", role=Operand(name)) for name in names))


def result_below(p: int, formula: str) -> Payload:
    """z by the formula, canonical, and 1 in `error` when an operand was not below p (z is 0 then)."""
    return Payload(
        (
            Field("z", p.bit_length(), bound=p, note=f"{formula}, canonical", role=Result("z")),
            Field("error", 1, note="1: an operand is not below p", role=ErrorCode({1: Errors.NOT_REDUCED})),
        )
    )
