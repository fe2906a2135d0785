# SPDX-License-Identifier: Apache-2.0
"""Ranges of polynomials that are narrower than those of their terms, and their use for words modulo a power of two."""

from __future__ import annotations

from itertools import pairwise

from .atoms import Atoms, Ends
from .netlist import Node
from .poly import Poly, Terms, add, key_of, scale


class Ranges(Atoms):
    """Ranges of polynomials over atoms."""

    def near(self, p: Poly | None, k: int) -> tuple[Poly | None, bool]:
        """The integer of k bits that is congruent to a polynomial modulo 2^k, if ranges decide it; whether it is
        signed."""
        if p is None:
            return None, False
        size = 1 << (k + p[1])
        terms = {m: (v + size // 2) % size - size // 2 for m, v in p[0].items()}
        p = {m: v for m, v in terms.items() if v}, p[1]
        low, high = self.range(p)
        if low < 0 or high >> k:
            low, high = self.ends(p)
        if low >= 0 and not high >> k:
            return p, False
        return (p, True) if -(1 << (k - 1)) <= low and high < 1 << (k - 1) else (None, False)

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
        places = [(n.number, k, a) for a in atoms for n, k in [self._cut_at(a)] if n is not None]
        for (node, k, below), (other, _, atom) in reversed(list(pairwise(sorted(places)))):
            if node == other:
                key = "part", below, atom
                part = self.atom(key, key, 0, self.atoms[atom][1] >> k)
                p = self.replace(p, atom, add(({(below,): 1}, 0), part, 1 << k))
        return p

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
        n, k = self._cut_at(first)
        other, low = self._cut_at(rest[0][0])
        if len(rest) > 1 or v != -rest[0][1] or n is None or n is not other:
            return None
        return (self.atoms[first if k > low else rest[0][0]][1] >> min(k, low) << min(k, low)) * abs(v)

    def _cut_at(self, atom: int) -> tuple[Node | None, int]:
        kind, n, *k = self.origins[atom]
        return (n, k[0] if k else n[1]) if kind in ("cut", "input", "whole") else (None, 0)
