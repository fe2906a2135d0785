# SPDX-License-Identifier: Apache-2.0
"""The block picture of a multiplier of x-coordinates."""

from __future__ import annotations

from ....contract import Block
from ....engines.ladder.words import WORDS
from ....schedule import Schedule
from .parameters import XmulParameters


def blocks(p: XmulParameters, schedule: Schedule) -> list[Block]:
    """Boxes of one core."""
    names = ", ".join(field.name for field in p.i.fields)
    code = schedule.microcode
    units = [
        Block(
            f"multiplier {k}",
            p.unit.unit.name,
            (f"factors {k}", "program"),
            f"{p.unit.w} x {p.unit.w}; {', '.join(p.kinds)}",
            "multiplier",
        )
        for k in range(p.macs)
    ]
    registers = [Block(f"factors {k}", "operand registers", ("port",), f"2 of {p.n} bits") for k in range(p.macs)]
    return [
        Block("i", f"i: {names}", (), f"{p.i.width} bits", "port"),
        Block("program", "program", ("scalar",), f"{len(code.words)} words of {code.layout.bits} bits", "control"),
        Block("scalar", "k as decoded", ("i",), f"{p.n} bits"),
        Block("held", "operands", ("i",), "where they came in"),
        Block("words", "words", ("adder",), f"{WORDS} of {p.n + 1} bits", "memory"),
        Block("port", "read port", ("words", "held", "program"), f"{p.n + 1} bits"),
        *registers,
        *units,
        Block(
            "adder",
            "modular adder, inversion",
            ("port", "program", *(unit.name for unit in units)),
            f"two sums of {p.n + 2} bits",
        ),
        Block("o", "o: z, error", ("port",), f"{p.n} bits", "port"),
    ]
