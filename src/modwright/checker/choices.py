# SPDX-License-Identifier: Apache-2.0
"""Words that few bits choose, and rows of full adders, found again among the gates of an operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .netlist import GATES, Node, Piece, RefusedError, Value, constant, cut, gate, invert, join, width

MOST_BITS = 9
"""Most bits whose values are all tried: a digit of radix 16 and its quotient have 7."""
Root = tuple[Node, int]
Adder = tuple[Node, Node, tuple[Value, ...]]
"""Total word, carry word, and the two or three words that are added."""


def inside(outputs: Iterable[Value]) -> list[Node]:
    """All nodes on which values depend."""
    found: dict[int, Node] = {}
    queue = [piece[0] for value in outputs for piece in value]
    while queue:
        n = queue.pop()
        if n is not None and id(n) not in found:
            found[id(n)] = n
            queue += [piece[0] for value in n[2] if isinstance(value, tuple) for piece in value]
    return sorted(found.values(), key=lambda n: n.number)


def is_long(value: Value) -> bool:
    """Whether a value is a word with different bits: not a constant, nor one bit repeated."""
    n, _, bits = value[0]
    return len(value) > 1 or (n is not None and bits > 1 and n[0] != "repeat")


def both_words(value: Value, kind: str) -> tuple[Value, ...]:
    """The two words of a gate that a value is; none for any other value."""
    n = value[0][0]
    whole = len(value) == 1 and n is not None and n[0] == kind and value[0][1:] == (0, n[1])
    return n[2] if whole and n is not None else ()


def adders(nodes: Iterable[Node]) -> Iterator[Adder]:
    """Rows of full adders, (a ^ b) ^ c with (a & b) | ((a ^ b) & c) or the majority, and of half adders, a ^ b with
    a & b."""
    nodes = [n for n in nodes if n[1] > 1 and n[0] in GATES]
    parities = {frozenset(n[2]): n for n in nodes if n[0] == "$xor"}
    for n in nodes:
        for k in (0, 1) if n[0] == "$or" else ():
            both, passed = both_words(n[2][k], "$and"), both_words(n[2][1 - k], "$and")
            for i in (0, 1) if both and passed else ():
                half = both_words(passed[i], "$xor")
                total = parities.get(frozenset(passed))
                if half and set(half) == set(both) and total is not None:
                    yield total, n, (*both, passed[1 - i])
        words = _majority(((n, 0, n[1]),)) if n[0] == "$or" else ()
        for word in words:
            half = parities.get(frozenset(words) - {word})
            total = half and parities.get(frozenset({((half, 0, half[1]),), word}))
            if total:
                yield total, n, words
    for n in nodes:
        total = parities.get(frozenset(n[2]))
        if n[0] == "$and" and total is not None:
            yield total, n, n[2]


def _majority(value: Value) -> tuple[Value, ...]:
    """Three words of which a value has the ones that two of them have; none for any other value."""
    terms = [value]
    while any(both_words(term, "$or") for term in terms):
        terms = [inner for term in terms for inner in both_words(term, "$or") or (term,)]
    pairs = [both_words(term, "$and") for term in terms]
    words = tuple(dict.fromkeys(word for pair in pairs for word in pair))
    distinct = {frozenset(pair) for pair in pairs}
    return words if len(pairs) == len(distinct) == len(words) == 3 and min(map(len, distinct)) == 2 else ()


def rows_of_adders(outputs: Iterable[Value]) -> dict[int, Adder]:
    """The adders on which values depend, by the references of their two results."""
    found: dict[int, Adder] = {}
    for adder in adders(inside(outputs)):
        if not {id(n) for n in adder[:2]} & found.keys() and all(map(is_long, adder[2])):
            found |= {id(n): adder for n in adder[:2]}
    return found


class Choices:
    """Choices by bits of inputs, of the words in `rows`, and of sums of their lowest bits."""

    def __init__(self, rows: set[int]) -> None:
        self.rows = rows
        self.sums: dict[int, bool] = {}
        self.known_bits: dict[Piece, frozenset[Root]] = {}

    def ends_at(self, n: Node) -> bool:
        """Whether the bits of a node are not followed any further."""
        return n[0] == "input" or id(n) in self.rows or self._adds_rows(n)

    def _adds_rows(self, n: Node) -> bool:
        if id(n) not in self.sums:
            pieces = [piece for value in n[2] for piece in value] if n[0] == "$add" else []
            self.sums[id(n)] = any(
                m is not None and (id(m) in self.rows or (bits == m[1] and self._adds_rows(m))) for m, _, bits in pieces
            )
        return self.sums[id(n)]

    def choosing(self, value: Value, *, mask: bool = False) -> frozenset[Root]:
        """Bits that choose a word; a repeated bit is a sign, unless it masks."""
        found: set[Root] = set()
        for n, low, bits in value:
            if n is None or id(n) in self.rows:
                continue
            if n[0] == "mux" and n[1] > 1:
                found |= self.bits(n[2][0]) | self.choosing(n[2][1]) | self.choosing(n[2][2])
            elif n[0] == "repeat":
                m = n[2][0][0][0]
                found |= self.bits(n[2][0]) if mask or (m is not None and not self.ends_at(m)) else set()
            elif n[0] in (*GATES, "$not") and n[1] > 1:
                for argument in n[2]:
                    found |= self.choosing(argument, mask=True)
            elif n[0] in (*GATES, "$not", "mux"):
                found |= self.bits(((n, low, bits),))
        return frozenset(found)

    def bits(self, value: Value) -> frozenset[Root]:
        """Bits on which a value depends."""
        found: set[Root] = set()
        for piece in value:
            n, low, bits = piece
            if n is None:
                continue
            if piece not in self.known_bits:
                if self.ends_at(n):
                    if bits > MOST_BITS:
                        raise RefusedError("a choice of too many bits")
                    self.known_bits[piece] = frozenset((n, low + k) for k in range(bits))
                else:
                    self.known_bits[piece] = frozenset().union(*map(self.bits, self._parts(piece)))
            found |= self.known_bits[piece]
        if len(found) > MOST_BITS:
            raise RefusedError("a choice of too many bits")
        return frozenset(found)

    def _parts(self, piece: Piece) -> list[Value]:
        """Values that decide the bits of a piece."""
        n, low, bits = piece
        assert n is not None
        if n[0] in ("mux", *GATES, "$not", "$add"):
            start = 0 if n[0] == "$add" else low
            words = [cut(value, start, low + bits - start) for value in n[2][n[0] == "mux" :]]
            return [n[2][0], *words] if n[0] == "mux" else words
        return [value for value in n[2] if isinstance(value, tuple)]

    def number(self, value: Value, known: Mapping[Root, int]) -> int | None:
        """The number of a value of known bits; None for any other."""
        total = at = 0
        for piece in value:
            part = piece[1] if piece[0] is None else self._number(piece, known)
            if part is None:
                return None
            total, at = total | part << at, at + piece[2]
        return total

    def _number(self, piece: Piece, known: Mapping[Root, int]) -> int | None:
        n, low, bits = piece
        assert n is not None
        if self.ends_at(n):
            found = [known.get((n, low + k)) for k in range(bits)]
            return None if None in found else sum((bit or 0) << k for k, bit in enumerate(found))
        parts = self._parts(piece)
        if n[0] == "mux":
            select = self.number(parts[0], known)
            return None if select is None else self.number(parts[1 + select], known)
        values = [self.number(part, known) for part in parts]
        ones = (1 << bits) - 1
        if None in values:
            return None
        a, b, *_ = (*(value or 0 for value in values), 0, 0)
        if n[0] in GATES:
            return GATES[n[0]](a, b)
        results = {"$not": ~a, "$add": a + b >> low, "$mul": a * b >> low, "repeat": a * ones, "zero": 0}
        return results[n[0]] & ones if n[0] in results else int(a != 0) if n[0] == "nonzero" else None

    def word(self, value: Value, known: Mapping[Root, int]) -> Value:
        """The word that is chosen where bits are known."""
        found: list[Piece] = []
        for piece in value:
            n, low, bits = piece
            if n is None or id(n) in self.rows:
                found.append(piece)
            elif n[0] == "mux" and n[1] > 1:
                select = self.number(n[2][0], known)
                found += [piece] if select is None else cut(self.word(n[2][1 + select], known), low, bits)
            elif n[0] in (*GATES, "$not") and n[1] > 1:
                a, *b = (self.word(argument, known) for argument in n[2])
                found += cut(gate(n[0], a, b[0]) if b else invert(a), low, bits)
            else:
                number = self.number((piece,), known) if n[0] in (*GATES, "$not", "mux", "repeat") else None
                found += [piece] if number is None else [(None, number, bits)]
        return join(found)


def entry(address: Value, numbers: list[int], bits: int) -> Value:
    """The word of a table at an address, bit by bit as choices by the address's bits."""
    found: list[Piece] = []
    for k in range(bits):
        found += _bit_at(address, [number >> k & 1 for number in numbers])
    return join(found)


def _bit_at(address: Value, column: list[int]) -> Value:
    if len(set(column)) == 1:
        return ((None, column[0], 1),)
    top = cut(address, width(address) - 1, 1)
    low, high = column[: len(column) // 2], column[len(column) // 2 :]
    rest = cut(address, 0, width(address) - 1)
    if low == high or constant(top) is not None:
        return _bit_at(rest, high if constant(top) else low)
    zero, one = _bit_at(rest, low), _bit_at(rest, high)
    if (constant(zero), constant(one)) in ((0, 1), (1, 0)):
        return top if constant(one) else invert(top)
    return gate("$or", gate("$and", invert(top), zero), gate("$and", top, one))
