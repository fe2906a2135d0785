# SPDX-License-Identifier: Apache-2.0
"""One design that holds many mutations, each in force for one value of an input, so that it is compiled once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .mutations import Mutation, insert
from .netlist import Bit, Netlist

SELECT = "mutant"
"""Input that selects: 0 for the unchanged core, k for the k-th mutation."""
SELECT_BITS = 16
CHANGED = "changed"
"""An output that is 1 where the selected mutation changes a word in this cycle."""


@dataclass(frozen=True)
class Schemata:
    """Texts of a design that holds many mutations.

    Parameters
    ----------
    verilog : str
        Verilog without `CHANGED`.
    model : str
        RTLIL with `CHANGED`.
    """

    verilog: str
    model: str


def merged(netlist: Netlist, mutations: Sequence[Mutation]) -> tuple[Netlist, list[Bit]]:
    """A netlist that holds the mutations, and for each a net that is 1 where it changes a word."""
    found = netlist.copy()
    select = found.fresh(SELECT_BITS)
    found.add_port(SELECT, "input", select)
    changes = []
    for number, mutation in enumerate(mutations, 1):
        constant: list[Bit] = [str(number >> k & 1) for k in range(SELECT_BITS)]
        here = found.binary("$eq", select, constant, 1)[0]
        changes.append(insert(found, mutation, here))
    _define(found)
    return found, changes


def _define(netlist: Netlist) -> None:
    """Set undefined bits to 0: else a tool could choose them, and differently in core and mutant."""
    for cell in netlist.cells.values():
        for port, bits in cell["connections"].items():
            cell["connections"][port] = ["0" if bit == "x" else bit for bit in bits]


def schemata(netlist: Netlist, mutations: Sequence[Mutation]) -> Schemata:
    """The design that holds the mutations, at most 2^16 - 1."""
    whole, changes = merged(netlist, mutations)
    verilog, _ = whole.written()
    changed = whole.fresh(1)
    sizes = {"A_WIDTH": len(changes), "A_SIGNED": 0, "Y_WIDTH": 1}
    whole.add("$reduce_or", {"A": changes, "Y": changed}, sizes)
    whole.add_port(CHANGED, "output", changed)
    _, model = whole.written()
    return Schemata(verilog, model)
