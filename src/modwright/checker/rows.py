# SPDX-License-Identifier: Apache-2.0
"""Carry-save form: sums of rows of full adders, words that few bits choose, and quotient digits.

The total word of a row of adders is an atom t, its carry word half of a + b + c - t. A coefficient that few bits
determine is a linear polynomial in bits of inputs, or an atom with a table. A quotient digit clears the lowest bits of
a sum: that is tried for all values of its bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import gcd

from .choices import MOST_BITS, Adder, Choices, Root
from .congruences import Congruences
from .netlist import GATES, Node, RefusedError, Value, width
from .poly import Monomial, Poly, add, number, scale

MOST_CLEARED = 7
"""Most bits that a quotient digit clears."""
Table = tuple[tuple[Root, ...], tuple[int, ...]]
"""Bits, the lowest of the index first, and a number for each index."""


def multilinear(values: Sequence[int]) -> list[int]:
    """Factors of the products of bits in a function of them."""
    if len(values) == 1:
        return list(values)
    low, high = multilinear(values[: len(values) // 2]), multilinear(values[len(values) // 2 :])
    return low + [b - a for a, b in zip(low, high, strict=True)]


def atoms_of(p: Poly) -> set[int]:
    """The atoms of a polynomial."""
    return {atom for m in p[0] for atom in m}


class Rows(Congruences):
    """Results of adders and choices."""

    choices: Choices | None = None

    def __init__(self, case: dict[tuple, int]) -> None:
        super().__init__(case)
        self.adders: dict[int, Adder] = {}
        self.low_bits: set[int] = set()
        self.tables: dict[int, Table] = {}
        self.centred: dict[int, Poly] = {}
        self.words: dict[Value, Poly | None] = {}
        self.inputs_of: dict[int, Node] = {}
        self.totals: dict[int, Node] = {}
        self.together: dict[tuple[tuple[int, int], ...], Poly] = {}

    def use(self, adders: Mapping[int, Adder], choices: Choices) -> None:
        """Take the adders of the operation."""
        self.adders, self.choices = dict(adders), choices
        pieces = [piece for _, _, words in adders.values() for word in words for piece in word]
        self.low_bits = {id(n) for n, _, bits in pieces if n is not None and bits == 1 and n[0] in GATES}

    def bit_at(self, root: Root) -> Poly:
        """The polynomial of a bit."""
        n, k = root
        return scale(add(self.cut(n, k + 1), self.cut(n, k), -1), 1, k)

    def sign_first(self, bit: Value) -> None:
        """Find a word before its sign, so that the sign is known as one."""
        n, low, _ = bit[0]
        if self.adders and n is not None and n[0] == "$add":
            self.cut(n, low + 1)

    def added(self, n: Node) -> Poly:
        """The sum of an adder's words."""
        total = number(0)
        for word in self.adders[id(n)][2]:
            p = self.by_choice(word)
            total = add(total, self.read(word)[0] if p is None else p)
        return total

    def adder(self, n: Node) -> tuple:
        """Polynomial of a result of an adder, and its range."""
        total, _, _ = self.adders[id(n)]
        whole = self.added(n)
        most = self.range(whole)[1]
        if most >> n[1]:
            most = self.ends(whole)[1]
        word = self.atom(("total", total), ("total", total), 0, min((1 << n[1]) - 1, most))
        for (atom,) in word[0]:
            self.totals[atom] = total
        return (word, None) if n is total else (scale(add(whole, word, -1), 1, 1), None, 0, most >> 1)

    # --- choices

    def by_choice(self, value: Value) -> Poly | None:
        """A word that few bits choose; None for any other."""
        if self.choices is None:
            return None
        if value not in self.words:
            try:
                roots = sorted(self.choices.choosing(value), key=lambda root: (root[0].number, root[1]))
            except RefusedError:
                roots = []
            self.words[value] = self._by_choice(value, roots, self.choices) if roots else None
        return self.words[value]

    def _by_choice(self, value: Value, roots: list[Root], choices: Choices) -> Poly:
        fixed = {root: p[0].get((), 0) for root in roots if set((p := self.bit_at(root))[0]) <= {()}}
        free = [root for root in roots if root not in fixed]
        polys: list[Poly] = []
        for bits in product((0, 1), repeat=len(free)):
            word = choices.word(value, fixed | dict(zip(free, bits[::-1], strict=True)))
            polys.append(self.read(word)[0])
        total, shift = number(0), max(p[1] for p in polys)
        for monomial in dict.fromkeys(m for p in polys for m in p[0]):
            values = [p[0].get(monomial, 0) << (shift - p[1]) for p in polys]
            parts = [(values, True)]
            if not monomial and width(value) > 1:  # multiples of 2^width are an integer times it, and are apart
                size = 1 << (width(value) + shift)
                over = [size * ((2 * v + size) // (2 * size)) for v in values]
                parts = [(over, False), ([v - w for v, w in zip(values, over, strict=True)], True)]
            for part, linear in parts:
                total = add(total, self.times(self.function(free, part, linear=linear), ({monomial: 1}, shift)))
        return total

    def function(self, roots: Sequence[Root], values: Sequence[int], *, linear: bool) -> Poly:
        """A function of bits: linear in bits of inputs, or an atom times a factor, and a constant."""
        factors = multilinear(values)
        if not any(factors[1:]):
            return number(factors[0])
        single = all(n[0] == "input" for n, _ in roots) and not any(v for k, v in enumerate(factors) if k & (k - 1))
        if linear and single:
            total = number(factors[0])
            for k, root in enumerate(roots):
                total = add(total, self.bit_at(root), factors[1 << k]) if factors[1 << k] else total
            return total
        used = [k for k in range(len(roots)) if any(v and n >> k & 1 for n, v in enumerate(factors))]
        column = [values[sum((n >> i & 1) << k for i, k in enumerate(used))] for n in range(1 << len(used))]
        step, base = gcd(*(v - column[0] for v in column)), min(column)
        if tuple(max(column) - v for v in column) < tuple(v - base for v in column):
            step, base = -step, max(column)
        table = tuple(roots[k] for k in used), tuple((v - base) // step for v in column)
        word = self.atom(("digit", table), ("digit", table), 0, max(table[1]))
        for (atom,) in word[0]:
            self.tables[atom] = table
            if base % step == 0 and base // step < 0:
                first = base // step
                signed = self.atom(("signed", table, first), ("signed", table), first, first + max(table[1]))
                self.centred[atom] = add(signed, number(-first))
        return add(number(base), word, step)

    # --- ranges

    def ends(self, p: Poly) -> tuple[int, int]:
        """The range of a polynomial, also with digits of either sign."""
        low, high = super().ends(p)
        signed = p
        for atom in atoms_of(p) & set(self.centred):
            signed = self.replace(signed, atom, self.centred[atom])
        if signed is not p:
            least, most = super().ends(signed)
            low, high = max(low, least), min(high, most)
        return low, high

    def near(self, p: Poly | None, k: int) -> tuple[Poly | None, bool]:
        """The integer of k bits that is congruent to a polynomial; digits of the same bits are one."""
        groups: dict[tuple, list[Monomial]] = {}
        for m in p[0] if p is not None else ():
            digits = [atom for atom in m if atom in self.tables]
            rest = tuple(atom for atom in m if atom not in self.tables)
            if len(digits) == 1 and rest:
                roots = self.tables[digits[0]][0]
                family = [n.number for n, _ in roots if n[0] != "input"][:1] or [roots[0][0].number, roots[0][1]]
                groups.setdefault((rest, *family), []).append(m)
        for (rest, *_), monomials in groups.items():
            if len(monomials) > 1 and p is not None:
                p = self._together(p, rest, monomials)
        return super().near(p, k)

    def _together(self, p: Poly, rest: Monomial, monomials: list[Monomial]) -> Poly:
        atoms = [next(atom for atom in m if atom in self.tables) for m in monomials]
        times = gcd(*(p[0][m] for m in monomials))
        parts = tuple((a, p[0][m] // times) for a, m in zip(atoms, monomials, strict=True))
        if parts not in self.together:
            roots = sorted({root for a in atoms for root in self.tables[a][0]}, key=lambda r: (r[0].number, r[1]))
            if len(roots) > MOST_BITS:
                return p
            values = []
            for n in range(1 << len(roots)):
                known = {root: n >> k & 1 for k, root in enumerate(roots)}
                values.append(sum(v * self._entry(self.tables[a], known) for a, v in parts))
            self.together[parts] = self.function(roots, values, linear=True)
        p = {m: v for m, v in p[0].items() if m not in monomials}, p[1]
        return add(p, self.times(self.together[parts], ({rest: times}, p[1])))

    @staticmethod
    def _entry(table: Table, known: Mapping[Root, int]) -> int:
        return table[1][sum(known[root] << k for k, root in enumerate(table[0]))]

    # --- the lowest bits

    def row_cut(self, n: Node, k: int) -> Poly | None:
        """The lowest k bits of a result of an adder, where a quotient digit or the word's range decides them."""
        if id(n) not in self.adders:
            return None
        total = self.adders[id(n)][0]
        if n is total:
            left = self._cleared(self.added(n), 1) if k == 1 else None
            return left if left is not None and self.range(left) in ((0, 0), (0, 1)) else None
        if k == n[1] - 1:  # all but the top bit
            p = self.fact(n)[0]
            below = self.test("negative", n, add(p, number(1 << k), -1), at=k)
            return add(p, add(number(1), below, -1), -(1 << k))
        if k + 1 > MOST_CLEARED:
            return None
        # twice the carry word, and a bit, is the negative of the total word's lowest bits
        low, size = self.cut(total, k + 1), 2 << k
        left = self._cleared(add(self.added(n), low, -1), k + 1)
        if left is None:
            return None
        bit = add(scale(left, -1), low, -1)
        bit = {m: v % size for m, v in bit[0].items() if v % size}, bit[1]
        if bit[0] and (bit[1] or self.range(bit) != (0, 1)):
            return None
        some = self.test("nonzero", n, low, at=k)
        return scale(add(add(scale(some, size), low, -1), bit, -1), 1, 1)

    def _cleared(self, p: Poly, k: int) -> Poly | None:
        """Rest of a polynomial modulo 2^k where a quotient digit clears a sum."""
        digits = sorted((a for a in atoms_of(p) if a in self.tables), reverse=True)
        for atom in digits:
            n = next((m for m, _ in self.tables[atom][0] if m[0] != "input"), None)
            if n is None:
                continue
            total = self.congruent(n, k) or self.fact(n)[0]
            if k == 1 and not total[1]:  # a parity of words is their sum less twice their carry word
                for a in atoms_of(total) & set(self.totals):
                    row = self.totals[a]
                    known = self.cut(row, 1) if ("cut", id(row), 1) not in self.keys else self.added(row)
                    total = self.replace(total, a, known)
            return self._without(add(p, total, -1), n, k)
        return None

    def _without(self, p: Poly, n: Node, k: int) -> Poly | None:
        if p[1]:
            return None
        of_n = {a for a in atoms_of(p) & set(self.tables) if any(m is n for m, _ in self.tables[a][0])}
        moduli = {a for m in p[0] if of_n & set(m) for a in m if a in self.inputs_of}
        core = {m: v for m, v in p[0].items() if m and set(m) <= of_n | moduli}
        roots = {root for a in of_n for root in self.tables[a][0]} | {(n, j) for j in range(k)}
        roots |= {(self.inputs_of[a], j) for a in moduli for j in range(k)}
        fixed = {r: q[0].get((), 0) for r in roots if r[0][0] == "input" and set((q := self.bit_at(r))[0]) <= {()}}
        free = [root for root in roots if root not in fixed]
        if len(free) > 2 * MOST_CLEARED or len(moduli) > 1:
            return None
        for bits in product((0, 1), repeat=len(free)):
            known = fixed | dict(zip(free, bits, strict=True))
            values = {a: self._entry(self.tables[a], known) for a in of_n}
            values |= {a: sum(known[self.inputs_of[a], j] << j for j in range(k)) for a in moduli}
            total = sum(known[n, j] << j for j in range(k))
            for m, v in core.items():
                for a in m:
                    v *= values[a]
                total += v
            if total % (1 << k):
                return None
        rest = {m: v % (1 << k) for m, v in p[0].items() if m not in core and v % (1 << k)}
        return {m: v - (1 << k) if 2 * v > 1 << k else v for m, v in rest.items()}, 0
