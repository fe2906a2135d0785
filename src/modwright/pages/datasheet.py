# SPDX-License-Identifier: Apache-2.0
"""The datasheet: one self-contained HTML file, rendered from a report alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import yaml
from jinja2 import Environment
from markupsafe import Markup

from ..base.json import JsonMapping, JsonObject
from ..draw.blocks import block_diagram
from ..draw.gantt import gantt
from ..report.evidence import NOT_KNOWN, NOT_RUN, Placed, clock_rate, conditions, main_target, seed_rates
from ..report.limits import limit_in_words
from ..schedule import WORKING, spread
from .templating import environment

COMMAND = "modwright build request.yaml"
"""Command that makes the report again from its own request."""

_DIGITS = 20  # of a decimal number that is still read at a glance; longer ones are shown in hex
_UNFOLDED = 320  # bits of a number that is shown in full at once
_HEAD = 14  # characters of a longer one
_SMALL_LIMIT = 1000  # a bound below it is shown in decimal
_FAILURES = 8  # shown of those found

_RELATIONS = {"<": "<", "<=": "≤", "=": "=", ">=": "≥", ">": ">"}


def datasheet(report: JsonObject, operation: str | None = None) -> str:
    """Render a report as HTML.

    Parameters
    ----------
    report : dict
        Report of `build_report`.
    operation : str, optional
        File next to the datasheet with one operation step by step (`explanation_page`).

    Returns
    -------
    str
        A complete document that loads nothing: no script, no font, no network. It is well-formed XML after
        its first line, follows the reader's light or dark scheme, and prints.
    """
    return (
        _environment()
        .get_template("datasheet.html.j2")
        .render(
            report=report,
            operation=operation,
            block_picture=Markup(block_diagram(report)) if report["blocks"] else None,
            schedule_picture=Markup(gantt(report)),
            request_text=request_text(report),
            command=COMMAND,
            main_target=main_target(report),
            most_failures=_FAILURES,
        )
    )


def request_text(report: JsonObject) -> str:
    """The request of a report as YAML."""
    return yaml.safe_dump(report["request"], sort_keys=False, allow_unicode=True)


@cache
def _environment() -> Environment:
    made = environment()
    made.filters.update(
        figure=figure,
        groups=proof_groups,
        count=count,
        cycles=cycles,
        clock_rate=clock_rate,
        latency_words=latency_words,
        interval_words=interval_words,
        exact=exact,
        from_to=from_to,
        limit=limit_in_words,
        mutants=mutants,
        pairs=pairs,
        percent=percent,
        scalar=scalar,
        range=element_range,
        ranges=ranges,
    )
    made.globals.update(NOT_RUN=NOT_RUN, WORKING=WORKING, relations=_RELATIONS)
    return made


_ALONE = 3
"""Proofs of one form that are shown one by one; more are folded."""


def proof_groups(proofs: Sequence[Mapping[str, str]]) -> list[dict[str, object]]:
    """Proofs that differ in numbers only, under a name with `n` for each; small groups stay apart."""
    found: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for proof in proofs:
        form = re.sub(r"\d+(?:[ ,-]+\d+)*", "n", proof["name"])
        found.setdefault((form, proof["status"], proof["method"]), []).append(proof)
    groups: list[dict[str, object]] = []
    for (name, status, method), same in found.items():
        parts = [same] if len(same) > _ALONE else [[proof] for proof in same]
        groups += [{"name": name, "status": status, "method": method, "proofs": part} for part in parts]
    return groups


def figure(value: Any, digits: int = 1) -> str:
    """A measured number with a fixed number of decimals; words stay as they are, None is a dash."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:,.{digits}f}"


def clock_spread(timing: Placed) -> str:
    """Clock rate in MHz: the median over the seeds and, in brackets, from the worst to the best of them, with
    `evidence.conditions`. Static timing has no seeds."""
    if "per_seed" not in timing:
        return figure(clock_rate(timing))
    seeds = seed_rates(timing)
    spread = [f"{figure(min(seeds))} to {figure(max(seeds))}"] if len(seeds) > 1 else []
    return f"{figure(clock_rate(timing))} ({', '.join([*spread, *conditions(timing)])})"


def count(value: Any) -> str:
    """A whole number in groups of three; words stay as they are, None is a dash."""
    return figure(value, 0)


def cycles(value: Any) -> str:
    """Cycles, whole where they are."""
    return figure(value, 0 if value is None or value == int(value) else 1)


def from_to(ends: Sequence[float]) -> str:
    """Cycles of the shortest and of the longest operation, once where they are the same."""
    return " to ".join(dict.fromkeys(map(cycles, ends)))


def percent(ends: Sequence[float]) -> str:
    """Shares at both ends in per cent, once where they are the same."""
    return f"{' to '.join(dict.fromkeys(figure(100 * end) for end in ends))} %"


def latency_words(contract: JsonMapping) -> str:
    """Cycles of an operation, from the least to the most, with their mean."""
    cycles_of_one = spread(contract["shortest_latency"], contract["latency"])
    if contract["constant_latency"]:
        return cycles_of_one
    return f"from {cycles_of_one}, mean {_mean(contract['mean_latency'])}"


def interval_words(contract: JsonMapping) -> str:
    """Cycles between two operations, or bursts, at full rate, from the least to the most, with their mean."""
    burst, mean = contract["burst"], contract["pace"]["mean"]
    operations = "an operation" if burst == 1 else f"{burst} operations"
    varying = "" if contract["constant_latency"] else f", mean {_mean(mean)}"
    return f"{operations} every {spread(contract['interval'], contract['longest_interval'])}{varying}"


def _mean(value: float | None) -> str:
    return NOT_KNOWN if value is None else cycles(value)


def exact(text: str) -> Markup:
    """An exact number: decimal when short, else hex with its size; a number that would fill a page unfolds on
    demand."""
    top, _, bottom = text.partition("/")
    if len(text) <= _DIGITS:
        return Markup('<span class="number">{}</span>').format(text)
    if bottom:
        whole = Markup("{} / {}").format(_hex(int(top)), _hex(int(bottom)))
        return _folded(f"≈ {_approximate(Fraction(text))}", whole)
    value = int(top)
    if value.bit_length() <= _UNFOLDED:
        return _hex(value)
    return _folded(f"{hex(value)[:_HEAD]}… ({value.bit_length()} bits)", _hex(value))


def _hex(value: int) -> Markup:
    return Markup('<span class="number">{}</span> <small>({} bits)</small>').format(hex(value), value.bit_length())


def _folded(head: str, whole: Markup) -> Markup:
    return Markup("<details><summary>{}</summary>{}</details>").format(head, whole)


def _approximate(value: Fraction) -> str:
    """A fraction of any size to three digits; a power of two when a float does not hold it."""
    try:
        shown = float(value)
    except OverflowError:
        shown = 0.0
    if shown:
        return f"{shown:.3g}"
    return f"2^{value.numerator.bit_length() - value.denominator.bit_length()}"


def mutants(given: Any) -> str:
    """The figures of a report's block `mutation`."""
    if given == NOT_RUN:
        return NOT_RUN
    share = "" if given["killed_percent"] is None else f" ({figure(given['killed_percent'], 2)} %)"
    able = given["mutants"] - given["equivalent"]
    return f"{count(given['killed'])} of {count(able)} killed{share}, {count(given['equivalent'])} more are equivalent"


def ranges(values: Iterable[int]) -> str:
    """Ascending integers with runs joined: 1–4, 7."""
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][-1] + 1 == value:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def pairs(record: JsonObject) -> str:
    """A record in one line: name and value, separated by commas."""
    return ", ".join(f"{key} {_short(value)}" for key, value in record.items())


def _short(value: object) -> str:
    if isinstance(value, dict):
        return f"({pairs(value)})"
    return ", ".join(map(_short, value)) if isinstance(value, list) else scalar(value)


def scalar(value: object) -> str:
    """A plain value as a reader expects it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return hex(value) if isinstance(value, int) and len(str(value)) > _DIGITS else str(value)


def element_range(field: JsonObject) -> str:
    """Range of one element of a payload field."""
    limit = int(field["limit"], 16)
    if limit < _SMALL_LIMIT:
        return f"[0, {limit})"
    return f"[0, 2^{field['width']})" if field["full"] else f"[0, {field['limit']})"
