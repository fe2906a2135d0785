# SPDX-License-Identifier: Apache-2.0
"""A core cut in front of the memories in which its results wait."""

from __future__ import annotations

from collections.abc import Sequence

from .netlist import Bit, Netlist

READY, VALID, PUSH, RESULT, READ = "i__ready", "o__valid", "queue_push", "queue_result", "queue_read"
WRITE_ADDRESS, READ_ADDRESS = "queue_write_address", "queue_read_address"
_PAYLOAD = "o__payload"


def queue_of(netlist: Netlist) -> list[str]:
    """The memories that `o.payload` is read from, bit for bit; none where a bit of it comes from elsewhere."""
    sources = {
        bit: name
        for name, cell in netlist.cells.items()
        if cell["type"] == "$mem_v2" and _written_in_words(netlist, name)
        for bit in cell["connections"]["RD_DATA"]
    }
    found = [sources.get(bit) if isinstance(bit, int) else "" for bit in netlist.ports[_PAYLOAD]["bits"]]
    return [] if None in found else sorted({name for name in found if name})


def _written_in_words(netlist: Netlist, name: str) -> bool:
    """Whether a memory has one port that writes whole words by a single enable, and reads asynchronously."""
    parameters, connections = netlist.cells[name]["parameters"], netlist.cells[name]["connections"]
    alone = int(parameters["WR_PORTS"], 2) == 1 and len(set(connections["WR_EN"])) == 1
    return alone and set(parameters["RD_CLK_ENABLE"]) == {"0"}


def cut(netlist: Netlist, names: Sequence[str]) -> Netlist:
    """A copy without these memories: the inputs of memory k become outputs of the names above with k, instead of
    `o.payload`, and its outputs become free inputs."""
    other = netlist.copy()
    del other.ports[_PAYLOAD]
    for k, name in enumerate(names):
        connections = other.cells.pop(name)["connections"]
        push: list[Bit] = connections["WR_EN"][:1]
        other.add_port(f"{PUSH}_{k}", "output", push)
        other.add_port(f"{RESULT}_{k}", "output", connections["WR_DATA"])
        other.add_port(f"{WRITE_ADDRESS}_{k}", "output", connections["WR_ADDR"])
        other.add_port(f"{READ_ADDRESS}_{k}", "output", connections["RD_ADDR"])
        other.add_port(f"{READ}_{k}", "input", connections["RD_DATA"])
    return other
