# SPDX-License-Identifier: Apache-2.0
"""Constant latency by structure: the bits that can reach the handshakes of a core.

The netlist of the monitor's bench is searched backwards from `i.ready` and `o.valid`. A bit that is not found cannot
change them in any cycle, whatever the schedule states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..base.json import JsonMapping
from .abc import Bench
from .proof import PROVED, Verdict
from .streams import HANDSHAKES

METHOD = "Yosys: transitive fan-in in the flattened netlist"

Bit = int | str
"""A bit of a netlist of Yosys: the number of a net, or a constant "0", "1", "x" or "z"."""


def prove_independent(bench: Bench) -> Verdict:
    """Prove that no payload bit reaches a handshake, through any number of registers."""
    return _unreached(bench.netlist, ("i_payload",), through_registers=True)


def prove_registered(bench: Bench) -> Verdict:
    """Prove that no input reaches a handshake within a cycle."""
    return _unreached(bench.netlist, ("i_payload", "i_valid", "o_ready"), through_registers=False)


def _unreached(module: JsonMapping, inputs: Iterable[str], *, through_registers: bool) -> Verdict:
    names = {
        bit: f"{name}[{index}]" if len(module["ports"][name]["bits"]) > 1 else name
        for name in inputs
        for index, bit in enumerate(module["ports"].get(name, {"bits": []})["bits"])
    }
    drivers = _drivers(module, through_registers=through_registers)
    for output in HANDSHAKES:
        came_from: dict[Bit, Bit | None] = dict.fromkeys(module["ports"][output]["bits"])
        queue = list(came_from)
        for bit in queue:
            if bit in names:
                return Verdict("refuted", _path(bit, came_from, names[bit], module, output))
            for source in drivers.get(bit, ()):
                if source not in came_from:
                    came_from[source] = bit
                    queue.append(source)
    return PROVED


def _drivers(module: JsonMapping, *, through_registers: bool) -> dict[Bit, list[Bit]]:
    """Bits that a bit depends on: the inputs of the cell that drives it. Constants are strings and left out."""
    drivers: dict[Bit, list[Bit]] = {}
    for cell in module["cells"].values():
        if not through_registers and is_register(cell["type"]):
            continue
        ends: dict[str, list[Bit]] = {"input": [], "output": []}
        for port, bits in cell["connections"].items():
            ends[cell["port_directions"][port]] += [bit for bit in bits if isinstance(bit, int)]
        for bit in ends["output"]:
            drivers[bit] = ends["input"]
    return drivers


def is_register(kind: str) -> bool:
    """Whether a cell type of Yosys is a flip-flop."""
    return "dff" in kind.lower()


def _path(bit: Bit, came_from: Mapping[Bit, Bit | None], name: str, module: JsonMapping, output: str) -> str:
    """Path from an input to a handshake, by the public names of its nets."""
    named = {b: net for net, value in module["netnames"].items() if not net.startswith("$") for b in value["bits"]}
    steps = [name]
    before = came_from[bit]
    while before is not None:
        step = named.get(before, "")
        if step and step != steps[-1]:
            steps.append(step)
        before = came_from[before]
    if steps[-1] != output:
        steps.append(output)
    return " -> ".join(steps)
