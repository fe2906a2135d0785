# SPDX-License-Identifier: Apache-2.0
"""Sites of mutations in a netlist: every single change of every cell, and a random choice of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from ..base.json import JsonMapping
from .mutations import Edit, Entry, Mutation, Replace, Reset, Rewire, Split, Word
from .netlist import Bit, Netlist

KINDS = {
    "operator": "another operator in the place of one",
    "constant": "a constant with one bit inverted, or one more or less",
    "width": "the top bit of a word dropped, or a word extended as if it had the other sign",
    "slice": "a word taken one bit higher or lower",
    "swap": "operands exchanged, or two neighbouring bits of a word",
    "carry": "no carry between two bits of a sum",
    "select": "the select of a multiplexer stuck",
    "enable": "the enable of a register or a memory stuck or inverted",
    "reset": "a register without its reset, or reset to another value",
    "memory": "a word of a table with one bit inverted, or a wrong bit of an address",
    "bit": "a bit of a result inverted or stuck",
}

OPERATORS = {
    "$add": ("$sub", "$xor"),
    "$sub": ("$add",),
    "$mul": ("$add",),
    "$and": ("$or", "$xor"),
    "$or": ("$and", "$xor"),
    "$xor": ("$and", "$or", "$xnor"),
    "$xnor": ("$xor",),
    "$eq": ("$ne",),
    "$ne": ("$eq",),
    "$lt": ("$le", "$ge"),
    "$le": ("$lt", "$gt"),
    "$gt": ("$ge", "$le"),
    "$ge": ("$gt", "$lt"),
    "$shl": ("$shr",),
    "$shr": ("$shl",),
    "$sshr": ("$shr",),
    "$logic_and": ("$logic_or",),
    "$logic_or": ("$logic_and",),
    "$reduce_or": ("$reduce_and",),
    "$reduce_bool": ("$reduce_and",),
    "$reduce_and": ("$reduce_or",),
    "$reduce_xor": ("$reduce_or",),
    "$logic_not": ("$reduce_bool",),
    "$not": ("$pos",),
    "$neg": ("$pos",),
}
"""Replacements of each operator; the last ones have one operand."""
_ONE_BIT_ALIKE = ("$reduce_or", "$reduce_bool", "$reduce_and", "$reduce_xor")
"""Operators that are the identity on one bit."""
_ORDERED = ("$sub", "$lt", "$le", "$gt", "$ge", "$shl", "$shr", "$sshr")
"""Operators that are not commutative."""
_SYMMETRIC = ("$reduce_or", "$reduce_bool", "$reduce_and", "$reduce_xor", "$logic_not", "$logic_and", "$logic_or")
"""Operators that are symmetric in the bits of a word."""
_COMPARISONS = ("$eq", "$ne", "$lt", "$le", "$gt", "$ge")
_SUMS = ("$add", "$sub")
_WITHOUT_CLOCK = ("CLK",)
_CONTROL = {"EN": "enable", "SRST": "reset", "S": "select"}
"""Inputs with mutations of their own."""

Change = tuple[str, str, str, str, Edit]
"""Part of the cell that is a separate site, or ""; kind; description of the original; of the change; the edit."""


def mutations(netlist: Netlist) -> list[Mutation]:
    """Every mutation of a netlist, in a fixed order."""
    loops = _in_loops(netlist)
    found = []
    for name, cell in netlist.cells.items():
        for rule in _RULES:
            for part, kind, original, mutated, edit in rule(cell, netlist):
                if name in loops and kind not in ("bit", "select"):
                    continue  # a bit that reaches another one of its word could close a loop without a register
                found.append(Mutation(name, f"{name}{part}", kind, original, mutated, edit))
    return found


def chosen(mutations: Sequence[Mutation], number: int, seed: int) -> list[Mutation]:
    """Distinct mutations at random: one of every kind first, then a site, one of its kinds, and one of those.

    Parameters
    ----------
    mutations : sequence of Mutation
    number : int
        Number of mutations; fewer where the netlist has no more. A larger number starts with those of a smaller one.
    seed : int
    """
    rng = Random(f"mutants {seed}")  # of a text: the same in every version of Python
    sites: dict[str, dict[str, list[Mutation]]] = {}
    for mutation in mutations:
        sites.setdefault(mutation.site, {}).setdefault(mutation.kind, []).append(mutation)
    names = list(sites)
    result: list[Mutation] = []

    def take(site: str, kind: str) -> None:
        kinds = sites[site]
        group = kinds[kind]
        result.append(group.pop(rng.randrange(len(group))))
        if not group:
            del kinds[kind]
        if not kinds:
            names.remove(site)

    for kind in KINDS:
        if having := [site for site in names if kind in sites[site]]:
            take(rng.choice(having), kind)
    while names and len(result) < number:
        site = rng.choice(names)
        take(site, rng.choice(list(sites[site])))
    return result[:number]


def _operators(cell: JsonMapping, netlist: Netlist) -> Iterator[Change]:
    kind = cell["type"]
    if kind in _ONE_BIT_ALIKE and len(cell["connections"]["A"]) == 1:
        return
    for other in OPERATORS.get(kind, ()):
        yield "", "operator", kind[1:], other[1:], Replace(other)


def _swaps(cell: JsonMapping, netlist: Netlist) -> Iterator[Change]:
    kind = cell["type"]
    if kind in _ORDERED:
        old = cell["parameters"]
        sizes = (("A_WIDTH", old["B_WIDTH"]), ("B_WIDTH", old["A_WIDTH"]))
        signs = (("A_SIGNED", old["B_SIGNED"]), ("B_SIGNED", old["A_SIGNED"]))
        yield (
            "",
            "swap",
            f"{kind[1:]}(a, b)",
            f"{kind[1:]}(b, a)",
            Replace(kind, sizes + signs, (("A", "B"), ("B", "A"))),
        )
    if kind == "$mux":
        yield "", "swap", "mux(a, b)", "mux(b, a)", Rewire("S", ((0, ~0),))


def _inputs(cell: JsonMapping, netlist: Netlist) -> Iterator[Change]:
    """Changes of inputs: constants, widths, slices, exchanged bits."""
    if cell["type"] == "$pmux" or cell["type"].startswith("$mem"):
        return
    for port, bits in cell["connections"].items():
        if cell["port_directions"][port] == "input" and port not in (*_WITHOUT_CLOCK, *_CONTROL):
            yield from _constants(port, bits)
            yield from _widths(cell, port, bits)
            yield from _slices(cell, port, bits)


def _constants(
    port: str, bits: Sequence[Bit], part: str = "", start: int = 0, stop: int | None = None
) -> Iterator[Change]:
    """Constant bits of a word, or of the part of it from `start` to `stop`, inverted; a whole constant one off."""
    stop = len(bits) if stop is None else stop
    for k in range(start, stop):
        if bits[k] in ("0", "1"):
            edit = Rewire(port, _bits({k: "0" if bits[k] == "1" else "1"}))
            yield part, "constant", f"{port}[{k}] = {bits[k]}", f"{1 - int(bits[k])}", edit
    word = bits[start:stop]
    if len(word) > 1 and all(bit in ("0", "1") for bit in word):
        value = sum(int(bit) << k for k, bit in enumerate(word))
        for step in (1, -1):
            other = (value + step) % (1 << len(word))
            new = {start + k: str(other >> k & 1) for k in range(len(word))}
            yield part, "constant", f"{port} = {value}", f"{other}", Rewire(port, _bits(new))


def _widths(cell: JsonMapping, port: str, bits: Sequence[Bit]) -> Iterator[Change]:
    top = len(bits) - 1
    if top < 1 or isinstance(bits[top], str):
        return
    sign = cell["parameters"].get(f"{port}_SIGNED")
    signed = sign is not None and int(sign, 2) == 1
    new: Entry = top - 1 if signed else "0"
    yield "", "width", f"{port} of {top + 1} bits", f"of {top}", Rewire(port, _bits({top: new}))
    width = max(len(b) for b in cell["connections"].values())
    if sign is not None and port == "A" and (width > len(bits) or cell["type"] in _COMPARISONS):
        other = int(not signed)
        names = [name for name in ("A_SIGNED", "B_SIGNED") if name in cell["parameters"]]
        words = ("unsigned", "signed")
        edit = Replace(cell["type"], tuple((name, other) for name in names))
        yield "", "width", f"{words[signed]} operands", words[other], edit


def _slices(cell: JsonMapping, port: str, bits: Sequence[Bit]) -> Iterator[Change]:
    width = len(bits)
    if width < 2 or len(set(bits)) < 2:
        return
    yield "", "slice", f"{port}[{width - 1}:0]", "one bit higher", Rewire(port, _shifted(bits, 1))
    yield "", "slice", f"{port}[{width - 1}:0]", "one bit lower", Rewire(port, _shifted(bits, -1))
    for k in range(0 if cell["type"] in _SYMMETRIC else width - 1):
        if bits[k] != bits[k + 1]:
            edit = Rewire(port, _bits({k: k + 1, k + 1: k}))
            yield "", "swap", f"{port}[{k + 1}], {port}[{k}]", "exchanged", edit


def _cases(cell: JsonMapping, netlist: Netlist) -> Iterator[Change]:
    """Changes of the cases of a parallel multiplexer, each a separate site."""
    if cell["type"] != "$pmux":
        return
    bits, select = cell["connections"]["B"], cell["connections"]["S"]
    width = len(bits) // len(select)
    yield from _constants("A", cell["connections"]["A"])
    for k in range(len(select)):
        part = f"[{k}]"
        yield from _constants("B", bits, part, k * width, (k + 1) * width)
        for value in "01":
            yield part, "select", f"case {k}", f"stuck at {value}", Rewire("S", _bits({k: value}))


def _carries(cell: JsonMapping, netlist: Netlist) -> Iterator[Change]:
    if cell["type"] not in _SUMS:
        return
    y = cell["connections"]["Y"]
    longest = max(len(cell["connections"][port]) for port in "AB")
    for k in range(1, min(len(y), longest + 1)):
        if any(bit in netlist.used for bit in y[k:]):
            yield "", "carry", f"carry into bit {k}", "0", Split(k)


def _selects(cell: JsonMapping, netlist: Netlist) -> Iterator[Change]:
    if cell["type"] == "$mux":
        for value in "01":
            yield "", "select", "select", f"stuck at {value}", Rewire("S", ((0, value),))


def _registers(cell: JsonMapping, netlist: Netlist) -> Iterator[Change]:
    """Changes of enables and resets."""
    connections, parameters = cell["connections"], cell["parameters"]
    if "EN" in connections:
        for name, entry in (("stuck at 0", "0"), ("stuck at 1", "1"), ("inverted", ~0)):
            yield "", "enable", "enable", name, Rewire("EN", ((0, entry),))
    if "SRST" in connections:
        active = int(parameters["SRST_POLARITY"], 2)
        yield "", "reset", "reset", "none", Rewire("SRST", ((0, str(1 - active)),))
        value = parameters["SRST_VALUE"]
        for k, bit in enumerate(value):
            if bit in "01" and connections["Q"][len(value) - 1 - k] in netlist.used:
                other = f"{value[:k]}{1 - int(bit)}{value[k + 1 :]}"
                yield "", "reset", f"reset to {value}", other, Reset(other)


def _memories(cell: JsonMapping, netlist: Netlist) -> Iterator[Change]:
    """Changes of the words of a table, each a separate site, and of addresses and enables of a memory."""
    if cell["type"] != "$mem_v2":
        return
    parameters, connections = cell["parameters"], cell["connections"]
    if not int(parameters["WR_PORTS"], 2):
        width, init = int(parameters["WIDTH"], 2), parameters["INIT"]
        for k, bit in enumerate(reversed(init)):
            word, place = divmod(k, width)
            if bit in "01":
                text = f"bit {place} of word {word} = {bit}"
                yield f"[{word}]", "memory", text, f"{1 - int(bit)}", Word(word, place)
    for port in ("RD_ADDR", "WR_ADDR"):
        for k, bit in enumerate(connections[port]):
            if isinstance(bit, int):
                for text, entry in (("inverted", ~k), ("stuck at 0", "0"), ("stuck at 1", "1")):
                    yield "", "memory", f"{port}[{k}]", text, Rewire(port, _bits({k: entry}))
    for port, clocked in (("WR_EN", "WR_CLK_ENABLE"), ("RD_EN", "RD_CLK_ENABLE")):
        if "1" in parameters[clocked] and any(isinstance(bit, int) for bit in connections[port]):
            count = range(len(connections[port]))
            yield "", "enable", port, "stuck at 0", Rewire(port, tuple((k, "0") for k in count))
            yield "", "enable", port, "stuck at 1", Rewire(port, tuple((k, "1") for k in count))
            yield "", "enable", port, "inverted", Rewire(port, tuple((k, ~k) for k in count))


def _outputs(cell: JsonMapping, netlist: Netlist) -> Iterator[Change]:
    """Changes of output bits, and of the top bit of a word that is read."""
    for port, bits in cell["connections"].items():
        if cell["port_directions"][port] != "output":
            continue
        read = [k for k, bit in enumerate(bits) if bit in netlist.used]
        for k in read:
            for text, entry in (("inverted", ~k), ("stuck at 0", "0"), ("stuck at 1", "1")):
                yield "", "bit", f"{port}[{k}]", text, Rewire(port, _bits({k: entry}))
        if len(read) > 1:
            edit = Rewire(port, _bits({read[-1]: "0"}))
            yield "", "width", f"{port} of {read[-1] + 1} bits", f"of {read[-1]}", edit


_RULES: tuple[Callable[[JsonMapping, Netlist], Iterator[Change]], ...] = (
    *(_operators, _swaps, _inputs, _cases, _carries, _selects, _registers, _memories, _outputs),
)


def _bits(new: Mapping[int, Entry]) -> tuple[tuple[int, Entry], ...]:
    return tuple(new.items())


def _shifted(bits: Sequence[Bit], step: int) -> tuple[tuple[int, Entry], ...]:
    """The changes that shift a word by one bit, with a zero at the free end."""
    places = range(len(bits))
    return tuple(
        (k, k + step if k + step in places else "0")
        for k in places
        if bits[k] != (bits[k + step] if k + step in places else "0")
    )


def _in_loops(netlist: Netlist) -> set[str]:
    """Cells in combinational loops of whole words; no loop of bits exists."""
    drivers = {
        bit: name
        for name, cell in netlist.cells.items()
        if "CLK" not in cell["connections"]
        for port, bits in cell["connections"].items()
        if cell["port_directions"][port] == "output"
        for bit in bits
    }
    inputs = {
        name: {
            drivers[bit]
            for port, bits in netlist.cells[name]["connections"].items()
            if netlist.cells[name]["port_directions"][port] == "input"
            for bit in bits
            if bit in drivers
        }
        for name in set(drivers.values())
    }
    left = dict(inputs)
    while True:  # remove cells that no loop feeds, until only loops and their fan-out remain
        free = {name for name, sources in left.items() if not sources & left.keys()}
        if not free:
            break
        for name in free:
            del left[name]
    return set(left)
