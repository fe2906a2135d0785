# SPDX-License-Identifier: Apache-2.0
"""A flattened netlist of word cells, as Yosys reads it from Verilog: sources, and the runs of bits at each port.

Every cell drives one source. A port of a cell is a sequence of runs, least significant first: bits of one source, or
constants. Registers are plain flip-flops on one clock edge; enables and resets are multiplexers before them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...base.disk import scratch
from ...base.errors import LimitReachedError, ToolFailedError, UsageError
from ...rtl import cells as models
from ...rtl.verilog import Limits, run_yosys
from .module import CellText, Module, Net

SCRIPT = """
read_verilog top.v {models}
hierarchy -check -top {top}
proc
flatten
delete t:$scopeinfo
opt_expr -keepdc
opt_clean
memory_collect
dffunmap
opt_clean
write_json netlist.json
"""
"""The whole way from Verilog to the netlist that is proved; the checker has the same commands."""

LIMITS = Limits(seconds=600, memory=8 << 30, output=1 << 29)
"""Limits for reading foreign Verilog; a core of 2048 bits takes some seconds and some hundred megabytes."""

CONSTANT, UNKNOWN = -1, -2
"""Numbers in place of a source: the second entry of a run is then its value; bits x and z are unknown."""

REGISTER, MEMORY = "$dff", "$mem_v2"

Run = tuple[int, int, int]
"""Source, lowest bit (or the value of a constant), and number of bits."""
Runs = tuple[Run, ...]
Word = tuple[int, int]
"""Value of a word, 0 in the unknown bits, and a mask of the known ones."""


class UnsupportedError(Exception):
    """Something that the proof has no rule for; it carries the reason in words."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Parameters
    ----------
    kind : str
        Type in Yosys.
    name : str
    parameters : mapping of str to int
    ports : mapping of str to Runs
        Bits at each input, as runs.
    out : int
        Source that it drives.
    contents : tuple of Word
        Words of a memory.
    """

    kind: str
    name: str
    parameters: Mapping[str, int]
    ports: Mapping[str, Runs]
    out: int
    contents: tuple[Word, ...] = ()

    @property
    def written(self) -> bool:
        """Whether the cell is a memory that is written."""
        return self.kind == MEMORY and self.parameters["WR_PORTS"] > 0


@dataclass(frozen=True)
class Netlist:
    """A flattened module.

    Parameters
    ----------
    names : tuple of str
        The name of each source.
    widths : tuple of int
        Bits of each source.
    drivers : mapping of int to Cell
        Cell of each source but the inputs.
    logic : tuple of Cell
        Combinational cells, reads of memories among them, each after those that it depends on.
    registers : tuple of Cell
    memories : tuple of Cell
        Memories that are written.
    initial : mapping of int to Word
        Initial value of each register.
    inputs : mapping of str to int
        Source of each input port.
    outputs : mapping of str to Runs
    module : Module
        The module in Yosys' JSON.
    bits : tuple of tuple
        Yosys' numbers of the bits of each source.
    """

    names: tuple[str, ...]
    widths: tuple[int, ...]
    drivers: Mapping[int, Cell]
    logic: tuple[Cell, ...]
    registers: tuple[Cell, ...]
    memories: tuple[Cell, ...]
    initial: Mapping[int, Word]
    inputs: Mapping[str, int]
    outputs: Mapping[str, Runs]
    module: Module
    bits: tuple[tuple[object, ...], ...]

    def tainted(self, ports: Iterable[str]) -> set[int]:
        """Sources that some input ports reach, through registers and memories too."""
        users: dict[int, list[int]] = {}
        for out, cell in self.drivers.items():
            for runs in cell.ports.values():
                for source, _, _ in runs:
                    users.setdefault(source, []).append(out)
        found = {self.inputs[port] for port in ports}
        queue = list(found)
        while queue:
            for out in users.get(queue.pop(), ()):
                if out not in found:
                    found.add(out)
                    queue.append(out)
        return found


def part(runs: Runs, low: int, bits: int) -> Runs:
    """Some bits of a port."""
    found: list[Run] = []
    at = 0
    for source, start, count in runs:
        first, last = max(at, low), min(at + count, low + bits)
        if first < last and source == CONSTANT:
            found.append((source, start >> (first - at) & ((1 << (last - first)) - 1), last - first))
        elif first < last:
            found.append((source, start + first - at, last - first))
        at += count
    return tuple(found)


def read(verilog: str, top: str) -> Netlist:
    """Read a module of Verilog text.

    Raises
    ------
    UsageError
        When Yosys refuses it, or does not finish within `LIMITS`.
    UnsupportedError
        For a cell that is not a word cell on one clock.
    """
    return netlist_of(read_module(verilog, top))


def read_module(verilog: str, top: str, cut: Sequence[str] = ()) -> Module:
    """A flattened module of Verilog text in Yosys' JSON, with the modules of `cut` in it as cells.

    Raises
    ------
    UsageError
        When Yosys refuses it, or does not finish within `LIMITS`.
    """
    cells = models.used_in(verilog)
    boxes = "".join(f"blackbox \\{name}\n" for name in dict.fromkeys(cut))
    with scratch() as folder:
        for path in cells:
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / "top.v").write_text(verilog, encoding="utf-8")
        script = SCRIPT.format(models=" ".join(path.name for path in cells), top=f"\\{top}")
        try:
            run_yosys(script.replace("flatten\n", f"{boxes}flatten\n", 1), folder=folder, limits=LIMITS)
        except (ToolFailedError, LimitReachedError) as error:
            raise UsageError(f"Yosys does not read the Verilog: {_first_error(str(error))}") from None
        document = json.loads((folder / "netlist.json").read_text(encoding="utf-8"))
    if top not in document["modules"]:
        raise UsageError(f"the Verilog has no module {top}")
    return document["modules"][top]


def netlist_of(module: Module) -> Netlist:
    """The netlist of a flattened module in Yosys' JSON.

    Raises
    ------
    UnsupportedError
        For a cell that is not a word cell on one clock.
    """
    return _Reader(module).netlist()


def _first_error(log: str) -> str:
    """The line of a log with the error."""
    lines = log.splitlines()
    found = next((line.strip() for line in lines if "ERROR" in line), lines[0] if lines else "no reason given")
    return re.sub(r"^top\.v:(\d+): ", r"line \1: ", found)  # a file of ours, which the user does not know


OUTPUTS = {REGISTER: "Q", MEMORY: "RD_DATA"}
"""Port that a cell drives; Y for all others."""


class _Reader:
    """Reader of a module in Yosys' JSON."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.names: list[str] = []
        self.widths: list[int] = []
        self.bits: list[tuple[object, ...]] = []
        self.place: dict[object, tuple[int, int]] = {}
        self.called = {tuple(net["bits"]): name for name, net in _by_dullness(module["netnames"])}

    def netlist(self) -> Netlist:
        ports = self.module["ports"]
        inputs = {name: self._source(name, p["bits"]) for name, p in ports.items() if p["direction"] == "input"}
        given = {name: cell for name, cell in self.module["cells"].items() if cell["type"] not in ("$check", "$print")}
        outs = {name: self._output(name, cell) for name, cell in given.items()}
        cells = [self._cell(name, cell, outs[name]) for name, cell in given.items()]
        drivers = {cell.out: cell for cell in cells}
        clocks = {cell.ports["CLK"] for cell in cells if cell.kind == REGISTER}
        if len(clocks) > 1:
            raise UnsupportedError("registers are on more than one clock")
        return Netlist(
            tuple(self.names),
            tuple(self.widths),
            drivers,
            _ordered([cell for cell in cells if cell.kind != REGISTER], drivers),
            tuple(cell for cell in cells if cell.kind == REGISTER),
            tuple(cell for cell in cells if cell.written),
            self._initial([cell.out for cell in cells if cell.kind == REGISTER]),
            inputs,
            {name: self._runs(p["bits"]) for name, p in ports.items() if p["direction"] == "output"},
            self.module,
            tuple(self.bits),
        )

    def _source(self, name: str, bits: Sequence[object]) -> int:
        number = len(self.names)
        self.names.append(name)
        self.widths.append(len(bits))
        self.bits.append(tuple(bits))
        for index, bit in enumerate(bits):
            if bit in self.place:
                raise UnsupportedError(f"a bit of {name} has two drivers")
            self.place[bit] = number, index
        return number

    def _output(self, name: str, cell: CellText) -> int:
        bits = cell["connections"].get(OUTPUTS.get(cell["type"], "Y"))
        if bits is None or not cell["type"].startswith("$"):
            raise UnsupportedError(f"a cell of type {cell['type']}, {name}, has no rule")
        return self._source(self.called.get(tuple(bits), name), bits)

    def _runs(self, bits: Sequence[object]) -> Runs:
        """Neighbouring bits of one source are one run, and so are constants."""
        found: list[Run] = []
        for bit in bits:
            if isinstance(bit, str):
                one = (CONSTANT, int(bit), 1) if bit in "01" else (UNKNOWN, 0, 1)
            elif bit in self.place:
                one = (*self.place[bit], 1)
            else:
                one = (UNKNOWN, 0, 1)
            source, low, count = found[-1] if found else one
            if not found or source != one[0]:
                found.append(one)
            elif source == CONSTANT:
                found[-1] = (source, low | one[1] << count, count + 1)
            elif source == UNKNOWN or low + count == one[1]:
                found[-1] = (source, low, count + 1)
            else:
                found.append(one)
        return tuple(found)

    def _cell(self, name: str, cell: CellText, out: int) -> Cell:
        kind = cell["type"]
        own = OUTPUTS.get(kind, "Y")
        ports = {port: self._runs(bits) for port, bits in cell["connections"].items() if port != own}
        texts = {k: v for k, v in cell["parameters"].items() if isinstance(v, str)}
        numbers = {k: int(v, 2) for k, v in texts.items() if v and set(v) <= {"0", "1"}}
        if kind == REGISTER and not numbers["CLK_POLARITY"]:
            raise UnsupportedError(f"{name} works on the falling edge")
        contents = _contents(numbers, texts["INIT"]) if kind == MEMORY else ()
        return Cell(kind, name, numbers, ports, out, contents)

    def _initial(self, registers: Iterable[int]) -> dict[int, Word]:
        found: dict[int, Word] = dict.fromkeys(registers, (0, 0))
        for net in self.module["netnames"].values():
            for bit, value in zip(net["bits"], reversed(net["attributes"].get("init", "")), strict=False):
                source, index = self.place.get(bit, (UNKNOWN, 0))
                if source in found and value in "01":
                    held, known = found[source]
                    found[source] = held | int(value) << index, known | 1 << index
        return found


def _by_dullness(nets: Mapping[str, Net]) -> list[tuple[str, Net]]:
    """Nets in an order whose last of several equal ones has the best name."""
    return sorted(nets.items(), key=lambda net: ("$" in net[0], len(net[0]), net[0]), reverse=True)


def _contents(parameters: Mapping[str, int], text: str) -> tuple[Word, ...]:
    width, size = parameters["WIDTH"], parameters["SIZE"]
    if parameters.get("OFFSET") or parameters["RD_CLK_ENABLE"]:
        raise UnsupportedError("a memory has an offset, or a register of its own at its reading port")
    text = text.rjust(width * size, "x")
    words = [text[len(text) - width * (n + 1) : len(text) - width * n] for n in range(size)]
    return tuple((int(w.translate(_ZERO), 2), int(w.translate(_KNOWN), 2)) for w in words)


_ZERO, _KNOWN = str.maketrans("xz", "00"), str.maketrans("01xz", "1100")


def _ordered(cells: Sequence[Cell], drivers: Mapping[int, Cell]) -> tuple[Cell, ...]:
    """Combinational cells, each after its inputs; of a memory only the addresses of its reading ports count."""
    done: dict[int, bool] = {}
    order: list[Cell] = []
    for start in cells:
        stack = [(start, iter(_needs(start, drivers)))]
        while stack:
            cell, needed = stack[-1]
            state = done.setdefault(cell.out, False)
            following = None if state else next((cell for cell in needed if not done.get(cell.out, False)), None)
            if following is None:
                stack.pop()
                if not state:
                    done[cell.out] = True
                    order.append(cell)
            elif following.out in done:
                raise UnsupportedError(f"a combinational loop through {following.name}")
            else:
                stack.append((following, iter(_needs(following, drivers))))
    return tuple(order)


def _needs(cell: Cell, drivers: Mapping[int, Cell]) -> list[Cell]:
    ports = ("RD_ADDR",) if cell.kind == MEMORY else tuple(cell.ports)
    sources = (source for port in ports for source, _, _ in cell.ports[port])
    return [drivers[s] for s in sources if s in drivers and drivers[s].kind != REGISTER]
