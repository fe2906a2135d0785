# SPDX-License-Identifier: Apache-2.0
"""The block picture of a program of field operations over limb multipliers."""

from __future__ import annotations

from ...contract import Block, Payload
from ...schedule import Schedule
from .parameters import FieldParameters


def machine_blocks(
    p: FieldParameters, i: Payload, o: Payload, schedule: Schedule, *, words: int, scalar: str
) -> list[Block]:
    """Boxes of one core.

    Parameters
    ----------
    p : FieldParameters
    i, o : Payload
        Payloads of the streams.
    schedule : Schedule
    words : int
        Words of its memory.
    scalar : str
        Label of the scalar's register.
    """
    names, results = (", ".join(field.name for field in payload.fields) for payload in (i, o))
    code = schedule.microcode
    return [
        Block("i", f"i: {names}", (), f"{i.width} bits", "port"),
        Block("program", "program", ("scalar",), f"{len(code.words)} words of {code.layout.bits} bits", "control"),
        Block("scalar", scalar, ("i",), f"{p.n} bits"),
        *arithmetic_blocks(p, words),
        Block("o", f"o: {results}", ("port",), f"{p.n} bits", "port"),
    ]


def arithmetic_blocks(p: FieldParameters, words: int) -> list[Block]:
    """Boxes of memory, read port, multipliers and adder."""
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
    factors = f"{4 if p.sums else 2} of {p.n} bits"
    registers = [Block(f"factors {k}", "operand registers", ("port",), factors) for k in range(p.macs)]
    return [
        Block("held", "operands", ("i",), "where they came in"),
        Block("words", "words", ("adder",), f"{words} of {p.n + 1} bits", "memory"),
        Block("port", "read port", ("words", "held", "program"), f"{p.n + 1} bits"),
        *registers,
        *units,
        Block(
            "adder",
            "modular adder, inversion",
            ("port", "program", *(unit.name for unit in units)),
            f"two sums of {p.n + 2} bits",
        ),
    ]
