# SPDX-License-Identifier: Apache-2.0
"""The payload of a stream: fields of bits, packed and unpacked as plain integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from .roles import Blind, Coefficients, ErrorCode, Operand, Residues, Result, Role

PayloadValue = int | tuple[int, ...]
"""The value of a payload field: an integer, or a tuple for a field with `count` > 1."""

Kind = TypeVar("Kind")


def integer(value: PayloadValue) -> int:
    """The value of a field with one element."""
    assert isinstance(value, int)
    return value


HANDSHAKE = frozenset({"valid", "ready"})
"""Signals of a stream, which no field may be called after."""


@dataclass(frozen=True)
class Field:
    """One field of a stream payload.

    Parameters
    ----------
    name : str
        Field name, a Verilog identifier.
    width : int
        Bits of one element.
    count : int
        Number of elements; an element array is packed least significant first.
    bound : int
        Every element is < bound (an integer ≤ 2^width); 0 stands for 2^width.
    role : Role or None
        Operand, constant or result that the field carries; every field of a core's streams has one.
    more : str
        Words on what the role does not know, such as the error that a value out of range causes.

    Raises
    ------
    ValueError
        For the name of a signal of the handshake: wrappers have ports `i_NAME` and `o_NAME` next to `o_valid`.
    """

    name: str
    width: int
    count: int = 1
    bound: int = 0
    role: Role | None = None
    more: str = ""

    def __post_init__(self) -> None:
        if self.name in HANDSHAKE:
            raise ValueError(
                f"a field called {self.name!r} would be a second port of that name next to the handshake's"
            )

    @property
    def note(self) -> str:
        """Contents and range in words, for the datasheet: those of the role, of the bound, and `more`."""
        known = () if self.role is None else (self.role.note, self._representatives)
        return "; ".join(filter(None, (*known, self.more)))

    @property
    def _representatives(self) -> str:
        """Which integers stand for a residue; empty for other fields."""
        domain = self.role.domain if isinstance(self.role, Operand | Result | Blind) else None
        if not isinstance(domain, Residues | Coefficients):
            return ""
        return "canonical" if self.bound else "any representatives"

    @property
    def bits(self) -> int:
        """Bits of the whole field."""
        return self.width * self.count

    @property
    def limit(self) -> int:
        """Exclusive upper bound of an element."""
        return self.bound or (1 << self.width)


@dataclass(frozen=True)
class Payload:
    """An ordered set of fields; the first field occupies the least significant bits."""

    fields: tuple[Field, ...]

    @cached_property
    def width(self) -> int:
        """Bits of the whole payload."""
        return sum(f.bits for f in self.fields)

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Least significant bit of each field."""
        result: dict[str, int] = {}
        at = 0
        for f in self.fields:
            result[f.name] = at
            at += f.bits
        return result

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {f.name: f for f in self.fields}

    def __getitem__(self, name: str) -> Field:
        return self._by_name[name]

    @cached_property
    def _rows(self) -> tuple[tuple[str, int, int], ...]:
        """Name, bits of an element and elements of each field: words are packed and unpacked by the million."""
        return tuple((f.name, f.width, f.count) for f in self.fields)

    def having(self, kind: type[Kind]) -> tuple[tuple[Field, Kind], ...]:
        """Fields whose role is of a kind, each with its role."""
        return tuple((f, f.role) for f in self.fields if isinstance(f.role, kind))

    def parts(self, name: str) -> tuple[Field, ...]:
        """Fields of one operand or result, by its name in the function."""
        return tuple(f for f in self.fields if isinstance(f.role, Operand | Result) and f.role.name == name)

    def pack(self, values: Mapping[str, PayloadValue]) -> int:
        """Pack field values into one integer of `width` bits; ValueError if one does not fit."""
        word = 0
        at = 0
        for name, width, count in self._rows:
            value = values[name]
            elements = (value,) if isinstance(value, int) else value
            if len(elements) != count:
                raise ValueError(f"{name}: {len(elements)} elements, {count} declared")
            for element in elements:
                if element < 0 or element >> width:
                    raise ValueError(f"{name}: {element:#x} does not fit {width} bits")
                word |= element << at
                at += width
        return word

    def unpack(self, word: int) -> dict[str, PayloadValue]:
        """Inverse of `pack`."""
        result: dict[str, PayloadValue] = {}
        for name, width, count in self._rows:
            mask = (1 << width) - 1
            if count == 1:
                result[name] = word & mask
                word >>= width
                continue
            elements: list[int] = []
            for _ in range(count):
                elements.append(word & mask)
                word >>= width
            result[name] = tuple(elements)
        return result

    def out_of_bounds(self, values: Mapping[str, PayloadValue]) -> list[str]:
        """Names of the fields with an element at or above its declared bound."""
        bad: list[str] = []
        for f in self.fields:
            value = values[f.name]
            elements = (value,) if isinstance(value, int) else value
            if any(element >= f.limit for element in elements):
                bad.append(f.name)
        return bad


def unchecked() -> Field:
    """The error field of a core that reports nothing."""
    return Field("error", 1, bound=1, role=ErrorCode())
