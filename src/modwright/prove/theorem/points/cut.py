# SPDX-License-Identifier: Apache-2.0
"""A point multiplier without its operation unit, program, position and scalar, all from one Verilog text.

The ports of these instances become ports of the rest: what they give is an input, what they get an output. The
multipliers and the adder with the inversion are one unit, with the wires between them. Program and position are
netlists of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..module import Module
from ..netlist import Netlist, UnsupportedError, netlist_of, read_module

ADDER, PROGRAM, POSITION, SCALAR = "arithmetic", "sequencer", "position", "scalar"
"""Names of the instances."""
WORD = "word"
"""The program's control word."""
MULTIPLIER = "multiplier_"
"""Start of the name of a multiplier's instance, which a number follows."""


@dataclass(frozen=True)
class Parts:
    """Netlists of a point multiplier.

    Parameters
    ----------
    rest : Netlist
        All but the instances; their ports have names as `port` makes them.
    program : Netlist
    position : Netlist
    macs : int
        Multipliers.
    fields : mapping of str to (int, int)
        Lowest bit and number of bits of each field of the control word.
    """

    rest: Netlist
    program: Netlist
    position: Netlist
    macs: int
    fields: Mapping[str, tuple[int, int]]


def port(instance: str, name: str) -> str:
    """Name of a port of an instance at the rest."""
    return f"{instance}.{name}"


def parts_of(verilog: str, top: str) -> Parts:
    """The netlists of a Verilog text.

    Raises
    ------
    UnsupportedError
        Where the text has not one of each instance.
    """
    modules, macs = modules_of(verilog)
    rest = without(read_module(verilog, top, tuple(modules.values())), modules)
    program, position = (read_module(verilog, modules[name]) for name in (PROGRAM, POSITION))
    return Parts(netlist_of(rest), netlist_of(program), netlist_of(position), macs, fields_of(program))


def fields_of(program: Module) -> dict[str, tuple[int, int]]:
    """Places of the fields in the control word, by the names of their wires.

    Raises
    ------
    UnsupportedError
        Where a field is not in one piece.
    """
    places = {bit: place for place, bit in enumerate(program["ports"][WORD]["bits"])}
    found: dict[str, tuple[int, int]] = {}
    for name, net in program["netnames"].items():
        head, _, field = name.partition(".")
        if head == WORD and field:
            at = [places.get(bit, -1) for bit in net["bits"]]
            if at != list(range(at[0], at[0] + len(at))) or at[0] < 0:
                raise UnsupportedError(f"{field} is not in one piece of the control word")
            found[field] = at[0], len(at)
    return found


def modules_of(verilog: str) -> tuple[dict[str, str], int]:
    """The module of each instance, and the number of multipliers."""
    instances: dict[str, list[str]] = {}
    names = rf"{ADDER}|{PROGRAM}|{POSITION}|{SCALAR}|{MULTIPLIER}\d+"
    for module, instance in re.findall(rf"^\s*\\?(\S+)\s+({names}) \($", verilog, flags=re.MULTILINE):
        instances.setdefault(instance, []).append(module)
    macs = sum(instance.startswith(MULTIPLIER) for instance in instances)
    due = (ADDER, PROGRAM, POSITION, SCALAR, *(f"{MULTIPLIER}{k}" for k in range(max(macs, 1))))
    if any(len(instances.get(instance, ())) != 1 for instance in due):
        raise UnsupportedError(f"the point multiplier has not one instance each of {', '.join(due)}")
    return {instance: instances[instance][0] for instance in due}, macs


def role_of(name: str) -> str:
    """A port's name without the number that makes it unique."""
    return re.sub(r"^(?!port)(\w+)\$\d+$", r"\1", name)


def without(module: Module, modules: Mapping[str, str]) -> Module:
    """A module with ports in place of the cells of some instances."""
    for instance, kind in modules.items():
        cells = [name for name, cell in module["cells"].items() if cell["type"] == kind]
        cells = [name for name in cells if name.split(".")[-1] == instance] if len(cells) > 1 else cells
        if len(cells) != 1:
            raise UnsupportedError(f"the point multiplier has not one {instance}")
        cell = module["cells"].pop(cells[0])
        for full, bits in cell["connections"].items():
            given = cell["port_directions"][full] == "output"
            name = role_of(full)
            if port(instance, name) in module["ports"]:
                raise UnsupportedError(f"{instance} has two ports of the name {name}")
            module["ports"][port(instance, name)] = {"direction": "input" if given else "output", "bits": bits}
    return module
