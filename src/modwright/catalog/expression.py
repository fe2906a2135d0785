# SPDX-License-Identifier: Apache-2.0
"""Integers as users write them: decimal, 0x hexadecimal, and expressions such as ``2^255 - 19``.

Nothing is evaluated by Python: the text is parsed to a syntax tree, of which four operators, signs and integer
literals are accepted, and the size of every intermediate value is bounded before it is computed.
"""

from __future__ import annotations

import ast
import re
import sys

from ..base.errors import UsageError

MAXIMUM_BITS = 16_384
"""The largest modulus: twice the RSA modulus of 8192 bits, and four times the largest that is usual."""

_MAXIMUM_OPERATORS = 100
"""Operators and parentheses of one expression; Python's own parser accepts 200 nested parentheses."""

_INTERMEDIATE_BITS = 2 * MAXIMUM_BITS
"""A product of two moduli still fits, so that (p-1)*(q-1) and the like pass; only the result is limited."""

_MAXIMUM_DIGITS = 9865
"""Digits of 2^32768; a longer decimal is not converted (leading zeros count)."""

_DECIMAL = re.compile(r"[0-9]+(_[0-9]+)*")
_HEXADECIMAL = re.compile(r"0[xX]_?[0-9a-fA-F]+(_[0-9a-fA-F]+)*")
_LONG_DECIMAL = re.compile(r"\b[0-9][0-9_]{640,}\b")
_EXPRESSION = re.compile(r"[\s+\-(]*[0-9][0-9a-fA-FxX_\s+\-*^()]*")


def is_expression(text: str) -> bool:
    """Whether the text starts as an expression does and holds only the characters of one."""
    return _EXPRESSION.fullmatch(text) is not None


def normalise(text: str) -> str:
    """One spelling of a well-formed number or expression: lower case, ``^`` for powers, no space, no ``_``."""
    return re.sub(r"[\s_]", "", text.lower()).replace("**", "^")


def evaluate(text: str) -> int:
    """Value of a decimal, a 0x hexadecimal or an expression with ``+ - * ^ **`` and parentheses.

    ``^`` is the power and binds as ``**`` does in Python: from right to left, tighter than a sign before it.

    Raises
    ------
    UsageError
        When the text is malformed, or a value on the way exceeds 2 · `MAXIMUM_BITS` bits.
    """
    text = text.strip()
    if _DECIMAL.fullmatch(text):
        return _bounded(_decimal(text.replace("_", "")), text)
    if _HEXADECIMAL.fullmatch(text):
        return _bounded(int(text, 16), text)
    if sum(c in "+-*^(" for c in text) > _MAXIMUM_OPERATORS:
        raise _malformed(text, f"more than {_MAXIMUM_OPERATORS} operators")
    if not is_expression(text):
        raise _malformed(text, "it holds a character that is not a digit, an operator or a parenthesis")
    try:
        tree = ast.parse(_to_python(text), mode="eval")
    except SyntaxError as error:
        raise _malformed(text, error.msg) from None
    return _value(tree.body, text)


def _to_python(text: str) -> str:
    """On one line, ``^`` as ``**``, and long decimals in hexadecimal, in which Python has no limit."""
    text = _LONG_DECIMAL.sub(lambda match: hex(_decimal(match[0].replace("_", ""))), text)
    return " ".join(text.split()).replace("^", "**")


def _decimal(digits: str) -> int:
    """Value of a decimal of any length, in halves: int() may refuse a long one."""
    if len(digits) > _MAXIMUM_DIGITS:
        raise _too_large(digits)
    if len(digits) <= sys.int_info.str_digits_check_threshold:
        return int(digits)
    half = len(digits) // 2
    return _decimal(digits[:-half]) * 10**half + _decimal(digits[-half:])


def _value(node: ast.expr, text: str) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return _bounded(number, text)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, text)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, text)
        case ast.BinOp(left=left, op=operator, right=right):
            return _bounded(_apply(operator, _value(left, text), _value(right, text), text), text)
        case _:
            raise _malformed(text, "not an expression of integers with + - * ^ and parentheses")


def _apply(operator: ast.operator, left: int, right: int, text: str) -> int:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Pow():
            return _power(left, right, text)
        case _:
            raise _malformed(text, "the operators are + - * ^")


def _power(base: int, exponent: int, text: str) -> int:
    """base^exponent; the bound is checked on (bits(base) - 1)·exponent, which the power has at least."""
    if exponent < 0:
        raise _malformed(text, "a negative exponent")
    if (base.bit_length() - 1) * exponent > _INTERMEDIATE_BITS:
        raise _too_large(text)
    return base**exponent


def _bounded(value: int, text: str) -> int:
    if value.bit_length() > _INTERMEDIATE_BITS:
        raise _too_large(text)
    return value


def _too_large(text: str) -> UsageError:
    return UsageError(
        f"{shorten(text)}: a value exceeds {_INTERMEDIATE_BITS} bits",
        f"a modulus has at most {MAXIMUM_BITS} bits",
    )


def _malformed(text: str, reason: str) -> UsageError:
    return UsageError(f"malformed expression {shorten(text)!r}: {reason}", "write it as 2^255-19")


def shorten(text: str) -> str:
    """At most 60 characters of a text, for an error message."""
    return text if len(text) <= 60 else f"{text[:40]}…{text[-16:]}"
