# SPDX-License-Identifier: Apache-2.0
"""Values as integers, and the lowest bits of words: a slice is a difference of two cuts over a power of two.

A cut is an atom, unless a congruence modulo 2^k and an interval determine it.
"""

from __future__ import annotations

from abc import abstractmethod

from .atoms import Fact, Reading
from .pieces import Node, Value, edges_of
from .poly import ONE, ZERO, Poly, number
from .ranges import Ranges, lead_of
from .ternary import ones

MOST_TERMS = 3
"""Most terms of a bit, or of its complement, that is expanded; a longer one gets a name."""
MOST_ABOVE = 3
"""Most sums, each in the upper bits of the next, through which a congruence is followed; steps that shift have
hundreds."""
MOST_RESIDUES = 64
"""Most terms of a congruence in which atoms are replaced by congruent polynomials."""


class Readings(Ranges):
    """Integers of values, as polynomials with intervals."""

    @abstractmethod
    def fact(self, node: Node) -> Fact:
        """The fact of a node."""

    def reading(self, value: Value, *, signed: bool = False, apart: bool = False) -> Reading:
        """The integer of a value; with `signed` that of its two's complement where the top bit is a sign."""
        total, low, high, at = ZERO, 0, 0, 0
        if not apart:
            value = self._gathered(value)
        for number_of_piece, piece in enumerate(value):
            last = number_of_piece == len(value) - 1
            found = self.piece(piece, top=signed and last, apart=apart)
            total += found.poly.scaled(1, -at)
            low += found.low << at
            high += found.high << at
            at += piece[2]
        least, most = self.ring.interval(total)
        return Reading(total, max(low, least), min(high, most))

    def _gathered(self, value: Value) -> Value:
        """A value with neighbouring parts of one sum in parts as one piece of the sum."""
        found: list[tuple[Node | None, int, int]] = []
        for node, start, bits in value:
            piece = node, start, bits
            whole, place = self._whole(node, start + bits)
            if whole is not None:
                piece = whole, place + start, bits
            below = found[-1] if found else None
            if below and piece[0] is not None and below[0] is piece[0] and below[1] + below[2] == piece[1]:
                found[-1] = (below[0], below[1], below[2] + bits)
            else:
                found.append(piece)
        return tuple(found)

    def _whole(self, node: Node | None, end: int) -> tuple[Node | None, int]:
        """The sum in parts to which bits of a node below `end` belong, and its place; None while the sum is being
        found."""
        whole, place, count = self.within.get(node, (None, 0, 0)) if node is not None else (None, 0, 0)
        if whole is None or end > count or whole in self._open:
            return None, 0
        self._open.add(whole)
        adds_up = self.adds_up(whole, self.fact(whole))
        self._open.remove(whole)
        return (whole, place) if adds_up else (None, 0)

    def piece(self, piece: tuple[Node | None, int, int], *, top: bool, apart: bool = False) -> Reading:
        """The integer of a piece; a part of a sum in parts is a slice of the sum, but for the sum itself."""
        node, start, bits = piece
        whole, place = (None, 0) if apart else self._whole(node, start + bits)
        if whole is not None:
            return self.piece((whole, place + start, bits), top=False)
        if node is None:
            value = start - (1 << bits) if top and start >> (bits - 1) and bits > 1 else start
            return Reading(number(value), value, value)
        fact = self.fact(node)
        if node.op == "repeat" and top:
            bit = self.bit(node.args[0])
            return Reading(-bit, -1, 0)
        if top and start + bits == node.width and fact.signed is not None:
            low, high = self.ring.interval(fact.signed)
            if start:
                poly = (fact.signed - self.cut(node, start)).scaled(1, start)
                return Reading(poly, low >> start, high >> start)
            return Reading(fact.signed, low, high)
        below, above = self.cut(node, start), self.cut(node, start + bits)
        if top and (node, start + bits) in self.signed:
            signed = self.signed[node, start + bits]
            low, high = self.ring.interval(signed)
            return Reading((signed - below).scaled(1, start), low >> start, high >> start)
        poly = (above - below).scaled(1, start)
        low = fact.low >> start if start + bits >= node.width else 0
        high = min(fact.high >> start, ones(bits))
        least, most = self.ring.interval(poly)
        return Reading(poly, max(low, least), min(high, most))

    def bit(self, value: Value) -> Poly:
        """Polynomial of a bit, named where it is long."""
        poly = self.reading(value).poly
        if min(len(poly.terms), len((ONE - poly).terms)) <= MOST_TERMS:
            return poly
        bit = self.atom(("bit", poly), ("bit", value), f"bit {value[0][0].name if value[0][0] else ''}", 0, 1, poly)
        for atom in bit.atoms:
            self.names[atom] = poly
        return bit

    @abstractmethod
    def row_cut(self, node: Node, k: int) -> Poly | None:
        """The lowest k bits of a result of an adder, where a rule of `Rows` decides them."""

    # --- cuts

    def cut(self, node: Node, k: int) -> Poly:
        """The lowest k bits of a node."""
        fact = self.fact(node)
        if k <= 0:
            return ZERO
        if k >= node.width or fact.high < 1 << k:
            if k < node.width and not fact.poly.integral:
                self.tops.setdefault(fact.poly, lead_of(fact.poly))
            return fact.poly
        key = node, k
        if key not in self.cuts:
            self.cuts[key] = self._find_cut(node, k, fact)
        return self.cuts[key]

    def _find_cut(self, node: Node, k: int, fact: Fact) -> Poly:
        if fact.signed is not None and k == node.width - 1:
            return fact.signed + fact.sign.scaled(1 << k)
        if (node, k + 1) in self.signed:  # the bit above is the sign
            return (self.cut(node, k + 1) + self.signed[node, k + 1]).scaled(1, 1)
        if node.op == "concat" and self._cut_between(node, k, fact):
            return self.cut_of(node.args[0], k, apart=True)
        if node.op == "mux" and node not in self.carried:
            select = self.bit(node.args[0])
            if select.constant is not None:
                return self.cut_of(node.args[1 + select.constant], k)
            zero, one = (self.cut_of(value, k) for value in node.args[1:])
            return zero + self.ring.times(select, one - zero)
        found = self.row_cut(node, k) or self._congruent(node, k)
        if found is not None:
            return found
        near, signed = self.near(self.congruence(node, k), k) or (None, False)
        if near is not None and not signed:
            self.keep_word(node, k, near, 0, ones(k))
            return near
        if near is not None:
            sign = self.test("negative", near, node, f"{node.name}[{k - 1}:0] < 0", self.ends(near))
            self.signed[node, k] = near
            return near + sign.scaled(1 << k)
        empty = max((low for low in range(1, k) if self.cuts.get((node, low)) == ZERO), default=0)
        if empty:
            return self._above(node, k, empty, fact).scaled(1, -empty)
        if node in self.carried:
            return self.lowest(fact.poly, k, node)
        atom = self.atom(("cut", node, k), ("cut", node, k), f"{node.name}[{k - 1}:0]", 0, ones(k), fact.poly)
        form = self.residue(node, k)
        for member in atom.atoms:
            self.cut_atoms[member] = node, k
            self.formulas[member] = "low", fact.poly, k
            if form is not None:
                self.definitions[member] = (form, k)
        return atom

    def _above(self, node: Node, k: int, empty: int, fact: Fact) -> Poly:
        """Bits `empty` to k - 1 of a node whose bits below are 0."""
        key, of = ("slice", node, k, empty), fact.poly.scaled(1, empty)
        atom = self.atom(key, key, f"{node.name}[{k - 1}:{empty}]", 0, ones(k - empty), of)
        for member in atom.atoms:
            self.formulas[member] = "low", of, k - empty
        return atom

    def _cut_between(self, node: Node, k: int, fact: Fact) -> bool:
        """Whether the lowest bits of a sum in parts are those of its parts: in the first, or where another ends."""
        parts = node.args[0]
        return k <= parts[0][2] or k in edges_of(parts) or not self.adds_up(node, fact)

    def adds_up(self, node: Node, fact: Fact) -> bool:
        """Whether the parts of a sum are one polynomial again, without the atoms that they are cut at."""
        inner = self.piece(node.args[0][0], top=False, apart=True).poly
        return not inner.atoms & fact.poly.atoms

    def cut_of(self, value: Value, k: int, *, apart: bool = False) -> Poly:
        """The lowest k bits of a value."""
        total, at = ZERO, 0
        for node, start, bits in value:
            count = min(bits, k - at)
            if count > 0:
                part = self.piece((node, start & ones(count) if node is None else start, count), top=False, apart=apart)
                total += part.poly.scaled(1, -at)
            at += bits
        return total

    # --- congruences

    def congruence(self, node: Node, k: int, depth: int = MOST_ABOVE) -> Poly | None:
        """A polynomial that is congruent to a sum modulo 2^k, and may have fractions as the node has."""
        if node in self.carried:
            return self._modulo(node.args[1], k, depth) + self.reading(node.args[0]).poly
        if node.op not in ("add", "sub", "neg"):
            return None
        parts = [self._modulo(value, k, depth) for value in node.args]
        return -parts[0] if node.op == "neg" else parts[0] + (parts[1] if node.op == "add" else -parts[1])

    def _modulo(self, value: Value, k: int, depth: int) -> Poly:
        """A polynomial that is congruent to a value modulo 2^k; of the piece that reaches there, its whole node."""
        total, at = ZERO, 0
        for piece in self._gathered(value):
            node, start, bits = piece
            if at >= k:
                break
            if node is None or at + bits < k or self.ends_at_cut(node, start + bits):
                found = self.piece(piece, top=False).poly
            else:
                left = depth - 1 if start else depth
                whole = (self.congruence(node, start + k - at, left) if left else None) or self.fact(node).poly
                found = (whole - self.cut(node, start)).scaled(1, start)
            total += found.scaled(1, -at)
            at += bits
        return total

    def ends_at_cut(self, node: Node, end: int) -> bool:
        """Whether a piece that ends there is not followed into its node."""
        del node, end
        return False

    def _congruent(self, node: Node, k: int) -> Poly | None:
        """The lowest k bits of a node where a congruence modulo 2^k determines them."""
        form = self.residue(node, k)
        if form is None:
            return None
        for candidate in self._forms(form, k):
            for near in _nearest(candidate, k):
                low, high = self.ring.interval(near)
                if low >= 0 and high < 1 << k:
                    return near
                if low > -(1 << k) and high <= 0 and len(near.terms) == 1:
                    nonzero = self.test("nonzero", -near, node, f"{node.name}[{k - 1}:0] is not 0")
                    return near + nonzero.scaled(1 << k)
        return None

    def residue(self, node: Node, k: int) -> Poly | None:
        """A polynomial with integer coefficients that is congruent to a node modulo 2^k."""
        poly = self.fact(node).poly
        if poly.integral:
            return poly
        signed = self.fact(node).signed
        if k <= node.width and signed is not None and signed.integral:
            return signed
        if (node, k) in self.cuts and self.cuts[node, k].integral:
            return self.cuts[node, k]
        if node.op not in ("add", "sub", "mul", "neg"):
            return None
        parts = [self._residue_of(value, k) for value in node.args]
        if any(part is None for part in parts):
            return None
        a, b = parts[0] or ZERO, (parts[1] if len(parts) > 1 else None) or ZERO
        if node.op == "neg":
            return -a
        if node.op == "mul":
            return self.ring.times(a, b)
        return a + b if node.op == "add" else a - b

    def _residue_of(self, value: Value, k: int) -> Poly | None:
        whole = self.reading(value).poly
        if whole.integral:
            return whole
        total, at = ZERO, 0
        for piece in value:
            node, start, bits = piece
            if at >= k:
                break
            found = self.piece(piece, top=False).poly
            if not found.integral:
                if node is None or (bits < k - at and start + bits < node.width):
                    return None
                inner = self._residue_above(node, start, k - at) if start else self.residue(node, k - at)
                if inner is None:
                    return None
                found = inner
            total += found.scaled(1, -at)
            at += bits
        return total

    def _residue_above(self, node: Node, start: int, k: int) -> Poly | None:
        """A slice modulo 2^k, where both of its cuts exist."""
        if (node, start + k) not in self.cuts or (node, start) not in self.cuts:
            return None
        found = (self.cuts[node, start + k] - self.cuts[node, start]).scaled(1, start)
        return found if found.integral else None

    def _forms(self, form: Poly, k: int) -> list[Poly]:
        """A residue, and its forms by the relations."""
        found = [self._related(self._low(form, k), k)]
        related = {first for first, _, _, bits in self.relations if bits >= k}
        for all_of_them in (False, False, True):
            form = found[-1]
            for atom in sorted(form.atoms, reverse=True):
                definition, bits = self.definitions.get(atom, (ZERO, 0))
                if bits >= k and (all_of_them or definition.atoms & related) and len(form.terms) < MOST_RESIDUES:
                    form = self.ring.substitute(form, atom, definition)
            if form != found[-1]:
                found.append(self._related(self._low(form, k), k))
        return found

    def _low(self, form: Poly, k: int) -> Poly:
        """Replace inputs, words and longer cuts by their cuts of k bits where those exist."""
        for atom in sorted(form.atoms & self.cut_atoms.keys()):
            node, bits = self.cut_atoms[atom]
            if bits > k and (node, k) in self.cuts:
                form = self.ring.substitute(form, atom, self.cuts[node, k])
        return form

    def _related(self, form: Poly, k: int) -> Poly:
        """Replace products that a relation names, and reduce coefficients modulo 2^k."""
        terms: dict[tuple[int, ...], int] = {}
        for monomial, value in form.items():
            for first, second, result, bits in self.relations:
                while bits >= k and first in monomial and second in monomial:
                    rest = list(monomial)
                    rest.remove(first)
                    rest.remove(second)
                    monomial, value = tuple(rest), value * result
            terms[monomial] = terms.get(monomial, 0) + value
        return Poly({m: v & ones(k) for m, v in terms.items() if v & ones(k)})


def _nearest(form: Poly, k: int) -> list[Poly]:
    """Polynomials congruent to one, with coefficients of either sign where there are few."""
    items = list(form.items())
    if len(items) > 4:
        return [Poly({m: v - (1 << k) if v >> (k - 1) else v for m, v in items})]
    found: list[Poly] = []
    for row in range(1 << len(items)):
        found.append(Poly({m: v - (1 << k) if row >> n & 1 else v for n, (m, v) in enumerate(items)}))
    return found
