# SPDX-License-Identifier: Apache-2.0
"""The modulus and the streams that binary cores with a fixed modulus have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ..base.errors import ParameterError
from ..catalog import is_prime
from .obligation import NO_CHANNEL, Obligations
from .payload import Field, Payload
from .request import Request
from .roles import ErrorCode, Errors, Operand, Result

WIDEST = 1024
"""Bits of the largest modulus."""
NOT_REDUCED = 1
"""Error code of an operand that is not below p."""


@dataclass(frozen=True)
class FixedModulus:
    """Parameters of a core on plain numbers below p, to be derived from.

    Parameters
    ----------
    modulus : int
        p, at least 3.
    """

    formula: ClassVar[str] = "x·y"
    """The result modulo p."""

    modulus: int

    @property
    def width(self) -> int:
        """Bits of p."""
        return self.modulus.bit_length()

    @cached_property
    def i(self) -> Payload:
        """x and y; every value of a field is allowed, and one not below p is an error."""
        more = f"else error {NOT_REDUCED}"
        return Payload(tuple(Field(name, self.width, role=Operand(name), more=more) for name in "xy"))

    @cached_property
    def o(self) -> Payload:
        """z by the formula, canonical, and `error`."""
        z = Field("z", self.width, bound=self.modulus, role=Result("z", formula=self.formula))
        return Payload((z, Field("error", 1, role=ErrorCode({NOT_REDUCED: Errors.NOT_REDUCED}))))

    def obligations(self) -> Obligations:
        """No obligations: no residue channel is folded."""
        return (NO_CHANNEL,)


def modulus_of(request: Request) -> int:
    """The modulus of a request.

    Raises
    ------
    UsageError
        Without one.
    ParameterError
        When it has more than `WIDEST` bits.
    """
    p = request.fixed_modulus()
    if p.bit_length() > WIDEST:
        raise ParameterError(
            f"{request.core} modulo a number of {p.bit_length()} bits",
            rule=f"bits of p <= {WIDEST}",
            left=p.bit_length(),
            right=WIDEST,
        )
    return p


def prime_of(request: Request, least: int, hint: str) -> int:
    """The modulus of a request for a core that takes primes only, with what to try instead of it.

    Raises
    ------
    UsageError
        Without one.
    ParameterError
        When it is below `least`, or not a prime.
    """
    return checked_prime(request.core, request.fixed_modulus(), least, hint)


def checked_prime(core: str, p: int, least: int, hint: str) -> int:
    """The modulus of a core that takes primes only, with what to try instead of it.

    Raises
    ------
    ParameterError
        When it is below `least`, or not a prime.
    """
    if p < least:
        raise ParameterError(f"{core} modulo {p}", rule=f"P >= {least}", left=p, right=least, hint=hint)
    if not is_prime(p):
        raise ParameterError(f"{core} modulo {p:#x}, which is not a prime", rule="P is a prime", hint=hint)
    return p
