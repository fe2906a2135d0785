# SPDX-License-Identifier: Apache-2.0
"""Words that few bits choose: the bits on which a choice depends, and the word for each value of them.

The bits are those of inputs and of short sums of rows (the lowest bits of a sum in carry-save form); all tests, tables
and sums of such bits are followed back to them.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from .pieces import Node, Piece, Value, width_of
from .ternary import number, ones
from .words import Words

MOST_ROOTS = 9
"""Most bits on which a choice depends: each doubles the values that are tried; a digit of radix 16 and its quotient
have 7."""

Root = tuple[Node, int]
"""A node and a place: one bit."""


class TooManyRootsError(Exception):
    """A choice depends on more bits than are tried."""


class Choices:
    """Choices in the words of one operation.

    Parameters
    ----------
    words : Words
    rows : container of Node
        Results of carry-save adders, which no choice is followed through.
    """

    def __init__(self, words: Words, rows: Container[Node]) -> None:
        self.words, self.rows = words, rows
        self._summed: dict[Node, bool] = {}
        self._found: dict[tuple[Node, int, int], frozenset[Root]] = {}

    def is_root(self, node: Node) -> bool:
        """Whether choices are followed to the bits of a node: of an input, a row, or a sum of the lowest bits of
        rows."""
        return node.op == "input" or node in self.rows or self._is_sum(node)

    def _is_sum(self, node: Node) -> bool:
        """Whether bits of a row, or a whole sum of such, are added."""
        if node not in self._summed:
            self._summed[node] = node.op == "add" and any(
                inner is not None and (inner in self.rows or (bits == inner.width and self._is_sum(inner)))
                for value in node.args
                for inner, _, bits in value
            )
        return self._summed[node]

    def roots(self, value: Value, *, masks: bool = False) -> frozenset[Root]:
        """The bits that choose a word; a repeated bit of a root is a sign, unless it masks a word.

        Raises
        ------
        TooManyRootsError
        """
        found: set[Root] = set()
        for node, low, bits in value:
            if node is None or node in self.rows:
                continue
            if node.op == "mux" and node.width > 1:
                found |= self._of_bits(node.args[0]) | self.roots(node.args[1]) | self.roots(node.args[2])
            elif node.op == "repeat":
                inner = node.args[0][0][0]
                if masks or (inner is not None and not self.is_root(inner)):
                    found |= self._of_bits(node.args[0])
            elif node.op == "bitwise" and node.width > 1:
                for leaf in node.args:
                    found |= self.roots(leaf, masks=True)
            elif node.op in ("bitwise", "mux"):
                found |= self._of_bits(((node, low, bits),))
        if len(found) > MOST_ROOTS:
            raise TooManyRootsError
        return frozenset(found)

    def _of_bits(self, value: Value) -> frozenset[Root]:
        """The bits on which the bits of a value depend."""
        found: set[Root] = set()
        for node, low, bits in value:
            if node is None:
                continue
            if self.is_root(node):
                if bits > MOST_ROOTS:
                    raise TooManyRootsError
                found |= {(node, low + k) for k in range(bits)}
                continue
            piece = node, low, bits
            if piece not in self._found:
                inner: set[Root] = set()
                for argument in self._arguments(piece):
                    inner |= self._of_bits(argument)
                self._found[piece] = frozenset(inner)
            found |= self._found[piece]
            if len(found) > MOST_ROOTS:
                raise TooManyRootsError
        return frozenset(found)

    def _arguments(self, piece: tuple[Node, int, int]) -> tuple[Value, ...]:
        """Values on which bits of a node depend."""
        node, low, bits = piece
        if node.op == "mux":
            return (node.args[0], *(self.words.slice(arm, low, bits) for arm in node.args[1:]))
        if node.op == "bitwise":
            return tuple(self.words.slice(leaf, low, bits) for leaf in node.args)
        if node.op == "add":
            return tuple(self.words.slice(word, 0, low + bits) for word in node.args)
        return node.args

    # --- for given bits

    def chosen(self, value: Value, known: Mapping[Root, int]) -> Value:
        """The word where the bits that choose it are known."""
        found: list[Piece] = []
        for node, low, bits in value:
            found += self._chosen((node, low, bits), known)
        return self.words.join(found)

    def _chosen(self, piece: Piece, known: Mapping[Root, int]) -> Value:
        node, low, bits = piece
        if node is None or node in self.rows:
            return (piece,)
        if node.op == "mux" and node.width > 1:
            select = self.value_of(node.args[0], known)
            return (
                (piece,) if select is None else self.words.slice(self.chosen(node.args[1 + select], known), low, bits)
            )
        if node.op == "bitwise" and node.width > 1:
            leaves = [self.chosen(leaf, known) for leaf in node.args]
            return self.words.slice(self.words.bitwise(node.table, leaves, node.name), low, bits)
        if node.op in ("bitwise", "mux", "repeat"):
            number = self.value_of((piece,), known)
            return (piece,) if number is None else ((None, number, bits),)
        return (piece,)

    def value_of(self, value: Value, known: Mapping[Root, int]) -> int | None:
        """The number of a value that depends on known bits only; None for any other."""
        total = at = 0
        for node, low, bits in value:
            if node is None:
                part: int | None = low
            else:
                part = self._bits_of(node, low, bits, known)
            if part is None:
                return None
            total |= part << at
            at += bits
        return total

    def _bits_of(self, node: Node, low: int, bits: int, known: Mapping[Root, int]) -> int | None:
        if self.is_root(node):
            found = [known.get((node, low + k)) for k in range(bits)]
            return None if None in found else sum((bit or 0) << k for k, bit in enumerate(found))
        arguments = self._arguments((node, low, bits))
        if node.op == "mux":
            select = self.value_of(arguments[0], known)
            return None if select is None else self.value_of(arguments[1 + select], known)
        values = [self.value_of(value, known) for value in arguments]
        if None in values:
            return None
        numbers = [value or 0 for value in values]
        if node.op == "bitwise":
            return _by_columns(node.table, numbers, bits)
        return RESULTS[node.op](node, numbers) >> low & ones(bits) if node.op in RESULTS else None


def _by_columns(table: int, numbers: list[int], bits: int) -> int:
    return sum((table >> sum((value >> k & 1) << i for i, value in enumerate(numbers)) & 1) << k for k in range(bits))


def _less(node: Node, values: list[int]) -> int:
    a, b = (
        number(value, width_of(word), signed=bool(node.table)) for value, word in zip(values, node.args, strict=True)
    )
    return int(a < b)


RESULTS = {
    "add": lambda node, values: sum(values) & ones(node.width),
    "sub": lambda node, values: (values[0] - values[1]) & ones(node.width),
    "mul": lambda node, values: values[0] * values[1] & ones(node.width),
    "neg": lambda node, values: -values[0] & ones(node.width),
    "repeat": lambda node, values: values[0] * ones(node.width),
    "nonzero": lambda _, values: int(values[0] != 0),
    "less": _less,
    "equal": lambda _, values: int(values[0] == values[1]),
    "zero": lambda _, values: 0,
}
"""The result of a node whose operands are known."""
