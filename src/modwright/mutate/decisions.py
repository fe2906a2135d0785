# SPDX-License-Identifier: Apache-2.0
"""Functions of a few bits, given by their tables, as shared multiplexers: reduced ordered
binary decision diagrams (Bryant, IEEE Trans. Computers C-35(8), 1986)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amaranth.hdl import Const, Module, Mux, Signal, Value


class Decisions:
    """Functions of the same words.

    Parameters
    ----------
    m : Module
        Module of the multiplexers.
    words : sequence of Value
        Words in the order in which they decide.
    """

    def __init__(self, m: Module, words: Sequence[Value]) -> None:
        self._module = m
        self._bits = [bit for word in words for bit in reversed(word)]
        self._widths = [len(word) for word in words]
        self._found: dict[bytes, Value] = {b"\0": Const(0), b"\1": Const(1)}

    def values(self, function: Callable[..., int]) -> list[int]:
        """Values of a function of the words, in their order."""
        found = []
        for index in range(1 << len(self._bits)):
            arguments, rest = [], index
            for width in reversed(self._widths):
                arguments.append(rest & ((1 << width) - 1))
                rest >>= width
            found.append(function(*reversed(arguments)))
        return found

    def of(self, values: Sequence[int], bit: int = 0) -> Value:
        """A bit of the function with the given values."""
        return self._of(bytes(value >> bit & 1 for value in values))

    def _of(self, table: bytes) -> Value:
        if table not in self._found:
            middle = len(table) // 2
            low, high = table[:middle], table[middle:]
            if low == high:
                self._found[table] = self._of(low)
            else:
                node = Signal(name=f"decision_{len(self._found)}")
                select = self._bits[-middle.bit_length()]
                self._module.d.comb += node.eq(Mux(select, self._of(high), self._of(low)))
                self._found[table] = node
        return self._found[table]
