# SPDX-License-Identifier: Apache-2.0
"""One design that holds many mutations, each in force for one value of an input, so that it is compiled once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .mutations import Mutation, insert
from .netlist import Bit, Netlist

SELECT = "mutant"
"""The input that selects: 0 for the core as it is, k for the k-th mutation."""
SELECT_BITS = 16
CHANGED = "changed"
"""An output that is 1 where the selected mutation changes a word in this cycle."""


@dataclass(frozen=True)
class Schemata:
    """The texts of such a design.

    Parameters
    ----------
    verilog : str
        Without `CHANGED`.
    model : str
        RTLIL, with it.
    """

    verilog: str
    model: str


def schemata(netlist: Netlist, mutations: Sequence[Mutation]) -> Schemata:
    """The design that holds these mutations, at most 2^16 - 1 of them."""
    merged = netlist.copy()
    select = merged.fresh(SELECT_BITS)
    merged.add_port(SELECT, "input", select)
    changes = []
    for number, mutation in enumerate(mutations, 1):
        constant: list[Bit] = [str(number >> k & 1) for k in range(SELECT_BITS)]
        here = merged.binary("$eq", select, constant, 1)[0]
        changes.append(insert(merged, mutation, here))
    verilog, _ = merged.written()
    changed = merged.fresh(1)
    sizes = {"A_WIDTH": len(changes), "A_SIGNED": 0, "Y_WIDTH": 1}
    merged.add("$reduce_or", {"A": changes, "Y": changed}, sizes)
    merged.add_port(CHANGED, "output", changed)
    _, model = merged.written()
    return Schemata(verilog, model)
