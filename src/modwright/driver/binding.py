# SPDX-License-Identifier: Apache-2.0
"""The C binding of a core: the driver's form for each field of the operands and each result, by the role of the field.

A core with a field of any other form, such as residues of an operand, has no binding. Residues of a number that the
modulus determines are a table, which the driver computes once a modulus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from ..bus.registers import WORD
from ..catalog.resolve import is_prime
from ..contract import Field
from ..contract.roles import (
    Blind,
    Determined,
    Domain,
    Flag,
    Limit,
    Modulus,
    Montgomery,
    Multiple,
    NegInverse,
    Operand,
    Plain,
    Power,
    Result,
    Scalar,
    Table,
    Value,
)
from ..functions import find_function
from ..prepared import Prepared

LONGEST_INVERSE = 64
"""Bits of -1/m that the driver can compute."""
LONGEST_CHANNEL = WORD - 1
"""Bits of a channel in whose words the driver can compute: twice a residue is a word."""


class Form(IntEnum):
    """The forms of `struct mw_field`."""

    OPERAND = 0
    SCALAR = 1
    MODULUS = 2
    POWER = 3
    NEGINV = 4
    ZERO = 5
    RANDOM = 6
    TABLE = 7


@dataclass(frozen=True)
class BoundField:
    """A field of the operands.

    Parameters
    ----------
    name : str
    form : Form
    operand : int
        Index of the plain operand, from 0.
    power : int
        Exponent of a power of two.
    number : int
        Bit of the register KEEP.
    fresh : bool
        Whether the field is new with each operation; else it belongs to the modulus.
    of : int
        Number to which a power or an inverse belongs: 0 for the modulus, or a constant of the curve, from 1.
    table : Table or None
        Residues of a number that the modulus determines.
    """

    name: str
    form: Form
    operand: int = 0
    power: int = 0
    number: int = 0
    fresh: bool = False
    of: int = 0
    table: Table | None = None


@dataclass(frozen=True)
class BoundResult:
    """A plain result is the field times 2^power, modulo m; the field is below 2^excess·m."""

    name: str
    power: int
    excess: int


@dataclass(frozen=True)
class Binding:
    """All fields of a core.

    Parameters
    ----------
    fields : tuple of BoundField
        Fields in the order of the payload.
    results : tuple of BoundResult
    infinity : str or None
        Field of the flag for the point at infinity.
    power : int
        Exponent e of the representation: numbers modulo m are stored as x·2^e.
    closed : bool
        Whether a stored result can be used as a stored operand without change.
    lift : int
        Bits K, or 0: products are modulo c·m, c = -1/m mod 2^K, and the driver makes the core divide by c.
    operands : int
        Operands of an operation that a call passes: all, but those that are built in.
    """

    fields: tuple[BoundField, ...]
    results: tuple[BoundResult, ...]
    infinity: str | None
    power: int
    closed: bool
    lift: int
    operands: int


def unbound(prepared: Prepared) -> str:
    """The reason in words why a core has no binding."""
    p = prepared.parameters
    function = find_function(prepared.core.function)
    if function.c_operands is None:
        return f"it has no call for {function.name}"
    if any(_is_array(field) for field in (*p.i.fields, *p.o.fields)):
        return "its streams carry residues"
    for field, inverse in p.i.having(NegInverse):
        if inverse.bits > LONGEST_INVERSE:
            return f"{field.name} is an inverse of {inverse.bits} bits, and the driver computes up to {LONGEST_INVERSE}"
    return "its streams carry numbers that the driver does not compute"


def built_in(prepared: Prepared) -> tuple[str, ...]:
    """Operands of the function that no stream carries, as the core has them built in."""
    fields = prepared.parameters.i
    given = {role.name for _, role in (*fields.having(Operand), *fields.having(Scalar))}
    return tuple(name for name in find_function(prepared.core.function).operands if name not in given)


def bind(prepared: Prepared) -> Binding | None:
    """The binding of a core, None when the driver does not know its function or its representation."""
    p = prepared.parameters
    function = find_function(prepared.core.function)
    if function.c_operands is None or any(_is_array(f) for f in (*p.i.fields, *p.o.fields)):
        return None
    if len(p.i.fields) > WORD:  # bits of KEEP
        return None
    own = built_in(prepared)
    if own and own != function.c_built_in:
        return None
    fields = [_field(number, f, function.c_operands, len(function.operands)) for number, f in enumerate(p.i.fields)]
    stated = (*p.o.having(Result), *p.o.having(Value))
    results = [_result(name, stated, p.modulus) for name in function.results]
    flags = [f.name for f, _ in p.o.having(Flag)]
    bound = tuple(f for f in fields if f is not None)
    found = tuple(r for r in results if r is not None)
    if len(bound) < len(fields) or len(found) < len(results):
        return None
    powers = {f.power for f in bound if f.form is Form.OPERAND} | {-r.power for r in found}
    if powers > {0} or len(powers) > 1 or (powers != {0} and not function.is_product):
        return None  # the core converts by products, of operands and results of one representation
    infinity, operands = flags[0] if flags else None, len(function.operands) - len(own)
    return Binding(bound, found, infinity, powers.pop(), _is_closed(prepared), _lift(prepared), operands)


def _is_array(field: Field) -> bool:
    """Whether a field has elements that the driver does not compute."""
    return field.count > 1 and not isinstance(field.role, Table)


def _lift(prepared: Prepared) -> int:
    """K of a core that computes modulo 2^K·(2^-K mod M) - 1; 0 for another one.

    Limits in multiples of 2^-K mod M are those of such cores. The driver makes the core divide where the widest modulus
    has whole words and at least K bits.
    """
    found = {role.limit for _, role in prepared.parameters.o.having(Result)}
    match next(iter(found), None):
        case Multiple(of=Power(exponent)) if -exponent <= (n := modulus_bits(prepared)) and n % WORD == 0:
            return -exponent
        case _:
            return 0


def operand_names(prepared: Prepared) -> tuple[str, ...]:
    """The plain operands, in the order of the driver."""
    return find_function(prepared.core.function).c_operands or ()


def modulus_bits(prepared: Prepared) -> int:
    """Bits of the widest modulus."""
    p = prepared.parameters
    if p.modulus is not None:
        return p.modulus.bit_length()
    return p.i.having(Modulus)[0][0].width


def _field(number: int, field: Field, names: Sequence[str], fresh: int) -> BoundField | None:
    """The form of one field, None when it has none.

    The first `fresh` names are operands of a case; the others are constants of a curve, which belong to a modulus: the
    driver sends them once, and they stay in the device.
    """
    match field.role:
        case Operand(name, domain) if (power := _power(domain)) is not None and name in names:
            place = names.index(name)
            return BoundField(field.name, Form.OPERAND, place, power, number, place < fresh)
        case Scalar(name) if name in names:
            place = names.index(name)
            return BoundField(field.name, Form.SCALAR, place, 0, number, place < fresh)
        case Modulus():
            return BoundField(field.name, Form.MODULUS, number=number)
        case Power(exponent, of=of):
            return BoundField(field.name, Form.POWER, power=exponent, number=number, of=_kept(of, names, fresh))
        case NegInverse(bits, of=of) if bits <= LONGEST_INVERSE:
            return BoundField(field.name, Form.NEGINV, number=number, of=_kept(of, names, fresh))
        case Blind(domain=Plain()):
            return BoundField(field.name, Form.RANDOM, number=number, fresh=True)
        case Table() if _is_computed(field.role):
            return BoundField(field.name, Form.TABLE, number=number, table=field.role)
        case Flag():
            return BoundField(field.name, Form.ZERO, number=number)
        case _:
            return None


def _is_computed(table: Table) -> bool:
    """Whether the driver computes a table: it inverts modulo primes only."""
    channels = table.base.moduli
    short = all(channel.bit_length() <= LONGEST_CHANNEL for channel in channels)
    return short and (table.of is not Determined.NEG_INVERSE or all(is_prime(channel) for channel in channels))


def _kept(of: str, names: Sequence[str], fresh: int) -> int:
    """Index of a number among those that the driver stores: of the modulus, which has no name, or of a constant."""
    return 1 + names.index(of) - fresh if of else 0


def _power(domain: Domain) -> int | None:
    """e where x is stored as x·2^e modulo M; None for another representation."""
    match domain:
        case Plain():
            return 0
        case Montgomery(T):
            return T
        case _:
            return None


def _result(name: str, fields: Sequence[tuple[Field, Result | Value]], modulus: int | None) -> BoundResult | None:
    """The field of a result; None for a result of no field, of several, or of another representation."""
    own = [(f.name, role) for f, role in fields if role.name == name]
    if len(own) != 1:
        return None
    ((field, role),) = own
    if isinstance(role, Value):
        return BoundResult(field, 0, 0)
    power = _power(role.domain)
    return None if power is None else BoundResult(field, -power, _excess(role.limit, modulus))


def _excess(limit: Limit, modulus: int | None) -> int:
    """Least e where numbers below the limit are below 2^e·M; a constant next to M is below it."""
    if isinstance(limit, Multiple):
        return (limit.factor - 1).bit_length()
    if modulus is None:
        raise ValueError(f"a limit of {limit:#x} next to a modulus that is an operand")
    return (-(-limit // modulus) - 1).bit_length()


def _is_closed(prepared: Prepared) -> bool:
    """Whether every stored result is below the limits of the operands."""
    p = prepared.parameters
    limits = [role.limit for _, role in p.i.having(Operand)]
    return all(_within(role.limit, limit) for _, role in p.o.having(Result) for limit in limits)


def _within(one: Limit, other: Limit) -> bool:
    if isinstance(one, Multiple) and isinstance(other, Multiple):
        return one.of == other.of and one.factor <= other.factor
    return isinstance(one, int) and isinstance(other, int) and one <= other
