# SPDX-License-Identifier: Apache-2.0
"""The theorem of cores by size, in docs/proof.md: `python bench/theorems.py` proves them and writes the table."""

from __future__ import annotations

import re
import time
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
    "modmul/limb-l1",
    "modmul/limb-l2",
    "modmul/limb-l3",
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


def main() -> None:
    """Prove, and write the table."""
    lines = [
        "",
        "| core | modulus | target | theorem | CPU in s, without ABC's | why not |",
        "| --- | --- | --- | --- | ---: | --- |",
    ]
    for name in CORES:
        for target in TARGETS if name != "modadd/carry" else TARGETS[:1]:
            lines.append(row(name, target))
            print(lines[-1], flush=True)
            write(lines)


def write(lines: list[str]) -> None:
    """Put the table, as far as it is made, into the page."""
    text = TABLE.sub(lambda _: "\n".join([*lines, "", ""]), PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
