# SPDX-License-Identifier: Apache-2.0
"""Atoms, by number: the lowest and the highest value of each, its definition, and polynomials over them."""

from __future__ import annotations

from collections.abc import Iterator

from .netlist import Node
from .poly import Poly, Terms, add, key_of, number, scale

Ends = tuple[int, int]
"""Lowest and highest value."""


class Atoms:
    """Atoms of one operation; `case` has the tests whose result is taken as known, by their keys."""

    def __init__(self, case: dict[tuple, int]) -> None:
        self.case = case
        self.keys: dict[tuple, Poly] = {}
        self.atoms: list[Ends] = []
        self.origins: list[tuple] = []
        self.names: dict[int, Poly] = {}
        self.meaning: dict[int, tuple[str, Poly, int, int]] = {}
        self.m: int | None = None
        self.classes: dict[int, Poly] = {}
        self.spoken_of: dict[tuple, tuple] = {}
        self.above: dict[int, tuple[Poly, int]] = {}
        self.wholes: dict[int, list[tuple[Poly, int, int]]] = {}
        self.leads: dict[int, tuple[tuple[int, ...], Poly]] = {}
        self.same: dict[tuple, Node] = {}
        self.known: list[tuple[str, Poly | None, int]] = []

    def atom(self, key: tuple, origin: tuple, low: int, high: int, of: Poly | None = None) -> Poly:
        """The atom of a key, or its value in the case; `origin` is its kind, and the node or value in which it
        arose."""
        if key not in self.keys:
            self.atoms.append((low, high))
            self.origins.append(origin)
            spoken_of = self.spoken_of.setdefault(origin, key) == key  # the first of several that come up at one place
            value = self.case.get(origin) if spoken_of else None
            self.keys[key] = ({(len(self.atoms) - 1,): 1}, 0) if value is None else number(value)
            if value is not None:
                self.known.append((origin[0], of, value))
        return self.keys[key]

    def written_out(self, p: Poly) -> Poly:
        """A polynomial without names."""
        while named := {a for m in p[0] for a in m} & set(self.names):
            p = self.replace(p, max(named), self.names[max(named)])
        return p

    def times(self, p: Poly, q: Poly) -> Poly:
        """The product; a bit is its own square."""
        terms: Terms = {}
        for m, v in p[0].items():
            for n, w in q[0].items():
                key = tuple(sorted([*m, *(a for a in n if a not in m or self.atoms[a] != (0, 1))]))
                terms[key] = terms.get(key, 0) + v * w
        return scale(({m: v for m, v in terms.items() if v}, p[1] + q[1]), 1)

    def replace(self, p: Poly, atom: int, by: Poly) -> Poly:
        """The polynomial with another in place of an atom."""
        found = {m: v for m, v in p[0].items() if atom not in m}, p[1]
        for m, v in p[0].items():
            if atom in m:
                part = {tuple(a for a in m if a != atom): v}, p[1]
                for _ in range(m.count(atom)):
                    part = self.times(part, by)
                found = add(found, part)
        return found

    def range(self, p: Poly, *, over: bool = True) -> Ends:
        """Lowest and highest value, of the numerator where not `over` the power of two."""
        low = high = 0
        for m, v in p[0].items():
            ends = [v]
            for atom in m:
                ends = [e * x for e in ends for x in self.atoms[atom]]
                ends = [min(ends), max(ends)]
            low, high = low + min(ends), high + max(ends)
        return (-(-low >> p[1]), high >> p[1]) if over else (low, high)

    def reduced(self, p: Poly) -> Poly:
        """A polynomial that is congruent modulo m, without atoms that are choices."""
        for atom in sorted({a for m in p[0] for a in m} & set(self.classes), reverse=True):
            p = self.replace(p, atom, self.classes[atom])
        return {m: v for m, v in p[0].items() if self.m is None or v % self.m}, p[1]

    def without_floor(self, p: Poly) -> Poly:
        """A polynomial that is negative where p is: (q - a) / 2^k with a cut of k bits is floor(q / 2^k)."""
        while True:
            found = []
            for m, v in p[0].items():
                kind, _, *bits = self.origins[m[0]] if len(m) == 1 else ("", None)
                if kind == "cut" and abs(v) << bits[0] == 1 << p[1]:
                    found.append((*bits, v, m))
            if len({v > 0 for _, v, _ in found}) != 1:
                return p
            k, v, m = min(found)
            p = scale(add(p, ({m: v}, p[1]), -1), 1, -k)
            p = p if v < 0 else add(p, number((1 << k) - 1))

    def without_cuts(self, p: Poly) -> Iterator[Poly]:
        """Polynomials that are negative where p is, each without one cut more, that of the last word first."""
        while True:
            cuts = [
                (m[0], self.origins[m[0]][2])
                for m, v in p[0].items()
                if len(m) == 1 and self.origins[m[0]][0] == "cut" and -v << self.origins[m[0]][2] == 1 << p[1]
            ]
            if not cuts:
                return
            atom, k = max(cuts)
            p = scale(add(p, ({(atom,): 1}, k)), 1, -k)
            yield p

    def test(self, kind: str, n: Node, of: Poly, ends: tuple[int, ...] = (), at: int = 0) -> Poly:
        """The bit that is 1 where an integer is negative, or is not zero; `at` distinguishes those of one node."""
        low, high = self.range(of)
        low, high = max(low, *ends[:1], low), min(high, *ends[1:], high)
        if (low >= 0 and (kind == "negative" or high == 0)) or high < 0 or (kind == "nonzero" and low > 0):
            return number(int(high < 0 or (kind == "nonzero" and low > 0)))
        found = self.atom((kind, *key_of(of)), (kind, n, at), 0, 1, of)
        self.meaning |= {m[0]: (kind, of, low, high) for m in found[0] if m}
        return found
