# SPDX-License-Identifier: Apache-2.0
"""Words of channels of residues as polynomials: words that are factors or choices are atoms with a definition.

A cut a of k bits of P and the atom h of the bits above it have a + 2^k·h = P, so that a polynomial without cuts has
integer coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence

from .atoms import Ends
from .congruences import Read
from .floors import Floors
from .netlist import Node, RefusedError, Value, cut
from .poly import Monomial, Poly, add, key_of, number, scale

Lookup = tuple[Poly, int, int, list[int]]
"""Address and its bits; its least value, and the words from that one on."""


def nodes_of(value: Value) -> list[Node]:
    """Nodes of the pieces of a value."""
    return [n for n, _, _ in value if n is not None]


def alone(p: Poly) -> int:
    """The atom of which a polynomial consists; -1 for another polynomial."""
    monomials = list(p[0])
    return monomials[0][0] if len(monomials) == 1 and len(monomials[0]) == 1 else -1


class ChannelFacts(Floors):
    """Facts of the words that some values need; `lookups` has words of tables."""

    def __init__(self, outputs: Sequence[Value]) -> None:
        super().__init__()
        self.lookups: dict[int, Lookup] = {}
        self.ends_at: dict[int, int] = {}
        self.factor: dict[int, Node] = {}
        self._reach(outputs)

    def _reach(self, outputs: Sequence[Value]) -> None:
        """Note where the bits of each node end that something uses, and the nodes that are named."""
        queue, seen = list(outputs), set[int]()
        while queue:
            for n, start, bits in queue.pop():
                if n is None:
                    continue
                self.ends_at[id(n)] = max(self.ends_at.get(id(n), 0), start + bits)
                if id(n) not in seen:
                    seen.add(id(n))
                    inner = [value for value in n[2] if isinstance(value, tuple)]
                    queue += inner
                    if n[0] == "mux":
                        self.factor[id(n)] = n
                    if n[0] == "$mul":
                        nodes = [nodes_of(value) for value in inner]
                        self.factor |= {id(m): m for found in nodes for m in found if len(found) == 1}

    # --- nodes

    def _find(self, n: Node) -> tuple:
        if n[0] == "lookup":
            return self._lookup(n), None
        found = super()._find(n)
        p, exact, *given = found
        if id(n) not in self.factor or n[0] in ("$mul", "mux") or exact is not None or len(p[0]) < 2:
            return found
        low, high = self.range(p)
        low, high = max(low, *given[:1], 0), min(high, *given[1:], (1 << n[1]) - 1)
        return self.name(n, n[1], p, (low, high)), None, low, high

    def _lookup(self, n: Node) -> Poly:
        """A word of a table: every word that the address can reach is defined."""
        address, text, bits = n[2][0], n[2][1], n[1]
        p, low, high = self.read(address)
        rows = [text[len(text) - bits * (k + 1) : len(text) - bits * k] for k in range(low, high + 1)]
        if low < 0 or any(len(row) != bits or set(row) - {"0", "1"} for row in rows):
            raise RefusedError("a table is read outside of its words")
        words = [int(row, 2) for row in rows]
        if len(set(words)) == 1:
            return number(words[0])
        found = self.atom(("lookup", id(n)), ("lookup", n), min(words), max(words))
        self.lookups |= {m[0]: (p, sum(piece[2] for piece in address), low, words) for m in found[0] if m}
        return found

    def name(self, n: Node, k: int, p: Poly, ends: Ends) -> Poly:
        """An atom for the lowest k bits of a node."""
        if len(p[0]) < 2:
            return p
        found = self.atom(("named", *key_of(p)), ("named", n, k), *ends)
        self.values |= {m[0]: p for m in found[0] if m}
        for (atom,) in found[0]:
            self.atoms[atom] = self.atoms[atom][0], min(self.atoms[atom][1], ends[1])
        return found

    def factors(self, n: Node) -> list[Read]:
        """Operands of a sum or product; a factor of several words is named."""
        found = super().factors(n)
        if n[0] == "$mul":
            for k, (value, (p, low, high)) in enumerate(zip(n[2], found, strict=True)):
                if len(nodes_of(value)) > 1 and low >= 0:
                    found[k] = self.name(n, n[1], p, (low, high)), low, high
        return found

    def exact(self, n: Node) -> Read:
        """A sum or product before it is taken modulo 2^width."""
        total, low, high = super().exact(n)
        if low < 0 or high >> n[1]:
            least, most = self.ends(total)
            low, high = max(low, least), min(high, most)
        return total, low, high

    def _mux(self, n: Node) -> tuple:
        if self.bit(n[2][0]) in (number(0), number(1)):
            p, _, low, high = super()._mux(n)
            return self.name(n, n[1], p, (max(low, 0), min(high, (1 << n[1]) - 1))), None
        return self._choice(n, [n[2][1], n[2][2]], n[1]), None

    def _choice(self, n: Node, arms: list[Value], k: int) -> Poly:
        """A choice of two values of k bits, each read where the bit has its value."""
        select = self.bit(n[2][0])
        (zero, a, b), (one, c, d) = (self.given(value, [(select, bit)]) for bit, value in enumerate(arms))
        ends = [(low, high) for low, high in ((a, b), (c, d)) if low <= high] or [(0, (1 << k) - 1)]
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        p = add(zero, self.times(select, add(one, zero, -1)))
        return self.name(n, k, p, (max(low, 0), min(high, (1 << k) - 1)))

    def _find_cut(self, n: Node, k: int, p: Poly) -> Poly:
        if n[0] == "mux":
            return self._cut_of_choice(n, k)
        _, low, high, exact = self.fact(n)
        near, _ = self.near(self.congruent(n, k), k)
        word = self._used(n, k, p) if near is None else None
        if word is not None:
            return self._cut_of_word(n, k, word)
        if near is None and low >= 0 and not high >> k + 1 and exact is None:
            top = self.test("negative", n, add(number((1 << k) - 1), p, -1), at=k)
            found = add(p, top, -1, -k)
            self.keep(n, k, found, (0, (1 << k) - 1))
            self.tops |= {m[0]: (p, k, self.keys["whole", *key_of(found)]) for m in top[0] if m}
            return found
        return super()._find_cut(n, k, p)

    def _used(self, n: Node, k: int, p: Poly) -> Poly | None:
        """The lowest bits of a sum that are used, where they are one polynomial and the whole sum is not."""
        end = min(self.ends_at.get(id(n), n[1]), n[1])
        word = self.cut(n, end) if k < end < n[1] else p
        if word == p or (alone(word) in self.above and alone(word) not in self.values):
            return None
        self.keep(n, end, word, (0, (1 << end) - 1))
        return word

    def _cut_of_word(self, n: Node, k: int, word: Poly) -> Poly:
        """The lowest k bits of a word as an atom, or the word."""
        low, high = self.ends(word)
        if low >= 0 and not high >> k:
            return word
        atom = self.atom(("cut", id(n), k), ("cut", n, k), 0, (1 << k) - 1)
        self.above |= {m[0]: (word, k) for m in atom[0]}
        return atom

    def _cut_of_choice(self, n: Node, k: int) -> Poly:
        """The lowest bits of a choice: those of the word of it that is used, which is a choice of both words' bits."""
        end = min(self.ends_at.get(id(n), n[1]), n[1])
        if k < end:
            return self._cut_of_word(n, k, self.cut(n, end))
        arms = [cut(n[2][1], 0, k), cut(n[2][2], 0, k)]
        select = self.bit(n[2][0])
        if select in (number(0), number(1)):
            p, low, high = self.read(arms[len(select[0])])
            return self.name(n, k, p, (max(low, 0), min(high, (1 << k) - 1)))
        return self._choice(n, arms, k)

    def piece(self, n: Node | None, start: int, bits: int, *, top: bool, apart: bool = False) -> Read:
        """Polynomial and range of a piece; of all upper bits of a word an atom."""
        found = super().piece(n, start, bits, top=top, apart=apart)
        if n is None or not start or len(found[0][0]) < 2 or self.fact(n)[3] is not None:
            return found
        below = self.cut(n, start)
        atom = alone(below)
        of, k = self.above.get(atom, (below, 0))
        if k != start or found[0] != scale(add(of, below, -1), 1, k):
            return found
        return self.floor(atom, of, k), *found[1:]

    # --- ranges

    def range(self, p: Poly, *, over: bool = True) -> Ends:
        """Lowest and highest value; two terms of one word have their highest value together."""
        low, high = super().range(p, over=over)
        if not over:
            return low, high
        spare, taken = 0, set[Monomial]()
        for m, v in p[0].items():
            other, most = self._together(p, m, v)
            if other and not taken & {m, other}:
                taken |= {m, other}
                spare += sum(self._top(x, p[0][x]) for x in (m, other)) - most
        total = sum(self._top(m, v) for m, v in p[0].items())
        return low, min(high, (total - max(spare, 0)) >> p[1])

    def _top(self, m: Monomial, v: int) -> int:
        """The largest value of a term."""
        return super().range(({m: v}, 0))[1]

    def _together(self, p: Poly, m: Monomial, v: int) -> tuple[Monomial, int]:
        """Another term, and the largest value of both: of upper and lower bits of a word, or a word and its test."""
        atom = m[0] if len(m) == 1 else -1
        if atom in self.highs and v > 0:
            of, k, low = self.highs[atom]
            w, h, full = p[0].get((low,), 0), self.atoms[atom][1], (1 << k) - 1
            last = min(full, super().range(of)[1] - (h << k))
            return ((low,), max(v * h + w * last, v * (h - 1) + w * full)) if w > 0 else ((), 0)
        kind, of, *_ = self.meaning.get(atom, ("", p, 0, 0))
        words = [x for x in of[0] if x]
        if kind != "negative" or len(words) != 1 or of[0][words[0]] != -1 or p[0].get(words[0], 0) <= 0:
            return (), 0
        w, most, limit = p[0][words[0]], self._top(words[0], 1), of[0].get((), 0)
        return words[0], max(w * min(limit, most), w * most + v)

    # --- without cuts

    def name_cuts(self) -> None:
        """Make the lowest bits of words that are factors words of their own."""
        for n in self.factor.values():
            atom = alone(self.cuts.get((id(n), self.ends_at[id(n)]), number(0)))
            if atom in self.above and atom not in self.values:
                of, k = self.above[atom]
                self.values[atom] = add(of, self.floor(atom, of, k), -1, -k)
