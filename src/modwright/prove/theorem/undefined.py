# SPDX-License-Identifier: Apache-2.0
"""Undefined bits of a netlist as inputs, so that a proof is for both their values.

Yosys would choose a value where it maps to gates, and the netlist could be right with that one only. So it would for a
register of control that one cycle of reset does not set: in the first cycle, its word is an input.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from .idle import control_registers
from .module import Bits, CellText, Module, Net
from .netlist import MEMORY, Netlist, UnsupportedError
from .stretches import RESET, payload_inputs
from .ternary import after_reset, ones

UNKNOWN = "undefined_bits"
"""Port of the core for them."""
UNDEFINED = ("x", "z")


def freed(netlist: Netlist) -> tuple[Module, int]:
    """A copy of the module in which undefined bits are the port `UNKNOWN`, and their number.

    Raises
    ------
    UnsupportedError
        When a constant table of control has words with undefined bits.
    """
    _check_tables(netlist)
    module: Module = json.loads(json.dumps(netlist.module))
    cells = module["cells"]
    for net in module["netnames"].values():
        net["attributes"].pop("init", None)
    every = [bits for cell in cells.values() for bits in cell["connections"].values()]
    following = 1 + max((bit for bits in every for bit in bits if isinstance(bit, int)), default=1)
    places = list(_undefined(module))
    registers = unset(netlist)
    sizes = [netlist.widths[source] for source in registers]
    free: Bits = list(range(following, following + len(places) + sum(sizes)))
    for bit, (bits, place) in zip(free, places, strict=False):
        bits[place] = bit
    at, following = len(places), following + len(free)
    started: Bits = [following]
    following += 1
    for source, size in zip(registers, sizes, strict=True):
        name = netlist.drivers[source].name
        register = cells[name]
        word, own = list(register["connections"]["Q"]), Bits(range(following, following + size))
        register["connections"]["Q"] = own
        cells[f"{name}_or_any"] = _choice(free[at : at + size], own, started, word)
        cells["start"] = _one_after(register, started)
        module["netnames"][f"{name}_at_first"] = _starting(own)
        module["netnames"]["started"] = _starting(started)
        at, following = at + size, following + size
    if free:
        module["ports"][UNKNOWN] = {"direction": "input", "bits": free}
        module["netnames"][UNKNOWN] = {"bits": free, "attributes": {}}
    return module, len(free)


def _check_tables(netlist: Netlist) -> None:
    tainted = netlist.tainted(payload_inputs(netlist))
    for source, cell in netlist.drivers.items():
        if cell.kind == MEMORY and not cell.written and source not in tainted:
            full = ones(cell.parameters["WIDTH"])
            if any(known != full for _, known in cell.contents):
                raise UnsupportedError(f"words of {netlist.names[source]} are not defined")


def unset(netlist: Netlist) -> list[int]:
    """Registers of control of which one cycle of reset does not set every bit."""
    start = after_reset(netlist, RESET)
    return [source for source in control_registers(netlist) if start[source][1] != ones(netlist.widths[source])]


def _undefined(module: Module) -> Iterator[tuple[Bits, int]]:
    """The undefined bits at inputs of cells: a connection and the place in it."""
    for cell in module["cells"].values():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                yield from ((bits, place) for place, bit in enumerate(bits) if bit in UNDEFINED)


def _choice(zero: Bits, one: Bits, select: Bits, out: Bits) -> CellText:
    directions = {"A": "input", "B": "input", "S": "input", "Y": "output"}
    ports = {"A": zero, "B": one, "S": select, "Y": out}
    return {"type": "$mux", "port_directions": directions, "parameters": _width(out), "connections": ports}


def _one_after(register: CellText, out: Bits) -> CellText:
    """A bit that is 1 from the second cycle on, on the clock of a register."""
    ports: dict[str, Bits] = {"CLK": register["connections"]["CLK"], "D": ["1"], "Q": out}
    parameters = register["parameters"] | _width(out)
    return {**register, "parameters": parameters, "connections": ports}


def _width(bits: Bits) -> dict[str, str]:
    return {"WIDTH": f"{len(bits):032b}"}


def _starting(bits: Bits) -> Net:
    """The name of a register that starts with 0."""
    return {"bits": bits, "attributes": {"init": "0" * len(bits)}}
