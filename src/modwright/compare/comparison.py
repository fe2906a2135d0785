# SPDX-License-Identifier: Apache-2.0
"""A comparison: every architecture that can do the task, from measured records, and measured on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.errors import ModwrightError, UsageError
from ..base.json import JsonMapping, JsonObject
from ..base.parsing import load_json
from ..base.store import Store
from ..contract.request import Request
from ..measurement import Row, Settings, keep, measure, rows_of, shipped_records, user_records, with_sampled_means
from ..measurement.gates import gate_rows
from ..measurement.peers import shipped_peers
from ..measurement.places import of_this_version, shipped_statistics
from ..measurement.protocol import departs
from ..measurement.record import library_name
from ..prepared import Prepared, prepare
from ..prepared.registry import find
from ..report.evidence import NOT_RUN
from ..synthesize import PLACED
from ..synthesize.devices import DEVICES, FIRST
from .lines import FAILED, RECORD, Line, marked, of_foreign, of_peer, of_prepared, of_row, ordered
from .work import Work


@dataclass(frozen=True)
class Comparison:
    """Lines of one work.

    Parameters
    ----------
    work : Work
        Task that was compared.
    lines : tuple of Line
        Sorted, the front marked.
    unable : tuple of (str, str)
        Cores that cannot do the work, and the rule that forbids it.
    rows : mapping of (str, str) to Row
        The record behind a line, by its `id` and `label`.
    front, key : str
        See `lines.FRONTS`; the figure that the lines are sorted by.
    """

    work: Work
    lines: tuple[Line, ...]
    unable: tuple[tuple[str, str], ...]
    rows: Mapping[tuple[str, str], Row]
    front: str
    key: str

    def to_json(self) -> JsonObject:
        """Plain values."""
        work = self.work
        return {
            "format": "modwright-comparison/1",
            "function": work.function,
            "target": work.target,
            "work": work.named,
            "modulus": None if work.modulus is None else hex(work.modulus.value),
            "bits": work.bits,
            "front": self.front,
            "sorted_by": self.key,
            "rows": [line.to_json() for line in self.lines],
            "unable": [{"core": name, "reason": reason} for name, reason in self.unable],
        }


def compare(
    work: Work,
    store: Store,
    *,
    foreign: Sequence[tuple[str, JsonMapping]] = (),
    settings: Settings | None = None,
    liberty: str | None = None,
    constant_latency: bool = False,
    front: str = "latency",
    key: str = "ns",
    progress: Callable[[str], None] = lambda text: None,
) -> Comparison:
    """Gather the lines of a work.

    Parameters
    ----------
    work : Work
        Task of the comparison.
    store : Store
        With the user's records; what is measured is kept there at once, so that an interruption loses one core.
    foreign : sequence of (str, mapping)
        Name and record of third-party Verilog.
    settings : Settings, optional
        Measure with these what has no record; nothing is measured without.
    liberty : str, optional
        Cells for target asic.
    constant_latency : bool
        Leave out what depends on operand values, and what does not say.
    front, key : str
        See `lines.marked` and `lines.ordered`.
    progress : callable
        Called with the name of every core that is measured.
    """
    others = [of_foreign(record, work.target, name) for name, record in foreign]  # refused before any measuring
    records = [*shipped_records().values(), *user_records(store).values()]
    gates = gate_rows() if work.target == "asic" else ()
    known = with_sampled_means([*rows_of(records), *gates], shipped_statistics().values())
    rows = of_this_version([row for row in _latest(known) if work.covers(row)], store)
    found = {}
    for row in sorted(rows, key=_usual):
        line = of_row(row)
        found.setdefault((line.id, line.label), row)
    lines, unable = [], []
    for row in found.values():
        lines.append(_completed(work, row, store, settings, progress) if settings else of_row(row))
    have = {row.request["core"] for row in found.values() if liberty is None or row.liberty == library_name(liberty)}
    for core in work.cores:
        if core.name in have:
            continue
        prepared = work.prepared(core, store)
        if isinstance(prepared, str):
            unable.append((core.name, prepared))
        else:
            lines.append(_line(work, prepared, settings, liberty, progress))
    lines += [*others, *(of_peer(record) for record in shipped_peers() if work.covers_peer(record))]
    if constant_latency:
        lines = [line for line in lines if line.constant_latency]
    return Comparison(work, tuple(ordered(marked(lines, front), key)), tuple(unable), found, front, key)


def _usual(row: Row) -> tuple[bool, bool, int]:
    """Order of the measurements of one design, of which the first counts: those by the protocol, on the first device of
    their family, and of more seeds."""
    if row.timing == NOT_RUN or row.target not in FIRST:
        return departs(row), True, 0
    other = row.timing["device"] != DEVICES[FIRST[row.target]].part
    return departs(row), other, -len(row.timing.get("per_seed", ()))


def _latest(rows: Sequence[Row]) -> list[Row]:
    """Rows without those that another one of the same Verilog and flow completes: a mere count next to a placement."""
    placed = {_flow(row) for row in rows if row.placed}
    return [row for row in rows if row.placed or _flow(row) not in placed]


def _flow(row: Row) -> tuple[object, ...]:
    """Verilog, family and flow, of gates with the library."""
    return row.sha256, row.target, row.wide_lut, row.form, row.liberty


def _completed(work: Work, row: Row, store: Store, settings: Settings, progress: Callable[[str], None]) -> Line:
    """The line of a record; one without place and route where there is such gets it now."""
    if row.timing != NOT_RUN or work.target not in PLACED:
        return of_row(row)
    core = find(row.request["core"])
    prepared = prepare(core, Request.from_mapping(core, row.request), store)
    return _line(work, prepared, replace(settings, wide_lut=row.wide_lut), None, progress)


def _line(
    work: Work, prepared: Prepared, settings: Settings | None, liberty: str | None, progress: Callable[[str], None]
) -> Line:
    """The line of a core, measured when there are settings. What fails is a line that says so."""
    if settings is None:
        return of_prepared(prepared)
    progress(f"measuring {prepared.core.name}")
    try:
        found = rows_of([measured(prepared, work.target, settings, liberty)])
        (row,) = with_sampled_means(found, shipped_statistics().values())
    except ModwrightError as error:
        return replace(of_prepared(prepared), source=FAILED, note=error.reason)
    except OSError as error:
        return replace(of_prepared(prepared), source=FAILED, note=str(error))
    return of_row(row)


def measured(prepared: Prepared, target: str, settings: Settings, liberty: str | None = None) -> JsonObject:
    """Measure a core in full, and keep the record in its store."""
    record = measure(prepared, settings, target=target, place=target in PLACED, liberty=liberty)
    keep(prepared.store, record)
    return record


def read_foreign(text: str) -> tuple[str, JsonObject]:
    """`[NAME=]FILE`: name and record of third-party Verilog; UsageError when the file cannot be read."""
    hint = "what `modwright synth-rtl .. --json` printed"
    name, sign, path = text.rpartition("=")
    if not path:
        raise UsageError(f"--rtl {text!r} names no file", hint)
    try:
        record = load_json(Path(path))
    except UsageError as error:
        raise UsageError(error.message, hint) from error
    if not isinstance(record, dict) or record.get("format") != RECORD:
        raise UsageError(f"{path} is not a record of third-party Verilog", hint)
    return (name if sign else ""), record
