# SPDX-License-Identifier: Apache-2.0
"""Claims of Rezai and Keshavarzi 2015, carry-save multiplication with multibit scan."""

from __future__ import annotations

from ...measurement import Row
from .claim import Claim, Evidence, Finding, measured, of_erratum

BITS = 1024
SCAN, RADIX_2, RADIX_4 = "modmul/vlm3", "modmul/csa", "modmul/booth4-csa"
HIGH_RADIX = ("modmul/csa-high-radix", "modmul/booth8-csa")


def _microseconds(row: Row) -> float:
    time = row.time(row.mean_cycles)
    assert time is not None
    return time / 1000


def _in_words(rows: dict[str, float], unit: str) -> str:
    return ", ".join(f"`{name}` {value:,.2f}" for name, value in rows.items()) + f" {unit}"


def _plain(evidence: Evidence, core: str) -> Row:
    """Placed record with the default options, which are those of the paper."""
    for row in evidence.rows:
        if (
            row.request["core"] == core
            and row.bits == BITS
            and row.target == "ecp5"
            and row.placed
            and row.label == row.core
        ):
            return row
    raise LookupError(core)


def _faster(evidence: Evidence) -> Finding:
    times = {row.core: _microseconds(row) for row in (_plain(evidence, core) for core in (SCAN, RADIX_2, RADIX_4))}
    scan, *others = times.values()
    return measured(*(scan < other for other in others)), f"ECP5, {BITS} bits: {_in_words(times, 'µs in the mean')}"


def _shorter_path(evidence: Evidence) -> Finding:
    rows = [_plain(evidence, core) for core in (SCAN, *HIGH_RADIX)]
    paths = {row.core: 1000 / rate for row in rows if (rate := row.clock_rate) is not None}
    scan, *others = paths.values()
    return measured(*(scan < other for other in others)), f"ECP5, {BITS} bits: {_in_words(paths, 'ns')}"


def _area_time(evidence: Evidence) -> Finding:
    rows = [_plain(evidence, core) for core in (SCAN, RADIX_2, RADIX_4)]
    products = {row.core: row.resources["lut"] * _microseconds(row) / 1000 for row in rows}
    scan, *others = products.values()
    return measured(*(scan < other for other in others)), f"ECP5, {BITS} bits: {_in_words(products, 'k LUT4 × µs')}"


CLAIMS = (
    Claim(
        "A multiplier of n bits has n/3 digits in the mean.",
        "Section III, Tables V and VI",
        "modwright paper carry-save --errata",
        of_erratum("number of digits", "3n/7: {correct} of {cases} random multipliers agree with it"),
    ),
    Claim(
        "The recoding of Algorithm 6 has the value of X.",
        "Algorithm 6",
        "modwright paper carry-save --errata",
        of_erratum("the last digit", "not for {printed_fails:,} of {cases:,}: the last carry is a digit, too"),
    ),
    Claim(
        "A product is faster than by radix 2 or radix 4.",
        "Section IV",
        f"modwright compare --function modmul --bits {BITS}",
        _faster,
    ),
    Claim(
        "The critical path is shorter than with radix 8 and more.",
        "Section IV, Table V",
        f"modwright compare --function modmul --bits {BITS}",
        _shorter_path,
    ),
    Claim(
        "Area times time is less.",
        "Section IV, Table VI",
        f"modwright compare --function modmul --bits {BITS}",
        _area_time,
    ),
    Claim(
        "R2L exponentiation takes 1.37 ms, L2R 0.92 ms.",
        "Table VII",
        "modwright paper carry-save --errata",
        of_erratum("R2L and L2R", "by the paper's own counts of products they are swapped"),
    ),
)
