# SPDX-License-Identifier: Apache-2.0
"""Tables of constants at an address of operands, and the gates of rows: what the netlist says about single cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .netlist import CONSTANT, Cell, Netlist, Runs
from .pieces import Value, width_of
from .ternary import Word, ones
from .ternary import width_of as width_of_runs
from .words import Words

MOST_ADDRESS_BITS = 6
"""Most bits of the address of a table that is followed as a function of operands; a quotient digit has 5."""
LEAST_ROW = 3
"""Most bits of a word that cannot be a row of carry-save adders."""
GATES = ("$and", "$or", "$xor", "$xnor")


def entry_of(words: Words, contents: Sequence[Word], address: Value, width: int, name: str) -> Value:
    """The word of a table of constants at an address: each bit is a function of the address."""
    size = 1 << width_of(address)
    if len(contents) < size or any(known != ones(width) for _, known in contents[:size]):
        return words.unknown(f"a word of {name} is not known", width)
    bits = [words.slice(address, k, 1) for k in range(width_of(address))]
    tables = [sum((value >> k & 1) << at for at, (value, _) in enumerate(contents[:size])) for k in range(width)]
    return words.join([piece for table in tables for piece in words.bitwise(table, bits, name)])


def cases_of(netlist: Netlist, cell: Cell) -> tuple[Runs, Mapping[int, int]] | None:
    """The word that a multiplexer compares with every number that it can be, and the input for each number."""
    subject: Runs = ()
    found: dict[int, int] = {}
    bits = [(source, low + k) for source, low, count in cell.ports["S"] for k in range(count)]
    for n, (source, low) in enumerate(bits):
        test = netlist.drivers.get(source)
        if test is None or low or test.kind not in ("$eq", "$logic_not"):
            return None
        runs, number = test.ports["A"], test.ports.get("B", ((CONSTANT, 0, 0),))
        if len(number) != 1 or number[0][0] != CONSTANT or (subject and runs != subject):
            return None
        if test.kind == "$eq" and width_of_runs(runs) != number[0][2]:
            return None
        subject, found[number[0][1]] = runs, n
    size = width_of_runs(subject)
    return (subject, found) if size <= MOST_ADDRESS_BITS and len(found) == len(bits) == 1 << size else None


def constants_at(cell: Cell, cases: Mapping[int, int]) -> list[Word] | None:
    """The constants that a multiplexer chooses among, by the number that it compares; None for any other inputs."""
    width = cell.parameters["WIDTH"]
    data = cell.ports["B"]
    if len(data) != 1 or data[0][0] != CONSTANT:
        return None
    return [(data[0][1] >> (cases[number] * width) & ones(width), ones(width)) for number in range(len(cases))]


def added_by_columns(netlist: Netlist) -> set[int]:
    """Registers of words that enter exclusive disjunctions, and gates of them: rows of carry-save adders, whose gates
    are kept where such a word is 0."""
    registers = {cell.out for cell in netlist.registers}
    found: set[int] = set()
    for cell in netlist.logic:
        read = {source for runs in cell.ports.values() for source, _, bits in runs if bits > LEAST_ROW}
        if cell.kind == "$xor":
            found |= read & registers
        if cell.kind in GATES and read & found:
            found.add(cell.out)
    return found
