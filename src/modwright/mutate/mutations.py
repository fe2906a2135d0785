# SPDX-License-Identifier: Apache-2.0
"""Single changes of a netlist, and their insertion into one netlist that selects one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .netlist import Bit, Netlist

Entry = int | str
"""A bit of a changed word: bit k of the original word, its complement as ~k, or a constant."""


@dataclass(frozen=True)
class Rewire:
    """A port of a cell some of whose bits are taken from elsewhere in the word, complemented or constant.

    Parameters
    ----------
    port : str
        Input or output of the cell.
    entries : tuple of (int, Entry)
        The bits that change, each with its new value.
    """

    port: str
    entries: tuple[tuple[int, Entry], ...]


@dataclass(frozen=True)
class Replace:
    """Replacement of a cell by another one.

    Parameters
    ----------
    kind : str
        Type of the new cell.
    parameters : tuple of (str, int or str)
        Parameters that differ.
    ports : tuple of (str, str)
        Ports of the new cell, each with the port of the old cell that feeds it, where the names differ.
    """

    kind: str
    parameters: tuple[tuple[str, int | str], ...] = ()
    ports: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Split:
    """A sum or difference in two parts: no carry goes into bit `at`."""

    at: int


@dataclass(frozen=True)
class Word:
    """A table whose word `index` has bit `bit` inverted."""

    index: int
    bit: int


@dataclass(frozen=True)
class Reset:
    """A register that is reset to another value.

    Parameters
    ----------
    value : str
        Bits of the value, the highest one first.
    """

    value: str


Edit = Rewire | Replace | Split | Word | Reset


@dataclass(frozen=True)
class Mutation:
    """A single change.

    Parameters
    ----------
    cell : str
        Name of the cell that is changed.
    site : str
        The cell, or a part of it that is a separate site, such as a word of a memory.
    kind : str
        One of `sites.KINDS`.
    original, mutated : str
        Descriptions of the original and of the change.
    edit : Edit
        The change itself.
    """

    cell: str
    site: str
    kind: str
    original: str
    mutated: str
    edit: Edit


def insert(netlist: Netlist, mutation: Mutation, select: Bit) -> Bit:
    """Put a mutation into a netlist, in force where `select` is 1; returns a net that is 1 where it changes a word."""
    edit = mutation.edit
    if isinstance(edit, Rewire):
        return _rewire(netlist, mutation.cell, edit, select)
    cell = netlist.cells[mutation.cell]
    port = next(name for name, direction in cell["port_directions"].items() if direction == "output")
    old = cell["connections"][port]
    before = _moved(netlist, mutation.cell, port)
    if isinstance(edit, Replace):
        after = _second(netlist, mutation.cell, edit, port)
    elif isinstance(edit, Split):
        after = _parts(netlist, mutation.cell, edit.at)
    elif isinstance(edit, Reset):
        select, after = _reset(netlist, mutation.cell, edit, before, select)
    else:
        after = _table(netlist, mutation.cell, edit, before)
    netlist.choose(select, after, before, old)
    return _differs(netlist, select, after, before)


def taken(netlist: Netlist, word: Sequence[Bit], edit: Rewire) -> tuple[list[Bit], list[Bit]]:
    """The bits of a word that an edit changes: their new and their original nets."""
    return _entries(netlist, word, edit.entries), [word[k] for k, _ in edit.entries]


def _rewire(netlist: Netlist, name: str, edit: Rewire, select: Bit) -> Bit:
    cell = netlist.cells[name]
    word = cell["connections"][edit.port]
    places = [k for k, _ in edit.entries]
    if cell["port_directions"][edit.port] == "output":
        before = _moved(netlist, name, edit.port)
        after = _entries(netlist, before, edit.entries)
        old = [before[k] for k in places]
        netlist.choose(select, after, old, [word[k] for k in places])
        unchanged = [k for k in range(len(word)) if k not in set(places)]
        netlist.join([before[k] for k in unchanged], [word[k] for k in unchanged])
    else:
        after, old = _entries(netlist, word, edit.entries), [word[k] for k in places]
        new = netlist.fresh(len(places))
        netlist.choose(select, after, old, new)
        cell["connections"][edit.port] = result = list(word)
        for k, bit in zip(places, new, strict=True):
            result[k] = bit
    return _differs(netlist, select, after, old)


def _moved(netlist: Netlist, name: str, port: str) -> list[Bit]:
    """Make a cell drive new nets, so that another cell can drive its former ones."""
    connections = netlist.cells[name]["connections"]
    old, new = connections[port], netlist.fresh(len(connections[port]))
    _initialize(netlist, old, new)
    connections[port] = new
    return new


def _initialize(netlist: Netlist, like: Sequence[Bit], new: Sequence[Bit]) -> None:
    for a, b in zip(like, new, strict=True):
        if a in netlist.initial:
            netlist.initial[b] = netlist.initial[a]


def _entries(netlist: Netlist, word: Sequence[Bit], entries: Sequence[tuple[int, Entry]]) -> list[Bit]:
    return [
        entry if isinstance(entry, str) else word[entry] if entry >= 0 else netlist.inverted(word[~entry])
        for _, entry in entries
    ]


def _second(netlist: Netlist, name: str, edit: Replace, port: str) -> list[Bit]:
    """Add the changed cell next to the original, on the same inputs; return its output."""
    cell = netlist.cells[name]
    connections = dict(cell["connections"])
    connections[port] = netlist.fresh(len(connections[port]))
    _initialize(netlist, cell["connections"][port], connections[port])
    connections |= {new: cell["connections"][old] for new, old in edit.ports}
    netlist.add(edit.kind, connections, cell["parameters"] | dict(edit.parameters), cell["port_directions"])
    return connections[port]


def _reset(netlist: Netlist, name: str, edit: Reset, before: Sequence[Bit], select: Bit) -> tuple[Bit, list[Bit]]:
    """Condition under which a register with another reset value differs, and its bits then: that value, from a reset to
    the next word that it takes.

    A second register would hide it: where both hold data, nothing says in which cycles they are the same.
    """
    cell = netlist.cells[name]
    since = netlist.fresh(1)
    netlist.initial[since[0]] = "0"
    connections = cell["connections"] | {"D": ["0"], "Q": since}
    sizes = cell["parameters"] | {"WIDTH": 1, "SRST_VALUE": "1"}
    netlist.add(cell["type"], connections, sizes, cell["port_directions"])
    pairs = zip(reversed(cell["parameters"]["SRST_VALUE"]), reversed(edit.value), before, strict=True)
    after: list[Bit] = [bit if own == other else other for own, other, bit in pairs]
    return netlist.binary("$and", [select], since, 1)[0], after


def _parts(netlist: Netlist, name: str, at: int) -> list[Bit]:
    """The sum or difference in two parts, each of its own width."""
    cell = netlist.cells[name]
    width = len(cell["connections"]["Y"])
    words = []
    for port in ("A", "B"):
        bits = cell["connections"][port]
        fill = bits[-1] if int(cell["parameters"]["A_SIGNED"], 2) else "0"
        words.append((list(bits) + [fill] * width)[:width])
    low = netlist.binary(cell["type"], words[0][:at], words[1][:at], at)
    return low + netlist.binary(cell["type"], words[0][at:], words[1][at:], width - at)


def _table(netlist: Netlist, name: str, edit: Word, data: Sequence[Bit]) -> list[Bit]:
    """Outputs of the read ports of a table where one bit of a word is inverted."""
    cell = netlist.cells[name]
    parameters, connections = cell["parameters"], cell["connections"]
    width, wide = int(parameters["WIDTH"], 2), int(parameters["ABITS"], 2)
    result = list(data)
    for port, clocked in enumerate(reversed(parameters["RD_CLK_ENABLE"])):
        address = connections["RD_ADDR"][port * wide : (port + 1) * wide]
        hit = netlist.binary("$eq", address, _number(edit.index, wide), 1)
        if clocked == "1":
            hit = _registered(netlist, hit, connections["RD_CLK"][port], connections["RD_EN"][port])
        at = port * width + edit.bit
        result[at] = netlist.binary("$xor", [data[at]], hit, 1)[0]
    return result


def _registered(netlist: Netlist, d: Sequence[Bit], clock: Bit, enable: Bit) -> list[Bit]:
    """The output of a register with the clock and enable of a read port."""
    q = netlist.fresh(len(d))
    netlist.initial.update(dict.fromkeys(q, "0"))
    directions = {"CLK": "input", "EN": "input", "D": "input", "Q": "output"}
    sizes = {"WIDTH": len(d), "CLK_POLARITY": 1, "EN_POLARITY": 1}
    netlist.add("$dffe", {"CLK": [clock], "EN": [enable], "D": d, "Q": q}, sizes, directions)
    return q


def _number(value: int, width: int) -> list[Bit]:
    return [str(value >> k & 1) for k in range(width)]


def _differs(netlist: Netlist, select: Bit, a: Sequence[Bit], b: Sequence[Bit]) -> Bit:
    unequal = netlist.binary("$ne", a, b, 1)
    return netlist.binary("$and", [select], unequal, 1)[0]
