# SPDX-License-Identifier: Apache-2.0
"""The block picture of a multiplier of x-coordinates modulo 2^n - c."""

from __future__ import annotations

from ....contract import Block
from ....schedule import Schedule
from .parameters import PseudoMersenneParameters
from .plan.formulas import WORDS


def blocks(p: PseudoMersenneParameters, schedule: Schedule) -> list[Block]:
    """Boxes of one core."""
    names, results = (", ".join(field.name for field in payload.fields) for payload in (p.i, p.o))
    code = schedule.microcode
    digits = f"{p.count} digits of {p.v} bits"
    return [
        Block("i", f"i: {names}", (), f"{p.i.width} bits", "port"),
        Block("program", "program", ("scalar",), f"{len(code.words)} words of {code.layout.bits} bits", "control"),
        Block("scalar", "k as decoded", ("i",), f"{p.n} bits"),
        Block("words", "words", ("i", "passes"), f"{WORDS} of {digits}", "memory"),
        Block("operand", "operand register", ("words", "passes", "program"), f"{digits}, added"),
        Block("first", "first factor", ("operand",), f"moves by {p.rows}; f = {p.factor} at the top"),
        Block("second", "second factor", ("operand", "i"), f"{p.rows} digits a cycle"),
        Block("row", "blocks", ("first", "second"), f"{p.rows} x {p.count} of {p.v} x {p.v}", "multiplier"),
        Block("columns", "sums of columns", ("row",), f"{p.count} of {max(p.columns).bit_length()} bits"),
        Block("passes", "carries", ("columns",), f"passes: {p.passes}"),
        Block("exact", "exact result", ("second",), "a digit a cycle, three times"),
        Block("o", f"o: {results}", ("exact",), f"{p.n} bits", "port"),
    ]
