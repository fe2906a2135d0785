# SPDX-License-Identifier: Apache-2.0
"""Run every proof of every core, at a small size and at 256 bits: `python bench/proofs.py`.

    python bench/proofs.py                         every core whose record is missing, or of other Verilog
    python bench/proofs.py --seconds 300           the time that one proof may take
    python bench/proofs.py --size small CORE ...   some of it

Each core and size gets a record in bench/proofs/, written as soon as it is done, so the same command resumes where it
was interrupted. What took too long is "not run" there; `--again` runs such records once more. `bench/tables.py` makes
the table of docs/proofs.md from the records.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endings import exit_code
from modwright.base.errors import UsageError
from modwright.base.store import version_of, whole_file
from modwright.contract.request import Request
from modwright.measurement.record import verilog_digest
from modwright.prepared import Prepared, prepare
from modwright.prepared.registry import all_cores, find
from modwright.prove import SOLVERS, arithmetic, prove
from modwright.prove.limit import at_most
from modwright.tables.proofs import KINDS, LARGE, SIZES, SMALL, has_size

FORMAT = "modwright-proofs/1"
ROOT = Path(__file__).parent / "proofs"
SECONDS = 60.0
"""Default limit for one proof."""

HYBRID = "0xfef48022d21977df58c9c0ec58c72702e5d3394f956f80e06c560dbb1754f8b7"
"""A 256-bit prime of the form that `modmul/rns-hpr` takes (examples/hpr256.yaml)."""


@dataclass(frozen=True)
class Subject:
    """A core at one size.

    Parameters
    ----------
    core : str
        Its name.
    size : str
        One of `SIZES`.
    request : mapping
        In the YAML form.
    """

    core: str
    size: str
    request: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """Its record."""
        return ROOT / f"{self.core.replace('/', '-')}-{self.size.split()[0]}.json"


def subjects() -> Iterator[Subject]:
    """Every core at its first trial, then at 256 bits; exponentiators last, at the small size only."""
    small = {name: core.trials[0].document for name, core in all_cores().items()}
    names = [name for name in sorted(all_cores()) if not name.startswith("modexp/")]
    yield from (Subject(name, SMALL, small[name]) for name in names)
    yield from (Subject(name, LARGE, large(name)) for name in names if has_size(name, LARGE))
    yield from (Subject(name, SMALL, small[name]) for name in sorted(all_cores()) if name.startswith("modexp/"))


def large(name: str) -> dict[str, Any]:
    """The request of 256 bits."""
    if name.startswith(("ecpm/", "ecdsa/")):
        return {"curve": "P-256"}
    if name.startswith(("edmul/", "eddsa/")):
        return {"curve": "ed25519"}
    if name.startswith("xmul/"):
        return {"curve": "curve25519"}
    if name == "modmul/rns-hpr":
        return {"modulus": HYBRID}
    return {"field": "secp256k1" if name.startswith("modmul/sor-") and name != "modmul/sor-lean" else "P-256"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the words ask for, and return the exit code of the `modwright` command."""
    words = parser().parse_args(arguments)

    def work() -> None:
        if unknown := set(words.cores) - {subject.core for subject in subjects()}:
            raise UsageError(f"no subject is called {', '.join(sorted(unknown))}")
        for subject in subjects():
            if chosen(subject, words):
                run(subject, words.seconds, again=words.again)

    return exit_code(work)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description="Run every proof of every core, and keep what came of it.")
    result.add_argument("cores", nargs="*", metavar="CORE", help="default: all")
    result.add_argument("--size", choices=[size.split()[0] for size in SIZES], help="default: both")
    result.add_argument("--seconds", type=float, default=SECONDS, help=f"that one proof may take; default: {SECONDS:g}")
    result.add_argument("--again", action="store_true", help="run records once more in which something was not run")
    return result


def chosen(subject: Subject, words: argparse.Namespace) -> bool:
    """Whether the words ask for it."""
    return (not words.cores or subject.core in words.cores) and words.size in (None, subject.size.split()[0])


def run(subject: Subject, seconds: float, *, again: bool = False) -> None:
    """Make the record, unless there is one of the same Verilog."""
    core = find(subject.core)
    prepared = prepare(core, Request.from_mapping(core, {"core": core.name, **subject.request}))
    if subject.path.is_file():
        known = json.loads(subject.path.read_text(encoding="utf-8"))
        same = known["verilog"]["sha256"] == verilog_digest(prepared)
        whole = all(proof["status"] != "not run" for proof in known["proofs"])
        if same and (whole or not again) and not missing(prepared, known["proofs"]):
            return
        standing = [proof for proof in known["proofs"] if proof["name"] in KINDS] if same and not again else []
    else:
        standing = []
    print(f"{core.name}, {subject.size}", flush=True)
    made = record(prepared, subject.size, seconds, standing)
    text = json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    ROOT.mkdir(exist_ok=True)
    with whole_file(subject.path) as partial:
        partial.write_text(text, encoding="utf-8")


def missing(prepared: Prepared, known: Sequence[Mapping[str, str]]) -> set[str]:
    """Statements of the arithmetic that the core owes and its record has not."""
    return set(arithmetic.statements(prepared)) - {proof["statement"] for proof in known}


def record(prepared: Prepared, size: str, seconds: float, standing: Sequence[Mapping[str, str]] = ()) -> dict[str, Any]:
    """Outcome of each proof; without times, so that the same run gives the same bytes.

    `standing` are proofs of control of the same Verilog: where there are some, only the arithmetic is proved.
    """
    if standing:
        with at_most(seconds):
            found = list(arithmetic.prove(prepared))
    else:
        found = prove(prepared, seconds)
    return {
        "format": FORMAT,
        "size": size,
        "request": prepared.request.to_mapping(),
        "verilog": {"sha256": verilog_digest(prepared)},
        "tools": {solver: version_of(solver) for solver in SOLVERS},
        "proofs": [
            *(
                {"name": proof.name, "statement": proof.statement, "status": proof.status, "detail": proof.detail}
                for proof in found
            ),
            *standing,
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
