# SPDX-License-Identifier: Apache-2.0
"""Shares of time in which the units of a core work at full rate, for a request of each core."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.table import Table
from ..contract.request import Request
from ..measurement.rows import options_of
from ..pages.datasheet import cycles
from ..prepared import prepare
from ..prepared.registry import find
from ..report.evidence import NOT_RUN
from ..schedule import COUNTED, Share


def shares_table(requests: Sequence[Request]) -> Table | str:
    """The busiest units of each kind, computed from the schedule of each request; `NOT_RUN` without requests."""
    if not requests:
        return NOT_RUN
    rows = sorted(map(_row, requests), key=lambda row: row[:2])
    return Table.of(("core", "modulus", "interval", *COUNTED), rows, {"core", "modulus", *COUNTED})


def _row(request: Request) -> tuple[str, ...]:
    core = find(request.core)
    schedule = prepare(core, request).schedule
    words = (core.name, *options_of(request.to_mapping()))
    least, most = schedule.interval, schedule.longest_interval
    interval = cycles(least) if least == most else f"{cycles(least)} to {cycles(most)}"
    cells = (busiest([share for share in schedule.shares if share.kind == kind]) for kind in COUNTED)
    name = "any" if request.modulus is None or core.runtime_modulus else request.modulus.name
    return (" ".join(f"`{word}`" for word in words), name, interval, *cells)


def busiest(shares: Sequence[Share]) -> str:
    """The unit that works most, with its share; empty where there is none of the kind."""
    return f"{shares[0].percent} ({shares[0].unit})" if shares else ""
