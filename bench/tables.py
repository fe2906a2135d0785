# SPDX-License-Identifier: Apache-2.0
"""Render the tables of the documentation, and pictures of records, from the measured records and the registry:
`python bench/tables.py`.

`modwright.tables` makes them; every figure comes from a record in bench/results/ or bench/statistics/ or, labelled as
such, from a paper's table in bench/paper/, which gates of bench/gates/ stand next to; what was proved, from
bench/proofs/; shares of time are computed from the schedules of the requests in examples/. The list of registered names
in the package (prepared/cores.json) is written as well.

    python bench/tables.py              write the tables
    python bench/tables.py --check      exit code 1 when one is stale
    python bench/tables.py --show NAME  print one, with --form as text, Markdown, HTML, JSON or CSV
    python bench/tables.py --commands   print the command that makes each record
    python bench/tables.py --verilog    exit code 1 when a record is of other Verilog than the code writes now
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from modwright.base.errors import ModwrightError, UsageError, VerificationError
from modwright.base.table import FORMS
from modwright.contract.request import Request
from modwright.measurement.gates import gate_rows
from modwright.measurement.record import verilog_digest
from modwright.measurement.rows import load
from modwright.measurement.vivado import Contributed
from modwright.prepared import prepare
from modwright.prepared.index import FILE, computed, written
from modwright.prepared.registry import find, find_requested
from modwright.tables import Sources, filled, pictures, regions, tables

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"
PAPERS = ROOT / "bench" / "paper"
STATISTICS = ROOT / "bench" / "statistics"
PROOFS = ROOT / "bench" / "proofs"
EXAMPLES = ROOT / "examples"
CONTRIBUTED = ROOT / "bench" / "contributed"
FILES = (
    "README.md",
    "docs/cores.md",
    "docs/results.md",
    "docs/proofs.md",
    "docs/papers.md",
    "docs/paper-sum-of-residues.md",
    "docs/paper-base-extension.md",
    "docs/paper-inversion.md",
    "docs/paper-carry-save.md",
    "docs/paper-point-multiplication.md",
    "docs/errata.md",
    "docs/protocols.md",
    "docs/growth.md",
    "docs/measuring.md",
    "bench/README.md",
)
"""Below `ROOT`."""


def sources() -> Sources:
    """Everything below bench/ that tables are made from, and the example requests."""
    requests = tuple(map(request_in, sorted(EXAMPLES.glob("*.yaml"))))
    given = (load(RESULTS), load(PAPERS), load(STATISTICS, "*/statistics.json"), load(PROOFS))
    return Sources(*given, requests, cast("dict[str, Contributed]", load(CONTRIBUTED)), tuple(gate_rows()))


def request_in(path: Path) -> Request:
    """The request of an example file."""
    core, document = find_requested(yaml.safe_load(path.read_text(encoding="utf-8")))
    return Request.from_mapping(core, document)


def stale(root: Path, made: Mapping[str, str]) -> dict[Path, str]:
    """The files whose tables are not as they would be now, with their new text."""
    result = {}
    for name in FILES:
        path = root / name
        before = path.read_text(encoding="utf-8")
        after = filled(before, made, name)
        if after != before:
            result[path] = after
    return result


def stale_pictures(root: Path, made: Mapping[str, str]) -> dict[Path, str]:
    """The pictures of records that are not as they would be drawn now, with their new text."""
    paths = {root / "docs" / "pictures" / name: svg for name, svg in made.items()}
    return {path: svg for path, svg in paths.items() if not path.exists() or path.read_text(encoding="utf-8") != svg}


def stale_names() -> dict[Path, str]:
    """The list of registered names with its text, where it is not that of the packages."""
    text = written(computed())
    return {} if FILE.read_text(encoding="utf-8") == text else {FILE: text}


def table_text(name: str, form: str) -> str:
    """One table in one form; UsageError for an unknown name."""
    made = tables(sources())
    if name not in made:
        raise UsageError(f"no table is called {name!r}", f"one of {', '.join(made)}")
    table = made[name]
    return f"{table}\n" if isinstance(table, str) else FORMS[form](table)


def other_verilog(records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Names of the records whose Verilog is not what the code writes now."""
    return [name for name, record in records.items() if record["verilog"]["sha256"] != _verilog_now(record["request"])]


def _verilog_now(document: Mapping[str, Any]) -> str:
    core = find(document["core"])
    return verilog_digest(prepare(core, Request.from_mapping(core, document)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the tables, and return an exit code."""
    words = parser().parse_args(arguments)
    try:
        return run(words)
    except ModwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description="Render the tables of the documentation from measured records.")
    chosen = result.add_mutually_exclusive_group()
    chosen.add_argument("--check", action="store_true", help="exit code 1 when a table is stale")
    chosen.add_argument("--show", metavar="NAME", help="print one table")
    chosen.add_argument("--commands", action="store_true", help="print the command that makes each record")
    chosen.add_argument("--verilog", action="store_true", help="exit code 1 when a record is of other Verilog")
    result.add_argument("--form", choices=FORMS, default="text", help="of the table that --show prints (text)")
    return result


def run(words: argparse.Namespace) -> int:
    """Do what the command line requests."""
    if words.show is not None:
        print(table_text(words.show, words.form), end="")
        return 0
    given = sources()
    if words.verilog:
        _refuse(
            other_verilog({**given.results, **given.proofs}),
            "of other Verilog than the code writes now; measure again (make bench)",
        )
        return 0
    made = regions(given)
    if words.commands:
        print("\n".join(made["commands"].splitlines()[1:-1]))
        return 0
    found = stale(ROOT, made) | stale_pictures(ROOT, pictures(given)) | stale_names()
    if words.check:
        _refuse([path.relative_to(ROOT).as_posix() for path in found], "stale; run python bench/tables.py")
        return 0
    for path, text in found.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


def _refuse(names: Sequence[str], why: str) -> None:
    if names:
        raise VerificationError(f"{', '.join(names)}: {why}")


if __name__ == "__main__":
    sys.exit(main())
