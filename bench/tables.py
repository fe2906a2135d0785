# SPDX-License-Identifier: Apache-2.0
"""Render the tables of the documentation from the measured records and the registry: `python bench/tables.py`.

A table stands between `<!-- table: NAME -->` and `<!-- end -->` in one of `FILES`; what is between them is
replaced. Every figure comes from a record in bench/results/ or bench/statistics/ or, labelled as such, from a paper's
table in bench/paper/; what was proved, from bench/proofs/. The list of registered names in the package
(prepared/cores.json) is written as well.

    python bench/tables.py              write the tables
    python bench/tables.py --check      exit code 1 when one is stale
    python bench/tables.py --commands   print the command that makes each record
    python bench/tables.py --verilog    exit code 1 when a record is of other Verilog than the code writes now
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import compared
import costs
import exponentiators
import extensions
import inverters
import points
import proved
from modwright.base.errors import ModwrightError, UsageError, VerificationError
from modwright.contract.request import Request
from modwright.measurement.record import verilog_digest
from modwright.measurement.rows import Row, changed, load, rows_of, with_sampled_means
from modwright.pages.datasheet import count, cycles, figure
from modwright.prepared import prepare
from modwright.prepared.index import FILE, computed, written
from modwright.prepared.registry import find
from modwright.report.evidence import NOT_PLACED, NOT_RUN
from modwright.schedule.pace import FIXED, MOST
from modwright.synthesize.devices import DEVICES, FIRST
from modwright.synthesize.place_and_route import FREQUENCY_MHZ
from records import Column, fmax, measured, place_and_route, table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"
PAPERS = ROOT / "bench" / "paper"
STATISTICS = ROOT / "bench" / "statistics"
PROOFS = ROOT / "bench" / "proofs"
FILES = ("README.md", "docs/results.md", "docs/proofs.md", "bench/README.md")
"""Below `ROOT`."""

SUM_OF_RESIDUES = "mehrabi-2019-table-4.json"
BESIDE = {
    "complexity": (compared.complexity, "rezai-2015-table-5.json"),
    "products": (compared.products, "rezai-2015-table-6.json"),
    "exponentiations": (compared.exponentiations, "rezai-2015-table-7.json"),
    "base-extensions": (extensions.base_extensions, "djath-2019-table-3.json"),
}
"""Tables that put our rows next to a paper's: by name, what makes it, and the file in `PAPERS`."""

README_BITS, README_DEVICE = 256, DEVICES["85k"].part
"""Size and device of the table in README.md."""

_REGION = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _products(row: Row, time: float | None) -> str:
    """DSP blocks times nanoseconds, or why there are none."""
    return count(row.resources["dsp"] * time) if time is not None else _without(row)


def _without(row: Row) -> str:
    return NOT_RUN if row.timing == NOT_RUN else "–"


_CORE: tuple[Column, ...] = (
    ("core", lambda r: r.name),
    ("operands", lambda r: r.operands),
)
_CYCLES: tuple[Column, ...] = (
    ("cycles", lambda r: count(r.schedule["latency_cycles"])),
    ("interval", lambda r: at_full_rate(r, float, cycles)),
)
_AREA: tuple[Column, ...] = (
    ("LUT", lambda r: count(r.resources["lut"])),
    ("FF", lambda r: count(r.resources["ff"])),
    ("DSP", lambda r: count(r.resources["dsp"])),
)
_CLOCK: tuple[Column, ...] = (("Fmax, MHz", lambda r: fmax(r.timing)),)
_TIMES: tuple[Column, ...] = (
    ("ns", lambda r: figure(r.latency_ns) if r.placed else _without(r)),
    ("DSP × ns", lambda r: _products(r, r.latency_ns)),
    ("DSP × ns at full rate", lambda r: at_full_rate(r, r.time, lambda time: _products(r, time))),
)
_SHORT: tuple[Column, ...] = (
    ("ns", lambda r: figure(r.latency_ns)),
    ("ns at full rate", lambda r: at_full_rate(r, r.time, figure)),
)
_CONSTANT: tuple[Column, ...] = (("constant latency", lambda r: "yes" if r.schedule["constant_time"] else "NO"),)
_MODULUS: tuple[Column, ...] = (("modulus", lambda r: r.modulus if len(r.modulus) < 20 else f"{r.modulus[:12]}…"),)
_FIXED: tuple[Column, ...] = (("modulus", lambda r: "runtime" if r.runtime_modulus else "fixed"),)
_CHANNEL: tuple[Column, ...] = (("Fmax of one channel", lambda r: fmax(r.channel)),)
_HOW: tuple[Column, ...] = (("place and route", lambda r: place_and_route(r.timing)),)
_BLOCK_CYCLES: tuple[Column, ...] = (
    ("DSP × clocks", lambda r: count(r.resources["dsp"] * r.schedule["latency_cycles"])),
    ("DSP × interval", lambda r: at_full_rate(r, lambda clocks: r.resources["dsp"] * clocks, count)),
)


def at_full_rate(row: Row, of: Callable[[float], float | None], show: Callable[[float | None], str]) -> str:
    """What follows from the interval: where that varies, from its mean, and in brackets from the most of it.

    Without a mean it is the most, which is said. The least is no rate, and is not shown.
    """
    pace = row.pace
    text = show(of(pace.cycles))
    if pace.kind == FIXED or of(pace.cycles) is None:
        return text
    return f"{text} (most)" if pace.kind == MOST else f"{text} (most {show(of(float(pace.most)))})"


def fastest(rows: Sequence[Row]) -> list[Row]:
    """Of every multiplier of `README_BITS` that was placed, the fastest record, by the time of a product."""
    best: dict[str, Row] = {}
    for row in rows:
        if (row.function, row.bits, row.device) != ("modmul", README_BITS, README_DEVICE) or row.latency_ns is None:
            continue
        if row.core not in best or row.latency_ns < (best[row.core].latency_ns or 0):
            best[row.core] = row
    return sorted(best.values(), key=lambda row: row.latency_ns or 0)


def paper_table(document: Mapping[str, Any]) -> str:
    """A table of a paper, as it is printed there; its first two columns are words."""
    lines = table(document["columns"], document["rows"], words=document["columns"][:2])
    return f"The paper's figures, not ours: {document['source']} ({document['url']}). {document['note']}\n\n{lines}"


def cores_table() -> str:
    """Every registered core."""
    rows: list[tuple[str, ...]] = []
    for entry in computed():
        what, modulus = entry.summary, "runtime" if entry.runtime_modulus else "fixed"
        if entry.part:
            what, modulus = f"{what}; over the `{entry.part}` of choice", f"as the {entry.part}'s"
        rows.append((f"`{entry.name}`", what, modulus, entry.source))
    return table(("core", "what", "modulus", "source"), rows)


def commands(records: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """For each record the command that makes it, every setting said that is not the default."""
    for name, record in records.items():
        yield shlex.join(["python", "bench/measure.py", *_arguments(record), "-o", f"bench/results/{name}"])


def campaigns(statistics: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """For each sampled count the command that makes it."""
    for name, record in statistics.items():
        request = record["request"]
        words = ["modwright", "campaign", request["core"]]
        for key in ("field", "modulus", "curve"):
            if key in request:
                words += [f"--{key}", request[key]]
        for word in changed(request):
            words += ["--option", word]
        words += ["--samples", str(record["samples"])]
        if record["seed"] != 1:
            words += ["--seed", str(record["seed"])]
        yield shlex.join([*words, "-o", f"bench/statistics/{name.partition('/')[0]}"])


def _arguments(record: Mapping[str, Any]) -> Iterator[str]:
    request = record["request"]
    yield request["core"]
    for key in ("field", "modulus", "curve"):
        if key in request:
            yield from (f"--{key}", request[key])
    yield from ("--target", record["resources"]["target"])
    for word in changed(request):
        yield from ("--option", word)
    if "liberty" in record:
        yield from ("--liberty", record["liberty"])
        return
    for flag, timing in (("--place", record["timing"]), ("--channel", record["channel_timing"])):
        if timing != NOT_RUN:
            yield flag
    if Row.of(record).wide_lut:
        yield "--wide-lut"
    chosen = [t for t in (record["timing"], record["channel_timing"]) if t != NOT_RUN]
    if chosen:
        yield from _settings(max(chosen, key=lambda t: t["status"] != NOT_PLACED))


def _settings(timing: Mapping[str, Any]) -> Iterator[str]:
    """The settings of a place and route that are not the defaults of bench/measure.py."""
    device = next(device for device in DEVICES.values() if device.part == timing["device"])
    if device.name != FIRST[device.family]:
        yield from ("--device", device.name)
    if timing["status"] == NOT_PLACED:
        return
    seeds = ",".join(str(s["seed"]) for s in timing["per_seed"])
    settings = (
        ("--seeds", seeds, "1"),
        ("--frequency", f"{timing['frequency_mhz']:g}", f"{FREQUENCY_MHZ:g}"),
        ("--harness", timing["harness"], "out-of-context" if device.family == "ecp5" else "shift"),
        ("--router", timing["router"], "router1"),
    )
    for flag, value, default in settings:
        if value != default:
            yield from (flag, value)


Records = Mapping[str, Mapping[str, Any]]


def regions(
    records: Records, papers: Records, statistics: Records | None = None, proofs: Records | None = None
) -> dict[str, str]:
    """The text of every table by its name."""
    rows = with_sampled_means(rows_of(records.values()), (statistics or {}).values())
    fixed = [r for r in rows if r.function == "modmul" and not r.runtime_modulus]
    ecp5, xc7 = ([r for r in fixed if r.target == target] for target in ("ecp5", "xc7"))
    return {
        "cores": cores_table(),
        "readme": measured(fastest(rows), _FIXED + _CORE + _CYCLES + _AREA + _CLOCK + _SHORT + _CONSTANT),
        "ecp5": measured(ecp5, _MODULUS + _CORE + _CYCLES + _AREA + _CLOCK + _TIMES + _CONSTANT + _CHANNEL + _HOW),
        "xc7": measured(xc7, _MODULUS + _CORE + _CYCLES + _AREA + _BLOCK_CYCLES + _CONSTANT),
        "paper": paper_table(papers[SUM_OF_RESIDUES]) if SUM_OF_RESIDUES in papers else f"{NOT_RUN}\n",
        **{
            name: make(rows, papers[source]) if source in papers else f"{NOT_RUN}\n"
            for name, (make, source) in BESIDE.items()
        },
        "area-time": compared.area_time(rows),
        "points": points.point_multipliers(rows),
        "inverters": inverters.inverters(rows),
        "exponentiators": exponentiators.exponentiators(rows),
        "costs": costs.table_two(),
        "proofs": proved.proofs_table(proofs or {}),
        "counts": compared.counts(statistics or {}),
        "commands": "```\n"
        + "".join(f"{line}\n" for line in [*commands(records), *campaigns(statistics or {})])
        + "```\n",
    }


def filled(text: str, tables: Mapping[str, str], where: str) -> str:
    """A document with its tables as they are now; UsageError for one that nobody makes, or that has no end."""
    for name in re.findall(r"<!-- table: ([\w-]+) -->", text):
        if name not in tables:
            raise UsageError(f"{where} asks for table {name!r}", f"one of {', '.join(tables)}")
    starts, ends = text.count("<!-- table: "), text.count("<!-- end -->")
    if starts != ends or len(_REGION.findall(text)) != starts:
        raise UsageError(f"{where} has {starts} starts of tables and {ends} ends")
    return _REGION.sub(lambda found: f"{found[1]}\n{tables[found[2]]}\n{found[3]}", text)


def stale(root: Path, tables: Mapping[str, str]) -> dict[Path, str]:
    """The files whose tables are not as they would be now, with their new text."""
    result = {}
    for name in FILES:
        path = root / name
        before = path.read_text(encoding="utf-8")
        after = filled(before, tables, name)
        if after != before:
            result[path] = after
    return result


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
    chosen.add_argument("--commands", action="store_true", help="print the command that makes each record")
    chosen.add_argument("--verilog", action="store_true", help="exit code 1 when a record is of other Verilog")
    return result


def run(words: argparse.Namespace) -> int:
    """What the words ask for."""
    records, statistics, proofs = load(RESULTS), load(STATISTICS, "*/statistics.json"), load(PROOFS)
    if words.commands:
        print("\n".join([*commands(records), *campaigns(statistics)]))
        return 0
    if words.verilog:
        _refuse(
            other_verilog({**records, **proofs}),
            "of other Verilog than the code writes now; measure again (make bench)",
        )
        return 0
    found = stale(ROOT, regions(records, load(PAPERS), statistics, proofs)) | stale_names()
    if words.check:
        _refuse([path.relative_to(ROOT).as_posix() for path in found], "stale; run python bench/tables.py")
        return 0
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


def stale_names() -> dict[Path, str]:
    """The list of registered names with its text, where it is not that of the packages."""
    text = written(computed())
    return {} if FILE.read_text(encoding="utf-8") == text else {FILE: text}


def _refuse(names: Sequence[str], why: str) -> None:
    if names:
        raise VerificationError(f"{', '.join(names)}: {why}")


if __name__ == "__main__":
    sys.exit(main())
