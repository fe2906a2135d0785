# SPDX-License-Identifier: Apache-2.0
"""Selections of multiplexers: equalities of one word with numbers, and bits that select in others, too."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from .netlist import UNKNOWN, Module, Value, constant, cut, join, node, unknown

Bits = list[int | str]
"""Bits of the netlist."""
MOST_ADDRESS = 12
"""Most bits of a table's address."""
MOST_ADDRESSED = 6
"""Most bits of the address of a table that is a function of it."""


class Selections:
    """Multiplexers of a netlist, with the cell and place that drive each bit."""

    module: Module
    driver: dict[object, tuple[str, int]]
    tainted: set[str]

    @abstractmethod
    def at(self, bits: Sequence[int | str], cycle: int) -> Value:
        """The value of some bits of the netlist in a cycle."""

    def _equalities(self, select: Bits) -> tuple[Bits, list[int]] | None:
        """A word that each bit compares with another number, and the numbers; None for any other selection."""
        subject, found = Bits(), list[int]()
        for bit in select:
            name, place = self.driver.get(bit, ("", 0))
            cell = self.module["cells"].get(name)
            word: Bits = [bit]
            other: Bits = ["1"]  # a bit by itself is 1
            if cell is not None and not place and cell["type"] in ("$eq", "$logic_not", "$not"):
                word = cell["connections"]["A"]
                other = cell["connections"].get("B", ["0"] * len(word))
            if len(other) != len(word) or not set(other) <= {"0", "1"} or (found and word != subject):
                return None
            subject = word
            found.append(sum(int(bit) << i for i, bit in enumerate(other)))
        return (subject, found) if len(set(found)) == len(found) else None

    def row(self, ports: dict[str, Bits], cycle: int, n: int) -> Value | None:
        """A choice among constants by equalities of one word with numbers, as a word of a table."""
        address, places = self._equalities(ports["S"]) or ([], [])
        if not places or len(address) > MOST_ADDRESS:
            return None
        given = [constant(self.at(ports["B"][k * n : (k + 1) * n], cycle)) for k in range(len(places))]
        rest = constant(self.at(ports["A"], cycle))
        words = dict(zip(places, given, strict=True))
        table = [words.get(place, rest) for place in range(1 << len(address))]
        place = self.at(address, cycle)
        if None in table or unknown(place):
            return None
        return node("lookup", n, place, "".join(f"{number or 0:0{n}b}" for number in reversed(table)))

    def covered(self, select: Bits) -> tuple[Bits, list[int]]:
        """A word that is compared with each of its numbers, and the place of each; empty for any other selection."""
        subject, found = self._equalities(select) or ([], [])
        if len(subject) > MOST_ADDRESSED or len(found) != 1 << len(subject):
            return [], []
        return subject, sorted(range(len(found)), key=found.__getitem__)

    def under(self, bits: Bits, select: Bits, number: int, cycle: int) -> Bits:
        """Bits that pass through multiplexers to some bits, where the bit that selects is a number."""
        while True:
            name, low = self.driver.get(bits[0], ("", 0))
            cell = self.module["cells"].get(name)
            if cell is None or cell["type"] != "$mux" or cell["connections"]["Y"][low : low + len(bits)] != bits:
                return bits
            ports = cell["connections"]
            chosen = number if ports["S"] == select else constant(self.at(ports["S"], cycle))
            if chosen is None:
                return bits
            bits = ports["B" if chosen else "A"][low : low + len(bits)]


def agreed(values: Sequence[Value], n: int) -> Value:
    """The constant bits that are the same in all values; the others are unknown."""
    columns = [{constant(cut(value, k, 1)) for value in values} for k in range(n)]
    bits = [column.pop() if len(column) == 1 else None for column in columns]
    return join([(UNKNOWN, 0, 1) if bit is None else (None, bit, 1) for bit in bits])
