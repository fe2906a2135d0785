# SPDX-License-Identifier: Apache-2.0
"""Places of measured records: next to the package or inside it, and in the user's store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ..base.errors import ModwrightError, UsageError
from ..base.json import JsonObject
from ..base.store import Store, digest_of
from ..contract.request import Request
from ..prepared import Prepared, prepare
from ..prepared.registry import find, name_of_today
from ..report.evidence import NOT_KNOWN
from .record import FORMAT, verilog_digest
from .rows import Row, load, sampled_latency

KIND = "record"
"""Folder of the store with the user's records."""


def bench_folder() -> Path:
    """The folder with `results`, `statistics` and `paper`.

    A wheel has it inside the package; in a clone it is next to `src`.

    Raises
    ------
    UsageError
        When neither exists.
    """
    package = Path(__file__).parents[1]
    for folder in (package / "bench", package.parents[1] / "bench"):
        if (folder / "results").is_dir():
            return folder
    raise UsageError("the measured records of Modwright are not installed", "a clone, or the wheel")


def shipped_records() -> dict[str, JsonObject]:
    """The records that come with Modwright, by the name of their file."""
    return load(bench_folder() / "results")


def user_records(store: Store) -> dict[str, JsonObject]:
    """The records that `keep` put into a store, by digest.

    Those of another format, or of a core or an option that only another version of Modwright has, are left out.
    """
    return {
        path.parent.name: record
        for path, record in store.every(KIND)
        if record.get("format") == FORMAT and _is_known(record["request"])
    }


def _is_known(request: JsonObject) -> bool:
    try:
        core = find(name_of_today(request["core"]))
    except ModwrightError:
        return False
    return request["options"].keys() <= {option.name for option in core.options}


def keep(store: Store, record: JsonObject) -> None:
    """Put a record where `user_records` finds it; a record that is already stored is not added again."""
    store.json(KIND, digest_of(record), lambda: record)


def shipped_statistics() -> dict[str, JsonObject]:
    """The sampled counts that come with Modwright, by the path of their file."""
    return load(bench_folder() / "statistics", "*/statistics.json")


def mean_latency(prepared: Prepared) -> tuple[float | None, str]:
    """Mean cycles of an operation over random operands, and where the mean is from.

    The exact one or, where theory gives none, that of the samples that come with Modwright; without both None and "not
    known".
    """
    if prepared.mean_latency is not None:
        return float(prepared.mean_latency), "exact"
    found = sampled_latency(prepared, shipped_statistics().values())
    return (None, NOT_KNOWN) if found is None else (found[0], f"of {found[1]:,} samples")


def of_this_version(rows: Sequence[Row], store: Store) -> list[Row]:
    """Rows without those of other Verilog than the core's now, where a request has both: a store keeps what another
    version of Modwright measured."""
    by_request: dict[str, list[Row]] = {}
    for row in rows:
        by_request.setdefault(_digest(row), []).append(row)
    found = []
    for same in by_request.values():
        now = _verilog_now(same[0], store) if len({row.sha256 for row in same}) > 1 else ""
        found += [row for row in same if row.sha256 == now] or same
    return found


def _digest(row: Row) -> str:
    """The digest of a row's request, for which it does not matter how a number is written; where this version does not
    take it, the request itself."""
    try:
        return Request.from_mapping(find(row.request["core"]), row.request).digest
    except ModwrightError:
        return json.dumps(row.request, sort_keys=True)


def _verilog_now(row: Row, store: Store) -> str:
    core = find(row.request["core"])
    try:
        return verilog_digest(prepare(core, Request.from_mapping(core, row.request), store))
    except ModwrightError:  # this version does not take the request
        return ""
