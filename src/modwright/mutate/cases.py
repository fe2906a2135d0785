# SPDX-License-Identifier: Apache-2.0
"""Operations on any payload, distinguished by the registers that choose the words that they read and write.

Ternary simulation of an unknown payload forgets which word of a memory holds what once an address depends on the
payload, such as on a bit of a scalar. So lanes are distinguished by what these registers hold: where a register takes
an unknown bit, each lane becomes two, and lanes that agree in all of these registers are joined. That is simulation
with a partition of the states (L. Mauborgne, X. Rival: Trace Partitioning in Abstract Interpretation Based Static
Analyzers, ESOP 2005).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from .lockstep import Lockstep
from .netlist import Bit, Netlist
from .ternary import KNOWN, UNKNOWN

Since = Mapping[str, int]
"""Bits of registers by name, with the first cycle of an operation in which they are distinguished."""


def choosing(netlist: Netlist) -> set[str]:
    """Bits of registers that choose, by all of their names: those before addresses and enables of memories that are
    written, also behind a register of the address."""
    waiting = [
        bit
        for cell in netlist.cells.values()
        if cell["type"] == "$mem_v2" and int(cell["parameters"]["WR_PORTS"], 2)
        for port in ("WR_EN", "WR_ADDR", "RD_ADDR")
        for bit in cell["connections"][port]
    ]
    driven = _drivers(netlist)
    direct = {driven[bit] for bit in waiting if bit in driven and _is_register(netlist, driven[bit])}
    waiting += [bit for name in direct for bit in _inputs(netlist, name)]
    seen, found = set[Bit](), set[Bit]()
    while waiting:
        bit = waiting.pop()
        if bit in seen or bit not in driven:
            continue
        seen.add(bit)
        name = driven[bit]
        if _is_register(netlist, name):
            found |= {bit} if name not in direct else set()
        elif netlist.cells[name]["type"] != "$mem_v2":
            waiting += _inputs(netlist, name)
    return netlist.names_of(found)


def _drivers(netlist: Netlist) -> dict[Bit, str]:
    return {
        bit: name
        for name, cell in netlist.cells.items()
        for port, bits in cell["connections"].items()
        if cell["port_directions"][port] == "output"
        for bit in bits
    }


def _is_register(netlist: Netlist, name: str) -> bool:
    return "Q" in netlist.cells[name]["connections"]


def _inputs(netlist: Netlist, name: str) -> Iterable[Bit]:
    cell = netlist.cells[name]
    ports = (port for port, direction in cell["port_directions"].items() if direction == "input")
    return [bit for port in ports for bit in cell["connections"][port]]


def written_since(pair: Lockstep, names: Collection[str]) -> Since:
    """The bits of registers that take an unknown bit in an operation of the core, with the first cycle of it.

    Before that they hold what an earlier operation left: distinguished, they would only make more lanes.
    """
    places = [k for k in pair.values if pair.latches[k].lstrip("\\") in names]
    found: dict[str, int] = {}
    for bit in KNOWN:
        left = [k for k in places if pair.after_reset[k] == UNKNOWN]
        assumed = [bit if k in left else value for k, value in enumerate(pair.after_reset)]
        state = pair.cycle(assumed, 1, i__valid=KNOWN[1]).after
        for place, cycle in pair.first_unknown(state, places).items():
            name = pair.latches[place]
            found[name] = min(cycle, found.get(name, cycle))
    return found
