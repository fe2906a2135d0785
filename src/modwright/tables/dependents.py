# SPDX-License-Identifier: Apache-2.0
"""The table of addresses and enables that operands may change, from the records of bench/proofs.py."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..base.table import Table
from ..prove.dependence import ADDRESSES, EXCEPTIONS, KINDS, TABLE_INDEX
from ..report.evidence import NOT_RUN
from .proofs import NONE, SIZES, Record, Records, modulus_of

PROOF = "operands in addresses and enables"
COLUMNS = {
    "addresses of memories": ADDRESSES,
    "tables of constants": (TABLE_INDEX,),
    "enables, clears, choices between stored words": tuple(k for k in KINDS if k not in (*ADDRESSES, TABLE_INDEX)),
}
HEADINGS = ("core", "size", "modulus", *COLUMNS)
SHOWN = 4
"""Places of one kind that are named; the record has all."""


def dependents_table(records: Records) -> Table:
    """A row for each core but exponentiators, at the largest size for which the search was run."""
    found = {(record["request"]["core"], record["size"]): record for record in records.values()}
    names = sorted({name for name, _ in found if not name.startswith("modexp/")})
    return Table.of(HEADINGS, [_line(name, found) for name in names], HEADINGS)


def _line(name: str, found: dict[tuple[str, str], Record]) -> list[str]:
    records = [found[name, size] for size in reversed(SIZES) if (name, size) in found]
    record = next((record for record in records if _proof(record)["status"] != NOT_RUN), records[0])
    title = [f"`{name}`", record["size"], modulus_of(record)]
    if _proof(record)["status"] == NOT_RUN:
        return [*title, *[NOT_RUN] * len(COLUMNS)]
    groups = _groups(_proof(record)["statement"])
    return [*title, *(_cell([group for group in groups if group[0] in kinds], kinds) for kinds in COLUMNS.values())]


def _cell(groups: list[tuple[str, str]], kinds: tuple[str, ...]) -> str:
    """What is found of these kinds, with the name of the kind where there are several."""
    return "; ".join(f"{kind} of {places}" if len(kinds) > 1 else places for kind, places in groups) or NONE


def _proof(record: Record) -> Mapping[str, str]:
    return next((proof for proof in record["proofs"] if proof["name"] == PROOF), {"status": NOT_RUN})


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
