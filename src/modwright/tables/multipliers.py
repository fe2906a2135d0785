# SPDX-License-Identifier: Apache-2.0
"""Multipliers with a runtime modulus and exponentiators, next to those of a paper, and their area × time.

Area in slices of one device and in LUT4 of another stay in columns of their own, and so do the products of area and
time. Cycles are counted on the schedule, times are cycles over the measured clock rate: they are never in one column.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence

from ..base.json import JsonMapping
from ..base.table import Items, Table
from ..functions import modexp, modmul
from ..measurement import protocol
from ..measurement.rows import Row
from ..pages.datasheet import count, figure
from ..report.evidence import NOT_RUN
from .cells import constant_latency, fmax, measured_with

MEASURED, PAPER = "measured", "paper"

COMPLEXITY_BITS = 512
"""Width at which the areas of the complexity table are measured."""
PRODUCT_BITS = (512, 1024)
EXPONENTIATION_BITS = 1024
METHODS = {"r2l": "R2L", "l2r": "L2R", "ladder": "ladder", "window": "window"}
"""Ways of exponentiation by the end of a core's name."""
YARDSTICK = "booth8-csa"
"""The core whose product of area and time is 1."""

_WORDS = {
    "source",
    "design",
    "device",
    "method",
    "critical path",
    "core",
    "constant latency",
    "operands",
    "description",
}


def multipliers(rows: Iterable[Row], bits: Iterable[int]) -> list[Row]:
    """Multipliers with an operand modulus of these widths, placed and routed on ECP5 or refused, by width and name."""
    return _placed(rows, lambda r: r.function == modmul.FUNCTION.name and r.runtime_modulus and r.bits in set(bits))


def exponentiators(rows: Iterable[Row], methods: Container[str]) -> list[Row]:
    """Exponentiators of the width and the methods of the paper's, those too of which only the area was measured."""
    return _measured(
        rows, lambda r: r.function == modexp.FUNCTION.name and r.bits == EXPONENTIATION_BITS and _method(r) in methods
    )


def _placed(rows: Iterable[Row], is_ours: Callable[[Row], bool]) -> list[Row]:
    return _measured(rows, lambda r: r.timing != NOT_RUN and is_ours(r))


def _measured(rows: Iterable[Row], is_ours: Callable[[Row], bool]) -> list[Row]:
    found = [r for r in rows if r.target == "ecp5" and is_ours(r)]
    return sorted(found, key=lambda r: (r.bits, r.name))


# --- the paper's tables, with ours in front


def complexity(rows: Iterable[Row], paper: JsonMapping) -> Table:
    """Critical path, cycles and area of a bit; the paper's are formulas."""
    ours = multipliers(rows, [COMPLEXITY_BITS])
    lines = [(MEASURED, row.name, _critical_path(row), _cycles(row), _area_of_a_bit(row)) for row in ours]
    return _with_ours(("source", "design", "critical path", "cycles", "area, a bit"), lines, paper, list, ours)


def _critical_path(row: Row) -> str:
    if not row.placed:
        return fmax(row.timing)
    path = row.timing["critical_path"]
    return (
        f"{path['levels']} levels, {path['delay_ns']:.1f} ns: {path['logic_ns']:.1f} of logic, "
        f"{path['routing_ns']:.1f} of wires"
    )


def _cycles(row: Row) -> str:
    most = row.schedule["latency_cycles"]
    formula = f"{row.schedule['formula']} = "
    if row.schedule["constant_time"]:
        return f"{formula}{count(most)}"
    return f"{formula}{figure(row.mean_cycles)} in the mean, {count(most)} at most"


def _area_of_a_bit(row: Row) -> str:
    parts = [f"{row.resources[kind] / row.bits:.1f} {kind.upper()}" for kind in ("lut", "ff")]
    return ", ".join([*parts, *([f"{row.resources['dsp']} DSP in all"] if row.resources["dsp"] else [])])


_TIME = ("cycles, mean", "cycles, most", "{}, mean", "{}, most")
_AREA = ("LUT4", "FF", "DSP", "slices", "LUT4 × {}, mean", "slices × {}")


def products(rows: Iterable[Row], paper: JsonMapping) -> Table:
    """Multiplications: period, time and area."""
    ours = multipliers(rows, PRODUCT_BITS)
    shown = (*(heading.format("µs") for heading in _TIME), *(heading.format("ms") for heading in _AREA))
    headings = ("source", "design", "n", "device", "period, ns", *shown, "Mbit/s")
    lines = [
        (MEASURED, r.name, str(r.bits), r.device, _period(r), *_times(r, 1e-3), *_areas(r, 1e-6), _rate(r, 1e3))
        for r in ours
    ]

    def printed(line: Sequence[str]) -> Sequence[str]:
        design, bits, device, period, time, area, product, rate, _ = line
        return (design, bits, device, period, "", "", time, "", "", "", "", area, "", product, rate)

    return _with_ours(headings, lines, paper, printed, ours)


def exponentiations(rows: Iterable[Row], paper: JsonMapping) -> Table:
    """Exponentiations: clock rate, time and area; a method of the paper that was not measured says so."""
    methods = list(dict.fromkeys(line[1] for line in paper["rows"]))
    ours = exponentiators(rows, methods)
    shown = (*(heading.format("ms") for heading in _TIME), *(heading.format("s") for heading in _AREA))
    headings = ("source", "design", "method", "device", "Fmax, MHz", *shown, "kbit/s")
    lines = [
        (MEASURED, r.name, _method(r), r.device, fmax(r.timing), *_times(r, 1e-6), *_areas(r, 1e-9), _rate(r, 1e6))
        for r in ours
    ]
    missing = [method for method in methods if method not in {_method(r) for r in ours}]
    lines += [(MEASURED, NOT_RUN, method, *[NOT_RUN] * (len(headings) - 3)) for method in missing]

    def printed(line: Sequence[str]) -> Sequence[str]:
        design, method, device, clock, time, area, product, rate = line
        return (design, method, device, clock, "", "", time, "", "", "", "", area, "", product, rate)

    return _with_ours(headings, lines, paper, printed, ours)


def _with_ours(
    headings: Sequence[str],
    ours: Sequence[Sequence[str]],
    paper: JsonMapping,
    printed: Callable[[Sequence[str]], Sequence[str]],
    rows: Sequence[Row],
) -> Table:
    """Our lines, the paper's below them, how each was made, and what is wrong with the paper's."""
    theirs = [(PAPER, *printed(line)) for line in paper["rows"]]
    source = f"Paper: {paper['source']} ({paper['url']}). {paper['note']}"
    errata = Items("What is wrong in the paper's rows", tuple(paper["errata"]))
    return Table.of(headings, [*ours, *theirs], _WORDS, below=[measured_with(rows), source, errata])


def _period(row: Row) -> str:
    return figure(row.time(1), 2) if row.placed else fmax(row.timing)


def _times(row: Row, scale: float) -> tuple[str, str, str, str]:
    """Cycles and time, in the mean and at most; time in 1/scale ns."""
    mean, most = row.mean_cycles, row.schedule["latency_cycles"]
    in_the_mean, at_most = (figure(None if time is None else time * scale, 3) for time in map(row.time, (mean, most)))
    return _mean(mean), count(most), in_the_mean, at_most


def _mean(cycles: float | None) -> str:
    """A whole number of cycles where it is one."""
    return figure(cycles, 0 if cycles is not None and cycles == int(cycles) else 1)


def _areas(row: Row, scale: float) -> tuple[str, ...]:
    """Area, and LUT4 times mean time of a product in 1/scale ns."""
    product = _cost(row, row.mean_cycles)
    return (
        *(count(row.resources[kind]) for kind in ("lut", "ff", "dsp")),
        "",
        figure(None if product is None else product * scale, 2),
        "",
    )


def _rate(row: Row, scale: float) -> str:
    """Bits of the modulus over the mean time, for all products that share the core, in bits per `scale` ns."""
    time = row.time(row.mean_cycles)
    return figure(None if time is None else row.bits * row.burst / time * scale)


def _method(row: Row) -> str:
    return METHODS.get(row.core.rpartition("-")[2], row.core)


# --- area x time of multipliers


def area_time(rows: Iterable[Row]) -> Table | str:
    """LUT4 x time of a product, best first in each width.

    Cores with blocks, which LUTs do not measure, come last, and among each kind those that depart from the protocol.
    """
    found = multipliers(rows, PRODUCT_BITS)
    if not found:
        return NOT_RUN
    found.sort(key=_place)
    headings = (
        "n", "core", "constant latency", "at a time", "Fmax, MHz", "cycles, mean", "cycles, most", "µs, mean",
        "µs, most", "LUT4", "FF", "DSP", "LUT4 × µs, mean", "LUT4 × µs, most", "LUT4 a bit × µs, mean",
        "LUT4 a bit × µs, most", f"LUT4 × µs over that of {YARDSTICK}, mean",
    )  # fmt: skip
    return Table.of(headings, [_compared(row, found) for row in found], _WORDS, below=[measured_with(found)])


def _place(row: Row) -> tuple[int, bool, bool, float]:
    return row.bits, row.resources["dsp"] > 0, protocol.departs(row), _cost(row, row.mean_cycles) or float("inf")


def _compared(row: Row, rows: Sequence[Row]) -> tuple[str, ...]:
    cycles = (row.mean_cycles, row.schedule["latency_cycles"])
    cost = [_cost(row, c) for c in cycles]
    unit = next((_cost(r, r.mean_cycles) for r in rows if (r.name, r.bits) == (f"`{YARDSTICK}`", row.bits)), None)
    # Blocks are not LUTs: a core that has both is not compared by its LUTs alone.
    ratio = cost[0] / unit if cost[0] and unit and not row.resources["dsp"] else None
    return (
        str(row.bits),
        row.name,
        constant_latency(row),
        str(row.burst),
        fmax(row.timing),
        *_times(row, 1e-3),
        *(count(row.resources[kind]) for kind in ("lut", "ff", "dsp")),
        *(count(None if c is None else c * 1e-3) for c in cost),
        *(figure(None if c is None else c / row.bits * 1e-3, 2) for c in cost),
        figure(ratio, 2),
    )


def _cost(row: Row, cycles: float | None) -> float | None:
    """LUT4 times ns of that number of cycles, shared by the products that are in the core at a time."""
    time = row.time(cycles)
    return None if time is None else time * row.resources["lut"] / row.burst
