# SPDX-License-Identifier: Apache-2.0
"""The netlist of a core in words, as Yosys writes it in JSON, with the operations that change it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from amaranth.back import rtlil
from amaranth.lib import wiring

from ..base.disk import scratch
from ..base.json import JsonMapping, JsonObject
from ..rtl import cells as models
from ..rtl.verilog import run_yosys

Bit = int | str
"""A net by its number, or the constant "0", "1" or "x"."""

_READ = """
read_rtlil core.il
{models}
hierarchy -top {top}
proc -norom
memory_collect
flatten
delete t:$scopeinfo
opt_clean
opt_dff
opt_expr -mux_undef
wreduce
opt_expr
opt_merge
opt_clean
write_json core.json
"""
"""Processes become multiplexers and registers, with their enables and resets. Bits of words that nothing reads, or that
are always 0, are removed: a change of those would change nothing. Nothing is mapped to gates."""

_WRITE = """
read_json core.json
design -save read
pmuxtree
write_rtlil core.il
design -load read
opt_clean
write_verilog -norename -noattr core.v
"""
"""Priority among selects: where a mutation sets several of a parallel multiplexer, the Verilog takes the lowest one,
and so do the trees of `pmuxtree`. Gates would take the OR of what they select."""

_PARAMETER_BITS = 32


class Netlist:
    """One flattened module, in words.

    Attributes
    ----------
    top : str
        Name of the module.
    ports : dict
        Ports by name, each with `direction` and `bits`.
    cells : dict
        Cells of Yosys' JSON by name.
    initial : dict
        The initial value, "0" or "1", of nets that have one.
    """

    def __init__(self, top: str, module: JsonMapping) -> None:
        self.top = top
        self.ports: dict[str, JsonObject] = module["ports"]
        self.cells: dict[str, JsonObject] = module["cells"]
        self._names: dict[str, JsonObject] = module["netnames"]
        self.initial = _initial_values(self._names)
        nets = [b for n in self._names.values() for b in n["bits"] if isinstance(b, int)]
        self._next = max(nets, default=0) + 1
        self._added = 0

    @classmethod
    def of(cls, component: wiring.Component, top: str) -> Netlist:
        """The netlist of a component; the same component gives the same one."""
        text = rtlil.convert(component, name=top)
        cells = models.used_in(text)
        with scratch() as folder:
            (folder / "core.il").write_text(text, encoding="utf-8")
            for path in cells:
                (folder / path.name).write_bytes(path.read_bytes())
            reading = "\n".join(f"read_verilog {path.name}" for path in cells)
            run_yosys(_READ.format(top=top, models=reading), folder=folder)
            document = json.loads((folder / "core.json").read_text(encoding="utf-8"))
        return cls(top, document["modules"][top])

    def copy(self) -> Netlist:
        """A copy that can be changed without changing this one."""
        module = copy.deepcopy({"ports": self.ports, "cells": self.cells, "netnames": self._names})
        other = Netlist(self.top, module)
        other.initial, other._next, other._added = dict(self.initial), self._next, self._added
        return other

    @cached_property
    def used(self) -> frozenset[Bit]:
        """Nets that an input of a cell or an output port reads; of the netlist as it was read."""
        found = {b for p in self.ports.values() if p["direction"] == "output" for b in p["bits"]}
        for cell in self.cells.values():
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] != "output":
                    found.update(bits)
        return frozenset(found)

    def fan_in(self, names: Sequence[str]) -> frozenset[str]:
        """Cells that can reach these outputs, through registers and memories too."""
        drivers = {
            bit: name
            for name, cell in self.cells.items()
            for port, bits in cell["connections"].items()
            if cell["port_directions"][port] == "output"
            for bit in bits
        }
        waiting = [bit for name in names for bit in self.ports[name]["bits"]]
        found: set[str] = set()
        while waiting:
            name = drivers.get(waiting.pop())
            if name is not None and name not in found:
                found.add(name)
                cell = self.cells[name]
                for port, bits in cell["connections"].items():
                    if cell["port_directions"][port] != "output":
                        waiting += bits
        return frozenset(found)

    @cached_property
    def _public(self) -> dict[Bit, str]:
        """The shortest public name of each net that has one."""
        found: dict[Bit, str] = {}
        for name, net in sorted(self._names.items(), key=lambda item: (len(item[0]), item[0])):
            if not net["hide_name"]:
                for bit in net["bits"]:
                    found.setdefault(bit, name.removeprefix("\\"))
        return found

    def place(self, name: str) -> str:
        """The hierarchical name of a cell: that of the first net it drives that has one, else of its module."""
        cell = self.cells[name]
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output":
                for bit in bits:
                    if bit in self._public:
                        return self._public[bit]
        match = re.match(r"\$flatten((?:\\[^.]+\.)+)", name)
        return match[1].replace("\\", "").rstrip(".") if match else name if not cell["hide_name"] else self.top

    def names_of(self, bits: Collection[Bit]) -> set[str]:
        """Every name of some nets, as `name[bit]`."""
        return {f"{name}[{k}]" for name, net in self._names.items() for k, bit in enumerate(net["bits"]) if bit in bits}

    def source(self, name: str) -> str:
        """File, below the package that it belongs to, and line that made a cell; "" when not known."""
        places = self.cells[name]["attributes"].get("src", "").split("|")
        match = re.search(r".*(?:site-packages|modwright)/(.+?):(\d+)", places[0].replace("\\", "/"))
        return f"{match[1]}:{match[2]}" if match else ""

    def fresh(self, width: int) -> list[Bit]:
        """New nets."""
        first, self._next = self._next, self._next + width
        return list(range(first, first + width))

    def add_port(self, name: str, direction: str, bits: list[Bit]) -> None:
        """Add a port to the module."""
        self.ports[name] = {"direction": direction, "bits": bits}
        self._names[name] = {"hide_name": 0, "bits": bits, "attributes": {}}

    def add(
        self,
        kind: str,
        connections: Mapping[str, Sequence[Bit]],
        parameters: Mapping[str, int | str],
        like: Mapping[str, str] | None = None,
    ) -> None:
        """Add a cell; `like` gives the direction of its ports where Y is not the only output."""
        self._added += 1
        directions = like or {port: "output" if port == "Y" else "input" for port in connections}
        self.cells[f"$mutate${self._added}"] = {
            "hide_name": 1,
            "type": kind,
            "parameters": {name: _parameter(value) for name, value in parameters.items()},
            "attributes": {},
            "port_directions": dict(directions),
            "connections": {port: list(bits) for port, bits in connections.items()},
        }

    def binary(self, kind: str, a: Sequence[Bit], b: Sequence[Bit], width: int, *, signed: bool = False) -> list[Bit]:
        """The result of a new cell of two unsigned or two signed operands."""
        y = self.fresh(width)
        sizes = {"A_WIDTH": len(a), "B_WIDTH": len(b), "Y_WIDTH": width}
        self.add(kind, {"A": a, "B": b, "Y": y}, sizes | {"A_SIGNED": int(signed), "B_SIGNED": int(signed)})
        return y

    def inverted(self, bit: Bit) -> Bit:
        """The complement of a bit."""
        if isinstance(bit, str):
            return {"0": "1", "1": "0"}.get(bit, bit)
        y = self.fresh(1)
        self.add("$not", {"A": [bit], "Y": y}, {"A_WIDTH": 1, "A_SIGNED": 0, "Y_WIDTH": 1})
        return y[0]

    def join(self, a: Sequence[Bit], y: Sequence[Bit]) -> None:
        """Drive `y` by `a`."""
        if y:
            self.add("$pos", {"A": a, "Y": y}, {"A_WIDTH": len(a), "A_SIGNED": 0, "Y_WIDTH": len(y)})

    def choose(self, select: Bit, chosen: Sequence[Bit], other: Sequence[Bit], y: Sequence[Bit]) -> None:
        """Drive `y` by `chosen` where `select` is 1, else by `other`."""
        self.add("$mux", {"A": other, "B": chosen, "S": [select], "Y": y}, {"WIDTH": len(y)})

    def written(self, *, verilog: bool = True) -> tuple[str, str]:
        """Verilog and RTLIL of the module; only the RTLIL keeps cells that nothing reads."""
        names = {name: {**net, "attributes": {}} for name, net in self._names.items()} | self._initial_names()
        module = {"attributes": {"top": 1}, "ports": self.ports, "cells": self.cells, "netnames": names}
        with scratch() as folder:
            document = {"creator": "modwright", "modules": {self.top: module}}
            (folder / "core.json").write_text(json.dumps(document), encoding="utf-8")
            run_yosys(_WRITE, folder=folder)
            lines = (folder / "core.v").read_text(encoding="utf-8").splitlines()
            model = (folder / "core.il").read_text(encoding="utf-8")
        return "\n".join(line for line in lines if not line.startswith("/* Generated by")) + "\n", model

    def _initial_names(self) -> JsonObject:
        """A name for each register's output, to hold its initial value."""
        found = {}
        for name, cell in self.cells.items():
            bits = cell["connections"].get("Q", ())
            value = "".join(self.initial.get(bit, "x") for bit in reversed(bits))
            if set(value) - {"x"}:
                found[f"$initial{name}"] = {"hide_name": 1, "bits": bits, "attributes": {"init": value}}
        return found


def _initial_values(names: Mapping[str, JsonMapping]) -> dict[Bit, str]:
    found: dict[Bit, str] = {}
    for net in names.values():
        text = net["attributes"].get("init", "")
        for bit, value in zip(net["bits"], reversed(text), strict=False):
            if value in "01":
                found[bit] = value
    return found


def _parameter(value: int | str) -> str:
    return value if isinstance(value, str) else format(value, f"0{_PARAMETER_BITS}b")
