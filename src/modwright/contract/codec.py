# SPDX-License-Identifier: Apache-2.0
"""The codec of a core, derived from the roles of its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import gcd
from random import Random
from typing import Protocol

from .edges import edge_cases
from .number import Number
from .operands import (
    Reading,
    Unpromised,
    bad_moduli,
    draw,
    draw_bad_modulus,
    draw_modulus,
    draw_operands,
    factor_of,
    one_in,
)
from .operands import Residues as Group
from .payload import Field, Payload, PayloadValue, integer
from .roles import (
    Constant,
    ErrorCode,
    Errors,
    Limit,
    Modulus,
    Montgomery,
    Multiple,
    NegInverse,
    Operand,
    Power,
    Residues,
    Result,
    Table,
    constant,
    table,
)

Edges = Callable[[int], Mapping[str, Mapping[str, int]]]
"""Named plain cases of a family, from the modulus."""


class Streams(Protocol):
    """Parameters as the codec needs them."""

    @cached_property
    def i(self) -> Payload: ...
    @cached_property
    def o(self) -> Payload: ...
    @property
    def modulus(self) -> int | None: ...


class FieldCodec:
    """Codec that follows from the roles of the fields: operands modulo M, constants of M, results and errors.

    Parameters
    ----------
    p : Streams
    edges : callable or None
        Cases of the family, next to those that follow from the roles.
    example : int or None
        Runtime modulus of the edge cases; without it there are none.
    """

    def __init__(self, p: Streams, edges: Edges | None = None, example: int | None = None) -> None:
        self._i, self._o, self._built_in = p.i, p.o, p.modulus
        self._edges, self._example = edges, p.modulus or example
        self.operands = {role.name: Number(field, role) for field, role in p.i.having(Operand)}
        self.results = {role.name: Number(field, role) for field, role in p.o.having(Result)}
        self.codes = dict(p.o.having(ErrorCode)[0][1].codes)

    # --- what follows from the modulus

    @cached_property
    def _runtime(self) -> tuple[Field, Modulus] | None:
        return next(iter(self._i.having(Modulus)), None)

    @cached_property
    def _constants(self) -> tuple[tuple[Field, Constant | Table], ...]:
        return (*self._i.having(NegInverse), *self._i.having(Power), *self._i.having(Table))

    def constants(self, m: int) -> dict[str, PayloadValue]:
        """The fields that belong to an odd modulus."""
        own: dict[str, PayloadValue] = {} if self._runtime is None else {self._runtime[0].name: m}
        return own | constants_of(self._i, m)

    def _belongs(self, m: int) -> bool:
        """Whether constants exist for an odd modulus."""
        return self._runtime is None or gcd(m, self._runtime[1].coprime) == 1

    def modulus_of(self, fields: Mapping[str, PayloadValue]) -> int:
        """The modulus of a payload."""
        if self._runtime is None:
            assert self._built_in is not None
            return self._built_in
        return integer(fields[self._runtime[0].name])

    def _units(self, fields: Mapping[str, PayloadValue]) -> dict[Modulus | Power, int]:
        """Modulus and powers in a payload, of which limits are multiples."""
        units: dict[Modulus | Power, int] = {role: integer(fields[f.name]) for f, role in self._i.having(Power)}
        return units if self._runtime is None else units | {self._runtime[1]: self.modulus_of(fields)}

    # --- operands

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Plain operands, of which some of a runtime modulus may have any size; ValueError when one does not fit."""
        m = case["modulus"] if self._built_in is None else self._built_in
        self._check_modulus(m)
        payload: dict[str, PayloadValue] = {}
        for name, number in self.operands.items():
            x = case.get(name, 0) if _optional(number) else case[name]
            self._check_operand(number, x, m)
            payload[number.field.name] = number.write(number.enter(x, m))
        return {**payload, **self.constants(m)} if self._runtime else payload

    def _check_modulus(self, m: int) -> None:
        if self._runtime is None:
            return
        field, role = self._runtime
        if m < 0 or m >> field.width:
            raise ValueError(f"the modulus {m:#x} does not fit {field.width} bits")
        domains = any(isinstance(number.role.domain, Montgomery) for number in self.operands.values())
        if (self._constants or domains) and _bad(m, role):
            raise ValueError(f"the modulus is odd, at least {role.least} and below 2^{field.width}, not {m:#x}")
        if not self._belongs(m):
            raise ValueError(f"the modulus {m:#x} is a multiple of {gcd(m, role.coprime):#x}, a modulus of a channel")

    def _check_operand(self, number: Number, x: int, m: int) -> None:
        if isinstance(number.role.domain, Residues):
            least, limit = number.least, number.limit({}, m)
            if not least <= x < limit:
                raise ValueError(f"{number.name} = {x:#x} is not in [{least:#x}, {limit:#x})")
        elif x < 0:
            raise ValueError(f"operands are not negative, but {number.name} = {x:#x}")
        elif number.plain and x >> number.field.width:
            raise ValueError(f"{number.name} = {x:#x} does not fit {number.field.width} bits")

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Errors in the order of their codes: a bad modulus, an operand at or above its limit, one without an inverse;
        else the plain operands. None for unreported operands out of range, and for constants of another modulus."""
        m, units = self.modulus_of(payload), self._units(payload)
        echo = self._echo(payload)
        if Errors.BAD_MODULUS in self.codes.values() and self._reports(payload):
            return Reading(error=Errors.BAD_MODULUS, echo=echo)
        stored = {name: number.read(payload[number.field.name]) for name, number in self.operands.items()}
        outside = any(x >= self.operands[name].limit(units, m) for name, x in stored.items())
        if outside:
            return Reading(error=Errors.NOT_REDUCED, echo=echo) if Errors.NOT_REDUCED in self.codes.values() else None
        if not self._belongs(m) or any(payload[name] != value for name, value in constants_of(self._i, m).items()):
            return None
        case = {name: self.operands[name].leave(x, m) for name, x in stored.items()}
        if Errors.NO_INVERSE in self.codes.values() and any(gcd(x, m) > 1 for x in case.values()):
            return Reading(error=Errors.NO_INVERSE, echo=echo)
        return Reading({"modulus": m, **case} if self._runtime else case, echo=echo)

    def unpromised(self) -> list[Unpromised]:
        """Good moduli next to other constants than theirs, with operands in range."""
        if self._runtime is None or not self._constants:
            return []
        names = tuple(self.constants(self._runtime[1].least))

        def belong(*values: PayloadValue) -> bool:
            fields = dict(zip(names, values, strict=True))
            if self._reports(fields):
                return True
            m = self.modulus_of(fields)
            return self._belongs(m) and self.constants(m) == fields

        def limit(*values: PayloadValue) -> int:
            fields = dict(zip(names, values, strict=True))
            m, units = self.modulus_of(fields), self._units(fields)
            return min(number.limit(units, m) for number in self.operands.values())

        return [Unpromised(names, belong, tuple(n.field.name for n in self.operands.values()), limit)]

    def _reports(self, payload: Mapping[str, PayloadValue]) -> bool:
        """Whether the fields of the modulus are bad."""
        if self._runtime is None:
            return False
        zero = any(role.checked and payload[field.name] == 0 for field, role in self._i.having(Power))
        return zero or _bad(self.modulus_of(payload), self._runtime[1])

    def _echo(self, payload: Mapping[str, PayloadValue]) -> dict[str, int]:
        """Fields of the result that repeat one of the operands: those of the same role."""
        given: dict[Modulus | Power, int] = self._units(payload)
        return {f.name: given[role] for f, role in (*self._o.having(Modulus), *self._o.having(Power))}

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Operands below their limits, with any modulus; where they are reported, one time in four an operand out of
        range, and one time in eight one without an inverse or a bad modulus."""
        if self._runtime is None:
            assert self._built_in is not None
            m = self._built_in
        else:
            m = draw_modulus(rng, case["modulus"], self._runtime[0].width)
            m = m if self._belongs(m) else case["modulus"]
        payload = self._draw_operands(rng, m)
        if Errors.NO_INVERSE in self.codes.values() and one_in(rng, 8):
            number = next(iter(self.operands.values()))
            factor, limit = factor_of(m), number.limit({}, m)
            multiple = factor * rng.randrange(-(-limit // factor))
            payload[number.field.name] = number.represent(rng, multiple, m) if number.residues else multiple
        if self._runtime is None:
            return payload
        return {**payload, **self.constants(m), **(self._draw_bad(rng) if one_in(rng, 8) else {})}

    def _draw_operands(self, rng: Random, m: int) -> dict[str, PayloadValue]:
        numbers = self.operands.values()
        if any(number.residues for number in numbers):
            return {number.field.name: number.draw_residues(rng, m) for number in numbers}
        limits = {number.field.name: (number.limit({}, m), number.field.width) for number in numbers}
        return {**draw_operands(rng, limits)}

    def _draw_bad(self, rng: Random) -> dict[str, PayloadValue]:
        """A bad modulus next to any checked constant, or a constant that is 0."""
        assert self._runtime is not None
        field = self._runtime[0]
        checked = [f for f, role in self._i.having(Power) if role.checked]
        if checked and one_in(rng, 3):
            return {rng.choice(checked).name: 0}
        bad: dict[str, PayloadValue] = {field.name: draw_bad_modulus(rng, field.width)}
        return bad | {f.name: draw(rng, 1 << f.width) for f in checked}

    def fit(self, case: Mapping[str, int]) -> dict[str, int]:
        """The case with the optional operands that it lacks, drawn from what it has."""
        lacking = [name for name, number in self.operands.items() if _optional(number) and name not in case]
        if not lacking:
            return dict(case)
        chooser, m = Random(repr(sorted(case.items()))), self._built_in or case["modulus"]
        return {**case, **{name: chooser.randrange(m) for name in lacking}}

    def residues(self) -> Sequence[Group]:
        """Operands that are integers in residues."""
        return [group for number in self.operands.values() if (group := number.group) is not None]

    def store(self, stored: int) -> PayloadValue:
        """The field of the first operand for a stored integer."""
        return next(iter(self.operands.values())).write(stored)

    def restore(self, value: PayloadValue) -> int:
        """The stored integer of a field of the first operand, or of a result in the same domain."""
        return next(iter(self.operands.values())).read(value)

    # --- results

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """Plain results, with the modulus that the output repeats; 0 and the name of the error where there is one.

        `representative` is the stored integer of a result that need not be the reduced one.
        """
        code = integer(payload["error"])
        if code:
            return {**dict.fromkeys(self.results, 0), "error": self.codes.get(code, Errors.UNKNOWN)}
        tags = self._o.having(Modulus)
        m = integer(payload[tags[0][0].name]) if tags else self._built_in
        if m is None:  # the modulus does not come out, so every result has to be the reduced one
            return {**{name: payload[number.field.name] for name, number in self.results.items()}, "error": None}
        if m % 2 == 0:
            return {**dict.fromkeys(self.results, 0), "error": Errors.EVEN}
        units: dict[Modulus | Power, int] = {role: integer(payload[f.name]) for f, role in self._o.having(Power)}
        decoded: dict[str, object] = {}
        error = None
        for name, number in self.results.items():
            stored = number.read(payload[number.field.name])
            error = error if stored < number.limit(units, m) else Errors.BOUND
            decoded[name] = number.leave(stored, m) % m
            if number.residues or isinstance(number.role.limit, int):
                decoded["representative"] = stored
        return decoded | {"error": error}

    # --- chains and edges

    def borders(self, case: Mapping[str, int]) -> dict[str, dict[str, PayloadValue]]:
        """A case with each kind of bad modulus, and with each operand at its limit, where the core reports them."""
        payload, changes = self.encode(case), dict[str, dict[str, int]]()
        reported = set(self.codes.values())
        if self._runtime is not None and Errors.BAD_MODULUS in reported:
            field = self._runtime[0]
            found = bad_moduli(self.modulus_of(payload), field.width)
            changes = {text: {field.name: value} for text, value in found.items()}
        if Errors.NOT_REDUCED in reported:
            m, units = self.modulus_of(payload), self._units(payload)
            limits = {n.field: n.limit(units, m) for n in self.operands.values() if not n.residues}
            changes |= {f"{f.name} at its limit": {f.name: top} for f, top in limits.items() if not top >> f.width}
        return {name: payload | change for name, change in changes.items()}

    def edges(self) -> dict[str, dict[str, int]]:
        """Edges of the roles, and the cases of the family; none for a runtime modulus without an example."""
        m = self._example
        if m is None:
            return {}
        numbers = [number for number in self.operands.values() if not _optional(number)]
        refused = Errors.NOT_REDUCED in self.codes.values()
        own: Mapping[str, Mapping[str, int]] = {} if self._edges is None else self._edges(m)
        named = edge_cases(numbers, m, refused=refused) | {name: dict(case) for name, case in own.items()}
        first: dict[tuple[tuple[str, int], ...], str] = {}
        for name, case in named.items():
            first.setdefault(tuple(case.items()), name)  # values that coincide for this modulus are one case
        return {name: dict(case) for case, name in first.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """The result chains into the first operand where every one is an operand again."""
        return chained(self._i, self._o)


def constants_of(i: Payload, m: int) -> dict[str, PayloadValue]:
    """The fields that follow from an odd modulus for which they exist."""
    plain = {f.name: constant(role, m) for f, role in (*i.having(NegInverse), *i.having(Power))}
    return {**plain, **{f.name: table(role, m) for f, role in i.having(Table)}}


def chained(i: Payload, o: Payload) -> list[tuple[str, str]]:
    """Fields of the only result and those of the first operand, where they have one shape, domain and limit."""
    operands, results = i.having(Operand), o.having(Result)
    first = [(f, role) for f, role in operands if role.name == operands[0][1].name]
    if len({role.name for _, role in results}) != 1 or len(first) != len(results):
        return []
    pairs = list(zip(results, first, strict=True))
    alike = all(
        (a.width, a.count, r.domain) == (b.width, b.count, s.domain) and _within(r.limit, s.limit)
        for (a, r), (b, s) in pairs
    )
    return [(a.name, b.name) for (a, _), (b, _) in pairs] if alike else []


def _within(result: Limit, operand: Limit) -> bool:
    """Whether every result below its limit is below that of the operand."""
    if isinstance(result, int) and isinstance(operand, int):
        return result <= operand
    if isinstance(result, Multiple) and isinstance(operand, Multiple):
        return result.of == operand.of and result.factor <= operand.factor
    return False


def _bad(m: int, role: Modulus) -> bool:
    return m % 2 == 0 or m < role.least


def _optional(number: Number) -> bool:
    return isinstance(number.role, Operand) and number.role.optional
