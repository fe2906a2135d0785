# SPDX-License-Identifier: Apache-2.0
"""The command explore: a sweep over architectures and their parameters."""

from __future__ import annotations

import csv as csv_format
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..base.errors import ToolMissingError, UsageError
from .common import MOST_PROCESSES, CurveOption, FieldOption, JsonOption, ModulusOption, note, print_json
from .comparing import BitsOption, ConstantLatencyOption, FunctionOption, write
from .synthesis import SeedsOption, SynthTargetOption, parse_seeds

if TYPE_CHECKING:
    from ..explore.executors import Executor

_SHOWN = (
    "label", "clocks", "interval", "interval_kind", "estimated_lut", "estimated_dsp", "estimated_ns", "lut", "ff",
    "dsp", "fmax_mhz", "ns",
)  # fmt: skip


def explore(
    function: FunctionOption,
    field: FieldOption = None,
    modulus: ModulusOption = None,
    curve: CurveOption = None,
    bits: BitsOption = None,
    target: SynthTargetOption = None,
    architecture: Annotated[
        list[str] | None, typer.Option("--architecture", metavar="NAME", help="Only this one; repeatable.")
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option("--sweep", metavar="NAME=V,V", help="Values of an option in place of the usual; repeatable."),
    ] = None,
    most: Annotated[int, typer.Option("--points", min=1, metavar="N", help="Points at most.")] = 200,
    max_dsp: Annotated[int | None, typer.Option("--max-dsp", min=0, metavar="N", help="DSP blocks at most.")] = None,
    max_lut: Annotated[int | None, typer.Option("--max-lut", min=1, metavar="N", help="LUTs at most.")] = None,
    min_fmax: Annotated[
        float | None, typer.Option("--min-fmax", min=1, metavar="MHZ", help="Clock at least; needs --place.")
    ] = None,
    constant_latency: ConstantLatencyOption = False,
    place: Annotated[bool, typer.Option("--place", help="Place and route what may lie on the front.")] = False,
    seeds: SeedsOption = "1",
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=1, metavar="SECONDS", help="That a placement may take.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option("--margin", min=0, metavar="X", help="How clearly a point must be beaten to be left out."),
    ] = None,
    database: Annotated[
        Path | None, typer.Option("--database", metavar="FILE", help="SQLite file; default: in the store.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, max=MOST_PROCESSES, metavar="N", help="Processes; default: all cores."),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster, in place of processes.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print the points that were left out, too.")] = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write every point as CSV.")] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="FILE", help="Write every point as Parquet (extra 'explore').")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Sweep over architectures and their options; synthesise only what may be best.

    Every point is estimated from its schedule and its operators. What no other point clearly beats in time, LUTs and
    blocks is synthesised, and with --place placed. Estimated and measured figures have columns of their own. Results
    are kept: an interrupted sweep goes on where it was, and two may share a database.

    \b
    Examples:
      modwright explore --function modmul --field secp256k1 --max-dsp 64
      modwright explore --function modmul --bits 256 --place --csv points.csv
    """
    from ..base.store import check_writable, default_store
    from ..compare import Work
    from ..explore import Constraints, Database, Study, points, read_sweep
    from ..explore import explore as run
    from ..explore.study import MARGIN
    from ..measurement import Settings
    from ..synthesize import PLACED

    work = Work.make(function, target or "ecp5", field=field, modulus=modulus, curve=curve, bits=bits)
    if work.target == "asic":
        raise UsageError("explore compares LUTs and blocks, and the target is asic", f"--target {PLACED[0]}")
    if place and work.target not in PLACED:
        raise UsageError(f"target {work.target} has no place and route", f"--target {' or '.join(PLACED)}")
    if min_fmax is not None and not place:
        raise UsageError("--min-fmax is checked after place and route", "add --place")
    if parquet is not None:
        _pyarrow()
    check_writable(csv, parquet)
    store = default_store()
    study = Study(
        work,
        points(work, read_sweep(sweep or ()), architecture or (), most),
        Constraints(max_dsp, max_lut, min_fmax, constant_latency),
        place,
        Settings(parse_seeds(seeds), timeout=timeout),
        MARGIN if margin is None else margin,
    )
    note(f"{work.title}: {len(study.points)} points")
    results = Database(database) if database else Database.kept(store.root / "explore.sqlite")
    executor = _executor(scheduler, jobs)
    try:
        found = [result.to_json() for result in run(study, results, executor, store, note)]
    finally:
        executor.close()
        results.close()
    if csv is not None:
        write(csv, _csv(found))
    if parquet is not None:
        _write_parquet(parquet, found)
    if as_json:
        print_json({"format": "modwright-exploration/1", "work": work.title, "placed": place, "points": found})
    else:
        print(_table(found, everything, place), end="")


def _executor(scheduler: str | None, jobs: int | None) -> Executor:
    from ..explore.executors import Cluster, Processes

    return Processes(jobs) if scheduler is None else Cluster(scheduler)


def _table(found: Sequence[Mapping[str, Any]], everything: bool, placed: bool) -> str:
    """The points in plain text, those of the front first; those that were left out on request, or where there is
    no other."""
    time = "ns" if placed else "estimated_ns"
    kept = [point for point in found if everything or not point["left_out"]] or list(found)
    kept.sort(key=lambda p: (not p["front"], bool(p["left_out"]), p[time] or float("inf"), p["label"]))
    rows = [[name.replace("estimated_", "est. ") for name in _SHOWN] + ["front", "left out"]]
    for point in kept:
        rows.append([_cell(point[name]) for name in _SHOWN] + ["●" if point["front"] else "", point["left_out"]])
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            text.ljust(width) if n in (0, len(row) - 1) else text.rjust(width)
            for n, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    out = sum(bool(point["left_out"]) for point in found)
    front = "by the estimated time and the synthesised area" if not placed else "by what was placed"
    return "\n".join([*lines, "", f"{len(found)} points, {out} left out; the front is {front}"]) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.1f}" if value % 1 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _flat(point: Mapping[str, Any]) -> dict[str, Any]:
    """A point with its options as one text, for a table with fixed columns."""
    options = " ".join(f"{name}={value}" for name, value in point["options"].items())
    return {**point, "options": options}


def _csv(found: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    rows = [_flat(point) for point in found]
    writer = csv_format.DictWriter(text, list(rows[0]) if rows else ["architecture"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ToolMissingError(
            "Parquet is written by pyarrow, which is not installed", "pip install pyarrow"
        ) from error
    return pyarrow


def _write_parquet(path: Path, found: Sequence[Mapping[str, Any]]) -> None:
    """Write a file whole or not at all."""
    from ..base.store import whole_file

    arrow = _pyarrow()
    with whole_file(path) as beside:
        arrow.parquet.write_table(arrow.Table.from_pylist([_flat(point) for point in found]), beside)
    note(f"wrote {path}")
