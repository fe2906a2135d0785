# SPDX-License-Identifier: Apache-2.0
"""Estimates of the cores that were measured, to put estimates of others right: `python bench/estimates.py`.

`modwright.explore.estimate` counts word-level operators before any mapping. Its error depends on the core much more
than on width and options, so that the ratio of what a record has to what was estimated for the same Verilog corrects
the estimate of the core's other sizes. bench/estimates.json has the estimate for each record of an FPGA whose Verilog
is what the code writes; `modwright choose` computes the ratios.

    python bench/estimates.py           estimate what is missing, and drop what is of other Verilog
    python bench/estimates.py --check   exit code 1 when a record has none, or an entry has no such record
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modwright.base.store import whole_file
from modwright.contract.request import Request
from modwright.explore.calibration import ESTIMATES, FORMAT
from modwright.explore.estimate import estimate
from modwright.measurement.record import verilog_digest
from modwright.measurement.rows import load
from modwright.prepared import prepare
from modwright.prepared.registry import find

BENCH = Path(__file__).parent
FILE = BENCH / ESTIMATES


def due(records: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Digest of the Verilog of each record that can be estimated, by the record's name."""
    return {name: r["verilog"]["sha256"] for name, r in records.items() if r["resources"]["target"] != "asic"}


def known() -> dict[str, dict[str, Any]]:
    """Entries of the file by the record's name."""
    return json.loads(FILE.read_text(encoding="utf-8"))["records"] if FILE.is_file() else {}


def estimated(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """The entry of a record; None where the code writes other Verilog now."""
    core = find(record["request"]["core"])
    prepared = prepare(core, Request.from_mapping(core, record["request"]))
    if verilog_digest(prepared) != record["verilog"]["sha256"]:
        return None
    return {"sha256": record["verilog"]["sha256"], **estimate(prepared, record["resources"]["target"]).to_json()}


def write(entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the file whole."""
    document = {"format": FORMAT, "records": dict(sorted(entries.items()))}
    with whole_file(FILE) as partial:
        partial.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Run the command; its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 when an entry is missing")
    check = parser.parse_args().check
    records = load(BENCH / "results")
    needed, entries = due(records), known()
    fresh = {name: entry for name, entry in entries.items() if needed.get(name) == entry["sha256"]}
    missing = [name for name in needed if name not in fresh]
    if check:
        stale = missing + sorted(set(entries) - set(fresh))
        if stale:
            print(f"error: {', '.join(stale)}: stale; run python bench/estimates.py", file=sys.stderr)
        return int(bool(stale))
    for number, name in enumerate(missing, 1):
        entry = estimated(records[name])
        print(f"{number} of {len(missing)}: {name}: {entry or 'is of other Verilog'}", flush=True)
        if entry is not None:
            fresh[name] = entry
        write(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
