# SPDX-License-Identifier: Apache-2.0
"""Carry-save adders among the bitwise functions of an operation: rows of full and half adders, found by their gates.

A row of full adders has a total word (a ^ b) ^ c and a carry word (a & b) | ((a ^ b) & c) of the same three words, in
any order of the operands; half adders have a ^ b and a & b. In each column the bits add up to the total's bit and twice
the carry's, so a + b + c is the total and twice the carry, however wide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .pieces import Node, Value, is_word

AND, OR, XOR = 0x8, 0xE, 0x6
"""Truth tables of two bits."""

Gate = tuple[int, tuple[Value, ...]]
"""Truth table and operands of a bitwise function, as they were given."""


@dataclass(frozen=True)
class Adder:
    """A row of full or half adders.

    Parameters
    ----------
    total, carry : Node
        Words of the results, one bit of each for a column.
    words : tuple of Value
        Two or three words that are added.
    """

    total: Node
    carry: Node
    words: tuple[Value, ...]


def adders_of(gates: Mapping[Node, Gate]) -> dict[Node, Adder]:
    """The adders by their two results."""
    index = {(table, frozenset(words)): node for node, (table, words) in gates.items() if len(words) == 2}
    found: dict[Node, Adder] = {}
    for adder in (*_full(gates, index), *_half(gates, index)):
        if adder.total not in found and adder.carry not in found and all(map(is_word, adder.words)):
            found[adder.total] = found[adder.carry] = adder
    return found


def _full(gates: Mapping[Node, Gate], index: Mapping[tuple[int, frozenset[Value]], Node]) -> Iterator[Adder]:
    for carry, (table, words) in gates.items():
        if table != OR or len(words) != 2:
            continue
        for one, other in (words, words[::-1]):
            both, passed = _words_of(gates, one, AND), _words_of(gates, other, AND)
            for half, last in (passed, passed[::-1]) if both and passed else ():
                if _same(_words_of(gates, half, XOR), both):
                    total = index.get((XOR, frozenset((half, last))))
                    if total is not None:
                        yield Adder(total, carry, (*both, last))


def _half(gates: Mapping[Node, Gate], index: Mapping[tuple[int, frozenset[Value]], Node]) -> Iterator[Adder]:
    for carry, (table, words) in gates.items():
        total = index.get((XOR, frozenset(words)))
        if table == AND and len(words) == 2 and total is not None:
            yield Adder(total, carry, words)


def _words_of(gates: Mapping[Node, Gate], value: Value, table: int) -> tuple[Value, ...]:
    """Operands of a gate of two words; none for another value."""
    node, low, bits = value[0]
    if len(value) > 1 or node is None or low or bits != node.width:
        return ()
    found, words = gates.get(node, (0, ()))
    return words if found == table and len(words) == 2 else ()


def _same(one: tuple[Value, ...], other: tuple[Value, ...]) -> bool:
    return bool(one) and set(one) == set(other)
