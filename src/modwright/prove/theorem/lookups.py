# SPDX-License-Identifier: Apache-2.0
"""Words read from a table of constants at an address that depends on operands: a memory, or a choice by equalities."""

from __future__ import annotations

from collections.abc import Callable, Container

from .netlist import CONSTANT, Cell, Netlist, Runs
from .pieces import Value, constant, number_of
from .ternary import ones, width_of
from .words import Words

MOST_ROWS = 4096
"""Most rows of a table that a choice by equalities makes."""
FACTORS = ("$mul", "$and", "$logic_and")
"""Cells whose result is 0 where one operand is."""


def looked_up(words: Words, address: Value, cell: Cell, name: str) -> Value:
    """The word of a memory that is not written; words that are not defined are empty values."""
    width = cell.parameters["WIDTH"]
    full = ones(width)
    table = tuple(constant(value, width) if known == full else () for value, known in cell.contents)
    return words.lookup(address, table, width, name)


def rows_of(netlist: Netlist, cell: Cell, value: Callable[[int], Value]) -> tuple[Runs, tuple[Value, ...]] | None:
    """Address and words of a choice among constants, by equalities of one word with constants; None for another one.

    Parameters
    ----------
    netlist : Netlist
    cell : Cell
        A "$pmux" or "$mux".
    value : callable
        Value of input number n at port B; of port A for -1.
    """
    address: Runs | None = None
    places: list[int] = []
    for source, low, count in cell.ports["S"]:
        found = _equality(netlist, source, low) if count == 1 else None
        if found is None:
            return None
        runs, place = found
        if address not in (None, runs):
            return None
        address = runs
        places.append(place)
    if address is None or 1 << width_of(address) > MOST_ROWS or len(set(places)) < len(places):
        return None
    inputs = {place: value(n) for n, place in enumerate(places)}
    table = tuple(inputs.get(place, value(-1)) for place in range(1 << width_of(address)))
    return None if any(number_of(word) is None for word in table) else (address, table)


def _equality(netlist: Netlist, source: int, low: int) -> tuple[Runs, int] | None:
    """The word that a bit compares with a number, and the number; any bit by itself is compared with 1."""
    test = netlist.drivers.get(source)
    if low or test is None or test.kind not in ("$eq", "$logic_not", "$not"):
        return ((source, low, 1),), 1
    runs = test.ports["A"]
    if test.kind != "$eq":
        return runs, 0
    ((kind, place, bits),) = test.ports["B"] if len(test.ports["B"]) == 1 else ((0, 0, 0),)
    return None if kind != CONSTANT or bits != width_of(runs) else (runs, place)


def under(netlist: Netlist, runs: Runs, select: Runs, value: int, number: Callable[[Runs], int | None]) -> Runs:
    """Input that passes where a bit has a value, through multiplexers that it or bits of a known number choose by.

    An input that this value excludes may be undefined, as for registers with a clear before other choices.
    """
    while len(runs) == 1 and runs[0][:2] == (runs[0][0], 0):
        cell = netlist.drivers.get(runs[0][0])
        if cell is None or cell.kind != "$mux" or runs[0][2] != cell.parameters["WIDTH"]:
            break
        chosen = value if cell.ports["S"] == select else number(cell.ports["S"])
        if chosen is None:
            break
        runs = cell.ports["B" if chosen else "A"]
    return runs


def absorbed(cell: Cell, tainted: Container[int], number: Callable[[Runs], int | None]) -> int | None:
    """The word of a product or a conjunction with 0, or of a disjunction with ones; None for any other.

    Control is tried first. Then nothing is needed of the other operand, nor of the control that it depends on.
    """
    if cell.kind not in (*FACTORS, "$or"):
        return None
    full = (1 << cell.parameters["Y_WIDTH"]) - 1 if cell.kind == "$or" else 0
    ports = sorted((cell.ports["A"], cell.ports["B"]), key=lambda runs: any(source in tainted for source, _, _ in runs))
    return full if any(number(runs) == full for runs in ports) else None
