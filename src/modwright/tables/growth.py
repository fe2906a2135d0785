# SPDX-License-Identifier: Apache-2.0
"""The cost of multipliers with a runtime modulus as the width grows: cycles by the schedule, times where placed, areas
where measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log

from ..base.errors import ParameterError
from ..base.table import Table
from ..contract.request import Request
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
    placed : mapping of int to float
        The ns between two products of placed records, by width.
    """

    name: str
    intervals: Mapping[int, float]
    wider: Mapping[int, int]
    placed: Mapping[int, float]

    @property
    def exponent(self) -> float:
        """Slope of log(cycles) over log(bits) between the first and the last width with the same limbs: 1 is linear, 2
        quadratic."""
        same = [bits for bits in self.intervals if bits not in self.wider]
        first, last = min(same), max(same)
        return log(self.intervals[last] / self.intervals[first]) / log(last / first)


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


def _placed(name: str, rows: Sequence[Row]) -> dict[int, float]:
    """The least ns between two products of the records with default options, by width."""
    found: dict[int, float] = {}
    for row in rows:
        if find(row.request["core"]).name == f"modmul/{name}" and not options_of(row.request) and row.interval_ns:
            found[row.bits] = min(row.interval_ns, found.get(row.bits, row.interval_ns))
    return found


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
    placed = f" ({figure(growth.placed[bits])} ns)" if bits in growth.placed else ""
    wider = f" `limb={growth.wider[bits]}`" if bits in growth.wider else ""
    return f"{cycles(growth.intervals[bits])}{placed}{wider}"


def area_growth_table(rows: Iterable[Row]) -> Table | str:
    """LUTs and blocks of the records with default options by width, and the exponent of the LUTs; `NOT_RUN` without
    any."""
    areas = {name: _areas(name, rows) for name in CORES}
    widths = sorted({bits for sizes in areas.values() for bits in sizes})
    if not widths:
        return NOT_RUN
    lines = [_area_line(name, sizes, widths) for name, sizes in areas.items() if sizes]
    below = [
        "LUT4 of the bare core on ECP5, and 18x18 blocks in brackets, with default options. The exponent is that of "
        "the LUTs between the least and the largest width that were measured.",
    ]
    return Table.of(("core", *map(count, widths), "LUT grows as n^"), lines, {"core"}, below=below)


def _areas(name: str, rows: Iterable[Row]) -> dict[int, tuple[int, int]]:
    """LUTs and blocks by width."""
    own = (row for row in rows if row.target == "ecp5" and not row.wide_lut and not options_of(row.request))
    return {
        row.bits: (row.resources["lut"], row.resources["dsp"])
        for row in own
        if find(row.request["core"]).name == f"modmul/{name}"
    }


def _area_line(name: str, sizes: Mapping[int, tuple[int, int]], widths: Sequence[int]) -> tuple[str, ...]:
    first, last = min(sizes), max(sizes)
    slope = "" if first == last else f"{log(sizes[last][0] / sizes[first][0]) / log(last / first):.2f}"
    cells = (_area_cell(*sizes[bits]) if bits in sizes else "" for bits in widths)
    return (f"`{name}`", *cells, slope)


def _area_cell(lut: int, dsp: int) -> str:
    return f"{count(lut)} ({dsp})" if dsp else count(lut)
