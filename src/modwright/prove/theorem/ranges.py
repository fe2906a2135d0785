# SPDX-License-Identifier: Apache-2.0
"""Intervals of polynomials that are narrower than the sum over their terms, and words that follow from a congruence."""

from __future__ import annotations

from itertools import pairwise

from .atoms import Atoms
from .pieces import Node
from .poly import Poly
from .ternary import ones


class Ranges(Atoms):
    """Intervals of polynomials over the atoms of one operation."""

    def near(self, form: Poly | None, k: int) -> tuple[Poly, bool] | None:
        """The integer of k bits that is congruent to a polynomial modulo 2^k, where intervals decide it; and whether it
        is signed."""
        if form is None:
            return None
        size = 1 << (k + form.shift)
        half = size >> 1
        found = Poly({m: r for m, v in form.items() if (r := (v + half) % size - half)}, form.shift)
        low, high = self.ring.interval(found)
        if low < 0 or high >> k:
            low, high = self.ends(found)
        if low >= 0 and high < 1 << k:
            return found, False
        return (found, True) if -(1 << (k - 1)) <= low and high < 1 << (k - 1) else None

    def ends(self, poly: Poly) -> tuple[int, int]:
        """The interval of a polynomial, narrowed by limbs and words."""
        found = [self.ring.interval(poly), self.tight(poly), self.tight_by_words(poly)]
        return max(low for low, _ in found), min(high for _, high in found)

    def tight(self, poly: Poly) -> tuple[int, int]:
        """The interval of a polynomial by limbs: cuts of one node are sums of slices, and no cut is above its word."""
        poly = self.by_slices(poly)
        low, high = self.ring.interval(poly)
        larger = poly
        for atom in sorted(poly.atoms & self.formulas.keys(), reverse=True):
            kind, of, _ = self.formulas[atom]
            if kind == "low" and poly.terms.get((atom,), 0) < 0 <= self.ring.interval(of)[0]:
                only = Poly({(atom,): poly.terms[atom,]}, poly.shift)
                larger += self.by_slices(self.ring.substitute(only, atom, of) - only)
        return max(low, self.ring.interval(larger)[0]), high

    def tight_by_words(self, poly: Poly) -> tuple[int, int]:
        """The interval of a polynomial with words replaced by their definitions, where that removes a product."""
        for atom, (lead, of) in reversed(self.leads.items()):
            if lead in poly.terms:
                factor = of.terms[lead]
                down = (factor & -factor).bit_length() - 1
                times, left = divmod(poly.terms[lead], factor >> down)
                if not left:
                    shift = poly.shift - of.shift + down
                    poly = poly + Poly({(atom,): 1}).scaled(times, shift) - of.scaled(times, shift)
        return self.tight(poly)

    def keep_word(self, node: Node, k: int, poly: Poly, low: int, high: int) -> None:
        """A word, or the lowest k bits of one, as an atom: only intervals have it, as its polynomial is exact."""
        if len(poly.terms) < 2:
            return
        node = self.sums.setdefault(poly, node)
        atom = self.atom(("whole", poly), ("whole", node), f"{node.name}[{k - 1}:0]", low, high)
        for member in atom.atoms:
            self.cut_atoms[member] = node, k
            self.formulas[member] = "value", poly, 1
            lead = max(poly.terms, key=lambda monomial: (len(monomial), monomial))
            self.leads[member] = lead, poly

    def by_slices(self, poly: Poly) -> Poly:
        """A polynomial with a slice above each shorter cut of the same node for every longer one."""
        ends: dict[Node, list[tuple[int, int]]] = {}
        for atom in poly.atoms & self.cut_atoms.keys():
            node, bits = self.cut_atoms[atom]
            ends.setdefault(node, []).append((bits, atom))
        for node, cuts in ends.items():
            cuts.sort()
            for (low, below), (bits, atom) in reversed(list(pairwise(cuts))):
                key, name = ("part", node, low, bits), f"{node.name}[{bits - 1}:{low}]"
                of = Poly({(atom,): 1, (below,): -1}, low)
                slice_of = self.atom(key, key, name, 0, self.ring.atoms[atom].high >> low, of)
                for member in slice_of.atoms:
                    self.formulas[member] = "value", of, 1
                poly = self.ring.substitute(poly, atom, Poly({(below,): 1}) + slice_of.scaled(1 << low))
        return poly

    def lowest(self, poly: Poly, k: int, node: Node) -> Poly:
        """The lowest k bits of a sum, the same atom for all nodes that are this polynomial."""
        node = self.sums.setdefault(poly, node)
        atom = self.atom(("lowest", poly, k), ("lowest", node, k), f"{node.name}[{k - 1}:0]", 0, ones(k), poly)
        for member in atom.atoms:
            self.cut_atoms[member] = node, k
            self.formulas[member] = "low", poly, k
        return atom
