# SPDX-License-Identifier: Apache-2.0
"""Parameters of cores that sign and verify: the order as a second modulus, next to that of the curve's field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ....contract import Field
from ....contract.roles import NegInverse, Power, Scalar, Value
from ..curve import BAD_MODULUS, SMALLEST_MODULUS, CurveParameters, is_bad
from ..parameters import values_of

SMALLEST_ORDER = 3
"""Least odd order."""
ORDER = "order"
"""Operand that is the second modulus."""
OF_ORDER = f"{ORDER}_"
"""Prefix of the names of constants of the order."""


@dataclass(frozen=True)
class JointParameters(CurveParameters):
    """Constants of a core that signs and verifies."""

    @cached_property
    def constants_of_order(self) -> tuple[Field, ...]:
        """Operands that follow from the order, as others do from the modulus."""
        return tuple(
            Field(f"{OF_ORDER}{field.name}", field.width, role=_of_order(field.role))
            for field in self.constants_of_modulus
        )

    def constants_of_both(self, m: int, order: int) -> dict[str, int]:
        """Values of the constants of an odd modulus and an odd order."""
        return self.constants_of(m) | values_of(self.constants_of_order, order)

    def order_field(self, what: str) -> Field:
        """The order, an operand."""
        more = f"{what}; even or below {SMALLEST_ORDER}: error {BAD_MODULUS}"
        return Field(ORDER, self.n, role=Scalar(ORDER), more=more)

    def scalar_fields(self, words: Mapping[str, str], width: int | None = None) -> tuple[Field, ...]:
        """Operands that are not coordinates, by their names, with a description of their values."""
        return tuple(Field(name, width or self.n, role=Scalar(name), more=more) for name, more in words.items())

    def number_field(self, name: str, words: str) -> Field:
        """A result of n bits, modulo p or the order."""
        return Field(name, self.n, role=Value(name), more=words)


ACCEPTED = Field("accepted", 1, role=Value("accepted"), more="1: the signature is valid")
"""Result of verifying."""

MODULI_CAUSE = f"m even or below {SMALLEST_MODULUS}, or order even or below {SMALLEST_ORDER}"
"""Words for the first error code."""


def are_bad(m: int, order: int) -> bool:
    """Whether the modulus or the order is reported."""
    return is_bad(m) or order % 2 == 0 or order < SMALLEST_ORDER


def _of_order(role: object) -> NegInverse | Power:
    match role:
        case NegInverse(bits):
            return NegInverse(bits, of=ORDER)
        case Power(exponent):
            return Power(exponent, of=ORDER)
        case _:
            raise ValueError(f"{role} is not a constant of a modulus")
