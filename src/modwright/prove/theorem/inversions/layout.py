# SPDX-License-Identifier: Apache-2.0
"""Places of the words of an inverter by divsteps, by the names of its nets: f, g, d and e in slices, and single bits.

Names are only a guess at what a register holds. What is proved of the words holds for the bits that are found; with
other names nothing is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..decide import UndecidedError
from ..netlist import Cell, Netlist, Runs
from ..pieces import Value, width_of
from ..words import Words

PAIR, COFACTORS = "pair", "cofactors"
WORDS = {"f": PAIR, "g": PAIR, "d": COFACTORS, "e": COFACTORS}
"""Part of each word; slice j of the pair is j cycles behind slice 0, and that of the cofactors j + 1."""
HALVED = "ge"
"""Words that are halved sums: the top bit of a slice below the top one is a bit of the sum above."""
PARTS_OF = {"f": "f", "g": "f", "d": "d", "e": "d"}
"""Word whose registers have whole slices."""
BITS = {
    "D": ("pair.D", 0),
    "odd": ("pair.odd_0", 0),
    "swap": ("pair.swap_0", 0),
    "add": ("cofactors.add_0", 1),
    "subtract": ("cofactors.subtract_0", 1),
}
"""Other registers of a state, with the cycles that they are behind."""

Place = tuple[int, int]
"""Source, and the cycles that it is behind."""


@dataclass(frozen=True)
class Slice:
    """One slice of a word.

    Parameters
    ----------
    low, bits : int
        Bits of the word.
    register : int
    lowest : int or None
        Net with the top bit, where the register lacks it.
    behind : int
        Cycles behind slice 0 of the pair.
    """

    low: int
    bits: int
    register: int
    lowest: int | None
    behind: int


class Layout:
    """Words of one inverter.

    Parameters
    ----------
    netlist : Netlist

    Attributes
    ----------
    words : dict of str to list of Slice
    registers : mapping of int to Cell

    Raises
    ------
    UndecidedError
        When the names are not there.
    """

    def __init__(self, netlist: Netlist) -> None:
        self.netlist = netlist
        self._sources = _named(netlist)
        self._bits = {bit: (source, k) for source, bits in enumerate(netlist.bits) for k, bit in enumerate(bits)}
        self.registers: Mapping[int, Cell] = {cell.out: cell for cell in netlist.registers}
        prefixes = [name.removesuffix("pair.f_0") for name in self._sources if name.endswith("pair.f_0")]
        self._prefix = min(prefixes, key=len) if prefixes else ""
        self.words = {word: list(self._slices(word)) for word in WORDS}

    def source(self, name: str) -> int:
        """The source of a net of the data path."""
        if self._prefix + name not in self._sources:
            raise UndecidedError(f"the netlist has no word {name}")
        return self._sources[self._prefix + name]

    def net(self, name: str) -> Runs:
        """The bits of a net, which may be driven in parts."""
        net = self.netlist.module["netnames"].get(self._prefix + name)
        if net is None or not all(bit in self._bits for bit in net["bits"]):
            raise UndecidedError(f"the netlist has no word {name}")
        return tuple((*self._bits[bit], 1) for bit in net["bits"])

    def register(self, source: int) -> Cell:
        """The register of a source."""
        if source not in self.registers:
            raise UndecidedError(f"{self.netlist.names[source]} is not a register")
        return self.registers[source]

    def width(self, word: str) -> int:
        """Bits of a word."""
        return sum(part.bits for part in self.words[word])

    @property
    def top(self) -> int:
        """Number of the top slice."""
        return len(self.words["f"]) - 1

    def places(self, word: str, value: Value, words: Words) -> Iterator[tuple[Place, Value]]:
        """The parts of a word where the netlist has them."""
        if width_of(value) != self.width(word):
            raise UndecidedError(f"{word} has other bits")
        for part in self.words[word]:
            stored = part.bits - (part.lowest is not None)
            yield (part.register, part.behind), words.slice(value, part.low, stored)
            if part.lowest is not None:
                yield (part.lowest, part.behind), words.slice(value, part.low + stored, 1)

    def _slices(self, word: str) -> Iterator[Slice]:
        low, j, widths = 0, 0, self.netlist.widths
        name, whole = f"{WORDS[word]}.{word}", f"{WORDS[word]}.{PARTS_OF[word]}"
        while f"{self._prefix}{whole}_{j}" in self._sources:
            bits, register = widths[self.source(f"{whole}_{j}")], self.source(f"{name}_{j}")
            more = f"{self._prefix}{whole}_{j + 1}" in self._sources
            lowest = self.source(f"{WORDS[word]}.lowest_{j + 1}") if more and word in HALVED else None
            if widths[register] != bits - (lowest is not None) or register not in self.registers:
                raise UndecidedError(f"slice {j} of {word} has other bits")
            yield Slice(low, bits, register, lowest, j + (WORDS[word] == COFACTORS))
            low, j = low + bits, j + 1
        if not j:
            raise UndecidedError(f"the netlist has no word {word}")


def _named(netlist: Netlist) -> dict[str, int]:
    """Sources by every name that a net with their bits has."""
    sources = {bits: source for source, bits in enumerate(netlist.bits)}
    nets = netlist.module["netnames"].items()
    return {name: sources[tuple(net["bits"])] for name, net in nets if tuple(net["bits"]) in sources}
