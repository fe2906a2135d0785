# SPDX-License-Identifier: Apache-2.0
"""Bits of words above a place, as atoms: words without cuts, and sums that are taken modulo a power of two.

A cut a of k bits of P and the atom h of the bits above it have a + 2^k·h = P, so that a polynomial without cuts has
integer coefficients.
"""

from __future__ import annotations

from itertools import pairwise

from .algebra import Facts
from .atoms import Ends
from .netlist import Node
from .poly import Poly, add, key_of, number, scale

FLOORS = 3
"""Most floors that are replaced, the last one first, to narrow a range."""


def members_of(p: Poly) -> set[int]:
    """Atoms that occur."""
    return {a for m in p[0] for a in m}


class Floors(Facts):
    """Facts with floors: `highs` has the polynomial, the place and the cut of each; `tops` those that are tests, with
    the lowest bits as a polynomial; `between` has the difference of two floors that an atom is; `values` what a named
    word is."""

    def __init__(self) -> None:
        super().__init__({})
        self.values: dict[int, Poly] = {}
        self.highs: dict[int, tuple[Poly, int, int]] = {}
        self.tops: dict[int, tuple[Poly, int, Poly]] = {}
        self.between: dict[int, Poly] = {}

    # --- without cuts

    def floor(self, atom: int, of: Poly, k: int) -> Poly:
        """The bits of a polynomial above a cut; a constant where they are always the same."""
        low, high = self.ends(of)
        n = self.origins[atom][1]
        if self.origins[atom][0] == "cut" and self.fact(n)[0] == of:
            low, high = max(low, self.fact(n)[1]), min(high, self.fact(n)[2])
        if low >> k == high >> k:
            return number(low >> k)
        found = self.atom(("floor", *key_of(of), k), ("floor", atom), low >> k, high >> k)
        self.highs |= {m[0]: self.highs.get(m[0], (of, k, atom)) for m in found[0] if m}
        return found

    def is_cut(self, atom: int) -> bool:
        """Whether an atom is the lowest bits of a polynomial, and no word of its own."""
        return atom in self.above and atom not in self.values

    def uncut(self, p: Poly) -> Poly:
        """A polynomial without cuts, and without bits between two places."""
        while cuts := {a for a in members_of(p) if a in self.between or self.is_cut(a)}:
            atom = max(cuts)
            of, k = (self.between[atom], 0) if atom in self.between else self.above[atom]
            by = add(of, self.floor(atom, of, k), -1, -k) if k else of
            p = self.replace(p, atom, by)
        return p

    def closed(self, p: Poly, basis: set[int], *, tops: bool = True) -> Poly:
        """A polynomial with cuts in place of upper bits, of tests as well where `tops`, and definitions in place of
        named words that are not basis."""
        known = self.highs.keys() | self.between.keys() | self.values.keys() | (self.tops.keys() if tops else set())
        while atoms := {a for a in members_of(p) if a in known} - basis:
            atom = max(atoms)
            p = self.replace(p, atom, self.values.get(atom) or self.between.get(atom) or self._quotient(atom))
        return p

    def _quotient(self, atom: int, of: Poly | None = None) -> Poly:
        """A floor as its polynomial, or `of` in place of that, less the bits below, over the power of two."""
        whole, k, low = self.tops.get(atom) or self.highs[atom]
        below = low if isinstance(low, tuple) else ({(low,): 1}, 0)
        return scale(add(of or whole, below, -1), 1, k)

    def sliced(self, p: Poly) -> Poly:
        """A polynomial with bits between two places of a word as atoms, where it has floors at both."""
        floors: dict[tuple, list[tuple[int, int]]] = {}
        for atom in members_of(p):
            if atom in self.highs or atom in self.tops:
                of, k, _ = self.tops.get(atom) or self.highs[atom]
                floors.setdefault(key_of(of), []).append((k, atom))
        for of, places in floors.items():
            for (k, atom), (end, top) in pairwise(sorted(places)):
                rest: Poly = {(top,): 1 << end - k}, 0
                part = self.atom(("between", *of, k, end), ("between", atom, top), 0, (1 << end - k) - 1)
                self.between |= {m[0]: add(({(atom,): 1}, 0), rest, -1) for m in part[0]}
                p = self.replace(p, atom, add(part, rest))
        return p

    # --- ranges

    def ends(self, p: Poly) -> Ends:
        """The range of a polynomial, also with floors as quotients: then a sum in parts is whole."""
        low, high = super().ends(p)
        for opened in (False, True):
            whole = p
            for _ in range(FLOORS):
                floors = members_of(whole) & self.highs.keys()
                if not floors:
                    break
                of = self.highs[max(floors)][0]
                whole = self.replace(whole, max(floors), self._quotient(max(floors), self.uncut(of) if opened else of))
                a, b = self.tight(whole)
                low, high = max(low, a), min(high, b)
        return low, high

    def keep(self, n: Node, k: int, p: Poly, ends: Ends) -> None:
        """The lowest k bits of a node as an atom, with the range that they have without it."""
        if ("whole", *key_of(p)) not in self.keys:
            low, high = self.ends(p)
            ends = max(ends[0], low), min(ends[1], high)
        super().keep(n, k, p, ends)

    # --- modulo a power of two

    def near(self, p: Poly | None, k: int) -> tuple[Poly | None, bool]:
        """The integer of k bits that is congruent to a polynomial; also where it is a multiple of 2^k too large."""
        found = super().near(p, k)
        if p is None or (found[0] is not None and not found[1]):
            return found
        moved = self._moved(p, k)
        if moved is None:
            p = self.sliced(self.uncut(p))
            other = super().near(p, k)
            if other[0] is not None and not other[1]:
                return other
            size = 1 << k + p[1]
            least = {m: (v + size // 2) % size - size // 2 for m, v in p[0].items()}
            moved = self._moved(p, k) or self._moved(({m: v for m, v in least.items() if v}, p[1]), k)
        return (moved, False) if moved is not None else found

    def _moved(self, p: Poly, k: int) -> Poly | None:
        """A polynomial less a multiple of 2^k, where that is an integer of k bits."""
        low, high = self.ends(p)
        return add(p, number(low >> k << k), -1) if low >> k == high >> k else None

    def ends_at_cut(self, n: Node, end: int) -> bool:
        """Whether a piece that ends there is not followed into its node: its lowest bits are an atom, or the node less
        a test."""
        cut = self.cuts.get((id(n), end), number(0))
        if len(cut[0]) == 1 and members_of(cut) and all(map(self.is_cut, members_of(cut))):
            return True
        return any(
            add(of, cut, -1) == ({(top,): 1 << k}, 0) for top, (of, k, _) in self.tops.items() if top in members_of(cut)
        )
