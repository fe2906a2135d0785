# SPDX-License-Identifier: Apache-2.0
"""Datasheets of the lines of a comparison, from their records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.errors import ModwrightError
from ..base.json import JsonMapping
from ..base.store import Store, digest_of
from ..contract.request import Request
from ..pages import datasheet, key_of
from ..prepared import prepare
from ..prepared.registry import find
from ..report import build_report
from ..report.evidence import NOT_RUN
from .comparison import Comparison


def datasheets(comparison: Comparison, store: Store) -> dict[str, str]:
    """HTML documents by `pages.key_of`; a core that can no longer be derived as it was measured has none."""
    result = {}
    for line in comparison.lines:
        row = comparison.rows.get((line.id, line.label))
        if row is None and line.request is None:
            continue
        request = row.request if row else line.request
        assert request is not None
        text = _datasheet(request, row.resources if row else None, row.timing if row else NOT_RUN, store)
        if text:
            result[key_of(line.to_json())] = text
    return result


def _datasheet(request: JsonMapping, resources: Any, timing: Any, store: Store) -> str:
    try:
        core = find(request["core"])
        prepared = prepare(core, Request.from_mapping(core, request), store)
    except ModwrightError:
        return ""

    def make() -> str:
        placed = None if timing == NOT_RUN else timing
        return datasheet(build_report(prepared, resources=resources, timing=placed))

    return store.json("datasheet", digest_of(prepared.digest, resources, timing), make)


def provenance(comparison: Comparison, command: Sequence[str]) -> list[str]:
    """Tools that the figures were made with, and the command that gathers them again."""
    rows = comparison.rows.values()
    tools = sorted({f"{name} {version}" for row in rows for name, version in row.tools.items()})
    devices = sorted({f"{row.device}" for row in rows if row.placed})
    lines = [f"Devices: {', '.join(devices)}."] if devices else []
    lines += [f"Tools: {', '.join(tools)}."] if tools else []
    return [*lines, f"Made by: {' '.join(command)}"]
