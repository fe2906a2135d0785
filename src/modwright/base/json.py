# SPDX-License-Identifier: Apache-2.0
"""Plain data: names of its types, and the JSON form of values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias, cast

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
"""Value that a JSON file can hold."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object whose keys are checked by a schema or a reader at run time, not by a type."""

JsonMapping: TypeAlias = Mapping[str, Any]
"""A `JsonObject` that is only read."""

OptionValue: TypeAlias = bool | int | str | None
"""The value of an option."""

Constant: TypeAlias = "bool | int | float | str | Fraction | Sequence[Constant] | Mapping[str, Constant] | None"
"""A constant of a core as its parameters describe it; exact, of any length."""

_EXACT = 1 << 53
"""Integers below this are exact in every JSON reader (RFC 8259, section 6); others are written as hex text."""


def text_by_lines(value: JsonValue, indent: str = "") -> str:
    """JSON text with one line for each object or list that holds no object, whatever its length.

    A file of many rows is read by row, and so are its changes.
    """
    parts: Sequence[JsonValue] = ()
    if isinstance(value, Mapping):
        parts = tuple(value.values())
    elif isinstance(value, list | tuple):
        parts = value
    if not any(map(_holds_object, parts)):
        return json.dumps(value, ensure_ascii=False)
    inner, names = f"{indent} ", [""] * len(parts)
    first, last = "[]"
    if isinstance(value, Mapping):
        names, (first, last) = [f"{json.dumps(name, ensure_ascii=False)}: " for name in value], "{}"
    rows = [f"{inner}{name}{text_by_lines(part, inner)}" for name, part in zip(names, parts, strict=True)]
    return "\n".join([first, ",\n".join(rows), f"{indent}{last}"])


def _holds_object(value: JsonValue) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list | tuple) and any(map(_holds_object, value)))


def plain(value: Any) -> Any:
    """Turn a value into JSON: dataclasses by field, large integers as hex text, fractions as ``a/b``."""
    if value is None or isinstance(value, bool | float | str):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < _EXACT else hex(value)
    if hasattr(value, "to_json"):
        return plain(value.to_json())
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in cast("Mapping[object, Any]", value).items()}
    if isinstance(value, set | frozenset):
        return [plain(item) for item in sorted(cast("Iterable[Any]", value))]
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [plain(item) for item in cast("Iterable[Any]", value)]
    return exact_text(value) if isinstance(value, Fraction) else repr(value)


def exact_text(value: int | Fraction) -> str:
    """Decimal text of a number of any length: str() refuses integers of more than 4300 digits, `Decimal` does not."""
    above, below = str(Decimal(value.numerator)), str(Decimal(value.denominator))
    return above if below == "1" else f"{above}/{below}"
