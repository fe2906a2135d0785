# SPDX-License-Identifier: Apache-2.0
"""How a core's fields follow from plain operands: found from its codec, and checked against it.

A core's codec says what its streams carry, in Python. The driver has to do the same in C, by one of few forms for each
field. Which form a field has is found by trying them on random operands and moduli; a core with a field of no such
form, such as one of residues, has no binding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from random import Random
from typing import Any

from ..contract import Field, PayloadValue
from ..functions.functions import Function, find_function
from ..prepared import Prepared

CASES = 24
"""Random cases on which a form has to hold; a wrong one holds on one of them with a chance of about 1 / modulus."""
SEED = 20
LEAST_BITS, LEAST_MODULUS = 3, 5
"""Of the random moduli, which are odd."""
SCALARS = ("exponent", "k", "order")
"""Operands that are not below the modulus."""
FLAGS = ("error", "infinity")
RANDOM = ("blind",)
"""Fields that take a random number from 1 to m - 1, a new one with each operation."""
CURVE = ("a", "b", "order")
"""What `mw_ecpm` takes of a curve beside its modulus, where a core has it as operands."""
MODULI = ("m", "modulus")
"""What a result's modulus is called, where it comes out beside it."""
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
        Which plain operand, from 0.
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


@dataclass(frozen=True)
class _Sample:
    case: Mapping[str, Any]
    modulus: int
    payload: Mapping[str, PayloadValue]


def bind(prepared: Prepared) -> Binding | None:
    """The binding of a core, None when the driver does not know its representation."""
    p = prepared.parameters
    if prepared.core.function not in ("modmul", "modinv", "modexp", "ecpm"):
        return None
    if any(f.count > 1 for f in (*p.i.fields, *p.o.fields)):
        return None
    function = find_function(prepared.core.function)
    names = operand_names(prepared)
    samples = _samples(prepared, names)
    fields = [_field(f, samples, names, prepared) for f in p.i.fields]
    if any(f is None for f in fields):
        return None
    bound = tuple(f for f in fields if f is not None)
    results = _results(prepared, function, bound)
    if results is None:
        return None
    return Binding(bound, results, "infinity" if any(f.name == "infinity" for f in p.o.fields) else None)


def operand_names(prepared: Prepared) -> tuple[str, ...]:
    """The plain operands, in the order of the driver."""
    function = find_function(prepared.core.function)
    return (*function.operands, *(CURVE if function.name == "ecpm" else ()))


def modulus_bits(prepared: Prepared) -> int:
    """Bits of the widest modulus."""
    built_in = prepared.parameters.modulus
    if built_in is not None:
        return built_in.bit_length()
    widths = [prepared.request.options.get("bits") or 0]
    if prepared.request.modulus is not None:
        widths.append(prepared.request.modulus.value.bit_length())
    return max(widths)


def _moduli(prepared: Prepared, rng: Random) -> Iterator[int]:
    built_in = prepared.parameters.modulus
    bits = modulus_bits(prepared)
    while True:
        # narrow ones too: on few moduli of one width, one form may look like another
        yield built_in if built_in is not None else rng.getrandbits(rng.randrange(LEAST_BITS, bits + 1)) | LEAST_MODULUS


def _samples(prepared: Prepared, names: Sequence[str]) -> list[_Sample]:
    rng = Random(SEED)
    found: list[_Sample] = []
    moduli = _moduli(prepared, rng)
    while len(found) < CASES:
        m = next(moduli)
        case: dict[str, Any] = {name: rng.randrange(m) for name in names}
        for name in SCALARS:
            if name in case and (field := next((f for f in prepared.parameters.i.fields if f.name == name), None)):
                case[name] = rng.getrandbits(field.width)
        found.append(_Sample(case, m, prepared.codec.encode(case | {"modulus": m})))
    return found


def _field(field: Field, samples: Sequence[_Sample], names: Sequence[str], prepared: Prepared) -> BoundField | None:
    """The form of one field, None when it has none."""

    def holds(value: Callable[[_Sample], int]) -> bool:
        return all(s.payload[field.name] == value(s) for s in samples)

    if prepared.parameters.modulus is None and holds(lambda s: s.modulus):
        return BoundField(field.name, Form.MODULUS)
    if field.name in FLAGS and holds(lambda _: 0):
        return BoundField(field.name, Form.ZERO)
    if field.name in RANDOM and all(0 < _plain(s.payload[field.name]) < s.modulus for s in samples):
        return BoundField(field.name, Form.RANDOM)
    for number, name in enumerate(names):
        if holds(lambda s, name=name: s.case[name]):
            return BoundField(field.name, Form.SCALAR if name in SCALARS else Form.OPERAND, number)
    reach = 4 * (field.width + modulus_bits(prepared))
    for number, name in enumerate(names):
        if name not in SCALARS:
            power = _power([(s.case[name], s.modulus, s.payload[field.name]) for s in samples], reach)
            if power is not None:
                return BoundField(field.name, Form.OPERAND, number, power)
    power = _power([(1, s.modulus, s.payload[field.name]) for s in samples], reach)
    if power is not None:
        return BoundField(field.name, Form.POWER, 0, power)
    if field.width <= LONGEST_INVERSE and holds(lambda s: -pow(s.modulus, -1, 1 << field.width) % (1 << field.width)):
        return BoundField(field.name, Form.NEGINV)
    return None


def _power(rows: Sequence[tuple[int, int, Any]], reach: int) -> int | None:
    """e with start·2^e = value modulo m in all rows (start, m, value), the least in size; None when there is none."""
    up = down = [start % m for start, m, _ in rows]
    halves = [(m + 1) // 2 for _, m, _ in rows]
    values = [value for _, _, value in rows]
    for e in range(reach):
        if up == values:
            return e
        if down == values:
            return -e
        up = [2 * u % m for u, (_, m, _) in zip(up, rows, strict=True)]
        # a half modulo an odd m
        down = [d * h % m if d & 1 else d >> 1 for d, h, (_, m, _) in zip(down, halves, rows, strict=True)]
    return None


def _results(prepared: Prepared, function: Function, fields: Sequence[BoundField]) -> tuple[BoundResult, ...] | None:
    """What each plain result is made of: payloads of random results are decoded."""
    rng = Random(SEED + 1)
    p = prepared.parameters
    moduli = _moduli(prepared, rng)
    tags = {f.name: f for f in fields if f.form in (Form.MODULUS, Form.POWER)}
    rows: list[tuple[int, dict[str, PayloadValue], dict[str, Any]]] = []
    for _ in range(CASES):
        m = next(moduli)
        payload: dict[str, PayloadValue] = {}
        for field in p.o.fields:
            tag = tags.get(field.name)
            if field.name in FLAGS:
                payload[field.name] = 0
            elif p.modulus is None and tag is None and field.name in MODULI:
                payload[field.name] = m
            elif tag is not None:  # what comes out as it came in
                payload[field.name] = m if tag.form is Form.MODULUS else pow(2, tag.power, m)
            else:
                payload[field.name] = rng.randrange(min(m, field.limit))
        decoded = prepared.codec.decode(payload)
        if decoded.get("error") is not None:
            return None
        rows.append((m, payload, decoded))
    found = []
    reach = 4 * (modulus_bits(prepared) + max(f.width for f in p.o.fields))
    for result in function.results:
        # a result of two fields, or of none, has no binding
        candidates = [f.name for f in p.o.fields if f.name not in (*FLAGS, *MODULI) and f.name not in tags]
        for name in candidates:
            power = _power([(_plain(payload[name]), m, decoded.get(result)) for m, payload, decoded in rows], reach)
            if power is not None:
                found.append(BoundResult(name, power))
                break
        else:
            return None
    return tuple(found)


def _plain(value: PayloadValue) -> int:
    assert isinstance(value, int)
    return value
