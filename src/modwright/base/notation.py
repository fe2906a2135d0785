# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

_DECIMAL = 10**12
"""Numbers below it are shown in decimal."""


def is_long(values: Iterable[object]) -> bool:
    """Whether one of them is shown in hexadecimal, so that those next to it are, too."""
    return any(isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _DECIMAL for value in values)


def number_text(value: object, hexadecimal: bool = False) -> str:
    """A number in decimal up to 12 digits, else in hexadecimal; residues in parentheses, all in one notation."""
    if isinstance(value, list):
        return f"({numbers_text(cast('list[int]', value), hexadecimal)})"
    if isinstance(value, int) and not isinstance(value, bool) and (hexadecimal or is_long([value])):
        return hex(value)
    return str(value)


def numbers_text(values: list[int], hexadecimal: bool = False) -> str:
    """Numbers in one notation."""
    hexadecimal = hexadecimal or is_long(values)
    return ", ".join(number_text(value, hexadecimal) for value in values)
