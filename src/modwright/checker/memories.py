# SPDX-License-Identifier: Apache-2.0
"""Words that are read from memories: constant tables, and what the operation wrote."""

from __future__ import annotations

from .choices import entry
from .netlist import UNKNOWN, Cell, RefusedError, Value, constant, cut, join, node, unknown, width
from .selections import MOST_ADDRESSED, Bits, Selections

MOST_POSSIBLE = 64
"""Most numbers of which control has one where it is not known."""


class Memories(Selections):
    """Memories of a netlist.

    `runs` are those of control around the operation, and of the operation alone. With `tables`, words of constant
    tables are words also where operands reach the address. `queues` has the cycle in which the operation puts its word
    into a queue, and `reads` those in which it is read; `elsewhere` are writes, by memory, port, place and cycle, that
    the log states not to reach the place.
    """

    def __init__(self, runs: tuple[Memories, Memories] | None) -> None:
        self.runs, self.tables = runs, False
        self.queues: dict[str, int] = {}
        self.reads: dict[str, set[int]] = {}
        self.elsewhere: set[tuple[str, int, int, int]] = set()

    def memory(self, name: str, cycle: int, p: dict[str, int]) -> Value:
        """Words at the reading ports of a memory in a cycle."""
        bits, found, cell = p["ABITS"], Value(), self.module["cells"][name]
        if name in self.queues:
            if cycle <= self.queues[name]:
                raise RefusedError(f"{name} is read before the operation has put its word")
            self.reads.setdefault(name, set()).add(cycle)
            return self.at(cell["connections"]["WR_DATA"], self.queues[name])
        for port in range(p["RD_PORTS"]):
            place = self.at(cell["connections"]["RD_ADDR"][port * bits : (port + 1) * bits], cycle)
            read = self._written(name, place, cycle, p) if p["WR_PORTS"] else self._constant(cell, place, p)
            found = join([*found, *read])
        return found

    def _constant(self, cell: Cell, place: Value, p: dict[str, int]) -> Value:
        """A word of a constant table."""
        address, text, n = constant(place), cell["parameters"]["INIT"], p["WIDTH"]
        if self.tables and address is None and not unknown(place):
            return node("lookup", n, place, text)
        if address is None and not unknown(place):
            size = 1 << p["ABITS"]
            if p["ABITS"] <= MOST_ADDRESSED and len(text) >= n * size and set(text) <= {"0", "1"}:
                texts = [text[len(text) - n * (k + 1) : len(text) - n * k] for k in range(size)]
                return entry(place, [int(word, 2) for word in texts], n)
        bits = [constant(cut(place, k, 1)) for k in range(width(place))]
        reached = [0]  # words that the known bits of the address leave
        for k, bit in enumerate(bits):
            reached = [row | b << k for row in reached for b in ((0, 1) if bit is None else (bit,))]
        words = [text[max(0, len(text) - n * (k + 1)) : max(0, len(text) - n * k)].rjust(n, "x") for k in reached]
        columns = [set(column) for column in zip(*words, strict=True)]
        found = [column.pop() if len(column) == 1 else "x" for column in reversed(columns)]
        return join([(None, int(bit), 1) if bit in "01" else (UNKNOWN, 0, 1) for bit in found])

    def _written(self, name: str, place: Value, cycle: int, p: dict[str, int]) -> Value:
        """The word that was written last to a place; unknown where that was before cycle 0, or may be."""
        none, address = ((UNKNOWN, 0, p["WIDTH"]),), constant(place)
        if address is None:
            return none
        for before in reversed(range(cycle)):
            ports = [port for port in range(p["WR_PORTS"]) if not self._passes(name, port, address, before, p)]
            if ports:
                return self._word(name, ports[0], before, p) if len(ports) == 1 else none
        return none

    def _port(self, name: str, port: int, p: dict[str, int]) -> tuple[Bits, Bits, Bits]:
        """Enables, address and data of a writing port."""
        ports, n, bits = self.module["cells"][name]["connections"], p["WIDTH"], p["ABITS"]
        low, at = port * n, port * bits
        return ports["WR_EN"][low : low + n], ports["WR_ADDR"][at : at + bits], ports["WR_DATA"][low : low + n]

    def _passes(self, name: str, port: int, place: int, cycle: int, p: dict[str, int]) -> bool:
        """Whether a port surely writes nothing to a place."""
        enables, address, _ = self._port(name, port, p)
        if self.runs:
            around, alone = self.runs
            where = around.possible(address, cycle)
            if (where and place not in where) or around.possible(enables, cycle) == {0}:
                return True
            control = all(self.driver[bit][0] not in self.tainted for bit in (*enables, *address) if bit in self.driver)
            if control and (name, port, place, cycle) in self.elsewhere:
                return constant(alone.at(enables, cycle)) == 0 or constant(alone.at(address, cycle)) not in (
                    None,
                    place,
                )
        if constant(self.at(enables, cycle)) == 0:
            return True
        return constant(self.at(address, cycle)) not in (None, place)

    def _word(self, name: str, port: int, cycle: int, p: dict[str, int]) -> Value:
        """The word that a port writes; unknown where it may not write all of it, or elsewhere."""
        enables, address, data = self._port(name, port, p)
        if constant(self.at(enables, cycle)) != (1 << p["WIDTH"]) - 1 or constant(self.at(address, cycle)) is None:
            return ((UNKNOWN, 0, p["WIDTH"]),)
        return self.at(data, cycle)

    def possible(self, bits: Bits, cycle: int) -> set[int]:
        """Numbers of which some bits of control have one in a cycle, through registers and choices that are not known;
        none where they may have any."""
        value = constant(self.at(bits, cycle))
        if value is not None:
            return {value}
        name, low = self.driver.get(bits[0], ("", 0))
        cell = self.module["cells"].get(name)
        if cell is None or any(self.driver.get(bit) != (name, low + k) for k, bit in enumerate(bits)):
            return set()
        ports, found = cell["connections"], set[int]()
        if cell["type"] == "$dff":
            return self.possible(ports["D"][low : low + len(bits)], cycle - 1) if cycle else set()
        for k in (self.possible(ports["S"], cycle) or {0, 1}) if cell["type"] == "$mux" else ():
            arm = self.possible(self.under(ports["AB"[k]][low : low + len(bits)], ports["S"], k, cycle), cycle)
            if not arm:
                return set()
            found |= arm
        return found if len(found) <= MOST_POSSIBLE else set()
