# SPDX-License-Identifier: Apache-2.0
"""Carries that leave no sum as a whole: those between its bits, and those of limbs that are added all at once.

The carry into a bit of a sum is the parity of that bit and of those of its two words; below it is the majority of both
words' bits and of the carry there. Limbs that are added at once have two flags each: the limb has a carry, or it has
one with a carry into it, as a + b is all ones exactly where a and b differ in every bit. The majority of both flags
and of the carry c into the limb is then the carry out of a + b + c, and that sum is a word of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from .pieces import Node, Piece, Value, at_of, constant, function_of, number_of, order_of, width_of

MAJORITY, XOR = 0xE8, 0x6
"""Truth tables of three and of two bits."""
INVERTED, EQUAL, ALWAYS = 0x1, 0x9, 0xF
"""Truth tables of one bit, and of two: that they are equal, and 1 in every row."""

Sums = dict[tuple[Node, Value], Node]
"""Sums with a carry into them: S + c by S and c."""


class Builder(Protocol):
    """The part of the builder of words that is used here."""

    sums: Sums

    def node(self, op: str, width: int, args: tuple[Value, ...] = (), table: int = 0, name: str = "") -> Node:
        """The node."""
        ...

    def whole(self, node: Node) -> Value:
        """All bits of a node."""
        ...

    def slice(self, value: Value, low: int, bits: int) -> Value:
        """Some bits of a value."""
        ...

    def extend(self, value: Value, to: int, *, signed: bool) -> Value:
        """Extend a value."""
        ...

    def bitwise(self, table: int, operands: Sequence[Value], name: str) -> Value:
        """A function of each column of bits."""
        ...

    def join(self, pieces: Iterable[Piece]) -> Value:
        """Concatenation of pieces."""
        ...


def carry_in_sum(words: Builder, leaves: Sequence[Value], table: int, name: str) -> Value | None:
    """The carry into bit j of a sum, where a function of leaves is the parity of bit j of the sum and of its two words,
    one of which may have a 0 there; None for another function."""
    for leaf in leaves:
        node, j, _ = leaf[0]
        if node is not None and node.op == "add":
            bits = [words.slice(word, j, 1) for word in node.args]
            known = [number for number in map(number_of, bits) if number is not None]
            if known in ([], [0]) and _is_parity([*bits, leaf], leaves, table):
                return _carry(words, node.args, j, name)
    return None


def _is_parity(bits: Sequence[Value], leaves: Sequence[Value], table: int) -> bool:
    """Whether a function of leaves is the parity of bits, which depend on no other leaves."""
    if not all(_depends_on(bit, leaves) for bit in bits):
        return False
    for row in range(1 << len(leaves)):
        known = {leaf: row >> k & 1 for k, leaf in enumerate(leaves)}
        if sum(at_of(bit, known) for bit in bits) & 1 != table >> row & 1:
            return False
    return True


def _depends_on(bit: Value, leaves: Sequence[Value]) -> bool:
    """Whether a bit is a constant, one of the leaves or a function of them."""
    inner = function_of(bit)
    return bit in leaves or number_of(bit) is not None or (inner is not None and all(x in leaves for x in inner[1]))


def _carry(words: Builder, summands: Sequence[Value], j: int, name: str) -> Value:
    """The carry into bit j of a sum of two words."""
    carry = constant(0, 1)
    for k in range(j):
        a, b = (words.slice(word, k, 1) for word in summands)
        if a == b:
            carry = a
        elif any(number_of(bit) is not None for bit in (a, b, carry)):
            carry = words.bitwise(MAJORITY, [a, b, carry], name)
        else:
            ahead = _ahead(words, a, b, carry, name) or _ahead(words, b, a, carry, name)
            majority = words.node("bitwise", 1, tuple(sorted([a, b, carry], key=order_of)), MAJORITY, name)
            carry = ahead or words.whole(majority)
    return carry


def _ahead(words: Builder, made: Value, passes: Value, carry: Value, name: str) -> Value | None:
    """The carry out of a limb with a carry into it, where the flags are those of the limb."""
    node, k, _ = made[0]
    if node is None or node.op != "add" or k != node.width - 1:
        return None
    if any(number_of(words.slice(word, k, 1)) != 0 for word in node.args):
        return None
    summands = [words.slice(word, 0, k) for word in node.args]
    if not _passes(passes, made, summands):
        return None
    total = words.node("add", node.width, (words.whole(node), words.extend(carry, node.width, signed=False)), name=name)
    words.sums[node, carry] = total
    return words.slice(words.whole(total), k, 1)


def _passes(flag: Value, made: Value, summands: Sequence[Value]) -> bool:
    """Whether a flag is that of a limb with a carry, `made`, or that differs from its other summand in every bit."""
    inner = function_of(flag)
    if inner is None or len(inner[1]) != 2 or made not in inner[1]:
        return False
    k = inner[1].index(made)
    test = inner[1][1 - k][0][0]
    if test is None or test.op != "nonzero" or inner[0] != ALWAYS ^ 1 << (2 >> k):
        return False
    return _equal_somewhere(test.args[0], summands)


def _equal_somewhere(value: Value, summands: Sequence[Value]) -> bool:
    """Whether some bit of a value is 1 exactly where two words have an equal bit: it has the complement of each bit of
    their exclusive disjunction."""
    left = set(range(width_of(summands[0])))
    for piece in value:
        inner = function_of((piece,))
        if inner is None or len(inner[1]) not in (1, 2):
            return False
        table, words, low = inner[0], inner[1], 0
        if len(words) == 1:
            gate, low, bits = words[0][0]
            if table != INVERTED or len(words[0]) != 1 or gate is None or gate.op != "bitwise" or bits != piece[2]:
                return False
            table, words = EQUAL if gate.table == XOR else 0, gate.args
        if table != EQUAL or set(words) != set(summands):
            return False
        left -= set(range(low, low + piece[2]))
    return not left


def with_carry(words: Builder, a: Value, b: Value, name: str) -> Value | None:
    """The lowest bits of a sum plus a carry, where both together are a word of its own; None for other words."""
    for limb, carry in ((a, b), (b, a)):
        node, low, bits = limb[0]
        if node is not None and not low and _only(limb) and carry[0][2] == 1 and _only(carry):
            total = words.sums.get((node, carry[:1]))
            if total is not None:
                above = words.whole(words.node("add", width_of(a), (limb, carry), name=name))
                return words.join([(total, 0, bits), *words.slice(above, bits, width_of(a) - bits)])
    return None


def _only(value: Value) -> bool:
    """Whether a value is one piece, with zeros above it."""
    return all(node is None and not low for node, low, _ in value[1:])


def carry_into(table: int, count: int, zero: int, one: int) -> int | None:
    """The function c of the other leaves for which a function of `count` leaves is leaf `zero` where c is 0, and leaf
    `one` where c is 1; None for another function. Where leaf `zero` is 1, leaf `one` is 1 as well.

    So the function is 0 where both are 0, 1 where both are 1, and c where they differ.
    """
    others = [k for k in range(count) if k not in (zero, one)]
    found = 0
    for row in range(1 << len(others)):
        at = sum((row >> n & 1) << k for n, k in enumerate(others))
        neither, second, both = (
            table >> (at | low << zero | high << one) & 1 for low, high in ((0, 0), (0, 1), (1, 1))
        )
        if neither or not both:
            return None
        found |= second << row
    return found
