# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of a paper that are arithmetic: computed here by our own code, and not measured.

Each function takes a document and gives (row, column, paper's figure, ours) for every cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import gmpy2

from .. import registry
from ..contract import Core
from ..errors import ModwrightError
from ..measurement import rows_of, shipped_records
from ..prepared import prepare
from ..request import Request

Cell = tuple[str, str, str, "str | float | None"]
"""Row, column, what the paper has, and ours."""

_SAMPLES = 300
"""Operands that the counts of an inversion are the mean of; their standard deviation is below a per cent."""


def condition_22(document: Mapping[str, Any]) -> Iterator[Cell]:
    """Condition (22) of Mehrabi in exact integers, and whether what is printed is prime."""
    for curve, printed, channels, width, holds, prime in document["rows"]:
        p = _value(printed)
        bits = p.bit_length()
        epsilon = (1 << bits) - p
        ours = epsilon * int(channels) < 1 << (bits - int(width))
        yield curve, "condition (22)", holds, "holds" if ours else "fails"
        yield curve, "p is prime", prime, "yes" if gmpy2.is_prime(p) else "no: misprinted"


def _value(expression: str) -> int:
    """A sum of powers of two and integers, such as 2^160-2^32-1."""
    total = 0
    for sign, power, plain in re.findall(r"([+-]?)(?:2\^(\d+)|(\d+))", expression):
        total += (-1 if sign == "-" else 1) * (1 << int(power) if power else int(plain))
    return total


RATIOS = (2, 3, 4)
"""CMM/CMR of the curves of Figures 2 and 4."""
LENGTHS = (6, 8, 12, 16, 20, 24, 28, 32)
"""Channels at which the curves are read."""
_WIDTH = 17


def hierarchical_basext(_: Mapping[str, Any]) -> Iterator[Cell]:
    """Figure 2: (n²/2 + 2n + n²/2r) / (n² + n); ours, clocks of modwright's two base extensions."""
    for n in LENGTHS:
        ours = _clock_ratio("basext", n)
        for r in RATIOS:
            paper = (Fraction(n * n, 2) + 2 * n + Fraction(n * n, 2 * r)) / (n * n + n)
            yield f"n = {n}", f"r = {r}", f"{float(paper):.3f}", ours


def hierarchical_modmul(_: Mapping[str, Any]) -> Iterator[Cell]:
    """Figure 4: two extensions and 2n products by the formulas of Table II; ours, clocks of the two multipliers."""
    for n in LENGTHS:
        ours = _clock_ratio("modmul", n)
        for r in RATIOS:
            paper = (n * n + Fraction(n * n, r) + 6 * n) / (2 * n * n + 4 * n)
            yield f"n = {n}", f"r = {r}", f"{float(paper):.3f}", ours


def hpr_2(_: Mapping[str, Any]) -> Iterator[Cell]:
    """Figure 5, by the formulas of Table II; ours is not run."""
    yield from _hpr(2)


def hpr_4(_: Mapping[str, Any]) -> Iterator[Cell]:
    """Figure 6, by the formulas of Table II."""
    yield from _hpr(4)


def _hpr(d: int) -> Iterator[Cell]:
    linear = {2: (8, 10), 4: (12, 14)}[d]
    for n in LENGTHS:
        for r in (2, 4):
            square = Fraction(2 * n * n, d)
            paper = (square / 2 * (1 + Fraction(1, r)) + linear[1] * n) / (square + linear[0] * n)
            yield f"n = {n}", f"r = {r}", f"{float(paper):.3f}", None


def _clock_ratio(function: str, channels: int) -> float | None:
    """Clocks with the hierarchical base extension over those without, for as wide a prime as the channels hold."""
    modulus = 1 << (_WIDTH * (channels - 1))
    modulus += next(n for n in range(1, modulus, 2) if gmpy2.is_prime(modulus + n))
    names = ("rns-hbe", "rns-kbe") if function == "modmul" else ("hbe", "kbe")
    clocks = []
    for name in names:
        core = registry.all_cores().get(f"{function}/{name}")
        latency = None if core is None else _latency(core, modulus, channels)
        if latency is None:
            return None
        clocks.append(latency)
    return clocks[0] / clocks[1]


def _latency(core: Core, modulus: int, channels: int) -> int | None:
    """Latency with so many channels; None when no base of that many exists."""
    options = {"width": _WIDTH, "channels": channels + channels % 2}
    try:
        return prepare(core, Request.make(core, modulus=modulus, target="xc7", options=options)).schedule.latency
    except ModwrightError:
        return None


def inversion_overhead(document: Mapping[str, Any]) -> Iterator[Cell]:
    """Table IV: LUTs of BTMI over those of BMI, on series 7, where both were measured alike."""
    rows = [row for row in rows_of(shipped_records().values()) if row.target == "xc7"]
    for bits, least, most in document["rows"]:
        area = {
            row.core: row.resources["lut"]
            for row in rows
            if row.core in ("rns-bmi", "rns-btmi") and row.bits == int(bits)
        }
        ours = (area["rns-btmi"] / area["rns-bmi"] - 1) * 100 if len(area) == 2 else None
        yield f"{bits} bits", "overhead, %", f"{least} to {most}", ours


def plus_minus_counts(document: Mapping[str, Any]) -> Iterator[Cell]:
    """Means of section V, counted by the algorithm in plain integers over random operands of P-256."""
    p = 2**256 - 2**224 + 2**192 + 2**96 - 1
    random = Random(1)
    bits = p.bit_length()
    counted = [plus_minus(random.randrange(1, p), p) for _ in range(_SAMPLES)]
    outer, inner = (sum(c[n] for c in counted) / _SAMPLES for n in (0, 1))
    # An outer iteration divides two values, and so does an inner one: n products each.
    ours = {
        "BTMI: outer iterations a bit": outer / bits,
        "BTMI: inner iterations an outer one": inner / outer,
        "BTMI: EMM/(n·ℓ)": 2 * (outer + inner) / bits,
    }
    for name, printed in document["rows"]:
        yield name, "mean", printed, ours.get(name)


def plus_minus(a: int, p: int) -> tuple[int, int]:
    """Outer and inner iterations of the binary-ternary plus-minus inversion of `a` modulo `p`.

    Bigou and Tisserand 2016, Algorithm 2, on U3 and V3 alone, which decide every branch; 2u and 2v are kept as
    integers from 0, with the weights of a division by 2, 3, 4, 6 and 12.

    Parameters
    ----------
    a, p : int
        0 < a < p, gcd(a, p) = gcd(p, 6) = 1.
    """
    weights = {12: 7, 6: 5, 4: 4, 3: 3, 2: 2}
    u3, v3, u, v, outer, inner = p, a, 0, 0, 0, 0
    while abs(u3) != 1 and abs(v3) != 1:
        outer += 1
        while d := next((d for d in weights if v3 % d == 0), 0):
            v3, v, inner = v3 // d, v + weights[d], inner + 1
        if abs(v3) == 1:
            break
        before = v3
        total = v3 + u3 if (v3 + u3) % 3 == 0 else v3 - u3
        d = 12 if total % 4 == 0 else 6
        v3 = total // d
        if v > u:
            u3, u, v = before, v, u
        v += 5 if d == 12 else 3
    return outer, inner


COMPUTED: dict[str, Callable[[Mapping[str, Any]], Iterator[Cell]]] = {
    "condition_22": condition_22,
    "hierarchical_basext": hierarchical_basext,
    "hierarchical_modmul": hierarchical_modmul,
    "hpr_2": hpr_2,
    "hpr_4": hpr_4,
    "inversion_overhead": inversion_overhead,
    "plus_minus_counts": plus_minus_counts,
}
"""By the name in a document."""
