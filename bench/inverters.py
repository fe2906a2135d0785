# SPDX-License-Identifier: Apache-2.0
"""Inverters as they were measured, next to a multiplier on the same engine that cannot invert."""

from __future__ import annotations

from collections.abc import Sequence

from modwright.measurement.rows import Row
from modwright.pages.datasheet import count, figure
from modwright.report.evidence import NOT_RUN
from records import fmax, place_and_route, table, versions

ENGINE, PLAIN = "rns-kbe", "rns-bmi"
"""Multiplication on the cox-rower, and the inversion to which Bigou and Tisserand (Table IV) compare theirs."""
WIDTH = 20
"""Bits of a channel of the rows that are compared."""
TARGETS = ("ecp5", "xc7")
HEADINGS = (
    "modulus", "core", "target", "cycles, mean", "at most", "Fmax, MHz", "µs, mean", "LUT", "LUT / BMI", "FF", "DSP",
    "LUTRAM", "LUT × µs", "DSP × µs", "constant latency",
)  # fmt: skip
_WORDS = {"modulus", "core", "target", "constant latency"}


def inverters(rows: Sequence[Row]) -> str:
    """Every inverter with a built-in modulus, and the engine for the same modulus."""
    found = [r for r in rows if r.target in TARGETS and (r.function == "modinv" or _is_engine(r))]
    moduli = {r.modulus for r in found if r.function == "modinv"}
    found = [r for r in found if r.modulus in moduli]
    found.sort(key=lambda r: (TARGETS.index(r.target), r.bits, r.modulus, r.function, r.schedule["latency_cycles"]))
    lines = [_line(row, _plain(found, row)) for row in found]
    ways = " / ".join(sorted({place_and_route(row.timing) for row in found if row.placed}))
    return f"{table(HEADINGS, lines, _WORDS)}\n{ways + '. ' if ways else ''}{versions(found)}\n"


def _is_engine(row: Row) -> bool:
    return row.core == ENGINE and row.request["options"].get("width") == WIDTH


def _plain(rows: Sequence[Row], row: Row) -> Row | None:
    """The row of BMI for the same modulus and target."""
    alike = (r for r in rows if (r.core, r.modulus, r.target) == (PLAIN, row.modulus, row.target))
    return next(alike, None)


def _line(row: Row, plain: Row | None) -> tuple[str, ...]:
    r, mean = row.resources, row.mean_cycles
    nanoseconds = row.time(mean)
    µs = None if nanoseconds is None else nanoseconds / 1e3
    return (
        row.modulus,
        row.name if row.function == "modinv" else f"{row.name}, one product",
        row.target,
        NOT_RUN if mean is None else count(mean),
        count(row.schedule["latency_cycles"]),
        fmax(row.timing) if row.target == "ecp5" else "–",
        figure(µs, 2),
        count(r["lut"]),
        "" if plain is None else f"{r['lut'] / plain.resources['lut']:.2f}",
        count(r["ff"]),
        count(r["dsp"]),
        count(r["lutram"]),
        figure(None if µs is None else r["lut"] * µs),
        figure(None if µs is None else r["dsp"] * µs),
        "yes" if row.schedule["constant_time"] else "NO",
    )
