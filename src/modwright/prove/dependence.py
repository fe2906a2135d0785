# SPDX-License-Identifier: Apache-2.0
"""Addresses and enables of a core that depend on its operands, found in the netlist that its Verilog gives.

Constant latency does not exclude them: a core may read one word or another by a bit of a secret, in the same cycle.
The search follows every bit of the input payload forwards through the flattened netlist (`dataflow`), through any
number of registers and memories, and lists

- read and write addresses of memories, and indexes of tables of constants that Yosys makes read-only memories of,
- read and write enables of memories, enables and clears of registers,
- multiplexers of two bits and more of which at least two inputs come straight from registers or memories.

A place that is not listed cannot depend on an operand. A listed one may: the search does not know which values occur
together.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field

from ..base.disk import scratch
from ..base.json import JsonMapping, JsonObject
from ..contract import Payload
from ..prepared import DEPENDENCE, Prepared
from ..rtl import cells
from ..rtl.verilog import run_yosys
from .cone import is_register
from .dataflow import MEMORY, Bit, Bits, Dataflow, memory_ports

METHOD = "Yosys: transitive fan-out of every operand bit in the flattened netlist"

READ_ADDRESS, WRITE_ADDRESS = "read address", "write address"
TABLE_INDEX = "table index"
READ_ENABLE, WRITE_ENABLE = "read enable", "write enable"
REGISTER_ENABLE, REGISTER_CLEAR = "register enable", "register clear"
SELECT = "select"
ADDRESSES = (READ_ADDRESS, WRITE_ADDRESS)
KINDS: tuple[str, ...] = (*ADDRESSES, TABLE_INDEX, READ_ENABLE, WRITE_ENABLE, REGISTER_ENABLE, REGISTER_CLEAR, SELECT)
EXCEPTIONS = ", but for "
"""Text in front of the exceptions of a statement."""
_ALL = "address or enable of a memory, index of a table, enable or clear of a register, or choice between stored words"

_SCRIPT = """
read_verilog {sources}
hierarchy -top {top}
proc
flatten
delete t:$scopeinfo
opt_clean
memory_collect
opt_expr -mux_undef
opt
opt_dff
opt_clean
write_json netlist.json
"""


@dataclass(frozen=True)
class Dependent:
    """One address or enable that operands may change.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    name : str
        The memory or register, or the output of the multiplexer, by its name in the Verilog.
    fields : tuple of str
        Fields of the input payload that reach it.
    """

    kind: str
    name: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Dependence:
    """The result of the search.

    Parameters
    ----------
    searched : mapping of str to int
        Number of places of each of `KINDS`.
    dependents : tuple of Dependent
        Places that operands may change, in order of kind and name.
    seconds : float
        Time of the search; part of no comparison and of no document.
    """

    searched: Mapping[str, int]
    dependents: tuple[Dependent, ...]
    seconds: float = field(default=0.0, compare=False)

    @property
    def statement(self) -> str:
        """Result of the search as a theorem: the kinds of places that depend on no operand bit, and the exceptions."""
        if not self.dependents:
            return f"no {_ALL} depends on an operand bit, in any cycle"
        return f"no {_ALL} depends on an operand bit, in any cycle{EXCEPTIONS}{'; '.join(self._groups())}"

    @property
    def brief(self) -> str:
        """The addresses by name and the others counted."""
        if not self.dependents:
            return "none"
        addresses = tuple(dependent for dependent in self.dependents if dependent.kind in ADDRESSES)
        groups = list(Dependence(self.searched, addresses)._groups()) or ["no memory address"]
        for kind in KINDS[len(ADDRESSES) :]:
            if number := sum(dependent.kind == kind for dependent in self.dependents):
                groups.append(f"{number} {kind}{_plural(kind) if number > 1 else ''}")
        return "; ".join(groups)

    def _groups(self) -> Iterator[str]:
        """Places of one kind and on the same operands together."""
        together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for dependent in self.dependents:
            together.setdefault((dependent.kind, dependent.fields), []).append(dependent.name)
        for (kind, fields), names in together.items():
            yield f"{kind} of {', '.join(names)} on {', '.join(fields)}"

    def to_json(self) -> JsonObject:
        """Plain values."""
        return {
            "method": METHOD,
            "searched": dict(self.searched),
            "found": [{**asdict(dependent), "fields": list(dependent.fields)} for dependent in self.dependents],
        }

    @classmethod
    def of_json(cls, document: JsonMapping) -> Dependence:
        """Inverse of `to_json`."""
        rows = (Dependent(row["kind"], row["name"], tuple(row["fields"])) for row in document["found"])
        return cls(document["searched"], tuple(rows), document.get("seconds", 0.0))


def _plural(kind: str) -> str:
    return "es" if kind.endswith("x") else "s"


def dependence(prepared: Prepared) -> Dependence:
    """Search a core; the result is stored."""

    def search_now() -> JsonObject:
        start = time.perf_counter()
        found = search(prepared)
        return found.to_json() | {"seconds": round(time.perf_counter() - start, 2)}

    found = prepared.store.json(DEPENDENCE, prepared.dependence_key, search_now)
    return Dependence.of_json(found)


def stored_dependence(prepared: Prepared) -> Dependence | None:
    """The result of an earlier search, None where the store has none."""
    found = prepared.store.peek(DEPENDENCE, prepared.dependence_key)
    return None if found is None else Dependence.of_json(found)


def search(prepared: Prepared) -> Dependence:
    """Search a core now."""
    return search_verilog(prepared.verilog(), prepared.top, prepared.parameters.i)


def search_verilog(verilog: str, top: str, operands: Payload) -> Dependence:
    """Search the Verilog of a core.

    Parameters
    ----------
    verilog : str
    top : str
        Top module, with an input port `i__payload`.
    operands : Payload
        Payload of that port.
    """
    module = _netlist(verilog, top)
    flow = Dataflow(module)
    payload = module["ports"]["i__payload"]["bits"]
    reached = {
        operand.name: flow.reached(payload[operands.offsets[operand.name] :][: operand.bits])
        for operand in operands.fields
    }
    searched: dict[str, int] = dict.fromkeys(KINDS, 0)
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for kind, name, bits in _places(module):
        searched[kind] += 1
        if fields := {operand for operand, into in reached.items() if not into.isdisjoint(bits)}:
            found[kind, name] |= fields
    order = list(reached)
    rows = (Dependent(kind, name, tuple(sorted(fields, key=order.index))) for (kind, name), fields in found.items())
    return Dependence(searched, tuple(sorted(rows, key=lambda row: (KINDS.index(row.kind), row.name))))


def _netlist(verilog: str, top: str) -> JsonObject:
    with scratch() as folder:
        (folder / "top.v").write_text(verilog, encoding="utf-8")
        models = (f'"{path}"' for path in cells.used_in(verilog))
        sources = " ".join(["top.v", *models])
        run_yosys(_SCRIPT.format(sources=sources, top=top), folder=folder)
        document = json.loads((folder / "netlist.json").read_text(encoding="utf-8"))
    return document["modules"][top]


def _places(module: JsonMapping) -> Iterator[tuple[str, str, Bits]]:
    """Kind, name and bits of every place that is examined; constants are left out."""
    names = _names(module)
    stored: set[Bit] = set()
    for cell in module["cells"].values():
        if cell["type"] == MEMORY:
            stored.update(cell["connections"]["RD_DATA"])
        elif is_register(cell["type"]):
            stored.update(cell["connections"]["Q"])
    for cell in module["cells"].values():
        for kind, name, bits in _places_of(cell, names, stored):
            if any(isinstance(bit, int) for bit in bits):
                yield kind, name, bits


def _places_of(cell: JsonMapping, names: Mapping[Bit, str], stored: set[Bit]) -> Iterator[tuple[str, str, Bits]]:
    ports, parameters, kind = cell["connections"], cell["parameters"], cell["type"]
    if kind == MEMORY:
        name, writable = parameters["MEMID"].removeprefix("\\"), int(parameters["WR_PORTS"], 2)
        for port in memory_ports(ports, parameters, "RD"):
            if writable:
                yield from ((READ_ADDRESS, name, port["ADDR"]), (READ_ENABLE, name, port["EN"]))
            else:
                yield TABLE_INDEX, ", ".join(_words(port["DATA"], names)) or name, port["ADDR"]
        for port in memory_ports(ports, parameters, "WR"):
            yield from ((WRITE_ADDRESS, name, port["ADDR"]), (WRITE_ENABLE, name, port["EN"]))
    elif is_register(kind):
        for port, what in (("EN", REGISTER_ENABLE), ("SRST", REGISTER_CLEAR), ("ARST", REGISTER_CLEAR)):
            for name in _words(ports["Q"], names) if port in ports else ():
                yield what, name, ports[port]
    elif kind in ("$mux", "$pmux") and len(ports["Y"]) > 1:
        width = len(ports["Y"])
        inputs = [ports["A"], *(ports["B"][n : n + width] for n in range(0, len(ports["B"]), width))]
        if len({tuple(bits) for bits in inputs if _is_stored(bits, stored)}) > 1:
            yield SELECT, ", ".join(_words(ports["Y"], names)), ports["S"]


def _is_stored(bits: Bits, stored: set[Bit]) -> bool:
    """Whether a word comes straight from registers or memories; constant bits may fill it up."""
    varying = [bit for bit in bits if isinstance(bit, int)]
    return bool(varying) and stored.issuperset(varying)


def _names(module: JsonMapping) -> dict[Bit, str]:
    """The name of each bit's word: the narrowest word and then its shortest source name, with its module in front."""
    named: dict[Bit, str] = {}
    nets = ((name.replace("\\", ""), net["bits"]) for name, net in module["netnames"].items())
    for name, bits in sorted(nets, key=lambda net: ("$" in net[0], len(net[1]), len(net[0]), net[0])):
        for bit in bits:
            named.setdefault(bit, name)
    return {bit: name if "$" not in name else _unnamed(name) for bit, name in named.items()}


def _unnamed(name: str) -> str:
    """Description of a word that only Amaranth or Yosys has named."""
    parts = [part for part in name.split(".")[:-1] if "$" not in part]
    return f"a word of {'.'.join(parts)}" if parts else "a word of the core"


def _words(bits: Iterable[Bit], names: Mapping[Bit, str]) -> list[str]:
    """Names of the words to which bits belong, in order."""
    return list(dict.fromkeys(names[bit] for bit in bits if bit in names))
