# SPDX-License-Identifier: Apache-2.0
"""Words of every cycle, forward: only cells whose operands change are evaluated, so waiting costs little."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from heapq import heappop, heappush

from ..netlist import CONSTANT, MEMORY, UNKNOWN, Cell, Netlist, Run, Runs, part
from ..pieces import Value, constant, number_of, width_of
from ..ternary import evaluate, ones
from ..unroll import Unrolled
from ..words import Words


class Forward(Unrolled):
    """A netlist whose sources have words now.

    Parameters
    ----------
    netlist : Netlist
    start : mapping of int to Value
        Words of registers; those of others are unknown.
    words : Words

    Attributes
    ----------
    now : list of Value
        The word of every source.
    """

    def __init__(self, netlist: Netlist, start: Mapping[int, Value], words: Words) -> None:
        super().__init__(netlist, [], [], words=words)
        self.tainted = set(range(len(netlist.widths)))  # any source may have a word instead of a number
        names, widths = netlist.names, netlist.widths
        self.now = [self.words.unknown(name, bits) for name, bits in zip(names, widths, strict=True)]
        self.now = [start.get(source, value) for source, value in enumerate(self.now)]
        self._logic_of: dict[int, list[int]] = {}
        self._registers_of: dict[int, list[Cell]] = {}
        for place, cell in enumerate(netlist.logic):
            for source in sources_of(cell):
                self._logic_of.setdefault(source, []).append(place)
        for cell in netlist.registers:
            for source, _, _ in cell.ports["D"]:
                self._registers_of.setdefault(source, []).append(cell)
        self._readers = {c.out: n for n, c in enumerate(netlist.logic) if c.kind == MEMORY}
        self._contents = {c.out: self._blank(c) for c in netlist.memories}
        self._due = list(range(len(netlist.logic)))
        self._waiting = set(self._due)
        self._moved: set[int] = set(range(len(netlist.widths)))

    @property
    def state(self) -> tuple[list[Value], dict[int, list[Value]]]:
        """Words of registers and of memories."""
        return [self.now[cell.out] for cell in self.netlist.registers], self._contents

    def copy(self) -> Forward:
        """The same state once more."""
        found = copy(self)
        found.now, found._due = list(self.now), list(self._due)
        found._waiting, found._moved = set(self._waiting), set(self._moved)
        found._contents = {out: list(contents) for out, contents in self._contents.items()}
        return found

    def joined(self, other: Forward) -> Forward:
        """This state with the registers and memories unknown that are different in another one."""
        found = self.copy()
        for cell in self.netlist.registers:
            if self.now[cell.out] != other.now[cell.out]:
                name, bits = self.netlist.names[cell.out], self.netlist.widths[cell.out]
                found._set(cell.out, self.words.unknown(f"{name} while the power waits", bits))
        for out, contents in self._contents.items():
            for place, word in enumerate(contents):
                if other._contents[out][place] != word:
                    found._contents[out][place] = self.words.unknown("a word while the power waits", width_of(word))
            found._touch([self._readers[out]])
        return found

    def _blank(self, cell: Cell) -> list[Value]:
        bits, name = cell.parameters["WIDTH"], f"a word of {self.netlist.names[cell.out]} from before the operation"
        return [self.words.unknown(name, bits)] * cell.parameters["SIZE"]

    # --- a cycle

    def give(self, inputs: Mapping[str, Value]) -> None:
        """Words at input ports, from this cycle on."""
        for name, value in inputs.items():
            self._set(self.netlist.inputs[name], value)

    def settle(self) -> None:
        """All words of this cycle."""
        while self._due:
            place = heappop(self._due)
            self._waiting.discard(place)
            cell = self.netlist.logic[place]
            self._set(cell.out, self._evaluated(cell))

    def clock(self) -> bool:
        """Registers and memories take their next words; whether some of them are others then."""
        registers = {cell.out: cell for source in self._moved for cell in self._registers_of.get(source, ())}
        values = [(out, self._port(cell.ports["D"], 0)) for out, cell in registers.items()]
        for cell in self.netlist.memories:
            self._write(cell)
        self._moved = set()
        for out, value in values:
            self._set(out, value)
        return bool(self._moved or self._due)

    def _set(self, source: int, value: Value) -> None:
        if self.now[source] == value:
            return
        self.now[source] = value
        self._moved.add(source)
        self._touch(self._logic_of.get(source, ()))

    def _touch(self, places: Iterable[int]) -> None:
        for place in places:
            if place not in self._waiting:
                self._waiting.add(place)
                heappush(self._due, place)

    def _evaluated(self, cell: Cell) -> Value:
        if cell.kind == MEMORY:
            return self._read(cell)
        words: dict[str, tuple[int, int]] = {}
        for name, runs in cell.ports.items():
            found = number_of(self._port(runs, 0))
            if found is None:
                return self._logic(cell, 0)
            words[name] = found, ones(width_of_runs(runs))
        value, known = evaluate(cell, words)
        bits = self.netlist.widths[cell.out]
        return constant(value, bits) if known == ones(bits) else self._logic(cell, 0)

    def _run(self, run: Run, cycle: int) -> Value:
        source, low, bits = run
        if source == CONSTANT:
            return constant(low, bits)
        if source == UNKNOWN:
            return self.words.unknown("an undriven bit", bits)
        return self.words.slice(self.now[source], low, bits)

    def _passed(self, source: int, low: int, bits: int, cycle: int) -> tuple[Runs, int] | None:
        return None

    # --- memories

    def _read(self, cell: Cell) -> Value:
        p, found = cell.parameters, list[Value]()
        for port in range(p["RD_PORTS"]):
            address = number_of(self._port(part(cell.ports["RD_ADDR"], port * p["ABITS"], p["ABITS"]), 0))
            found.append(self._word_at(cell, address))
        return self.words.join([piece for value in found for piece in value])

    def _word_at(self, cell: Cell, address: int | None) -> Value:
        bits = cell.parameters["WIDTH"]
        if address is None:
            return self.words.unknown(f"an address of {self.netlist.names[cell.out]} depends on operands", bits)
        if cell.written:
            return self._contents[cell.out][address]
        value, known = cell.contents[address] if address < len(cell.contents) else (0, 0)
        return constant(value, bits) if known == ones(bits) else self.words.unknown("an undefined word", bits)

    def _write(self, cell: Cell) -> None:
        p, contents = cell.parameters, self._contents[cell.out]
        for port in range(p["WR_PORTS"]):
            enable = self._port(part(cell.ports["WR_EN"], port * p["WIDTH"], p["WIDTH"]), 0)
            if number_of(enable) == 0:
                continue
            address = number_of(self._port(part(cell.ports["WR_ADDR"], port * p["ABITS"], p["ABITS"]), 0))
            data = self._port(part(cell.ports["WR_DATA"], port * p["WIDTH"], p["WIDTH"]), 0)
            sure = number_of(enable) == ones(p["WIDTH"]) and address is not None
            for place in range(len(contents)) if not sure or address is None else (address,):
                contents[place] = data if sure else self.words.unknown("a write that is not known", p["WIDTH"])
            self._touch([self._readers[cell.out]])


def sources_of(cell: Cell) -> set[int]:
    """Sources on which the word of a cell depends; of a memory only the addresses that are read."""
    ports: Sequence[str] = ("RD_ADDR",) if cell.kind == MEMORY else tuple(cell.ports)
    return {source for name in ports for source, _, _ in cell.ports[name] if source >= 0}


def width_of_runs(runs: Runs) -> int:
    """Bits of a port."""
    return sum(bits for _, _, bits in runs)


def is_known(value: Value) -> bool:
    """Whether a word is a number."""
    return width_of(value) == 0 or number_of(value) is not None
