# SPDX-License-Identifier: Apache-2.0
"""The table of addresses and enables that operands may change, from the records of bench/proofs.py."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ..base.table import Table
from ..prove.dependence import ADDRESSES, EXCEPTIONS, KINDS, TABLE_INDEX
from ..report.evidence import NOT_RUN
from .proofs import NONE, SIZES, Record, modulus_of

PROOF = "operands in addresses and enables"
COLUMNS = {
    "addresses of memories": ADDRESSES,
    "tables of constants": (TABLE_INDEX,),
    "enables, clears, choices between stored words": tuple(k for k in KINDS if k not in (*ADDRESSES, TABLE_INDEX)),
}
HEADINGS = ("core", "size", "modulus", *COLUMNS)
SHOWN = 4
"""Places of one kind that are named; the record has all."""


def dependents_table(records: Iterable[Record]) -> Table:
    """A row for each core but exponentiators, at the largest size for which the search was run."""
    largest_first = sorted(records, key=lambda record: SIZES.index(record["size"]), reverse=True)
    names = sorted({record["request"]["core"] for record in largest_first})
    lines = [
        _line(name, [record for record in largest_first if record["request"]["core"] == name])
        for name in names
        if not name.startswith("modexp/")
    ]
    return Table.of(HEADINGS, lines, HEADINGS)


def _line(name: str, records: Sequence[Record]) -> list[str]:
    searches = [(record, _search(record["proofs"])) for record in records]
    record, search = next((pair for pair in searches if pair[1]["status"] != NOT_RUN), searches[0])
    title = [f"`{name}`", record["size"], modulus_of(record)]
    if search["status"] == NOT_RUN:
        return [*title, *[NOT_RUN] * len(COLUMNS)]
    groups = _groups(search["statement"])
    return [*title, *(_cell([group for group in groups if group[0] in kinds], kinds) for kinds in COLUMNS.values())]


def _cell(groups: list[tuple[str, str]], kinds: tuple[str, ...]) -> str:
    """Places of these kinds, with the name of the kind where there are several."""
    return "; ".join(f"{kind} of {places}" if len(kinds) > 1 else places for kind, places in groups) or NONE


def _search(proofs: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
    return next((proof for proof in proofs if proof["name"] == PROOF), {"status": NOT_RUN})


def _groups(statement: str) -> list[tuple[str, str]]:
    """Kind, and places with their fields, of each exception; places that differ in a number alone are one."""
    _, _, exceptions = statement.partition(EXCEPTIONS)
    groups: list[tuple[str, str]] = []
    for group in exceptions.split("; ") if exceptions else ():
        kind = next(kind for kind in KINDS if group.startswith(f"{kind} of "))
        places, _, fields = group.removeprefix(f"{kind} of ").rpartition(" on ")
        different = list(dict.fromkeys(re.sub(r"\d+", "#", place) for place in places.split(", ")))
        more = [f"{len(different) - SHOWN} more"] if len(different) > SHOWN else []
        named = ", ".join([f"`{place}`" for place in different[:SHOWN]] + more)
        groups.append((kind, f"{named} by {fields}"))
    return groups
