# SPDX-License-Identifier: Apache-2.0
"""Polynomials that are congruent to words modulo a power of two."""

from __future__ import annotations

from abc import abstractmethod

from .netlist import Node, Value
from .poly import Poly, Terms, add, number, scale
from .ranges import Ranges

Read = tuple[Poly, int, int]
Fact = tuple[Poly, int, int, Poly | None]


class Congruences(Ranges):
    """Congruences of the nodes of one operation; `cuts` has the lowest bits of each, as far as they are known."""

    inputs: tuple[Node, ...] = ()

    def __init__(self, case: dict[tuple, int]) -> None:
        super().__init__(case)
        self.facts: dict[int, Fact] = {}
        self.cuts: dict[tuple[int, int], Poly] = {}
        self.relations: list[tuple[int, int, int, int]] = []
        self.carried: set[int] = set()

    @abstractmethod
    def fact(self, n: Node) -> Fact:
        """Polynomial, lowest and highest value of a node, and the polynomial before it is taken modulo 2^width."""

    @abstractmethod
    def cut(self, n: Node, k: int) -> Poly:
        """The lowest k bits of a node."""

    @abstractmethod
    def read(self, value: Value, *, signed: bool = False, apart: bool = False) -> Read:
        """Polynomial, lowest and highest value of a value."""

    @abstractmethod
    def piece(self, n: Node | None, start: int, bits: int, *, top: bool, apart: bool = False) -> Read:
        """Polynomial, lowest and highest value of a piece."""

    @abstractmethod
    def gathered(self, value: Value) -> Value:
        """Neighbouring parts of one sum as one piece of it."""

    def congruent(self, n: Node, k: int, depth: int = 3) -> Poly | None:
        """A polynomial, possibly with fractional coefficients, that is congruent to a sum modulo 2^k."""
        if id(n) in self.carried:
            return add(self._modulo(n[2][1], k, depth), self.read(n[2][0])[0])
        if n[0] not in ("$add", "$sub"):
            return None
        p, q = (self._modulo(value, k, depth) for value in n[2])
        return add(p, q, 1 if n[0] == "$add" else -1)

    def _modulo(self, value: Value, k: int, depth: int) -> Poly:
        total, at = number(0), 0
        for n, start, bits in self.gathered(value):
            if at >= k:
                break
            found = None
            if n is not None and at + bits >= k and not self.ends_at_cut(n, start + bits):  # bits above do not matter
                left = depth - 1 if start else depth  # steps that shift are not followed far
                found = (self.congruent(n, start + k - at, left) if left else None) or self.fact(n)[0]
                found = scale(add(found, self.cut(n, start), -1), 1, start)
            total = add(total, found or self.piece(n, start, bits, top=False)[0], 1, -at)
            at += bits
        return total

    def ends_at_cut(self, n: Node, end: int) -> bool:
        """Whether a piece that ends there is not followed into its node."""
        del n, end
        return False

    def residue(self, n: Node, k: int) -> Poly | None:
        """A polynomial with integer coefficients that is congruent to a node modulo 2^k."""
        p, _, _, exact = self.fact(n)
        for known in (p, exact, self.cuts.get((id(n), k))):
            if known and not known[1]:
                return known
        if n[0] not in ("$add", "$sub"):
            return None
        parts = []
        for value in n[2]:
            p = self.read(value)[0]
            if p[1]:
                m, start, bits = value[0]
                ends = self.cuts.get((id(m), start + k)), self.cuts.get((id(m), start), number(0))
                if m is None or bits < k:
                    p = None
                elif not start or ends[0] is None:
                    p = None if start else self.residue(m, k)
                else:
                    p = scale(add(ends[0], ends[1], -1), 1, start)
                    p = None if p[1] else p
            parts.append(p)
        return None if None in parts else add(parts[0], parts[1], 1 if n[0] == "$add" else -1)

    def related(self, p: Poly, k: int) -> Poly:
        """Coefficients modulo 2^k, cuts of k bits for longer ones, and products that the relations name replaced."""
        for long, short in [(self.fact(n)[0], c) for n, c in self._short(k)]:
            for m in [m for m in long[0] if len(m) == 1 and len(long[0]) == 1 and long[0][m] == 1 and not long[1]]:
                p = self.replace(p, m[0], short)
        terms: Terms = {}
        for m, v in p[0].items():
            for a, b, value, bits in self.relations:
                while bits >= k and a in m and b in m:
                    rest = list(m)
                    rest.remove(a)
                    rest.remove(b)
                    m, v = tuple(rest), v * value
            terms[m] = (terms.get(m, 0) + v) % (1 << k)
        return {m: v for m, v in terms.items() if v}, 0

    def _short(self, k: int) -> list[tuple[Node, Poly]]:
        return [(n, self.cuts[id(n), k]) for n in self.inputs if (id(n), k) in self.cuts]
