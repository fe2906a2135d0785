# SPDX-License-Identifier: Apache-2.0
"""The lowest bits of words, their cuts: known from a choice, a congruence or a range, or else atoms."""

from __future__ import annotations

from abc import abstractmethod

from .carries import limb_and_carry
from .netlist import Node, Value, width
from .poly import Poly, add, number, scale
from .rows import Rows


class Cuts(Rows):
    """Cuts of nodes; `signed` has those that count as negative where their top bit is set, as integers."""

    def __init__(self, case: dict[tuple, int]) -> None:
        super().__init__(case)
        self.signed: dict[tuple[int, int], Poly] = {}
        self.defined: dict[int, tuple[Poly, int]] = {}

    @abstractmethod
    def bit(self, value: Value) -> Poly:
        """Polynomial of a bit."""

    def cut(self, n: Node, k: int) -> Poly:
        """The lowest k bits of a node."""
        p, _, high, exact = self.fact(n)
        if k <= 0:
            return number(0)
        if k >= n[1] or high < 1 << k:
            if k < n[1]:
                self.highest_limb(p)
            return p
        if exact and k == n[1] - 1:
            sign = scale(add(p, exact, -1), 1, n[1])
            return add(p, sign, -(1 << k))
        if (id(n), k + 1) in self.signed:  # the bit above is the sign
            return scale(add(self.cut(n, k + 1), self.signed[id(n), k + 1]), 1, 1)
        if (id(n), k) not in self.cuts:
            self.cuts[id(n), k] = self._find_cut(n, k, p)
        return self.cuts[id(n), k]

    def cut_of(self, value: Value, k: int, *, apart: bool = False) -> Poly:
        """The lowest k bits of a value."""
        found, at = number(0), 0
        for n, start, bits in value:
            if at < k:
                start = start if n is not None else start % (1 << (k - at))
                found = add(found, self.piece(n, start, min(bits, k - at), top=False, apart=apart)[0], 1, -at)
            at += bits
        return found

    def with_carry(self, below: Value, n: Node, carry: Value) -> Poly:
        """A limb, by its lowest bits and the sum above them, and a carry into it."""
        total = add(self.read(below)[0], self.fact(n)[0], 1, -width(below))
        return add(total, self.read(carry)[0])

    def _find_cut(self, n: Node, k: int, p: tuple) -> Poly:
        if (found := self.row_cut(n, k)) is not None:
            return found
        if n[0] == "mux" and id(n) not in self.carried:
            select, (zero, one) = self.bit(n[2][0]), n[2][1:]
            if select in (number(0), number(1)):
                return self.cut_of(one if select[0] else zero, k)
            zero, one = self.cut_of(zero, k), self.cut_of(one, k)
            return add(zero, self.times(select, add(one, zero, -1)))
        if n[0] == "concat":
            parts = n[2][0]
            edges = [sum(x[2] for x in parts[: i + 1]) for i in range(len(parts))]
            first = self.piece(*parts[0], top=False, apart=True)[0]
            if k in edges or k <= edges[0] or {a for m in first[0] for a in m} & {a for m in p[0] for a in m}:
                return self.cut_of(parts, k, apart=True)
        form = self.residue(n, k)
        for _ in range(3):
            if form is None:
                break
            form = self.related(form, k)
            for signs in range(1 << len(form[0])) if len(form[0]) < 5 else ():
                near = {m: v - (signs >> i & 1) * (1 << k) for i, (m, v) in enumerate(form[0].items())}, 0
                low, high = self.range(near)
                if low >= 0 and high < 1 << k:
                    return near
                if low > -(1 << k) and high <= 0 and len(near[0]) == 1:
                    return add(near, self.test("nonzero", n, scale(near, -1)), 1 << k)
            for atom in sorted({a for m in form[0] for a in m}, reverse=True):
                if self.defined.get(atom, (0, 0))[1] >= k and len(form[0]) < 64:
                    form = self.replace(form, atom, self.defined[atom][0])
        near, signed = self.near(self.congruent(n, k), k)
        if near is not None and signed:
            self.signed[id(n), k] = near
            return add(near, self.test("negative", n, near, self.ends(near)), 1 << k)
        if near is not None:
            self.keep(n, k, near, (0, (1 << k) - 1))
            return near
        if id(n) in self.carried:
            return self.lowest(n, p, k)
        for value, carry in (n[2], n[2][::-1]) if n[0] == "$add" else ():
            limb = limb_and_carry(value, carry, k)
            if limb is not None:
                return self.lowest(n, self.with_carry(*limb, carry), k)
        low = max((j for j in range(1, k) if self.cuts.get((id(n), j)) == number(0)), default=0)
        if low:  # the bits below are 0
            atom = self.atom(("slice", id(n), k), ("slice", n, k), 0, (1 << (k - low)) - 1)
            self.above |= {m[0]: (scale(p, 1, low), k - low) for m in atom[0] if m}
            return scale(atom, 1, -low)
        atom = self.atom(("cut", id(n), k), ("cut", n, k), 0, (1 << k) - 1)
        self.above |= {m[0]: (p, k) for m in atom[0] if m}
        form = self.residue(n, k)
        if form and () not in atom[0]:
            self.defined |= {a: (form, k) for (a,) in atom[0]}
        return atom
