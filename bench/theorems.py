# SPDX-License-Identifier: Apache-2.0
"""The theorem of cores, in docs/proof.md: `python bench/theorems.py [CORE..]` proves them and writes their rows."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from modwright.base.errors import ModwrightError
from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import prove_verilog

PAGE = Path(__file__).parents[1] / "docs" / "proof.md"
TABLE = re.compile(r"(?<=<!-- table: theorems -->\n).*?(?=<!-- end -->)", flags=re.DOTALL)
CORES = (
    "modadd/carry",
    "modmul/r64",
    "modmul/limb-scan",
    "modmul/limb-fold",
    "modmul/limb-fold-karatsuba",
    "modmul/radix2",
    "modmul/blakley",
    "modmul/binary",
    "modmul/binary-serial",
    "modmul/csa",
    "modmul/orup-dsp",
    "modmul/sor-lean",
    "modmul/rns-kbe",
)
FIELD = "P-256"
TARGETS = ("generic", "ecp5")
"""Products in one piece, and in tiles of 18 bits on MULT18X18D."""
HEAD = (
    "| core | modulus | target | theorem | CPU in s, without ABC's | why not |",
    "| --- | --- | --- | --- | ---: | --- |",
)
SHOWN = 160
"""Characters of a reason."""


def row(name: str, target: str) -> str:
    """A row of the table."""
    core = find(name)
    try:
        prepared = prepare(core, Request.make(core, field=FIELD, target=target))
        verilog = core_verilog(prepared)
        start = time.process_time()
        found = prove_verilog(prepared, verilog)
        cpu = f"{time.process_time() - start:.1f}"
    except ModwrightError as error:
        return f"| `{name}` | {FIELD} | {target} | not proved | – | {error} |"
    reason = found.detail.replace("|", "\\|")
    reason = reason if len(reason) <= SHOWN else f"{reason[:SHOWN]}…"
    return f"| `{name}` | {FIELD} | {target} | {found.status} | {cpu} | {reason or '–'} |"


def subjects() -> list[tuple[str, str]]:
    """Cores and targets of the table, in its order."""
    return [(name, target) for name in CORES for target in (TARGETS if name != "modadd/carry" else TARGETS[:1])]


def rows_of(page: str) -> dict[tuple[str, str], str]:
    """Rows of the table in a page, by core and target."""
    found: dict[tuple[str, str], str] = {}
    for line in TABLE.findall(page)[0].splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 3 and cells[1].startswith("`"):
            found[cells[1].strip("`"), cells[3]] = line
    return found


def main(names: Sequence[str]) -> None:
    """Prove the cores of some names, or all, and write their rows; other rows stay."""
    for name, target in subjects():
        if names and name not in names:
            continue
        rows = rows_of(PAGE.read_text(encoding="utf-8")) | {(name, target): row(name, target)}
        print(rows[name, target], flush=True)
        lines = ["", *HEAD, *(rows[one] for one in subjects() if one in rows), "", ""]
        text = TABLE.sub(lambda _, lines=lines: "\n".join(lines), PAGE.read_text(encoding="utf-8"))
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
