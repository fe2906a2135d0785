# SPDX-License-Identifier: Apache-2.0
"""The cost of multipliers with a runtime modulus as the width grows: cycles by the schedule next to a formula, times
where placed, areas where measured; each as a table and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log

from ..base.errors import ParameterError
from ..base.table import Table
from ..contract.request import Request
from ..draw.lines import Curve
from ..draw.lines import lines as drawn
from ..measurement.protocol import departs
from ..measurement.rows import Row, options_of
from ..pages.datasheet import count, cycles, figure
from ..prepared import prepare
from ..prepared.registry import find
from ..report.evidence import NOT_RUN

WIDTHS = (160, 256, 384, 521, 1024, 2048, 4096)
"""Bits of the modulus: curves, and the halves and whole moduli of RSA."""
WIDER_LIMBS = {4096: 128}
"""Limbs of units that refuse the default of 64 bits at a width: more than `engines.limb` has control words for."""
CORES = (
    "radix2", "csa", "booth4-csa", "booth8-csa", "vlm3", "csa-high-radix", "r64", "limb-scan", "limb-fold",
    "limb-fold-karatsuba", "limb-columns", "orup-dsp", "orup-interleaved",
)  # fmt: skip

Formula = Callable[[int, int], float]
"""Cycles of a product by bits and limbs, without what a core takes to begin and to end one."""


def _digits(bits: float) -> tuple[str, Formula]:
    """Formula of a core that takes as many bits of an operand in a cycle."""
    return f"n/{bits:g}" if bits > 1 else "n", lambda n, s: n / bits


_PRODUCTS: tuple[str, Formula] = "2s² + s", lambda n, s: 2 * s * s + s
_FOLDED: tuple[str, Formula] = "2s² + 1", lambda n, s: 2 * s * s + 1
FORMULAS: Mapping[str, tuple[str, Formula]] = {
    "radix2": _digits(1),
    "csa": _digits(1),
    "booth4-csa": _digits(2),
    "booth8-csa": _digits(3),
    "vlm3": ("3n/7", lambda n, s: 3 * n / 7),
    "csa-high-radix": _digits(4),
    "r64": _PRODUCTS,
    "limb-scan": _PRODUCTS,
    "limb-fold": _FOLDED,
    "limb-fold-karatsuba": ("s² + 2s", lambda n, s: s * s + 2 * s),
    "limb-columns": _FOLDED,
    "orup-dsp": _digits(18),
    "orup-interleaved": _digits(18),
}
"""In words and as a function, by core; digits have 18 bits, as the blocks of ECP5, and s limbs have n bits."""
LIMB, LIMB_OF_COLUMNS = 64, 90
"""Bits of a limb: by default, and of `limb-columns`, of five digits of 18."""


@dataclass(frozen=True)
class Growth:
    """One multiplier over `WIDTHS`.

    Parameters
    ----------
    name : str
    intervals : mapping of int to float
        Cycles between two products at full rate, by width.
    wider : mapping of int to int
        Limbs that are not the default, by width.
    placed : mapping of int to Row
        Placed record with the least time between two products, by width.
    """

    name: str
    intervals: Mapping[int, float]
    wider: Mapping[int, int]
    placed: Mapping[int, Row]

    @property
    def exponent(self) -> float:
        """Slope of log(cycles) over log(bits) between the first and the last width with the same limbs: 1 is linear, 2
        quadratic."""
        same = [bits for bits in self.intervals if bits not in self.wider]
        first, last = min(same), max(same)
        return log(self.intervals[last] / self.intervals[first]) / log(last / first)

    @property
    def times(self) -> Mapping[int, float]:
        """The ns between two products, by width where placed."""
        return {bits: row.interval_ns for bits, row in sorted(self.placed.items()) if row.interval_ns is not None}

    def over_formula(self, bits: int) -> float:
        """Cycles over those of the formula."""
        limb = self.wider.get(bits, LIMB_OF_COLUMNS if self.name == "limb-columns" else LIMB)
        return self.intervals[bits] / FORMULAS[self.name][1](bits, -(-bits // limb))


def growths(rows: Iterable[Row]) -> list[Growth]:
    """Every core of `CORES`."""
    known = [row for row in rows if row.target == "ecp5" and row.placed]
    return [Growth(name, *_intervals(name), _placed(name, known)) for name in CORES]


@cache
def _intervals(name: str) -> tuple[Mapping[int, float], Mapping[int, int]]:
    """Cycles between two products by width, and the limbs that are not the default."""
    core = find(f"modmul/{name}")
    intervals: dict[int, float] = {}
    wider: dict[int, int] = {}
    for bits in WIDTHS:
        try:
            prepared = prepare(core, Request.make(core, options={"bits": bits}))
        except ParameterError:
            wider[bits] = WIDER_LIMBS[bits]
            prepared = prepare(core, Request.make(core, options={"bits": bits, "limb": wider[bits]}))
        intervals[bits] = float(prepared.pace.cycles)
    return intervals, wider


def _placed(name: str, rows: Sequence[Row]) -> dict[int, Row]:
    """Record with default options and the least time between two products, by width; by the protocol where one is."""
    best: dict[int, Row] = {}
    for row in rows:
        if find(row.request["core"]).name == f"modmul/{name}" and not options_of(row.request) and row.interval_ns:
            before = best.setdefault(row.bits, row)
            best[row.bits] = min(before, row, key=lambda each: (departs(each), each.interval_ns or 0))
    return best


def growth_table(rows: Iterable[Row]) -> Table:
    """Cycles between two products by width, the ns where placed in brackets, and the exponent of the growth."""
    lines = [_line(growth) for growth in growths(rows)]
    return Table.of(
        ("core", *map(count, WIDTHS), "grows as n^"),
        lines,
        {"core"},
        below=[
            "Cycles between two products at full rate, by the schedule (the mean where they vary), with default "
            "options unless stated; in brackets ns, measured on ECP5 where that width was placed. The exponent is of "
            "widths with default options.",
        ],
    )


def _line(growth: Growth) -> tuple[str, ...]:
    return (f"`{growth.name}`", *(_cell(growth, bits) for bits in WIDTHS), f"{growth.exponent:.2f}")


def _cell(growth: Growth, bits: int) -> str:
    placed = f" ({figure(growth.times[bits])} ns)" if bits in growth.times else ""
    wider = f" `{_limb(bits)}`" if bits in growth.wider else ""
    return f"{cycles(growth.intervals[bits])}{placed}{wider}"


def formula_table() -> Table:
    """Cycles over those of a formula, by width."""
    lines = [
        (f"`{growth.name}`", FORMULAS[growth.name][0], *(f"{growth.over_formula(bits):.2f}" for bits in WIDTHS))
        for growth in growths(())
    ]
    return Table.of(
        ("core", "formula", *map(count, WIDTHS)),
        lines,
        {"core", "formula"},
        below=[
            "Cycles between two products over those of the formula, for n bits in s limbs of 64 bits (90 in "
            "`limb-columns`, 128 where the table above says so).",
        ],
    )


def time_growth_table(rows: Iterable[Row]) -> Table | str:
    """The ns between two products with the clock rate, by width where placed, and the exponents of cycles and time;
    `NOT_RUN` without any."""
    found = [growth for growth in growths(rows) if len(growth.times) > 1]
    widths = sorted({bits for growth in found for bits in growth.times})
    if not widths:
        return NOT_RUN
    lines = [
        (f"`{growth.name}`", *(_time_cell(growth, bits) for bits in widths), *_exponents(growth)) for growth in found
    ]
    return Table.of(
        ("core", *map(count, widths), "cycles grow as n^", "time grows as n^"),
        lines,
        {"core"},
        below=[
            "The ns between two products at full rate on ECP5, and in brackets MHz, of cores that were placed at two "
            "widths or more. Exponents are of the least and the largest of these.",
        ],
    )


def _time_cell(growth: Growth, bits: int) -> str:
    """Time between two products and the clock rate."""
    if bits not in growth.times:
        return ""
    return f"{figure(growth.times[bits])} ({growth.placed[bits].clock_rate:.1f})"


def _exponents(growth: Growth) -> Iterable[str]:
    cycles_there = {bits: growth.placed[bits].interval for bits in growth.times}
    return (f"{_slope(values):.2f}" for values in (cycles_there, growth.times))


def _slope(values: Mapping[int, float]) -> float:
    """Slope of log(value) over log(bits) between the first and the last width."""
    first, last = min(values), max(values)
    return log(values[last] / values[first]) / log(last / first)


def area_growth_table(rows: Iterable[Row]) -> Table | str:
    """LUTs and blocks of the records by width, with default options or the wider limbs of `WIDER_LIMBS`, and the
    exponent of the LUTs with the former; `NOT_RUN` without any."""
    rows = list(rows)
    areas = {name: (_areas(name, rows), _areas(name, rows, wider=True)) for name in CORES}
    widths = sorted({bits for sizes in areas.values() for bits in sizes[0] | sizes[1]})
    if not widths:
        return NOT_RUN
    lines = [_area_line(name, *sizes, widths) for name, sizes in areas.items() if sizes[0]]
    below = [
        "LUT4 of the bare core on ECP5, and 18x18 blocks in brackets, with default options unless stated. The exponent "
        "is that of the LUTs between the least and the largest width that were measured with these.",
    ]
    return Table.of(("core", *map(count, widths), "LUT grows as n^"), lines, {"core"}, below=below)


def _areas(name: str, rows: Iterable[Row], wider: bool = False) -> dict[int, tuple[int, int]]:
    """LUTs and blocks by width, with default options or with the limbs of `WIDER_LIMBS` alone."""
    own = (row for row in rows if row.target == "ecp5" and not row.wide_lut)
    return {
        row.bits: (row.resources["lut"], row.resources["dsp"])
        for row in own
        if find(row.request["core"]).name == f"modmul/{name}" and options_of(row.request) == _limbs(row.bits, wider)
    }


def _limbs(bits: int, wider: bool) -> list[str] | None:
    """Options of the records of a width: none, or the wider limbs alone where `WIDER_LIMBS` has some."""
    if not wider:
        return []
    return [_limb(bits)] if bits in WIDER_LIMBS else None


def _limb(bits: int) -> str:
    return f"limb={WIDER_LIMBS[bits]}"


def _area_line(
    name: str, sizes: Mapping[int, tuple[int, int]], wider: Mapping[int, tuple[int, int]], widths: Sequence[int]
) -> tuple[str, ...]:
    slope = "" if len(sizes) == 1 else f"{_slope({bits: lut for bits, (lut, _) in sizes.items()}):.2f}"
    known = {bits: _area_cell(*size) for bits, size in sizes.items()}
    known |= {bits: f"{_area_cell(*wider[bits])} `{_limb(bits)}`" for bits in wider if bits not in sizes}
    return (f"`{name}`", *(known.get(bits, "") for bits in widths), slope)


def _area_cell(lut: int, dsp: int) -> str:
    return f"{count(lut)} ({dsp})" if dsp else count(lut)


def growth_pictures(rows: Iterable[Row]) -> dict[str, str]:
    """SVG by file name: times and areas of the cores that were measured at two widths or more; none without any."""
    rows = list(rows)
    times = [Curve(growth.name, growth.times) for growth in growths(rows)]
    areas = [Curve(name, {bits: lut for bits, (lut, _) in sorted(_areas(name, rows).items())}) for name in CORES]
    axes = {"growth-time.svg": ("ns", "ns between two at full rate", times), "growth-area.svg": ("LUT4", "area", areas)}
    made = {}
    for file, (unit, what, curves) in axes.items():
        if several := [curve for curve in curves if len(curve.points) > 1]:
            title = f"Products modulo a runtime modulus on ECP5: {what}"
            made[file] = drawn(several, title, "bits of the modulus", unit, file.removesuffix(".svg"))
    return made
