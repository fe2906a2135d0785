# SPDX-License-Identifier: Apache-2.0
"""Limbs that are added all at once: the flags with which their carries are found after that."""

from __future__ import annotations

from .netlist import Node, Value, constant, cut, node_of, width


def limb_of(made: Value, passes: Value) -> Value | None:
    """The lowest bits of a limb, below the sum whose top bit says that it has a carry, where another bit says that it
    has one or is all ones; None for other bits.

    In the lowest bits one of the limb's words is 0; there may be none.
    """
    total, top, _ = made[0]
    flag = passes[0][0]
    if total is None or total[0] != "$add" or top != total[1] - 1 or flag is None or flag[0] != "$or":
        return None
    for test in flag[2]:
        words = _different_in_every_bit(test) if made in flag[2] and test != made else None
        low = width(words[0]) - top if words else -1
        if words is None or low < 0 or (low and 0 not in [constant(cut(word, 0, low)) for word in words]):
            continue
        parts = [cut(word, low, top) for word in words]
        summands = [cut(word, 0, top) for word in total[2]]
        if parts in (summands, summands[::-1]) and all(constant(cut(word, top, 1)) == 0 for word in total[2]):
            return next((cut(word, 0, low) for word in words if constant(cut(word, 0, low)) is None), ())
    return None


def limb_and_carry(value: Value, other: Value, k: int) -> tuple[Value, Node] | None:
    """The lowest bits of a limb, and the sum above them, where one word is k bits of that limb and the other a carry;
    None for other words."""
    pieces = list(value)
    while len(pieces) > 1 and pieces[-1][:2] == (None, 0):
        pieces.pop()
    *below, (n, low, bits) = pieces
    is_bit = other[0][2] == 1 and all(n is None and not low for n, low, _ in other[1:])
    if not is_bit or n is None or n[0] != "$add" or low or width(tuple(below)) + bits != k:
        return None
    return tuple(below), n


def _different_in_every_bit(test: Value) -> tuple[Value, Value] | None:
    """The two words that differ in every bit where a bit is 1: none of the complements of their parities is 1."""
    inner = node_of(test)
    tested = node_of(inner[2][0]) if inner[0] == "$not" else inner
    if inner[0] != "$not" or tested[0] != "nonzero":
        return None
    parity, places = None, set[int]()
    for n, low, bits in tested[2][0]:
        (m, start, _), *others = n[2][0] if n is not None and n[0] == "$not" else [(None, 0, 0)]
        if m is None or others or m[0] != "$xor" or parity not in (None, m):
            return None
        parity = m
        places |= set(range(start + low, start + low + bits))
    return parity[2] if parity is not None and places == set(range(parity[1])) else None
