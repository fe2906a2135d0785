# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the digit loop: digits, quotient digits, S between two digits, V before the shift, and the result.

S and V are taken in 64ths of M, rounded down: fine enough for every pair of sums that the width W must distinguish,
as its bounds are small fractions. The last few digits decide S, so runs of largest digits next to a large Y reach its
ends.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....schedule import Schedule
from .model import CarrySaveModel
from .parameters import CarrySaveParameters
from .plan import VariableDigit

UNITS = 64
"""Parts of M in which S is counted."""
SUM, WHOLE, RESULT = (f"{UNITS}·{number}/M" for number in "SVz")
"""Names of the numbers that are counted so."""
SAMPLE = 400
"""Operations of a run that are observed: the loop in Python takes as long as all other checks."""
TRIED = 40
"""Multipliers Y, and X, that are tried for each modulus."""
DRAWN = 200
"""Random operands for each modulus, which reach most ends at small widths."""
DIGITS = 15_000
"""Most digits of the products that are tried for one X, so that fewer are tried for long operands."""


def extremes(p: CarrySaveParameters, schedule: Schedule) -> Extremes:
    """Extremes of one multiplier."""
    model = CarrySaveModel(p, schedule)

    def observe(operands: Operands) -> Values:
        x, y, m = (_integer(operands[name]) for name in "xym")
        if m % 2 == 0 or m < 3 or max(x, y) >= p.domain * m:
            return {}
        return _loop(model, x, y, m)

    return Extremes(_quantities(p), observe, lambda: _candidates(p), SAMPLE)


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value


def _loop(model: CarrySaveModel, x: int, y: int, m: int) -> Values:
    """S <- (S + d·Y + q·M) / 2^k, digit by digit."""
    p = model.p
    most = p.cell.quotients[1]
    found: dict[str, list[int]] = {name: [] for name in ("d", "q", SUM, WHOLE)}
    s = 0
    for digit in model.digits(x):
        d, places = _value(digit, p.cell.bits)
        size = 1 << places
        total = s + d * y
        q = -total * pow(m, -1, size) % size
        if q > most:  # the other quotient digit of its residue class
            q -= size
        total += q * m
        s = total >> places
        for name, value in (("d", d), ("q", q), (SUM, s * UNITS // m), (WHOLE, total * UNITS // m)):
            found[name].append(value)
    z = s + p.offset * m
    return {**found, RESULT: ((z % m if p.domain == 1 else z) * UNITS // m,)}


def _value(digit: int | VariableDigit, bits: int) -> tuple[int, int]:
    """A digit of X and its places."""
    if isinstance(digit, int):
        return digit, bits
    return (-1 if digit.neg else 1) * digit.nz << digit.a, digit.a + 1


def _quantities(p: CarrySaveParameters) -> tuple[Quantity, ...]:
    reach = _signed_remainders(p)
    return (
        Quantity("d", *p.cell.digits, "digits of X that the recoder gives"),
        Quantity("q", *p.cell.quotients, "quotient digits"),
        _scaled(SUM, p.sum_bounds, "S between two digits; certificate `step`", reach),
        _scaled(WHOLE, p.before_shift, "V = S + d·Y + q·M; certificate `width`", _times(reach, 1 << p.cell.bits)),
        _result(p, "z, the result; certificate `result`"),
    )


def _result(p: CarrySaveParameters, why: str) -> Quantity:
    """z; in domain 2 S + c·M with the last S as the certificate has it."""
    most = UNITS * p.domain - 1
    q0, q1 = p.last_quotient
    low, high = _units((q0 + p.offset, p.last_product + q1 + p.offset))
    if p.domain == 1 or (low <= 0 and high >= most):
        return Quantity(RESULT, 0, most, why)
    reason = f"X·Y/(R·M) + Q/R + c is from {float(q0 + p.offset):.3g} to {float(p.last_product + q1 + p.offset):.4g}"
    return Quantity(RESULT, 0, most, why, (max(0, low), min(high, most)), reason)


Bounds = tuple[Fraction, Fraction]


def _signed_remainders(p: CarrySaveParameters) -> Bounds | None:
    """S of Booth digits: those so far are X modulo 2^j, in [-1/2, 1/2) of it, and not all of them largest."""
    if p.cell.variable or p.cell.digits[0] >= 0:
        return None
    q0, q1 = p.last_quotient
    half = Fraction(p.domain, 2)
    return -half + q0, half + q1


def _times(bounds: Bounds | None, factor: int) -> Bounds | None:
    return None if bounds is None else (bounds[0] * factor, bounds[1] * factor)


def _scaled(name: str, bounds: Bounds, why: str, possible: Bounds | None) -> Quantity:
    """A quantity in whole units from exclusive bounds."""
    allowed = _units(bounds)
    inner = None if possible is None else _units(possible)
    if inner is None or (inner[0] <= allowed[0] and inner[1] >= allowed[1]):
        return Quantity(name, *allowed, why)
    reason = "Booth digits so far are X modulo 2^j in [-2^(j-1), 2^(j-1)), so largest ones do not follow each other"
    return Quantity(name, *allowed, why, (max(inner[0], allowed[0]), min(inner[1], allowed[1])), reason)


def _units(bounds: Bounds) -> tuple[int, int]:
    low, high = bounds
    return int(low * UNITS // 1), int(-(-high * UNITS // 1)) - 1


# --- operands


def _candidates(p: CarrySaveParameters) -> Iterator[Case]:
    """X of largest, least and mixed digits with large Y, for the example and for the largest modulus; results near
    their bound: with X·Y ≡ M modulo R, Q is R - 1."""
    few = max(2, DIGITS // p.most_digits)
    tries = min(TRIED, few)
    for m in dict.fromkeys((p.example or (1 << p.n) - 1, (1 << p.n) - 1)):
        limit, rng = p.domain * m, random.Random(m)
        for x in _multiplicands(p, limit):
            for tried in range(tries):
                yield _case(x, limit - 1 - (rng.randrange(limit // 64 + 1) if tried else 0), m)
        for tried in range(tries * 8):
            x = (limit - 1 - 2 * tried) | 1
            if 0 < x < limit and (y := m * pow(x, -1, 1 << p.T) % (1 << p.T)) < limit:
                yield _case(x, y, m)
        for _ in range(min(DRAWN, few)):
            yield _case(rng.randrange(limit), rng.randrange(limit), m)
        yield _case(0, 0, m)


def _multiplicands(p: CarrySaveParameters, limit: int) -> Iterator[int]:
    """Runs of ones, of zeros and of the patterns in which signed digits are largest, all below the bound."""
    bits = limit.bit_length() - 1
    ones = (1 << bits) - 1
    yield limit - 1
    for pattern, length in ((1, 1), (1, 2), (2, 2), (1, 3), (3, 3), (4, 3), (5, 3), (0b0011, 4), (0b0111, 4)):
        yield ones // ((1 << length) - 1) * pattern
        yield (1 << (bits - 1)) - 1 - (ones // ((1 << length) - 1) * pattern >> 2)


def _case(x: int, y: int, m: int) -> Case:
    return {PAYLOAD: {"x": x, "y": y, "m": m}}
