# SPDX-License-Identifier: Apache-2.0
"""Words of channels of residues as polynomials: words that are factors or choices are atoms with a definition.

A cut a of k bits of P and the atom h of the bits above it have a + 2^k·h = P, so that a polynomial without cuts has
integer coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence

from .algebra import Facts
from .atoms import Ends
from .congruences import Read
from .netlist import Node, RefusedError, Value, cut
from .poly import Monomial, Poly, add, key_of, number, scale

Lookup = tuple[Poly, int, int, list[int]]
"""Address and its bits; its least value, and the words from that one on."""


def alone(p: Poly) -> int:
    """The atom of which a polynomial consists; -1 for another polynomial."""
    monomials = list(p[0])
    return monomials[0][0] if len(monomials) == 1 and len(monomials[0]) == 1 else -1


class ChannelFacts(Facts):
    """Facts of the words that some values need.

    `values` has the definition of each named word, `highs` that of each atom of upper bits: the polynomial, the place,
    and the cut below; `lookups` words of tables.
    """

    def __init__(self, outputs: Sequence[Value]) -> None:
        super().__init__({})
        self.values: dict[int, Poly] = {}
        self.highs: dict[int, tuple[Poly, int, int]] = {}
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
                        self.factor |= {id(m): m for value in inner for m, _, _ in value if m is not None}

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
        found = self.atom(("lookup", id(n)), ("lookup", n), min(words), max(words))
        self.lookups |= {m[0]: (p, sum(piece[2] for piece in address), low, words) for m in found[0] if m}
        return found

    def name(self, n: Node, k: int, p: Poly, ends: Ends) -> Poly:
        """An atom for the lowest k bits of a node."""
        if len(p[0]) < 2:
            return p
        found = self.atom(("named", *key_of(p)), ("named", n, k), *ends)
        self.values |= {m[0]: p for m in found[0] if m}
        return found

    def _mux(self, n: Node) -> tuple:
        if self.bit(n[2][0]) in (number(0), number(1)):
            return super()._mux(n)
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
        if near is None and low >= 0 and not high >> k + 1 and exact is None:
            top = self.test("negative", n, add(number((1 << k) - 1), p, -1), at=k)
            return add(p, top, -1, -k)
        return super()._find_cut(n, k, p)

    def _cut_of_choice(self, n: Node, k: int) -> Poly:
        """The lowest bits of a choice: those of the word of it that is used, which is a choice of both words' bits."""
        end = min(self.ends_at.get(id(n), n[1]), n[1])
        if k < end:
            word = self.cut(n, end)
            low, high = self.range(word)
            if low >= 0 and not high >> k:
                return word
            atom = self.atom(("cut", id(n), k), ("cut", n, k), 0, (1 << k) - 1)
            self.above |= {m[0]: (word, k) for m in atom[0]}
            return atom
        arms = [cut(n[2][1], 0, k), cut(n[2][2], 0, k)]
        select = self.bit(n[2][0])
        if select in (number(0), number(1)):
            return self.read(arms[len(select[0])])[0]
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

    def floor(self, atom: int, of: Poly, k: int) -> Poly:
        """The bits of a polynomial above a cut."""
        low, high = self.range(of)
        n = self.origins[atom][1]
        if self.origins[atom][0] == "cut" and self.fact(n)[0] == of:
            low, high = max(low, self.fact(n)[1]), min(high, self.fact(n)[2])
        found = self.atom(("floor", *key_of(of), k), ("floor", atom), low >> k, high >> k)
        self.highs |= {m[0]: self.highs.get(m[0], (of, k, atom)) for m in found[0] if m}
        return found

    def name_cuts(self) -> None:
        """Make the lowest bits of words that are factors words of their own."""
        for n in self.factor.values():
            atom = alone(self.cuts.get((id(n), self.ends_at[id(n)]), number(0)))
            if atom in self.above and atom not in self.values:
                of, k = self.above[atom]
                self.values[atom] = add(of, self.floor(atom, of, k), -1, -k)

    def uncut(self, p: Poly) -> Poly:
        """A polynomial without cuts."""
        while True:
            cuts = {a for m in p[0] for a in m if a in self.above and a not in self.values}
            if not cuts:
                return p
            of, k = self.above[max(cuts)]
            p = self.replace(p, max(cuts), add(of, self.floor(max(cuts), of, k), -1, -k))

    def closed(self, p: Poly, basis: set[int]) -> Poly:
        """A polynomial with cuts in place of upper bits, and definitions in place of named words that are not basis."""
        while True:
            atoms = {a for m in p[0] for a in m if a in self.highs or a in self.values} - basis
            if not atoms:
                return p
            atom = max(atoms)
            if atom in self.values:
                p = self.replace(p, atom, self.values[atom])
            else:
                of, k, low = self.highs[atom]
                p = self.replace(p, atom, scale(add(of, ({(low,): 1}, 0), -1), 1, k))
