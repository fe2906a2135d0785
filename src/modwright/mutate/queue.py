# SPDX-License-Identifier: Apache-2.0
"""A core cut in front of the memory in which its results wait."""

from __future__ import annotations

from .netlist import Bit, Netlist

READY, VALID, PUSH, RESULT, ADDRESSES = "i__ready", "o__valid", "queue_push", "queue_result", "queue_addresses"
_PAYLOAD = "o__payload"


def queue_of(netlist: Netlist) -> str | None:
    """The memory whose one word `o.payload` is, bit for bit; None where there is no such memory."""
    wanted = netlist.ports[_PAYLOAD]["bits"]
    for name, cell in netlist.cells.items():
        if cell["type"] == "$mem_v2" and _written_in_words(netlist, name):
            read = cell["connections"]["RD_DATA"]
            if set(cell["parameters"]["RD_CLK_ENABLE"]) == {"0"} and wanted == read:
                return name
    return None


def _written_in_words(netlist: Netlist, name: str) -> bool:
    """Whether a memory has one port that writes whole words by a single enable."""
    cell = netlist.cells[name]
    return int(cell["parameters"]["WR_PORTS"], 2) == 1 and len(set(cell["connections"]["WR_EN"])) == 1


def cut(netlist: Netlist, name: str) -> Netlist:
    """A copy without that memory; `o.payload` becomes what it would take, and is told with the outputs named above."""
    other = netlist.copy()
    connections = other.cells.pop(name)["connections"]
    del other.ports[_PAYLOAD]
    push: list[Bit] = connections["WR_EN"][:1]
    other.add_port(PUSH, "output", push)
    other.add_port(RESULT, "output", connections["WR_DATA"])
    other.add_port(ADDRESSES, "output", connections["WR_ADDR"] + connections["RD_ADDR"])
    return other
