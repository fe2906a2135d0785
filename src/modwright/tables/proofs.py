# SPDX-License-Identifier: Apache-2.0
"""The table of proofs: what was proved of which core at which size, from the records of bench/proofs.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..base.json import JsonMapping
from ..base.table import Items, Table
from ..combine.exponentiation import METHODS
from ..prepared.registry import all_cores
from ..prove.proof import NOTHING_OWED
from ..report.evidence import NOT_RUN

SMALL, LARGE = "small", "256 bits"
SIZES = (SMALL, LARGE)
KINDS = {
    "control independent of data": "control",
    "handshakes registered": "handshakes",
    "latency under any stalls": "latency",
    "result queue": "queue",
    "operands in addresses and enables": "addresses",
}
"""Proofs that every core has, by name, and the headings of their columns; all others are of its arithmetic."""

ARITHMETIC = "reductions, α"
HEADINGS = ("core", "size", "modulus", ARITHMETIC, *KINDS.values())
SHOWN = 16
"""Characters of a modulus."""
LEFT_OUT = "it was left out: `python bench/proofs.py` has no record of it"
NONE = "–"

Record = JsonMapping
Records = Mapping[str, Record]


def proofs_table(records: Records) -> Table:
    """A row for each core and size, exponentiators of one method together; then the reasons of what was not run."""
    found = {(record["request"]["core"], record["size"]): record for record in records.values()}
    reasons: dict[str, int] = {}
    lines = [
        [title, size, *_cells([found.get((name, size)) for name in names], reasons)]
        for size in SIZES
        for title, names in _groups()
        if has_size(names[0], size)
    ]
    below = [Items("Not run", tuple(reasons), numbered=True), _tools(list(records.values()))]
    return Table.of(HEADINGS, lines, HEADINGS, below=below)


def has_size(core: str, size: str) -> bool:
    """Whether a core exists at a size: units are those of one channel, which is narrower than 256 bits."""
    return size == SMALL or not core.startswith("unit/")


def _groups() -> list[tuple[str, list[str]]]:
    """Title of a row, and its cores."""
    names = sorted(all_cores())
    alone = [(f"`{name}`", [name]) for name in names if not name.startswith("modexp/")]
    return alone + [
        (f"`modexp/CORE-{method}`", [n for n in names if n.startswith("modexp/") and n.endswith(f"-{method}")])
        for method in METHODS
    ]


def _cells(records: Sequence[Record | None], reasons: dict[str, int]) -> list[str]:
    """The modulus, then a cell for each kind of proof."""
    proofs = [proof for record in records if record is not None for proof in record["proofs"]]
    missing = records.count(None)
    without = sum(all(proof["name"] in KINDS for proof in record["proofs"]) for record in records if record is not None)
    cells = [_cell([proof for proof in proofs if proof["name"] not in KINDS], missing + without, reasons)]
    cells += [_cell([proof for proof in proofs if proof["name"] == kind], missing, reasons) for kind in KINDS]
    return [_modulus([record for record in records if record is not None], len(records)), *cells]


def _modulus(records: Sequence[Record], cores: int) -> str:
    if cores > 1:
        return f"{len(records)} of {cores} multipliers"
    if not records:
        return NONE
    return modulus_of(records[0])


def modulus_of(record: Record) -> str:
    """The modulus of a request by its name, or its first characters."""
    request = record["request"]
    name = str(next((request[key] for key in ("field", "curve", "modulus") if key in request), NONE))
    return name if len(name) <= SHOWN else f"{name[:SHOWN]}…"


def _cell(proofs: Sequence[Mapping[str, str]], missing: int, reasons: dict[str, int]) -> str:
    """How many were proved, how many not, and why not; a dash where the core owes none."""
    proofs = [proof for proof in proofs if proof["status"] != NOTHING_OWED]
    counts = Counter(proof["status"] for proof in proofs)
    for text in [proof["detail"] for proof in proofs if proof["status"] == NOT_RUN] + [LEFT_OUT] * bool(missing):
        reasons.setdefault(text, len(reasons) + 1)
    numbers = sorted({reasons[proof["detail"]] for proof in proofs if proof["status"] == NOT_RUN})
    numbers += [reasons[LEFT_OUT]] if missing else []
    total = len(proofs) + missing
    shown = [_count(status, counts[status], total) for status in ("proved", "refuted") if counts[status]]
    absent = counts[NOT_RUN] + missing
    if absent:
        shown.append(f"{_count(NOT_RUN, absent, total)} ({', '.join(map(str, numbers))})")
    return "; ".join(shown) or NONE


def _count(status: str, number: int, total: int) -> str:
    return status if total == 1 else f"{number} {status}"


def _tools(records: Sequence[Record]) -> str:
    versions = sorted({f"{name} {version}" for record in records for name, version in record["tools"].items()})
    return f"Tools: {', '.join(versions)}." if versions else f"Tools: {NOT_RUN}."
