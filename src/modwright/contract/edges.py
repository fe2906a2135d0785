# SPDX-License-Identifier: Apache-2.0
"""Edge cases that follow from the roles of the operands: identities, ends of ranges, runs of bits, unreduced values."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from .number import Number
from .roles import Montgomery

EIGHTHS = range(1, 8)


def edge_cases(numbers: Sequence[Number], m: int, *, refused: bool) -> dict[str, dict[str, int]]:
    """Named cases of plain operands.

    Each edge value of the first operand next to the largest reduced value of the others, and the other way round; of a
    single operand, powers of 2 and 3 besides.

    Parameters
    ----------
    numbers : sequence of Number
        Operands that no case leaves out.
    m : int
        M.
    refused : bool
        Whether operands that are not below their limit are reported, and so belong to the cases.
    """
    first, others = numbers[0], numbers[1:]
    values = plain_values(first, m, refused=refused)
    if not others:
        values |= _powers(first, m)
        return {name: {first.name: value} for name, value in values.items()}
    rest = {number.name: m - 1 for number in others}
    cases = {f"{first.name} = {name}": {first.name: value, **rest} for name, value in values.items()}
    for number in others:
        own = plain_values(number, m, refused=refused)
        fixed = {first.name: m - 1, **rest}
        cases |= {f"{number.name} = {name}": {**fixed, number.name: value} for name, value in own.items()}
    if first.residues is not None:
        cases |= _spread_products(first, others[0], m)
    return cases


def plain_values(number: Number, m: int, *, refused: bool) -> dict[str, int]:
    """Named plain values of one operand."""
    if isinstance(number.role.domain, Montgomery):
        back = pow(number.factor(m), -1, m)
        return {name: value * back % m for name, value in stored_values(m).items()}
    limit = number.limit({}, m)
    values = dict(_values(m)) | {"M": m, "M+1": m + 1, "limit-1": limit - 1, "limit-2": limit - 2}
    if number.least < 0:
        values |= {"-1": -1, "least": number.least}
    inside = {name: value for name, value in values.items() if number.least <= value < limit}
    if refused and limit < 1 << number.field.width:
        inside |= {"limit": limit, "11..1": (1 << number.field.width) - 1}
    return inside


def stored_values(m: int) -> dict[str, int]:
    """Named values in the Montgomery domain: ends of the range and runs of bits."""
    ones = (1 << (m.bit_length() - 1)) - 1
    return {
        "0": 0,
        "1": 1,
        "M-1": m - 1,
        "11..1": ones,
        "0101..": ones // 3,
        "1010..": ones // 3 * 2,
        "0011..": ones // 5,
        "1000..": (ones + 1) % m,
    }


def _values(m: int) -> Iterator[tuple[str, int]]:
    n = m.bit_length()
    yield from (("0", 0), ("1", 1), ("2", 2), ("M-1", m - 1), ("M-2", m - 2), ("M-3", m - 3), ("2^-1", (m + 1) // 2))
    yield from (("2^n", (1 << n) % m), ("2^n-1", ((1 << n) - 1) % m), ("2^(n-1)", 1 << (n - 1)))
    yield "2^(n-1)-1", (1 << (n - 1)) - 1


def _powers(number: Number, m: int) -> dict[str, int]:
    """Powers of 2 and 3 below the limit: quotients of an inversion that are as large as can be."""
    limit = number.limit({}, m)
    powers = {f"{base}^{k}": base**k for base in (2, 3) for k in range(limit.bit_length())}
    return {name: value for name, value in powers.items() if value < limit}


def _spread_products(x: Number, y: Number, m: int) -> Mapping[str, dict[str, int]]:
    """Products near eighths of their range, where an estimate of their multiple of M decides."""
    top = x.limit({}, m) - 1
    chooser = random.Random(m)
    cases: dict[str, dict[str, int]] = {}
    for k in EIGHTHS:
        value = chooser.randrange(max(1, top // 2), top + 1)
        other = min(top * top * k // 8 // value, top)
        cases[f"{x.name}·{y.name} near {k}/8 of the range"] = {x.name: value, y.name: other}
    return cases
