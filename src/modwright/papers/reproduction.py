# SPDX-License-Identifier: Apache-2.0
"""A paper's table with our figures next to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from ..base.errors import ModwrightError
from ..base.json import JsonMapping, JsonObject
from ..base.store import Store
from ..catalog import resolve_modulus
from ..contract.request import Request
from ..measurement import Row, Settings, keep, measure, rows_of, shipped_records, user_records, with_sampled_means
from ..measurement.gates import gate_rows
from ..measurement.places import of_this_version, shipped_statistics
from ..measurement.record import scheduled
from ..measurement.rows import options_of
from ..prepared import Prepared, prepare, registry
from ..report.evidence import NOT_RUN
from ..synthesize import PLACED, RTL_OF
from ..synthesize.forms import FORMS
from .computed import COMPUTED
from .documents import Paper, documents_of
from .figures import FIGURES, OF_CHANNEL, SCHEDULED

CANNOT = "cannot be measured here"


@dataclass(frozen=True)
class Answer:
    """One figure of a paper and ours.

    Parameters
    ----------
    row, column : str
        Where it stands in the table. A row of gates ends with the cell library of ours, its process and form.
    paper : str
        Figure as printed; empty where the paper only draws it.
    ours : float, str or None
        None when it was not run.
    ratio : float or None
        Ours over the paper's, where both are numbers. It compares devices and tools with each other as well.
    how : str
        Core and family; "computed"; "schedule"; "not run"; or `CANNOT` with the reason.
    """

    row: str
    column: str
    paper: str
    ours: float | str | None
    ratio: float | None
    how: str


@dataclass(frozen=True)
class Reproduced:
    """One table: its document, and an answer for every figure in it."""

    document: JsonMapping
    answers: tuple[Answer, ...]

    def to_json(self) -> JsonObject:
        """Plain values."""
        document = self.document
        return {
            "paper": document["paper"],
            "table": document["table"],
            "source": document["source"],
            "note": document["note"],
            "errata": list(document["errata"]),
            "figures": [asdict(answer) for answer in self.answers],
        }


def known_rows(store: Store) -> list[Row]:
    """Rows of the records that come with Modwright, those of gates included, and of the user's, with sampled means."""
    records = [*shipped_records().values(), *user_records(store).values()]
    return with_sampled_means([*rows_of(records), *gate_rows()], shipped_statistics().values())


def reproduce(
    paper: Paper,
    store: Store,
    *,
    rows: Sequence[Row] | None = None,
    fresh: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> list[Reproduced]:
    """Every table and figure of a paper.

    Parameters
    ----------
    paper : Paper
        Paper to reproduce.
    store : Store
        With the user's records.
    rows : sequence of Row, optional
        Rows that answer; those of `known_rows` where none are given.
    fresh : bool
        Measure every core that answers a figure again, with place and route where there is such; hours.
    progress : callable
        Called with the name of every core that is measured.

    Raises
    ------
    ToolMissingError, ToolFailedError
        With `fresh`.
    """
    answers = _Answers(store, () if fresh else known_rows(store) if rows is None else rows, fresh, progress)
    return [Reproduced(document, tuple(_of(document, answers))) for document in documents_of(paper)]


def _of(document: JsonMapping, answers: _Answers) -> Iterable[Answer]:
    if "computed" in document:
        for row, column, paper, ours in COMPUTED[document["computed"]](document):
            yield Answer(row, column, paper, ours, _ratio(paper, ours), NOT_RUN if ours is None else "computed")
        return
    columns, key = document["columns"], document["key"]
    for line in document["rows"]:
        cells = dict(zip(columns, line, strict=True))
        name = ", ".join(cells[column] for column in key)
        for library, requests in _requests(document, cells).items():
            for column in columns:
                request = next((each for each in requests if column in each["quantities"]), None)
                if column not in key and (column in document.get("cannot", {}) or request):
                    yield answers.answer(document, request, name + library, column, cells[column])


def _requests(document: JsonMapping, cells: Mapping[str, str]) -> dict[str, list[JsonMapping]]:
    """Sources of a row's figures: cores, requests and names of figures; by what gates add to the row's name."""
    found: dict[str, list[JsonMapping]] = {}
    for line in document.get("ours", ()):
        if all(cells[name] == value for name, value in line["where"].items()):
            form = tuple(FORMS[name] for name in line.get("form", ()))
            called = f", {line['called']}" if form else ""
            for library in line.get("libraries", ("",)):
                words = f", {library} of {document['technologies'][library]} nm{called}" if library else ""
                found.setdefault(words, []).append({**line, "liberty": library, "words": form})
    return found or {"": []}


class _Answers:
    """Source of our figures: records, or measurements made on request."""

    def __init__(self, store: Store, rows: Sequence[Row], fresh: bool, progress: Callable[[str], None]) -> None:
        self._store, self._rows, self._fresh, self._progress = store, rows, fresh, progress
        self._statistics = list(shipped_statistics().values())
        self._measured: dict[str, Row] = {}

    def answer(self, document: JsonMapping, request: JsonMapping | None, name: str, column: str, paper: str) -> Answer:
        """The answer of one cell, which has `paper` printed in it; without a request the reason for none."""
        if request is None:
            return Answer(name, column, paper, None, None, f"{CANNOT}: {_reason(document, column)}")
        figure = request["quantities"][column]
        try:
            row, how = self._row(request, figure, document)
        except ModwrightError as error:
            return Answer(name, column, paper, None, None, f"{NOT_RUN}: {error.message.splitlines()[0]}")
        ours = None if row is None else FIGURES[figure](row, document)
        return Answer(name, column, paper, ours, _ratio(paper, ours), NOT_RUN if ours is None else how)

    def _row(self, request: JsonMapping, figure: str, document: JsonMapping) -> tuple[Row | None, str]:
        """The row that answers, and how it came about."""
        core = request["core"]
        how = f"{core} on {request['target']}"
        if core not in registry.all_cores():
            return None, NOT_RUN
        if self._fresh:
            return self._again(request, figure), how
        found = [row for row in self._rows if _answers(row, request) and FIGURES[figure](row, document) is not None]
        if found:
            found = of_this_version(found, self._store)
            row = min(found, key=lambda row: (row.latency_ns or float("inf"), row.sha256))
            return row, f"{row.function}/{row.label} on {row.target}"
        if figure not in SCHEDULED:
            return None, NOT_RUN
        row = _scheduled(_prepared(request, self._store))
        (sampled,) = with_sampled_means([row], self._statistics)
        return sampled, f"schedule of {core}" + ("" if sampled is row else ", passes sampled")

    def _again(self, request: JsonMapping, figure: str) -> Row:
        """Measure a core for a figure; one that was measured for another figure is not measured twice."""
        place, target = figure in _WITH_CLOCK and request["target"] in PLACED, request["target"]
        channel = figure in OF_CHANNEL
        gates = (request["liberty"], *request["words"])
        key = repr((request["core"], _named(request), request.get("options"), target, place, channel, gates))
        if key not in self._measured:
            words = ", ".join(word for word in (target, *gates) if word)
            self._progress(f"measuring {request['core']} on {words}")
            prepared, liberty = _prepared(request, self._store), request["liberty"] or None
            settings = replace(Settings(), **dict.fromkeys(request.get("form", ()), True))
            record = measure(prepared, settings, target=target, place=place, channel=channel, liberty=liberty)
            keep(self._store, record)
            (self._measured[key],) = rows_of([record])
        return self._measured[key]


_WITHOUT_CLOCK = ("klut", "lut", "ff", "dsp", "bram", "kgates", *OF_CHANNEL, *SCHEDULED)
_WITH_CLOCK = tuple(name for name in FIGURES if name not in _WITHOUT_CLOCK)


def _reason(document: JsonMapping, column: str) -> str:
    """Why a column has no figure of ours; "as above" is resolved to what is meant."""
    reason = ""
    for name, text in document["cannot"].items():
        reason = reason if text == "as above" else text
        if name == column:
            break
    return reason


def _named(request: JsonMapping) -> JsonObject:
    return {name: request[name] for name in ("field", "curve", "modulus") if name in request}


def _prepared(request: JsonMapping, store: Store) -> Prepared:
    core = registry.all_cores()[request["core"]]
    options, width = dict(request.get("options", {})), core.sizing("modulus")
    if width is not None and "bits" in request:
        options[width.name] = request["bits"]
    target = RTL_OF[request["target"]]
    return prepare(core, Request.make(core, **_named(request), target=target, options=options), store)


def _answers(row: Row, request: JsonMapping) -> bool:
    """Whether a row has exactly the requested core, modulus, options and family, and of gates the library and form."""
    if (row.request["core"], row.target) != (request["core"], request["target"]):
        return False
    if (row.liberty, row.form) != (request["liberty"], request["words"]):
        return False
    if "bits" in request and row.bits != request["bits"]:
        return False
    named = request.get("field") or request.get("modulus")
    if named is not None and not (row.runtime_modulus or _same_modulus(row, named)):
        return False
    options = request.get("options", {})
    changed = {word.partition("=")[0] for word in options_of(row.request)}
    return changed <= set(options) and all(row.request["options"].get(name) == v for name, v in options.items())


def _same_modulus(row: Row, field: str) -> bool:
    """Whether a row is of a field, by whichever of its names."""
    named = row.request.get("field") or row.request.get("modulus")
    return named is not None and resolve_modulus(str(named)).value == resolve_modulus(field).value


def _scheduled(prepared: Prepared) -> Row:
    """A row with the cycles of the schedule alone."""
    resources = {"target": prepared.request.target}
    return Row(prepared.request.to_mapping(), scheduled(prepared), resources, "", NOT_RUN, NOT_RUN, {})


def _ratio(paper: str, ours: float | str | None) -> float | None:
    """Ours over the paper's, where both are numbers."""
    try:
        printed = float(paper)
    except ValueError:
        return None
    return ours / printed if isinstance(ours, int | float) and printed else None
