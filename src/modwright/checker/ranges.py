# SPDX-License-Identifier: Apache-2.0
"""Ranges of polynomials that are narrower than those of their terms, and their use for words modulo a power of two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

from .atoms import Atoms, Ends
from .netlist import Node
from .poly import Monomial, Poly, Terms, add, key_of, number, scale

MOST_FORMS, MOST_TERMS = 8, 256
"""Most congruent polynomials that are tried for one word, and most terms of one for which others are sought."""


class Ranges(Atoms):
    """Ranges of polynomials over atoms; `highest` has words that are highest limbs of numbers."""

    def __init__(self, case: dict[tuple, int]) -> None:
        super().__init__(case)
        self.highest: dict[tuple, tuple[Poly, Monomial]] = {}

    def near(self, p: Poly | None, k: int) -> tuple[Poly | None, bool]:
        """The integer of k bits that is congruent to a polynomial modulo 2^k, if ranges decide it; whether it is
        signed."""
        for form in () if p is None else self._forms(p, k):
            low, high = self.range(form)
            if low < 0 or high >> k:
                low, high = self.ends(form)
            if low >= 0 and not high >> k:
                return form, False
            if -(1 << (k - 1)) <= low and high < 1 << (k - 1):
                return form, True
        return None, False

    # --- limbs of one number

    def highest_limb(self, p: Poly) -> None:
        """Note a word that is an integer with a fraction for a polynomial, as the highest limb of a number."""
        if p[1]:
            self.highest.setdefault(key_of(p), (p, max(p[0], key=lambda m: (len(m), m))))

    def _forms(self, p: Poly, k: int) -> Iterator[Poly]:
        """Polynomials that are congruent to one modulo 2^k, itself first, each other with fewer terms by a multiple of
        2^k times a highest limb."""
        queue = [congruent_form(p, k)]
        seen = {key_of(queue[0])}
        for _ in range(MOST_FORMS):
            if not queue:
                return
            form = queue.pop()
            yield form
            few = len(form[0]) <= MOST_TERMS
            for of in [of for of, lead in reversed(self.highest.values()) if few and lead in form[0]]:
                for m in [m for m in of[0] if len(m) == 1 and m in form[0]]:
                    times, left = divmod(form[0][m] << of[1], of[0][m] << k + form[1])
                    other = form if left else congruent_form(add(form, of, -times << k), k)
                    if len(other[0]) < len(form[0]) and key_of(other) not in seen:
                        seen.add(key_of(other))
                        queue.append(other)
            queue.sort(key=lambda other: -len(other[0]))

    def _raised(self, p: Poly, k: int) -> Iterator[Poly]:
        """Polynomials that are congruent to one modulo 2^k, each with one more word in place of its lowest bits, where
        those above are multiples of 2^k: so limbs are one number again."""
        while len(p[0]) <= MOST_TERMS:
            yield p
            atoms = [m[0] for m, v in p[0].items() if len(m) == 1 and m[0] in self.above]
            atoms = [a for a in atoms if not (p[0][a,] << self.above[a][1]) % (1 << k + p[1])]
            atoms = [a for a in atoms if sum(a in m for m in p[0]) == 1]
            if not atoms or len(self.above[max(atoms)][0][0]) > MOST_TERMS:
                return
            p = self.replace(p, max(atoms), self.above[max(atoms)][0])

    def one_of(self, p: Poly, k: int, known: list[tuple[Poly, int, int]]) -> tuple[Poly, int, int] | None:
        """The lowest k bits of an integer that differs from one with a known range by a number modulo 2^k."""
        forms = list(self._raised(p, k)) if known else []
        for (of, low, high), form in product(known, forms):
            for rest in self._forms(add(form, of, -1), k):
                c = rest[0].get((), 0)
                if set(rest[0]) <= {()} and not rest[1] and low + c >> k == high + c >> k:
                    above = low + c >> k << k
                    return add(of, number(c - above)), low + c - above, high + c - above
        return None

    # --- ranges

    def ends(self, p: Poly) -> Ends:
        """The range of a polynomial, narrowed by slices and words."""
        found = [self.range(p), self.tight(p), self.tight(self._by_words(p))]
        return max(low for low, _ in found), min(high for _, high in found)

    def _by_words(self, p: Poly) -> Poly:
        """A polynomial with words replaced by their definitions, the last first, where that removes a product."""
        for atom, (lead, of) in reversed(self.leads.items()):
            odd = of[0][lead] // (of[0][lead] & -of[0][lead])
            if p[0].get(lead, 0) % odd == 0 != p[0].get(lead, 0):
                times, down = p[0][lead] // odd, p[1] - of[1] + (of[0][lead] // odd).bit_length() - 1
                p = add(add(p, ({(atom,): 1}, 0), times, down), of, -times, down)
        return p

    def keep(self, n: Node, k: int, p: Poly, ends: Ends) -> None:
        """The lowest k bits of a node, or all, as an atom with a range and no other definition."""
        if len(p[0]) > 1:
            n = self.same.setdefault(key_of(p), n)
            found = self.atom(("whole", *key_of(p)), ("whole", n, k), *ends)
            self.leads |= {m[0]: (max(p[0], key=lambda m: (len(m), m)), p) for m in found[0] if m}

    def lowest(self, n: Node, p: Poly, k: int) -> Poly:
        """The lowest k bits of a polynomial, as one atom for all nodes equal to them."""
        n = self.same.setdefault(key_of(p), n)
        found = self.atom(("lowest", *key_of(p), k), ("cut", n, k), 0, (1 << k) - 1)
        self.above |= {m[0]: (p, k) for m in found[0] if m}
        return found

    def tight(self, p: Poly) -> Ends:
        """The range of a polynomial by slices; for the lowest value, cuts that are subtracted are the whole words."""
        p = self._by_slices(p)
        low, high = self.range(p)
        least = p
        for m, v in sorted(p[0].items(), reverse=True):
            if len(m) == 1 and v < 0 and m[0] in self.above:
                least = add(add(least, ({m: v}, p[1]), -1), self._by_slices(scale(self.above[m[0]][0], v, p[1])))
        return max(low, self.range(least)[0]), high

    def _by_slices(self, p: Poly) -> Poly:
        """Replace a longer cut of a node by a shorter one and the slice above that."""
        atoms = {a for m in p[0] for a in m}
        places = [(n.number, k, a) for a in atoms for n, k in [self.cut_at(a)] if n is not None]
        for (node, k, below), (other, _, atom) in reversed(list(pairwise(sorted(places)))):
            if node == other:
                p = self.replace(p, atom, add(({(below,): 1}, 0), self.slice_between(below, atom, k), 1 << k))
        return p

    def slice_between(self, below: int, atom: int, k: int) -> Poly:
        """The bits of a longer cut of a node above a shorter one of k bits."""
        key = "part", below, atom
        return self.atom(key, key, 0, self.atoms[atom][1] >> k)

    def most(self, p: Poly) -> int:
        """The largest value of a product of two slices, where the bound by terms is too high; else the interval's
        end."""
        loose = self.range(p)[1]
        corner = next(iter(p[0]), ())
        if len(corner) != 2:
            return loose
        a, b = corner
        left = {((m[0] if m[1] == b else m[1]),): v for m, v in p[0].items() if b in m and len(m) == 2}, 0
        right = {((m[1] if m[0] == a else m[0]),): v for m, v in p[0].items() if a in m and len(m) == 2}, 0
        if self.times(left, right)[0] != scale((p[0], 0), p[0][corner])[0]:
            return loose
        most, other = (self._most_of_slice(part[0]) for part in (left, right))
        if most is None or other is None:
            return loose
        return min(loose, most * other // abs(p[0][corner]) >> p[1])

    def _most_of_slice(self, terms: Terms) -> int | None:
        """The largest value of an atom, or of the difference of two cuts of one node, by a factor."""
        (first, v), *rest = ((m[0], value) for m, value in terms.items())
        if not rest:
            return self.atoms[first][1] * abs(v)
        n, k = self.cut_at(first)
        other, low = self.cut_at(rest[0][0])
        if len(rest) > 1 or v != -rest[0][1] or n is None or n is not other:
            return None
        return (self.atoms[first if k > low else rest[0][0]][1] >> min(k, low) << min(k, low)) * abs(v)

    def cut_at(self, atom: int) -> tuple[Node | None, int]:
        """The node and the number of its lowest bits that an atom is."""
        kind, n, *k = self.origins[atom]
        return (n, k[0] if k else n[1]) if kind in ("cut", "input", "whole") else (None, 0)


def congruent_form(p: Poly, k: int) -> Poly:
    """A polynomial that is congruent modulo 2^k, with coefficients of least absolute value."""
    size = 1 << (k + p[1])
    terms = {m: (v + size // 2) % size - size // 2 for m, v in p[0].items()}
    return {m: v for m, v in terms.items() if v}, p[1]
