# SPDX-License-Identifier: Apache-2.0
"""Intervals of polynomials that are narrower than the sum over their terms, and words that follow from a congruence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .atoms import Atoms, Range, Reading
from .pieces import Node
from .poly import Monomial, Poly, number
from .ternary import ones

MOST_FORMS = 40
"""Most congruent polynomials that are tried for one word."""
MOST_TERMS = 256
"""Most terms of a polynomial for which congruent ones are sought: each of these costs as much as the word itself."""


class Ranges(Atoms):
    """Intervals of polynomials over the atoms of one operation."""

    def near(self, form: Poly | None, k: int) -> tuple[Poly, bool] | None:
        """The integer of k bits that is congruent to a polynomial modulo 2^k, where intervals decide it; and whether it
        is signed."""
        if form is None:
            return None
        return next(filter(None, (self._decided(found, k) for found in self._forms_modulo(form, k))), None)

    def _forms_modulo(self, form: Poly, k: int) -> Iterator[Poly]:
        """Polynomials that are congruent to one modulo 2^k, itself first, then some of few terms."""
        queue = [centred(form, k)]
        seen = set(queue)
        for _ in range(MOST_FORMS):
            if not queue:
                return
            found = queue.pop()
            yield found
            if len(found.terms) > MOST_TERMS:
                continue
            less = (other for other in self._without_one(found, k) if len(other.terms) < len(found.terms))
            new = [other for other in dict.fromkeys(less) if other not in seen]
            seen |= set(new)
            queue = sorted([*queue, *new], key=lambda other: -len(other.terms))

    def _decided(self, form: Poly, k: int) -> tuple[Poly, bool] | None:
        """A polynomial if its interval is that of k bits, and whether signed ones."""
        low, high = self.ring.interval(form)
        if low < 0 or high >> k:
            low, high = self.ends(form)
        if low >= 0 and high < 1 << k:
            return form, False
        return (form, True) if -(1 << (k - 1)) <= low and high < 1 << (k - 1) else None

    def _without_one(self, form: Poly, k: int) -> Iterator[Poly]:
        """Polynomials that are congruent to one modulo 2^k, by a multiple of 2^k times the highest limb of a number:
        the one with which a lower limb of it has the factor 0."""
        for of, lead in reversed(self.tops.items()):
            for monomial in sorted(form.terms.keys() & of.terms.keys()) if lead in form.terms else ():
                factor = of.terms[monomial] << k + form.shift
                times, left = divmod(form.terms[monomial] << of.shift, factor)
                if len(monomial) == 1 and not left:
                    yield centred(form - of.scaled(times << k), k)

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
            self.leads[member] = lead_of(poly), poly

    def congruent_to_one(self, form: Poly, size: int, known: Sequence[Range]) -> Reading | None:
        """The lowest bits of an integer, as one that is congruent to it modulo 2^size and has a known interval."""
        forms = list(self._raised(form, size)) if known else []
        for of, low, high in known:
            for form in forms:
                constant = self._constant_modulo(form - of, size)
                if constant is not None and low + constant >> size == high + constant >> size:
                    return Reading(of + number(constant), low + constant, high + constant)
        return None

    def _constant_modulo(self, form: Poly, k: int) -> int | None:
        """The number to which an integer is congruent modulo 2^k: multiples of 2^k vanish, those of highest limbs, too;
        None where something else is left."""
        constants = (found.constant for found in self._forms_modulo(form, k))
        return next((constant for constant in constants if constant is not None), None)

    def _raised(self, poly: Poly, size: int) -> Iterator[Poly]:
        """Polynomials that are congruent to one modulo 2^size, each with one more integer in place of its lowest k bits
        where the bits above are multiples of 2^size: so limbs are one number again, without the carry out of it."""
        while len(poly.terms) <= MOST_TERMS:
            yield poly
            low = [atom for atom in poly.atoms & self.formulas.keys() if self._is_low(poly, atom, size)]
            if not low or len(self.formulas[max(low)][1].terms) > MOST_TERMS:
                return
            poly = self.ring.substitute(poly, max(low), self.formulas[max(low)][1])

    def _is_low(self, poly: Poly, atom: int, size: int) -> bool:
        """Whether an atom is in one term alone, and bits above it are multiples of 2^size there."""
        kind, _, k = self.formulas[atom]
        alone = [monomial for monomial in poly.terms if atom in monomial] == [(atom,)]
        return kind == "low" and alone and poly.terms[atom,] << k & ones(size + poly.shift) == 0

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


def centred(form: Poly, k: int) -> Poly:
    """A polynomial that is congruent modulo 2^k, with coefficients of least absolute value."""
    size = 1 << (k + form.shift)
    half = size >> 1
    return Poly({m: r for m, v in form.items() if (r := (v + half) % size - half)}, form.shift)


def lead_of(poly: Poly) -> Monomial:
    """The monomial of most factors, of the latest atoms."""
    return max(poly.terms, key=lambda monomial: (len(monomial), monomial))
