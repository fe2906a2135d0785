# SPDX-License-Identifier: Apache-2.0
"""Words of one operation: nodes of a graph, and values, which are concatenations of pieces of nodes.

A node is an input, a sum, a product, a choice, a test, or a bitwise function; equal ones are one node. A value is a
tuple of pieces, least significant first: bits `low` to `low + bits - 1` of a node, or a constant. So a slice of a
concatenation is the piece that was put there, through any registers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .adders import OR, Gate
from .carries import Sums, carry_in_sum, with_carry
from .pieces import (
    Node,
    Piece,
    Value,
    at_of,
    bit_of,
    cofactor,
    constant,
    edges_of,
    function_of,
    is_test,
    is_word,
    number_of,
    order_of,
    plain_of,
    reason_of,
    width_of,
    zeros_of,
)

MOST_LEAVES = 5
"""Most operands of one bitwise function; a longer expression is a function of functions."""
MOST_HISTORY = 300
"""Most nodes that are examined to recognise a sum in parts."""


class Words:
    """Builder of nodes and values; equal nodes are shared.

    Attributes
    ----------
    nodes : dict
        Every node.
    within : dict
        For a node that is part of a sum in parts: the node of the sum, the part's place in it, and its bits there.
    gates : dict
        Table and operands of each bitwise function of words, as given.
    sums : dict
        Sums with a carry into them, by the sum and the carry.
    """

    def __init__(self) -> None:
        self.nodes: dict[object, Node] = {}
        self.within: dict[Node, tuple[Node, int, int]] = {}
        self.gates: dict[Node, Gate] = {}
        self.sums: Sums = {}
        self._seen: set[Node] = set()

    def node(self, op: str, width: int, args: tuple[Value, ...] = (), table: int = 0, name: str = "") -> Node:
        """The node; `name` distinguishes inputs and unknown words, and names the first origin of other nodes."""
        key = (op, width, args, table, name if op in ("input", "unknown") else "")
        found = self.nodes.get(key)
        if found is None:
            found = self.nodes[key] = Node(op, width, args, table, name, len(self.nodes))
        return found

    def whole(self, node: Node) -> Value:
        """All bits of a node."""
        return ((node, 0, node.width),)

    def unknown(self, reason: str, bits: int) -> Value:
        """Unknown bits, with the reason."""
        return self.whole(self.node("unknown", bits, name=reason)) if bits else ()

    # --- pieces

    def slice(self, value: Value, low: int, bits: int) -> Value:
        """Some bits of a value."""
        if low == 0 and len(value) == 1 and value[0][2] == bits:
            return value
        found: list[Piece] = []
        at, end = 0, low + bits
        for piece in value:
            first, last = max(at, low), min(at + piece[2], end)
            if first < last:
                found += self._part(piece, first - at, last - first)
            at += piece[2]
        return self.join(found)

    def _part(self, piece: Piece, low: int, bits: int) -> Value:
        node, base, count = piece
        if node is None:
            return ((None, base >> low & ((1 << bits) - 1), bits),)
        if bits == count or node.op not in ("repeat", "bitwise", "unknown"):
            return ((node, base + low, bits),)
        if node.op == "bitwise" and sum(map(is_word, node.args)) > 1:
            return ((node, base + low, bits),)
        if node.op == "repeat":
            return self.repeat(node.args[0], bits)
        if node.op == "unknown":
            return self.unknown(node.name, bits)
        return self.bitwise(node.table, [self.slice(leaf, base + low, bits) for leaf in node.args], node.name)

    def join(self, pieces: Iterable[Piece]) -> Value:
        """Concatenation of pieces, with adjacent pieces of one node merged."""
        found: list[Piece] = []
        for piece in pieces:
            merged = self._merged(found[-1], piece) if found else None
            if merged is None:
                found.append(piece)
            else:
                found[-1] = merged
        return tuple(found)

    def _merged(self, below: Piece, above: Piece) -> Piece | None:
        (a, low, bits), (b, start, more) = below, above
        if a is None or b is None:
            return (None, low | start << bits, bits + more) if a is b else None
        if a is b and low + bits == start:
            return (a, low, bits + more)
        if a.op == b.op == "unknown":
            return (self.node("unknown", bits + more, name=a.name), 0, bits + more)
        if bit_of(below) is not None and bit_of(below) == bit_of(above):
            return self.repeat(bit_of(below) or (), bits + more)[0]
        return None

    def repeat(self, bit: Value, count: int) -> Value:
        """A bit, repeated."""
        if count <= 1 or number_of(bit) is not None:
            return bit if count == 1 else constant(((1 << count) - 1) * (number_of(bit) or 0), count)
        return self.whole(self.node("repeat", count, (bit,)))

    def extend(self, value: Value, to: int, *, signed: bool) -> Value:
        """Extend a value by zeros or its sign, or cut it."""
        have = width_of(value)
        if have >= to:
            return self.slice(value, 0, to)
        fill = self.repeat(self.slice(value, have - 1, 1), to - have) if signed else constant(0, to - have)
        return self.join([*value, *fill])

    # --- functions

    def bitwise(self, table: int, operands: Sequence[Value], name: str) -> Value:
        """A function of each column of bits; operands are equally wide."""
        edges = sorted({edge for value in operands for edge in edges_of(value)})
        if len(edges) > 1 and self._of_words(operands, edges):
            return self._gate(table, operands, edges[-1], name)
        found, low = list[Piece](), 0
        for high in edges:
            found += self._gate(table, [self.slice(value, low, high - low) for value in operands], high - low, name)
            low = high
        return self.join(found)

    def _gate(self, table: int, operands: Sequence[Value], bits: int, name: str) -> Value:
        """One function of each column; its gate is noted where it is a node of its own."""
        found = self._column(table, operands, bits, name)
        if bits > 1 and function_of(found) and (node := found[0][0]):
            self.gates.setdefault(node, (table, tuple(operands)))
        return found

    def _of_words(self, operands: Sequence[Value], edges: Sequence[int]) -> bool:
        """Whether several words meet in some bits: the function then stays whole, as a row of adders does."""
        for low, high in zip((0, *edges), edges, strict=False):
            leaves: set[Value] = set()
            for value in operands if high - low > 1 else ():
                part = self.slice(value, low, high - low)
                inner = function_of(part)
                leaves |= {leaf for leaf in (inner[1] if inner else (part,)) if is_word(leaf)}
            if len(leaves) > 1:
                return True
        return False

    def _column(self, table: int, operands: Sequence[Value], bits: int, name: str) -> Value:
        """Bits that are one function of each column: constants are removed, inner functions merged."""
        if bits == 1 and table == OR and any(is_test(value) for value in operands):
            return self.nonzero(self.join([operands[0][0], operands[1][0]]), name)
        leaves: list[Value] = []
        for value in operands:
            inner = function_of(value)
            for leaf in inner[1] if inner else (value,):
                if leaf not in leaves and plain_of(leaf) is None:
                    leaves.append(leaf)
        reason = reason_of(leaves)
        if reason is not None:
            return self._without_unknown(table, operands, bits) or self.unknown(reason, bits)
        if len(leaves) > MOST_LEAVES:
            return self._function(table, list(operands), bits, name)
        leaves.sort(key=order_of)
        composed = 0
        for row in range(1 << len(leaves)):
            known = {leaf: row >> k & 1 for k, leaf in enumerate(leaves)}
            index = sum(at_of(value, known) << k for k, value in enumerate(operands))
            composed |= (table >> index & 1) << row
        carry = carry_in_sum(self, leaves, composed, name) if bits == 1 else None
        if carry is not None:
            return carry
        return self._function(composed, leaves, bits, name)

    def _without_unknown(self, table: int, operands: Sequence[Value], bits: int) -> Value | None:
        """The constant value of a function for all values of its unknown operands; None where it varies."""
        rows = [
            n
            for n in range(1 << len(operands))
            if all(plain_of(value) in (None, n >> k & 1) for k, value in enumerate(operands))
        ]
        results = {table >> n & 1 for n in rows}
        return constant(((1 << bits) - 1) * results.pop(), bits) if len(results) == 1 else None

    def _function(self, table: int, leaves: list[Value], bits: int, name: str) -> Value:
        """The function without the leaves that do not affect it."""
        k = 0
        while k < len(leaves):
            low, high = cofactor(table, len(leaves), k, 0), cofactor(table, len(leaves), k, 1)
            if low == high:
                table = low
                del leaves[k]
            else:
                k += 1
        if not leaves:
            return constant(((1 << bits) - 1) * table, bits)
        if len(leaves) == 1 and table == 2:
            return leaves[0]
        return self.whole(self.node("bitwise", bits, tuple(leaves), table, name))

    def invert(self, value: Value, name: str) -> Value:
        """Every bit inverted."""
        return self.bitwise(1, [value], name)

    def choose(self, select: Value, zero: Value, one: Value, name: str) -> Value:
        """The second value where the bit is 0, the third where it is 1."""
        chosen = number_of(select)
        if chosen is not None or zero == one:
            return one if chosen else zero
        bits = width_of(zero)
        reason = reason_of([select, zero, one])
        if reason:
            return self.unknown(reason, bits)
        if bits == 1:
            return self.bitwise(0xCA, [zero, one, select], name)
        return self.whole(self.node("mux", bits, (select, zero, one), name=name))

    def nonzero(self, value: Value, name: str) -> Value:
        """Test whether some bit is 1. A test of such tests is one test of their operands."""
        parts: list[Piece] = []
        for node, low, bits in value:
            if node is not None and node.op == "nonzero":
                parts += node.args[0]
            elif node is not None or low:
                parts.append((node, low, bits))
        if any(node is None for node, _, _ in parts):
            return constant(1, 1)
        reason = reason_of([tuple(parts)])
        if reason:
            return self.unknown(reason, 1)
        tests = any(node is not None and node.op == "nonzero" for node, _, _ in value)
        if len(parts) <= MOST_LEAVES and all(bits == 1 for _, _, bits in parts) and not tests:
            return self._any([self.slice((piece,), k, 1) for piece in parts for k in range(piece[2])], name)
        parts.sort(key=lambda piece: (piece[0].number if piece[0] else -1, piece[1]))
        return self.whole(self.node("nonzero", 1, (self.join(parts),), name=name))

    def _any(self, bits: Sequence[Value], name: str) -> Value:
        found = constant(0, 1)
        for bit in bits:
            found = self.bitwise(0xE, [found, bit], name)
        return found

    def arithmetic(self, op: str, operands: Sequence[Value], name: str) -> Value:
        """A sum, difference or product modulo 2^width, of operands of that width."""
        bits = width_of(operands[0])
        if op == "mul" and 0 in map(number_of, operands):
            return constant(0, bits)
        reason = reason_of(operands)
        if reason:
            return self._unknown_sum(operands, name) if op == "add" else self.unknown(reason, bits)
        if op in ("add", "sub") and number_of(operands[1]) == 0:
            return operands[0]
        if op == "add":
            return self._sum(operands[0], operands[1], name)
        return self.whole(self.node(op, bits, tuple(operands), name=name))

    def _unknown_sum(self, operands: Sequence[Value], name: str) -> Value:
        """A sum of words with unknown bits: where the other word is 0 below, these do not affect the bits above."""
        bits = width_of(operands[0])
        (below, k), *_ = sorted(((zeros_of(value), k) for k, value in enumerate(operands)), reverse=True)
        if not 0 < below < bits:
            return self.unknown(reason_of(operands) or "", bits)
        high = self.arithmetic("add", [self.slice(value, below, bits - below) for value in operands], name)
        return self.join([*self.slice(operands[1 - k], 0, below), *high])

    def _sum(self, a: Value, b: Value, name: str) -> Value:
        """A sum; bits that pass below it are split off, and a constant 1 next to a bit makes it a carry in."""
        if number_of(a) == 0:
            return b
        bits = width_of(a)
        carried = with_carry(self, a, b, name)
        if carried is not None:
            return carried
        below = max(zeros_of(a), zeros_of(b))
        if below:
            low = b if zeros_of(a) == below else a
            if below >= bits:
                return low
            below = _outside_functions(low, below)
        if below:
            low = b if zeros_of(a) >= below else a
            high = self._sum(self.slice(a, below, bits - below), self.slice(b, below, bits - below), name)
            return self.join([*self.slice(low, 0, below), *high])
        one, carry = (a, b) if number_of(self.slice(a, 0, 1)) == 1 else (b, a)
        apart = carry[0][2] == 1 or carry[0][0] is None
        if bits > 1 and number_of(self.slice(one, 0, 1)) == 1 and apart:
            carry_in = self.slice(carry, 0, 1)
            high = self._sum(self.slice(a, 1, bits - 1), self.slice(b, 1, bits - 1), f"{name} without carry")
            high = self._sum(high, self.extend(carry_in, bits - 1, signed=False), name)
            return self.join([*self.invert(carry_in, name), *high])
        node = self.node("add", bits, (a, b), name=name)
        if node not in self._seen:
            self._seen.add(node)
            self._whole_sum(node)
        return self.whole(node)

    def _whole_sum(self, node: Node) -> None:
        """Note a sum in parts, where bits passed below an adder: they and its sum are one number, a node of its own."""
        for value in node.args:
            part, low, _ = value[0]
            if part is None:
                continue
            below = self._below(part)
            if low:
                below = (*below, *self.slice(self.whole(part), 0, low))
            if below and self._of_one_cycle(node):
                whole = (*below, (node, 0, node.width))
                total = self.node("concat", width_of(whole), (whole,), name=node.name)
                at = 0
                for inner, _, bits in whole:
                    if inner is not None:
                        self.within[inner] = total, at, bits
                    at += bits
                return

    def _of_one_cycle(self, node: Node) -> bool:
        """Whether a sum consists only of products of one cycle: the parts of one product."""
        cycles: set[str] = set()
        found, queue = {node}, [node]
        while queue:
            for value in queue.pop().args:
                for inner, _, _ in value:
                    if inner is None or inner in found:
                        continue
                    found.add(inner)
                    if inner.op in ("add", "concat"):
                        queue.append(inner)
                    elif inner.op != "mul":
                        return False
                    else:
                        cycles.add(inner.name.rpartition("@")[2])
            if len(cycles) > 1 or len(found) > MOST_HISTORY:
                return False
        return bool(cycles)

    def _below(self, node: Node) -> Value:
        """The parts below a node in the sum in parts whose top it is."""
        total, at, bits = self.within.get(node, (None, 0, 0))
        return total.args[0][:-1] if total is not None and at and bits == node.width else ()

    def lookup(self, address: Value, table: Sequence[Value], width: int, name: str) -> Value:
        """The word of a table at an address; an empty value in it is a word that is not defined."""
        reason = reason_of([address])
        if reason:
            return self.unknown(reason, width)
        return self.whole(self.node("lookup", width, (address, *table), name=name))

    def test(self, op: str, operands: Sequence[Value], name: str, *, signed: bool = False) -> Value:
        """A comparison, "less" or "equal"."""
        reason = reason_of(operands)
        if reason:
            return self.unknown(reason, 1)
        return self.whole(self.node(op, 1, tuple(operands), int(signed), name=name))


def _outside_functions(value: Value, place: int) -> int:
    """The place, or the end of a bitwise function of several words at it: its row of adders stays whole."""
    at = 0
    for node, _, bits in value:
        if at < place < at + bits and node is not None and node.op == "bitwise" and sum(map(is_word, node.args)) > 1:
            return at
        at += bits
    return place
