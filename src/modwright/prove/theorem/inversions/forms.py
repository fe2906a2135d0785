# SPDX-License-Identifier: Apache-2.0
"""Words as linear forms over integers, exact whatever the words are, for claims modulo a power of two.

An atom is an integer: the lowest bits of an input or of a conjunction of words in each column, or what a sum has above
some place. The lowest k bits of a sum S are S - 2^k·floor(S / 2^k), and a bitwise function is a sum of conjunctions
with integers as factors (Möbius' inversion of its table). So the slices of a word add up to it, carries from slice to
slice cancel, and so do the conjunctions of a row of adders.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..decide import UndecidedError
from ..pieces import Node, Value, constant, edges_of, number_of, unknown_of, width_of
from ..poly import ZERO, Poly, number
from ..ternary import ones
from ..words import Words

MOST_PLACES = 2
"""Most places of a sum, from the lowest on, whose bits are found from constants: that of the carry into it, and the
first of its words."""


@dataclass(frozen=True)
class Key:
    """An atom.

    Parameters
    ----------
    kind : str
        "low", the lowest bits of a word; "above", what a sum has above them.
    of : object
        Node, or the leaves whose conjunction it is.
    bits : int
    """

    kind: str
    of: object
    bits: int

    def is_below(self, other: Key) -> bool:
        """Whether both are lowest bits of one word, of which these are fewer."""
        return self.kind == other.kind == "low" and self.of == other.of and self.bits < other.bits


class Sums(Words):
    """A builder of words in which a sum has the operands of its cell, so that what they have above it is seen."""

    def _sum(self, a: Value, b: Value, name: str) -> Value:
        return self.whole(self.node("add", width_of(a), (a, b), name=name))


class Forms:
    """Linear forms of the words of one builder.

    Parameters
    ----------
    words : Words
    """

    def __init__(self, words: Words) -> None:
        self.words = words
        self._atoms: dict[Key, int] = {}
        self._keys: list[Key] = []
        self._cuts: dict[tuple[Node, int], Poly] = {}

    def of(self, value: Value) -> Poly:
        """The number of a word.

        Raises
        ------
        UndecidedError
            When a part of it is unknown.
        """
        total, at = ZERO, 0
        for node, low, bits in value:
            total += (number(low) if node is None else self._piece(node, low, bits)).scaled(1 << at)
            at += bits
        return total

    def _piece(self, node: Node, low: int, bits: int) -> Poly:
        return (self.cut(node, low + bits) - self.cut(node, low)).scaled(1, low)

    def signed(self, value: Value) -> Poly:
        """The signed number of a word, modulo twice its range."""
        bits = sum(count for *_, count in value)
        return self.of(value) + self.of(self.words.slice(value, bits - 1, 1)).scaled(1 << bits)

    def congruent(self, value: Value, other: Poly, bits: int, factor: int = 1) -> bool:
        """Whether a word times a factor is congruent to a form modulo 2^bits."""
        return self.residue(self.of(value).scaled(factor) - other, bits) == 0

    def residue(self, form: Poly, bits: int) -> int | None:
        """The remainder of a form modulo 2^bits, where that follows from its factors.

        The lowest k bits of a word are its lowest j bits and 2^j times an integer, those between; with that, each of
        the integers must have a multiple of 2^bits as a factor.
        """
        left = {atoms[0]: value for atoms, value in form.items() if atoms}
        for key in sorted((self._keys[atom] for atom in left), key=lambda key: -key.bits):
            below = [other for other in left if self._keys[other].is_below(key)]
            if below:
                nearest = max(below, key=lambda other: self._keys[other].bits)
                left[nearest] += left[self._atoms[key]]
                left[self._atoms[key]] <<= self._keys[nearest].bits
        known, scale = form.terms.get((), 0), 1 << form.shift
        if known % scale or any(value % (scale << bits) for value in left.values()):
            return None
        return (known // scale) % (1 << bits)

    # --- lowest bits

    def cut(self, node: Node, k: int) -> Poly:
        """The number of the lowest k bits of a node."""
        if not k:
            return ZERO
        if (node, k) not in self._cuts:
            self._cuts[node, k] = self._cut(node, k)
        return self._cuts[node, k]

    def _cut(self, node: Node, k: int) -> Poly:
        if node.op == "add":
            return self._sum(node, k)
        if node.op == "bitwise":
            return self._columns(node, k)
        if node.op == "repeat":
            return self.of(node.args[0]).scaled(ones(k))
        reason = unknown_of(((node, 0, k),))
        if reason is not None:
            raise UndecidedError(reason)
        return self._atom("low", node, k)

    def _atom(self, kind: str, of: object, bits: int) -> Poly:
        key = Key(kind, of, bits)
        if key not in self._atoms:
            self._atoms[key] = len(self._keys)
            self._keys.append(key)
        return Poly({(self._atoms[key],): 1})

    def _sum(self, node: Node, k: int) -> Poly:
        lowest = [bit_at(((node, 0, node.width),), place) for place in range(k)] if k <= MOST_PLACES else [None]
        if None not in lowest:
            return number(sum((bit or 0) << place for place, bit in enumerate(lowest)))
        whole = self.of(node.args[0]) + self.of(node.args[1])
        if sum(map(most_of, node.args)) < 1 << k:
            return whole
        rest = self.residue(whole, k)
        if rest is not None:
            return number(rest)
        return whole - self._atom("above", node, k).scaled(1 << k)

    def _columns(self, node: Node, k: int) -> Poly:
        """A function of columns, in runs of columns in which each leaf is one piece of a node, or constant."""
        total, low = ZERO, 0
        for high in sorted({min(edge, k) for leaf in node.args for edge in edges_in(leaf)}):
            pieces = [self.words.slice(leaf, low, high - low) for leaf in node.args]
            total += self._run(node.table, pieces, high - low).scaled(1 << low)
            low = high
        return total

    def _run(self, table: int, leaves: list[Value], bits: int, others: tuple[Value, ...] = ()) -> Poly:
        """A function of one run of columns, in conjunction with others, as a sum of conjunctions."""
        total = ZERO
        for chosen in range(1 << len(leaves)):
            subsets = [rows for rows in range(1 << len(leaves)) if rows & chosen == rows]
            factor = sum((table >> rows & 1) * (-1) ** (chosen ^ rows).bit_count() for rows in subsets)
            if factor:
                words = [*others, *(leaf for n, leaf in enumerate(leaves) if chosen >> n & 1)]
                total += self._conjunction(words, bits).scaled(factor)
        return total

    def _conjunction(self, leaves: list[Value], bits: int) -> Poly:
        """The conjunction of words of one run; functions among them are taken apart, constants fall away."""
        words = dict.fromkeys(leaf for leaf in leaves if number_of(leaf) != ones(bits))
        for leaf in words:
            node, low, _ = leaf[0]
            if node is not None and node.op == "bitwise":
                parts = [self.words.slice(part, low, bits) for part in node.args]
                return self._run(node.table, parts, bits, tuple(other for other in words if other != leaf))
        if constant(0, bits) in words:
            return ZERO
        forms = [self.of(word) for word in words]  # an unknown one ends the proof
        if len(forms) < 2:
            return forms[0] if forms else number(ones(bits))
        start = min(low for ((_, low, _),) in words)
        of = frozenset((node, low - start) for ((node, low, _),) in words)
        whole = self._atom("low", of, start + bits)
        return (whole - self._atom("low", of, start)).scaled(1, start) if start else whole


def edges_in(value: Value) -> list[int]:
    """Ends of the pieces of a word and of the words that its functions are of, and places where constants change."""
    found, at = list[int](), 0
    for node, low, bits in value:
        if node is None:
            found += [at + edge for edge in edges_of(((node, low, bits),))]
        elif node.op == "bitwise":
            inner = (edge - low for leaf in node.args for edge in edges_in(leaf))
            found += [at + edge for edge in inner if 0 < edge < bits]
        at += bits
        found.append(at)
    return found


def most_of(value: Value) -> int:
    """The largest number of a word, by the bits that may be 1."""
    total = at = 0
    for node, low, bits in value:
        total |= (low if node is None else ones(bits)) << at
        at += bits
    return total


def bit_at(value: Value, place: int) -> int | None:
    """A bit that follows from constants, in sums with those below it; None for any other."""
    for node, low, bits in value:
        if place < bits:
            return low >> place & 1 if node is None else _bit_of(node, low + place)
        place -= bits
    return None


def _bit_of(node: Node, place: int) -> int | None:
    if node.op == "repeat":
        return bit_at(node.args[0], 0)
    if node.op == "bitwise":
        rows = _row_of(node, place)
        return None if rows is None else node.table >> rows & 1
    if node.op != "add" or place > MOST_PLACES:
        return None
    carry = 0
    for k in range(place + 1):
        rows = _row_of(node, k)
        if rows is None:
            return None
        carry = (carry >> 1) + rows.bit_count()
    return carry & 1


def _row_of(node: Node, place: int) -> int | None:
    """The bits of all operands in a column, if all are known."""
    bits = [bit_at(leaf, place) for leaf in node.args]
    return None if None in bits else sum((bit or 0) << n for n, bit in enumerate(bits))


def top_of(words: Words, value: Value) -> Value:
    """The top bit of a word."""
    return words.slice(value, sum(bits for *_, bits in value) - 1, 1)
