# SPDX-License-Identifier: Apache-2.0
"""Boolean functions of the pins of a cell, as a Liberty file states them."""

from __future__ import annotations

import re


class BooleanFunction:
    """Value of a Boolean function: ``!`` or a following ``'``, then ``^``, then ``*``, ``&`` or a space, then ``+`` or
    ``|``; the order in which they bind is that of the Liberty User Guide."""

    def __init__(self, text: str, values: dict[str, bool]) -> None:
        self._tokens = re.findall(r"[\w\[\]]+|[!'^*&+|()]", text)
        self._values = values

    def value(self) -> bool:
        """The value; ValueError when the text is not a function."""
        result = self._or()
        if self._tokens:
            raise ValueError("trailing text")
        return result

    def _next(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _or(self) -> bool:
        result = self._and()
        while self._next() in ("+", "|"):
            self._tokens.pop(0)
            result = self._and() or result
        return result

    def _and(self) -> bool:
        result = self._xor()
        while self._next() not in ("", "+", "|", ")"):
            if self._next() in ("*", "&"):
                self._tokens.pop(0)
            result = self._xor() and result
        return result

    def _xor(self) -> bool:
        result = self._not()
        while self._next() == "^":
            self._tokens.pop(0)
            result ^= self._not()
        return result

    def _not(self) -> bool:
        if not self._tokens:
            raise ValueError("an operand is missing")
        token = self._tokens.pop(0)
        if token == "!":
            return not self._not()
        if token == "(":
            result = self._or()
            if self._next() != ")":
                raise ValueError("no closing parenthesis")
            self._tokens.pop(0)
        elif token in "01":
            result = token == "1"
        else:
            result = self._values[token]
        while self._next() == "'":
            self._tokens.pop(0)
            result = not result
        return result
