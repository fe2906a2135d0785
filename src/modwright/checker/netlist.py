# SPDX-License-Identifier: Apache-2.0
"""One operation of a netlist as words: pieces of inputs, sums, products, choices and tests, cycle by cycle.

A value is a tuple of pieces (node, lowest bit, bits), least significant first; a constant has None for the node and its
number for the lowest bit; `UNKNOWN` is a node without any known value.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, TypedDict, overload

SCRIPT = (
    "read_verilog {files}\nhierarchy -check -top {top}\nproc\nflatten\ndelete t:$scopeinfo\nopt_expr -keepdc\n"
    "opt_clean\nmemory_collect\ndffunmap\nopt_clean\nwrite_json netlist.json\n"
)
YOSYS = "import sys; from pyosys import libyosys; libyosys.run_pass('script ' + sys.argv[1], libyosys.Design())"


class Node:
    """Kind, bits and arguments of a word; two are the same only as one object."""

    def __init__(self, kind: str, bits: int, args: tuple) -> None:
        self.parts, self.number = (kind, bits, args), len(NODES)

    @overload
    def __getitem__(self, index: Literal[0]) -> str: ...
    @overload
    def __getitem__(self, index: Literal[1]) -> int: ...
    @overload
    def __getitem__(self, index: Literal[2]) -> tuple: ...
    def __getitem__(self, index: int) -> str | int | tuple:
        return self.parts[index]


Piece = tuple[Node | None, int, int]
Value = tuple[Piece, ...]
NODES: dict[tuple, Node] = {}


class Port(TypedDict):
    """A port in Yosys' JSON."""

    direction: str
    bits: list[int | str]


class Cell(TypedDict):
    """A cell in Yosys' JSON."""

    type: str
    parameters: dict[str, str]
    connections: dict[str, list[int | str]]
    port_directions: dict[str, str]


class Module(TypedDict):
    """A flattened module in Yosys' JSON."""

    ports: dict[str, Port]
    cells: dict[str, Cell]


UNKNOWN = Node("unknown", 0, ())
FEW = 5
"""Most bits whose test against 0 is expanded into gates."""


class RefusedError(Exception):
    """A log that is not accepted, with the reason."""


def load(path: Path, top: str, models: list[Path]) -> Module:
    """Read a module through Yosys, with the models of the device cells that it instantiates."""
    verilog = path.read_bytes()
    used = [source for source in models if source.stem.encode() in verilog]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "top.v").write_bytes(verilog)
        for source in used:
            (folder / source.name).write_bytes(source.read_bytes())
        files = " ".join(["top.v", *(source.name for source in used)])
        (folder / "script.ys").write_text(SCRIPT.format(files=files, top=top), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", YOSYS, "script.ys"], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RefusedError(f"Yosys does not read {path}: {done.stderr[-300:]}")
        return json.loads((folder / "netlist.json").read_text(encoding="utf-8"))["modules"][top]


def cut(value: Value, low: int, bits: int) -> Value:
    """Some bits of a value."""
    if len(value) == 1 and value[0][0] is None:
        n = min(low + bits, value[0][2]) - low
        return ((None, value[0][1] >> low & ((1 << n) - 1), n),) if n > 0 else ()
    found: list[Piece] = []
    at = 0
    for node, start, count in value:
        first, last = max(at, low), min(at + count, low + bits)
        if first < last:
            n = last - first
            if node is None:
                found.append((None, start >> (first - at) & ((1 << n) - 1), n))
            elif node[0] == "repeat":
                found += repeat(node[2][0], n)
            else:
                found.append((node, 0 if node is UNKNOWN else start + first - at, n))
        at += count
    return join(found)


def join(pieces: Iterable[Piece]) -> Value:
    """Concatenation of pieces, the lowest first."""
    found: list[Piece] = []
    for node, low, bits in pieces:
        if not found:
            found.append((node, low, bits))
            continue
        below = found[-1]
        if node is None and below[0] is None:
            found[-1] = (None, below[1] | low << below[2], below[2] + bits)
        elif (node is UNKNOWN and below[0] is UNKNOWN) or (
            node is not None and node is below[0] and sum(below[1:]) == low
        ):
            found[-1] = (node, below[1], below[2] + bits)
        elif (bit := _bit(below)) is not None and bit == _bit((node, low, bits)):
            found[-1] = repeat(bit, below[2] + bits)[0]
        else:
            found.append((node, low, bits))
    return tuple(found)


def _bit(piece: Piece) -> Value | None:
    """The bit of which a piece consists, once or repeated."""
    node, low, bits = piece
    if node is None:
        return None
    return node[2][0] if node[0] == "repeat" else ((node, low, 1),) if bits == 1 else None


def node(kind: str, width: int, *args: Value | int | str) -> Value:
    """A node as a value; equal ones are one object."""
    key = (kind, width, tuple(tuple((id(n), low, b) for n, low, b in a) if isinstance(a, tuple) else a for a in args))
    return ((NODES.setdefault(key, Node(kind, width, args)), 0, width),)


def repeat(bit: Value, bits: int) -> Value:
    """A bit, repeated."""
    number = constant(bit)
    if number is not None:
        return ((None, number * ((1 << bits) - 1), bits),)
    return bit if bits == 1 else node("repeat", bits, bit)


def node_of(value: Value) -> Node:
    """The node whose output a value is."""
    found = value[0][0]
    if found is None:
        raise RefusedError("a constant in place of a word")
    return found


def place_of(piece: Piece) -> tuple[int, int]:
    """Place of a piece among others: nodes are in the order in which they were made, whatever their addresses are."""
    return -1 if piece[0] is None else piece[0].number, piece[1]


def constant(value: Value) -> int | None:
    """Number of a constant value; None for another value."""
    return (value[0][1] if value else 0) if len(value) < 2 and (not value or value[0][0] is None) else None


def width(value: Value) -> int:
    """Bits of a value."""
    return sum(bits for _, _, bits in value)


def unknown(value: Value) -> bool:
    """Whether some bit is unknown."""
    return any(n is UNKNOWN for n, _, _ in value)


GATES: dict[str, Callable[[int, int], int]] = {
    "$and": lambda a, b: a & b,
    "$or": lambda a, b: a | b,
    "$xor": lambda a, b: a ^ b,
}


def is_word(piece: Piece) -> bool:
    """Whether a piece is several bits of a node and not one repeated bit."""
    return piece[0] is not None and piece[2] > 1 and piece[0][0] != "repeat"


def is_gate(piece: Piece) -> bool:
    """Whether a piece is bits of a bitwise function of two words."""
    return is_word(piece) and node_of((piece,))[0] in GATES


def table(value: Value, leaves: list[Value]) -> int:
    """The truth table of a bitwise function over leaves; further leaves of the function are appended to them."""
    n = value[0][0] if len(value) == 1 else None
    if n is not None and n[0] in (*GATES, "$not") and value[0][1:] == (0, n[1]):
        inside = [table(argument, leaves) for argument in n[2]]
        return GATES[n[0]](*inside) if n[0] in GATES else ALL & ~inside[0]
    if value not in leaves:
        leaves.append(value)
    if len(leaves) > len(COLUMNS):
        raise RefusedError("a bitwise function of too many words")
    return COLUMNS[leaves.index(value)]


COLUMNS = [sum(1 << row for row in range(64) if row >> k & 1) for k in range(6)]
ALL = (1 << 64) - 1


def apart(a: Value, b: Value) -> bool:
    """Whether no bit is 1 in both."""
    leaves: list[Value] = []
    return table(a, leaves) & table(b, leaves) == 0


def gate(kind: str, a: Value, b: Value) -> Value:
    """A bitwise function of two values, piece by piece; a function of two words is not divided, as rows of adders need
    it whole."""
    x, y = constant(a), constant(b)
    if x is not None and y is not None:
        return ((None, GATES[kind](x, y), width(a)),)
    found: list[Piece] = []
    edges = sorted({sum(p[2] for p in v[: k + 1]) for v in (a, b) for k in range(len(v))})
    parts = [(cut(a, low, end - low), cut(b, low, end - low)) for low, end in zip([0, *edges], edges, strict=False)]
    if len(edges) > 1 and any(x != y and is_word(x[0]) and is_word(y[0]) for x, y in parts):
        return (
            node(kind, width(a), *sorted((a, b), key=lambda v: place_of(v[0]))) if not unknown((*a, *b)) else _none(a)
        )
    at = 0
    while at < width(a):
        x, y = cut(a, at, width(a)), cut(b, at, width(b))
        n = min(x[0][2], y[0][2])
        for piece in (x[0], y[0]):
            if piece[0] is None:  # as far as the constant's bits are the same
                bit = piece[1] & 1
                n = min(n, next((k for k in range(n) if piece[1] >> k & 1 != bit), n))
        found += _gate(kind, cut(x, 0, n), cut(y, 0, n), n)
        at += n
    return join(found)


def _none(value: Value) -> Value:
    return ((UNKNOWN, 0, width(value)),)


def _gate(kind: str, a: Value, b: Value, n: int) -> Value:
    if constant(a) is not None:
        a, b = b, a
    plain = constant(b)
    if plain is not None:
        zero, one = (GATES[kind](bit, plain & 1) for bit in (0, 1))
        if zero == one:
            return ((None, zero * ((1 << n) - 1), n),)
        return a if one else invert(a)
    if unknown(a) or unknown(b):
        return ((UNKNOWN, 0, n),)
    if a == b:
        return ((None, 0, n),) if kind == "$xor" else a
    if kind == "$xor" and n == 1 and (found := _carry_in_sum(a, b) or _carry_in_sum(b, a)):
        return found
    for one, other in ((a, b), (b, a)) if kind != "$xor" else ():
        inner = node_of(other)
        if (
            len(other) == 1
            and other[0][1:] == (0, inner[1])
            and inner[0] in {"$and", "$or"} - {kind}
            and one in inner[2]
        ):
            return one  # it absorbs the other
    if kind == "$or" and n == 1 and "nonzero" in (node_of(a)[0], node_of(b)[0]):
        return nonzero(join([*a, *b]))
    return node(kind, n, *sorted((a, b), key=lambda v: place_of(v[0])))


def _carry_in_sum(a: Value, b: Value) -> Value | None:
    """The carry into bit j of a sum, which is the parity of that bit and of those of its words; one may have a 0."""
    inner = node_of(a)
    n, j, _ = a[0]
    if n is not None and n[0] == "$add" and {cut(word, j, 1) for word in n[2]} == {b, ((None, 0, 1),)}:
        return _carry(n[2], j)
    for one, other in ((0, 1), (1, 0)) if inner[0] == "$xor" and inner[1] == 1 else ():
        for total, rest in ((inner[2][one], (inner[2][other], b)), (b, (inner[2][one], inner[2][other]))):
            n, j, _ = total[0]
            if n is not None and n[0] == "$add" and tuple(cut(word, j, 1) for word in n[2]) in (rest, rest[::-1]):
                return _carry(n[2], j)
    return None


def _carry(words: Sequence[Value], j: int) -> Value:
    """The carry into bit j: from bit to bit the majority of both words' bits and of the carry there."""
    found: Value = ((None, 0, 1),)
    for k in range(j):
        bits = *(cut(word, k, 1) for word in words), found
        if bits[0] == bits[1]:
            found = bits[0]
        elif (plain := next((k for k, bit in enumerate(bits) if constant(bit) is not None), None)) is not None:
            found = gate("$or" if constant(bits[plain]) else "$and", *bits[:plain], *bits[plain + 1 :])
        else:
            found = node("majority", 1, *bits)
    return found


def invert(a: Value) -> Value:
    """Every bit inverted."""
    found: list[Piece] = []
    for piece in a:
        n, low, bits = piece
        if n is None:
            found.append((None, low ^ ((1 << bits) - 1), bits))
        elif n is UNKNOWN or (n[0] == "$not" and not low and bits == n[1]):
            found += [piece] if n is UNKNOWN else n[2][0]
        else:
            found += node("$not", bits, (piece,))
    return join(found)


def nonzero(a: Value) -> Value:
    """Test whether some bit is 1; the test of such tests is one test of all their bits."""
    pieces: list[Piece] = []
    for n, low, bits in a:
        pieces += n[2][0] if n is not None and n[0] == "nonzero" else [(n, low, bits)] if n is not None or low else []
    if any(n is None for n, _, _ in pieces):
        return ((None, 1, 1),)
    if unknown(tuple(pieces)):
        return ((UNKNOWN, 0, 1),)
    pieces = sorted({(id(p[0]), p[1], p[2]): p for p in pieces}.values(), key=place_of)
    if not pieces:
        return ((None, 0, 1),)
    bits = [(piece,) for piece in pieces if piece[2] == 1]
    if not len(bits) == len(pieces) <= FEW or any(n is not None and n[0] == "nonzero" for n, _, _ in a):
        return node("nonzero", 1, join(pieces))
    found = bits[0]
    for bit in bits[1:]:
        found = gate("$or", found, bit)
    return found
