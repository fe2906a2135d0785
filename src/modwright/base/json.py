# SPDX-License-Identifier: Apache-2.0
"""Names of the types of plain data: JSON, options and constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
"""What a JSON file can hold."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object whose keys a schema or a reader checks at run time, and no type does."""

OptionValue: TypeAlias = bool | int | str | None
"""The value of an option."""

Constant: TypeAlias = "bool | int | float | str | Fraction | Sequence[Constant] | Mapping[str, Constant] | None"
"""A constant of a core as its parameters describe it; exact, of any length."""
