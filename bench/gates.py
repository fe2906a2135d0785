# SPDX-License-Identifier: Apache-2.0
"""Cores in the cells of three open libraries: measured, recorded, and rendered as the tables of docs/gates.md.

    python bench/gates.py              measure what has no record of today's Verilog, and render the tables
    python bench/gates.py NAME ...     measure these
    python bench/gates.py --again      measure, also what has a record of today's Verilog
    python bench/gates.py --render     only the tables
    python bench/gates.py --check      exit code 1 when a table is stale
    python bench/gates.py --verilog    exit code 1 when a record is missing, or of other Verilog

The libraries are presets of `modwright synth --target asic --liberty`; their files are looked for in the folders of
`MODWRIGHT_LIBERTY` and below `PDK_ROOT`. OpenSTA times, so `sta` has to be installed. Records are in
bench/gates/gates.json, written after each core and library; a record names the digests of the library's files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from endings import exit_code
from generated import write_or_check
from modwright.base.errors import ToolMissingError
from modwright.base.json import JsonMapping, JsonObject, plain
from modwright.base.store import whole_file
from modwright.base.table import Table, as_markdown
from modwright.cli.common import select
from modwright.measurement.gates import gate_row
from modwright.measurement.record import scheduled, verilog_digest
from modwright.pages.datasheet import count, figure
from modwright.papers.figures import FIGURES
from modwright.pipeline import gates_of
from modwright.prepared import Prepared, prepare
from modwright.prepared.registry import all_cores
from modwright.report.evidence import NOT_RUN
from modwright.synthesize import find_liberty, read_library
from modwright.synthesize.forms import FORMS
from modwright.synthesize.liberty import CORNERS
from modwright.synthesize.static_timing import STA

ROOT = Path(__file__).parents[1]
RECORDS = ROOT / "bench" / "gates" / "gates.json"
PAGE = ROOT / "docs" / "gates.md"

LIBRARIES = ("ihp-sg13g2", "sky130", "asap7")
FIELD, CURVE, BITS = "secp256k1", "secp256r1", 256
HYBRID = "0xfef48022d21977df58c9c0ec58c72702e5d3394f956f80e06c560dbb1754f8b7"
"""The prime of 256 bits of `modmul/rns-hpr`, which takes no other form than M^d - 2."""
WIDE = ("modmul/csa", "modmul/booth4-csa", "modmul/booth8-csa", "modmul/radix2")
"""Cores of 1024 bits, as in the paper on carry-save multipliers."""
INVERSIONS = ("modinv/binary-divstep", "modinv/binary-divstep-rt", "modinv/rns-btmi")

SMALLER = ("booth", "clock_gates")
LATCHED = (*SMALLER, "latches")
"""Forms of gates, of `forms.FORMS`, that leave fewer; see `modwright synth --booth --clock-gates --latches`."""
MORE: Mapping[str, Sequence[tuple[str, ...]]] = {
    "ecpm/r64-ladder": (SMALLER, (*LATCHED, "choices"), (*LATCHED, "area")),
    "ecpm/ladder": (SMALLER, (*LATCHED, "choices")),
    "modmul/r64": (SMALLER, (*SMALLER, "choices"), (*SMALLER, "area")),
}
"""Cores that are measured in such forms, too; `modmul/r64` has no memory."""

PAPER = ROOT / "bench" / "paper" / "xie-2023-table-2.json"
"""Table with the figures of the paper on point multiplication, and the processes of the libraries."""
SHOWN = 12
"""Characters of a modulus in hex that are shown."""

_REGION = re.compile(r"(<!-- table: (gates|area-time) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Work:
    """A core and what it is for.

    Parameters
    ----------
    core : str
    field, curve : str or None
        The named modulus or curve, or a modulus in hex.
    bits : int or None
        Width, of a core whose modulus is an operand.
    form : tuple of str
        Forms of `forms.FORMS`.
    """

    core: str
    field: str | None = None
    curve: str | None = None
    bits: int | None = None
    form: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of its record."""
        return " ".join((self.core, self.modulus, *self.form))

    @property
    def title(self) -> str:
        """The core in a table."""
        return ", ".join((f"`{self.core}`", *map(FORMS.__getitem__, self.form)))

    @property
    def modulus(self) -> str:
        """The modulus in words, a long one shortened."""
        given = self.field or self.curve or f"{self.bits}"
        return given if len(given) < SHOWN else f"{given[:SHOWN]}…"

    def prepared(self) -> Prepared:
        """The core for gates."""
        options = [] if self.bits is None else [f"bits={self.bits}"]
        field, modulus = (None, self.field) if self.field == HYBRID else (self.field, None)
        return prepare(*select(self.core, field, modulus, self.curve, "asic", options))


def works() -> Iterator[Work]:
    """Everything that is measured."""
    for work in plain_works():
        yield work
        for form in MORE.get(work.core, ()):
            yield replace(work, form=form)


def plain_works() -> Iterator[Work]:
    """Everything that is measured without another form."""
    for name, core in all_cores().items():
        if name.startswith("modmul/") or name in INVERSIONS:
            runtime = core.runtime_modulus
            yield Work(name, bits=BITS) if runtime else Work(name, HYBRID if name == "modmul/rns-hpr" else FIELD)
        if name in WIDE:
            yield Work(name, bits=4 * BITS)
        if name.startswith("ecpm/"):
            yield Work(name, curve=CURVE)


def measured(work: Work, library: str) -> JsonObject:
    """Area and clock rates in a library."""
    resources, timing = gates_of(work.prepared(), library, **dict.fromkeys(work.form, True))
    clock = plain(timing)
    names = ("device", "status", "reason", "fmax_mhz", "critical_path", "conditions", "tool")
    rates = {name: clock[name] for name in names if name in clock}
    cells = read_library(library)[0].cells
    latches = sum(number for name, number in resources.cells.items() if name in cells and cells[name].latch)
    area = {"nand2": resources.nand2, "ff": resources.ff, **({"latches": latches} if latches else {})}
    return {**area, "files": digests(library), **rates}


def digests(library: str) -> dict[str, str]:
    """Digest of each file of a library and of its other corners."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in _files(library)}


def _files(library: str) -> Iterator[Path]:
    for name in (library, *CORNERS.get(library, ())):
        yield from find_liberty(name)


def record(work: Work, old: JsonMapping, *, again: bool = False) -> Iterator[JsonObject]:
    """The record of a core, after each library; what the old record has of the same Verilog stays, unless `again`."""
    prepared = work.prepared()
    digest = verilog_digest(prepared)
    rates = dict(old["libraries"]) if old.get("verilog") == digest else {}
    for library in LIBRARIES:
        if again or library not in rates:
            print(f"{work.name}: {library}", file=sys.stderr, flush=True)
            rates[library] = measured(work, library)
        yield {
            "request": plain(prepared.request.to_mapping()),
            "verilog": digest,
            "form": work.form,
            "schedule": scheduled(prepared),
            "libraries": dict(rates),
        }


def load() -> dict[str, JsonObject]:
    """The records by name."""
    return json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.is_file() else {}


def save(records: JsonMapping) -> None:
    """Write all records."""
    with whole_file(RECORDS) as path:
        path.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def stale(records: Mapping[str, JsonMapping]) -> list[str]:
    """Names without a whole record of the Verilog that is written now."""
    return [work.name for work in works() if not _is_whole(work, records.get(work.name))]


def _is_whole(work: Work, old: JsonMapping | None) -> bool:
    return (
        old is not None
        and set(old["libraries"]) == set(LIBRARIES)
        and old["verilog"] == verilog_digest(work.prepared())
    )


HEADS = (
    "core",
    "for",
    "interval",
    "library",
    "kGE",
    "FF",
    "MHz",
    "ns",
    "kGE × ns",
    "slow corner, MHz",
    "wire load, MHz",
)


def rows(records: Mapping[str, JsonMapping]) -> Iterator[tuple[str, ...]]:
    """A row for each core and library; one row for a core without a record."""
    for work in works():
        known = records.get(work.name)
        head = (work.title, f"{work.bits} bits" if work.bits else work.modulus)
        if known is None:
            yield (*head, *("–",) * 2, NOT_RUN, *("–",) * 6)
            continue
        for library in LIBRARIES:
            if library in known["libraries"]:
                cycles = gate_row(known, library).interval
                yield (
                    *head,
                    figure(cycles, 0 if cycles == int(cycles) else 1),
                    library,
                    *_cells(known["libraries"][library], cycles),
                )


def _digits(rate: float) -> int:
    """Digits behind the point: two below 0.1 MHz, which one would show as 0."""
    return 1 if rate >= 0.1 else 2


def _cells(rate: JsonMapping, cycles: float) -> tuple[str, ...]:
    area = rate["nand2"] / 1e3
    latches = f" + {count(rate['latches'])} latches" if "latches" in rate else ""
    head = (figure(area), count(rate["ff"]) + latches)
    if "fmax_mhz" not in rate:
        return (*head, *("–",) * 5)
    ns = cycles / rate["fmax_mhz"] * 1e3
    slow = [other["fmax_mhz"] for other in rate["conditions"] if not other["wire_load"]]
    wires = [
        f"{figure(other['fmax_mhz'], _digits(other['fmax_mhz']))} ({other['wire_load']})"
        for other in rate["conditions"]
        if other["wire_load"] and other["library"] == rate["device"]
    ]
    return (
        *head,
        figure(rate["fmax_mhz"]),
        figure(ns),
        count(area * ns),
        figure(slow[0] if slow else None),
        (wires or ["–"])[0],
    )


AREA_TIME_HEADS = ("design", "library", "nm", "kGE", "MHz", "cycles", "ms", "AT")


def area_time(records: Mapping[str, JsonMapping]) -> Iterator[tuple[str, ...]]:
    """Rows of point multiplications by the paper's rule, AT = kGE · ms · 90 nm / process; the paper's own first."""
    document = json.loads(PAPER.read_text(encoding="utf-8"))
    paper = dict(zip(document["columns"], document["rows"][0], strict=True))
    gates, clock, cycles, ms = (paper[name] for name in ("k gates", "clock, MHz", "k cycles", "time, ms"))
    yield ("the paper's, as printed", "–", paper["technology, nm"], gates, clock, f"{cycles},000", ms, paper["AT"])
    for work in works():
        known = records.get(work.name, {"libraries": {}}) if work.curve else {"libraries": {}}
        for library in filter(known["libraries"].__contains__, LIBRARIES):
            row = gate_row(known, library)
            area, rate, ms, at = (FIGURES[name](row, document) for name in ("kgates", "fmax", "ms", "at"))
            nm, cycles = str(document["technologies"][library]), count(row.schedule["latency_cycles"])
            yield (work.title, library, nm, figure(area), figure(rate), cycles, figure(ms, 2), figure(at))


def page(records: Mapping[str, JsonMapping]) -> str:
    """The page with its tables."""
    tables = {
        "gates": Table.of(HEADS, rows(records), ("core", "for", "library")),
        "area-time": Table.of(AREA_TIME_HEADS, area_time(records), ("design", "library")),
    }
    text = {name: as_markdown(table).rstrip() for name, table in tables.items()}
    return _REGION.sub(lambda match: f"{match[1]}\n{text[match[2]]}\n\n{match[3]}", PAGE.read_text(encoding="utf-8"))


def run(given: argparse.Namespace) -> int:
    """Measure, render or check; returns the exit code."""
    records = load()
    if given.verilog:
        names = stale(records)
        print(f"missing or of other Verilog: {', '.join(names)}" if names else "every record is of the Verilog of now")
        return int(bool(names))
    if not given.render and not given.check:
        if shutil.which(STA) is None:
            raise ToolMissingError("OpenSTA is not installed", "Debian's package opensta")
        chosen = given.names or ([work.name for work in works()] if given.again else stale(records))
        for work in works():
            if work.name in chosen:
                for grown in record(work, records.get(work.name, {}), again=given.again):
                    records = load() | {work.name: grown}
                    save(records)
    return write_or_check({PAGE: page(records)}, "python bench/gates.py --render", check=given.check)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, and return the exit code of the `modwright` command, or 1 for what is stale."""
    parser = argparse.ArgumentParser(description="cores in the cells of open libraries")
    parser.add_argument("names", nargs="*", metavar="NAME", help='such as "modmul/csa 256"')
    for option in ("--again", "--render", "--check", "--verilog"):
        parser.add_argument(option, action="store_true")
    given = parser.parse_args(arguments)
    known = [work.name for work in works()]
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"{', '.join(unknown)}: none of {', '.join(known)}")
    codes: list[int] = []
    return exit_code(lambda: codes.append(run(given))) or codes[0]


if __name__ == "__main__":
    sys.exit(main())
