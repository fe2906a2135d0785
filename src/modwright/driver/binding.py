# SPDX-License-Identifier: Apache-2.0
"""The C binding of a core: the driver's form for each field of the operands and each result, by the role of the field.

A core with a field of no such form, such as one of residues, has no binding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from ..contract import Field
from ..contract.roles import Blind, Domain, Flag, Modulus, Montgomery, NegInverse, Operand, Plain, Power, Result, Scalar
from ..functions import find_function
from ..prepared import Prepared

LONGEST_INVERSE = 64
"""Bits of -1/m that the driver can compute."""


class Form(IntEnum):
    """The forms of `struct mw_field`."""

    OPERAND = 0
    SCALAR = 1
    MODULUS = 2
    POWER = 3
    NEGINV = 4
    ZERO = 5
    RANDOM = 6


@dataclass(frozen=True)
class BoundField:
    """A field of the operands.

    Parameters
    ----------
    name : str
    form : Form
    operand : int
        Number of the plain operand, from 0.
    power : int
        Of two.
    """

    name: str
    form: Form
    operand: int = 0
    power: int = 0


@dataclass(frozen=True)
class BoundResult:
    """A plain result is the field times 2^power, modulo m."""

    name: str
    power: int


@dataclass(frozen=True)
class Binding:
    """All fields of a core."""

    fields: tuple[BoundField, ...]
    results: tuple[BoundResult, ...]
    infinity: str | None
    """Field of the flag for the point at infinity."""


def bind(prepared: Prepared) -> Binding | None:
    """The binding of a core, None when the driver does not know its function or its representation."""
    p = prepared.parameters
    function = find_function(prepared.core.function)
    if function.c_operands is None or any(f.count > 1 for f in (*p.i.fields, *p.o.fields)):
        return None
    fields = [_field(f, function.c_operands) for f in p.i.fields]
    results = [_result(name, p.o.having(Result)) for name in function.results]
    flags = [f.name for f, _ in p.o.having(Flag)]
    bound = tuple(f for f in fields if f is not None)
    found = tuple(r for r in results if r is not None)
    if len(bound) < len(fields) or len(found) < len(results):
        return None
    return Binding(bound, found, flags[0] if flags else None)


def operand_names(prepared: Prepared) -> tuple[str, ...]:
    """The plain operands, in the order of the driver."""
    return find_function(prepared.core.function).c_operands or ()


def modulus_bits(prepared: Prepared) -> int:
    """Bits of the widest modulus."""
    p = prepared.parameters
    if p.modulus is not None:
        return p.modulus.bit_length()
    return p.i.having(Modulus)[0][0].width


def _field(field: Field, names: Sequence[str]) -> BoundField | None:
    """The form of one field, None when it has none."""
    match field.role:
        case Operand(name, domain) if (power := _power(domain)) is not None and name in names:
            return BoundField(field.name, Form.OPERAND, names.index(name), power)
        case Scalar(name) if name in names:
            return BoundField(field.name, Form.SCALAR, names.index(name))
        case Modulus():
            return BoundField(field.name, Form.MODULUS)
        case Power(exponent):
            return BoundField(field.name, Form.POWER, 0, exponent)
        case NegInverse(bits) if bits <= LONGEST_INVERSE:
            return BoundField(field.name, Form.NEGINV)
        case Blind(domain=Plain()):
            return BoundField(field.name, Form.RANDOM)
        case Flag():
            return BoundField(field.name, Form.ZERO)
        case _:
            return None


def _power(domain: Domain) -> int | None:
    """e where x is stored as x·2^e modulo M; None for another representation."""
    match domain:
        case Plain():
            return 0
        case Montgomery(T):
            return T
        case _:
            return None


def _result(name: str, fields: Sequence[tuple[Field, Result]]) -> BoundResult | None:
    """The field of a result; None for a result of no field, of several, or of another representation."""
    own = [(f.name, _power(role.domain)) for f, role in fields if role.name == name]
    if len(own) != 1 or own[0][1] is None:
        return None
    return BoundResult(own[0][0], -own[0][1])
