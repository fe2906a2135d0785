# SPDX-License-Identifier: Apache-2.0
"""Nodes and values: words, and concatenations of pieces of them, least significant first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(eq=False)
class Node:
    """One word.

    Parameters
    ----------
    op : str
        "input", "add", "sub", "mul", "neg", "mux", "bitwise", "repeat", "concat", "nonzero", "less", "equal" or
        "unknown".
    width : int
        Bits.
    args : tuple of Value
        Operands, as wide as the node for "add", "sub", "mul" and "neg", which are modulo 2^width; the selecting bit,
        the value for 0 and the one for 1 of "mux"; the leaves of "bitwise"; the bit of "repeat".
    table : int
        Truth table of "bitwise": bit n is the result where leaf k is bit k of n. For "less", whether operands are
        signed.
    name : str
        Cell and cycle; for "unknown" the reason.
    number : int
        Index in the order of creation.
    """

    op: str
    width: int
    args: tuple[Value, ...] = field(repr=False)
    table: int
    name: str
    number: int = field(default=0)


Piece = tuple[Node | None, int, int]
"""Node and lowest bit, or None and the value; and the number of bits."""
Value = tuple[Piece, ...]


def constant(value: int, bits: int) -> Value:
    """A number as a value."""
    return ((None, value, bits),) if bits else ()


def width_of(value: Value) -> int:
    """Bits of a value."""
    return sum(bits for _, _, bits in value)


def number_of(value: Value) -> int | None:
    """Number of a constant value; None for another value."""
    if not value:
        return 0
    return value[0][1] if len(value) == 1 and value[0][0] is None else None


def reason_of(values: Sequence[Value]) -> str | None:
    """Reason of an unknown part; None without one."""
    for value in values:
        for piece in value:
            reason = unknown_of((piece,))
            if reason is not None:
                return reason
    return None


def zeros_of(value: Value) -> int:
    """Constant zeros at the lower end."""
    node, low, bits = value[0]
    if node is not None:
        return 0
    return (low & -low).bit_length() - 1 if low else bits


def cofactor(table: int, leaves: int, k: int, bit: int) -> int:
    """The truth table where leaf k is `bit`."""
    rows = [n for n in range(1 << leaves) if n >> k & 1 == bit]
    return sum((table >> n & 1) << index for index, n in enumerate(rows))


def edges_of(value: Value) -> list[int]:
    """Ends of pieces, and places where the bits of a constant change."""
    found: list[int] = []
    at = 0
    for node, low, bits in value:
        if node is None:
            changes = low ^ (low >> 1)
            found += [at + k + 1 for k in range(bits - 1) if changes >> k & 1]
        at += bits
        found.append(at)
    return found


def function_of(value: Value) -> tuple[int, tuple[Value, ...]] | None:
    node, low, bits = value[0]
    if len(value) > 1 or node is None or node.op != "bitwise" or low or bits != node.width:
        return None
    return node.table, node.args


def plain_of(value: Value) -> int | None:
    """The bit of a constant whose bits are all the same."""
    node, low, bits = value[0]
    return None if node is not None or len(value) > 1 else low & 1 if low in (0, (1 << bits) - 1) else None


def at_of(value: Value, known: dict[Value, int]) -> int:
    """The bit of an operand for known bits of the leaves."""
    plain = plain_of(value)
    if plain is not None:
        return plain
    inner = function_of(value)
    if inner is None or value in known:
        return known[value]
    return inner[0] >> sum(at_of(leaf, known) << k for k, leaf in enumerate(inner[1])) & 1


def bit_of(piece: Piece) -> Value | None:
    """The bit that a piece repeats; of one bit, itself."""
    node, low, bits = piece
    if node is not None and node.op == "repeat":
        return node.args[0]
    return ((node, low, 1),) if bits == 1 else None


def is_test(value: Value) -> bool:
    """True for the test that some bit is 1."""
    return len(value) == 1 and value[0][0] is not None and value[0][0].op == "nonzero"


def is_word(value: Value) -> bool:
    """True where bits of a value differ and are not all known."""
    node, low, bits = value[0]
    if len(value) > 1:
        return True
    if node is None:
        return low not in (0, (1 << bits) - 1)
    return bits > 1 and node.op != "repeat"


def unknown_of(value: Value) -> str | None:
    node = value[0][0]
    return node.name if node is not None and node.op == "unknown" else None


def order_of(value: Value) -> tuple[int, int]:
    node, low, _ = value[0]
    return (node.number if node else -1), low
