# SPDX-License-Identifier: Apache-2.0
"""Every registered core, and a table of a paper as it is printed."""

from __future__ import annotations

from ..base.json import JsonMapping
from ..base.table import Table
from ..contract.constants import CONSTANTS
from ..prepared.index import computed
from .cells import WORDS


def paper_table(document: JsonMapping) -> Table:
    """A table of a paper, as it is printed there; its first two columns are words."""
    source = f"The paper's figures, not ours: {document['source']} ({document['url']}). {document['note']}"
    return Table.of(document["columns"], document["rows"], document["columns"][:2], above=[source])


def cores_table() -> Table:
    """Every registered core."""
    rows: list[tuple[str, ...]] = []
    for entry in computed():
        what, modulus = entry.summary, "runtime" if entry.runtime_modulus else "fixed"
        if entry.part:
            what, modulus = f"{what}; over the `{entry.part}` of choice", f"as the {entry.part}'s"
        rows.append((f"`{entry.name}`", what, modulus, entry.source))
    return Table.of(("core", "description", "modulus", "source"), rows, WORDS)


def constants_table() -> Table:
    """Names of constants, with their meaning."""
    rows = [(f"`{name}`", meaning) for name, meaning in sorted(CONSTANTS.items())]
    return Table.of(("constant", "meaning"), rows, ("constant", "meaning"))
