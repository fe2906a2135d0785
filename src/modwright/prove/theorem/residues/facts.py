# SPDX-License-Identifier: Apache-2.0
"""Facts about words in channels: factors of products and choices are atoms of their own, with exact definitions.

A word of many terms that is a factor would make intervals of sums of such products loose, so it is named: an atom W
with the word's interval, and W = P for the word's polynomial P over earlier atoms. The highest bit of a word below
2^(k+1) is a test: is the word 2^k or above? Choices by it then are exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from ..atoms import Fact, Reading
from ..facts import Facts
from ..pieces import Node, Piece, Value
from ..poly import ZERO, Monomial, Poly, number
from ..ternary import ones

MOST_FLOORS = 3
"""Most floors that are replaced, the last one first, to narrow an interval."""
NAMED = ("add", "sub", "mux", "concat", "bitwise")
"""Kinds of nodes that are named."""


def factors(nodes: Iterable[Node]) -> set[Node]:
    """Nodes that are named: those in factors of products, and choices."""
    found: set[Node] = set()
    for node in nodes:
        if node.op == "mul":
            for value in node.args:
                inner = parts_of(value)
                found |= set(inner) if len(inner) == 1 else set()
        elif node.op == "mux":
            found.add(node)
    return found


def parts_of(value: Value) -> list[Node]:
    """Nodes of the pieces of a value."""
    return [inner for inner, _, _ in value if inner is not None]


def ends_of(values: Iterable[Value]) -> dict[Node, int]:
    """The end of the highest bits of each node that are used."""
    found: dict[Node, int] = {}
    for value in values:
        for node, start, bits in value:
            if node is not None:
                found[node] = max(found.get(node, 0), start + bits)
    return found


class ChannelFacts(Facts):
    """Facts of the nodes of one operation on residues.

    Parameters
    ----------
    within : mapping
        See `Atoms`.
    nodes : sequence of Node
        Nodes of the operation.
    outputs : sequence of Value
        Results of the operation.

    Attributes
    ----------
    values : dict
        Definition of each atom that is a named word.
    highs : dict
        Definition of each atom that is floor(P / 2^k): P, k, and the atom of the lowest k bits.
    tops : dict
        P, k and the lowest k bits of each atom that is floor(P / 2^k), and a test.
    between : dict
        Definition of each atom that is the bits of a word between two places: a difference of two floors.
    """

    def __init__(
        self, within: Mapping[Node, tuple[Node, int, int]], nodes: Sequence[Node], outputs: Sequence[Value]
    ) -> None:
        super().__init__({}, within)
        self.named = factors(nodes)
        self.used = ends_of([*(value for node in nodes for value in node.args), *outputs])
        self.values: dict[int, Poly] = {}
        self.highs: dict[int, tuple[Poly, int, int]] = {}
        self.between: dict[int, Poly] = {}
        self.tops: dict[int, tuple[Poly, int, Poly]] = {}
        self.topped: set[Poly] = set()
        self._high: dict[int, Poly] = {}

    def _find(self, node: Node) -> Fact:
        fact = super()._find(node)
        plain = node in self.named and node.op in NAMED and fact.signed is None and fact.low >= 0
        if not plain or len(fact.poly.terms) < 2:
            return fact
        return Fact(self._name(node, node.width, fact.poly, fact.low, fact.high), fact.low, fact.high)

    def _lookup(self, node: Node) -> Fact:
        """A word of a table; a constant where every word that the address reaches is the same."""
        fact = super()._lookup(node)
        return Fact(number(fact.low), fact.low, fact.high) if fact.low == fact.high else fact

    def ends(self, poly: Poly) -> tuple[int, int]:
        """The narrowest known interval of a polynomial, also with floors as quotients: a sum in parts is whole then."""
        low, high = super().ends(poly)
        for way in (lambda of: of, self.opened):
            whole = poly
            for _ in range(MOST_FLOORS):
                atom = max(whole.atoms & self.highs.keys(), default=None)
                if atom is None:
                    break
                of, k, cut = self.highs[atom]
                whole = self.ring.substitute(whole, atom, (way(of) - Poly({(cut,): 1})).scaled(1, k))
                least, most = self.tight(whole)
                low, high = max(low, least), min(high, most)
        return low, high

    def keep_word(self, node: Node, k: int, poly: Poly, low: int, high: int) -> None:
        """A word as an atom for intervals, with the interval that is known before it."""
        least, most = self.ends(poly) if ("whole", poly) not in self.keys else (low, high)
        super().keep_word(node, k, poly, max(low, least), min(high, most))

    def near(self, form: Poly | None, k: int) -> tuple[Poly, bool] | None:
        """The integer of k bits that is congruent to a polynomial, with floors for cuts where those do not decide."""
        found = super().near(form, k)
        if form is None or (found is not None and not found[1]):
            return found
        moved = self._moved(form, k)
        if moved is None:
            form = self.sliced(self.opened(form))
            other = super().near(form, k)
            if other is not None and not other[1]:
                return other
            moved = self._moved(form, k) or self._moved(_least(form, k), k)
        return moved or found

    def _moved(self, form: Poly, k: int) -> tuple[Poly, bool] | None:
        """The integer of k bits that a polynomial is, plus a multiple of 2^k."""
        low, high = self.ends(form)
        return (form - number(low >> k << k), False) if low >> k == high >> k else None

    def ends_at_cut(self, node: Node, end: int) -> bool:
        """Whether the lowest bits of a node are an atom, or the node less a test: a piece that ends there stays one,
        next to others of them."""
        cut = self.cuts.get((node, end), ZERO)
        return (len(cut.terms) == 1 and all(map(self._is_cut, cut.atoms))) or cut in self.topped

    def sliced(self, p: Poly) -> Poly:
        """A polynomial with the bits of a word between two places as atoms, where it has floors at both."""
        floors: dict[Poly, list[tuple[int, int]]] = {}
        for atom in p.atoms:
            of, k = (self.highs.get(atom) or self.tops.get(atom) or (ZERO, 0))[:2]
            if k:
                floors.setdefault(of, []).append((k, atom))
        for of, places in floors.items():
            for (k, atom), (end, above) in itertools.pairwise(sorted(places)):
                whole, rest = Poly({(atom,): 1}), Poly({(above,): 1}).scaled(1 << end - k)
                name = f"{self.ring.atoms[atom].name} to {end}"
                part = self.atom(("between", of, k, end), ("between", atom, above), name, 0, ones(end - k))
                for member in part.atoms:
                    self.between[member] = whole - rest
                    self.formulas[member] = "value", whole - rest, 1
                p = self.ring.substitute(p, atom, part + rest)
        return p

    def _exact(self, node: Node) -> tuple[Poly, int, int]:
        total, low, high = self._product(node) if node.op == "mul" else super()._exact(node)
        high = min(high, self._most(total))
        if low < 0 or high >> node.width:
            least, most = self.ends(total)
            low, high = max(low, least), min(high, most)
        return total, low, high

    def _product(self, node: Node) -> tuple[Poly, int, int]:
        """A product; a factor of several words, as a sum in parts, is named."""
        readings: list[Reading] = []
        for value in node.args:
            found = self.reading(value, signed=True)
            if len(parts_of(value)) > 1 and found.low >= 0:
                found = Reading(self._name_value(value, found), found.low, found.high)
            readings.append(found)
        a, b = readings
        ends = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
        return self.ring.times(a.poly, b.poly), min(ends), max(ends)

    def _name_value(self, value: Value, whole: Reading) -> Poly:
        """An atom for a word of several parts."""
        if len(whole.poly.terms) < 2:
            return whole.poly
        name = f"word of {parts_of(value)[-1].name}"
        word = self.atom(("named", whole.poly), ("named", value), name, whole.low, whole.high)
        for atom in word.atoms:
            self.values[atom] = whole.poly
            self.formulas[atom] = "value", whole.poly, 1
        return word

    def _most(self, p: Poly) -> int:
        """The upper end of a polynomial's interval, where a word's lowest and highest bits, or a word and the test of
        its highest bit, are bounded together: the one is not largest where the other is. No term is in two pairs."""
        high = sum(max(value * end for end in self.ring.range_of(m)) for m, value in p.items())
        paired: set[Monomial] = set()
        for monomial, value in p.items():
            partner, most = self._pair(p, monomial, value) or ((), 0)
            if partner and not paired & {monomial, partner}:
                paired |= {monomial, partner}
                high += most - sum(
                    max(factor * end for end in self.ring.range_of(m))
                    for m, factor in ((monomial, value), (partner, p.terms[partner]))
                )
        return high >> p.shift

    def _pair(self, p: Poly, monomial: Monomial, value: int) -> tuple[Monomial, int] | None:
        """Another term of a polynomial, and the largest value of both together."""
        atom = monomial[0] if len(monomial) == 1 else -1
        if atom in self.highs and value > 0:
            of, k, cut = self.highs[atom]
            other, most = p.terms.get((cut,), 0), self.ring.atoms[atom].high
            if other <= 0:
                return None
            last = min(self.ring.interval(of)[1] - (most << k), ones(k))
            return (cut,), max(value * most + other * last, value * (most - 1) + other * ones(k))
        kind, of, _, _ = self.meanings.get(atom, ("", p, 0, 0))
        words = [m for m in of.terms if m]
        if kind != "negative" or len(words) != 1 or of.terms[words[0]] != -1 or p.terms.get(words[0], 0) <= 0:
            return None
        limit, other, most = of.terms.get((), 0), p.terms[words[0]], self.ring.range_of(words[0])[1]
        return words[0], max(other * min(limit, most), other * most + value)

    def _name(self, node: Node, k: int, poly: Poly, low: int, high: int) -> Poly:
        """An atom for the lowest k bits of a node."""
        if len(poly.terms) < 2:
            return poly
        word = self.atom(("named", poly), ("named", node, k), node.name, low, high)
        for atom in word.atoms:
            if high < self.ring.atoms[atom].high:
                self.ring.narrow(atom, high)
            self.values[atom] = poly
            self.formulas[atom] = "value", poly, 1
            self.cut_atoms[atom] = node, k
        return word

    def _mux(self, node: Node) -> Fact:
        if self.bit(node.args[0]).constant is not None:
            return super()._mux(node)
        poly = self._choice(node, node.args[1:], node.width)
        return self._of(poly)

    def _find_cut(self, node: Node, k: int, fact: Fact) -> Poly:
        if node.op == "mux":
            return self._cut_of_choice(node, k)
        near = self.near(self.congruence(node, k), k)
        word = self._used_word(node, k, fact) if near is None else None
        if word is not None:
            return self._cut_of_word(node, k, word)
        if near is None and fact.low >= 0 and fact.high < 2 << k and fact.signed is None:
            top = self.test("negative", number((1 << k) - 1) - fact.poly, node, f"{node.name}[{k}]")
            cut = fact.poly - top.scaled(1 << k)
            self.keep_word(node, k, cut, 0, ones(k))
            self.tops |= dict.fromkeys(top.atoms, (fact.poly, k, self.keys["whole", cut]))
            self.topped.add(cut)
            return cut
        return super()._find_cut(node, k, fact)

    def _used_word(self, node: Node, k: int, fact: Fact) -> Poly | None:
        """The lowest bits of a sum that are used, where they are one polynomial without the bits above, as in a sum
        with a complement; None where only the sum is one."""
        end = min(self.used.get(node, node.width), node.width)
        word = self.cut(node, end) if k < end < node.width else fact.poly
        atoms = word.atoms
        cut = len(word.terms) == 1 == len(atoms) and self.formulas.get(next(iter(atoms)), ("",))[0] == "low"
        if cut or word == fact.poly:
            return None
        self.keep_word(node, end, word, 0, ones(end))
        return word

    def _cut_of_choice(self, node: Node, k: int) -> Poly:
        """The lowest bits of a choice: the choice of both words' lowest bits, or the lowest bits of that word whose
        highest bits are used."""
        end = min(self.used.get(node, node.width), node.width)
        if k < end:
            return self._cut_of_word(node, k, self.cut(node, end))
        arms = [self._lower(value, k) for value in node.args[1:]]
        chosen = self.bit(node.args[0]).constant
        if chosen is None:
            return self._choice(node, arms, k)
        found = self.reading(arms[chosen])
        return self._name(node, k, found.poly, max(found.low, 0), min(found.high, ones(k)))

    def _choice(self, node: Node, arms: Sequence[Value], k: int) -> Poly:
        """A choice of two values of k bits, as an atom; each is the word that it is where the bit has its value."""
        select = self.bit(node.args[0])
        zero, one = (self._under(value, (select, bit)) for bit, value in enumerate(arms))
        ranges = [self.bounds(value, [(select, bit)]) for bit, value in enumerate(arms)]
        ranges = [ends for ends in ranges if ends[0] <= ends[1]] or [(0, ones(k))]
        low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
        return self._name(node, k, zero + self.ring.times(select, one - zero), max(low, 0), min(high, ones(k)))

    def _cut_of_word(self, node: Node, k: int, word: Poly) -> Poly:
        """The lowest k bits of a word as an atom."""
        low, high = self.ends(word)
        if low >= 0 and high < 1 << k:
            return word
        atom = self.atom(("cut", node, k), ("cut", node, k), f"{node.name}[{k - 1}:0]", 0, ones(k), word)
        for member in atom.atoms:
            self.cut_atoms[member] = node, k
            self.formulas[member] = "low", word, k
        return atom

    def _lower(self, value: Value, k: int) -> Value:
        """The lowest k bits of a value."""
        found: list[Piece] = []
        for node, start, bits in value:
            count = min(bits, k)
            if count:
                found.append((node, start & ones(count) if node is None else start, count))
            k -= count
        return tuple(found)

    def piece(self, piece: Piece, *, top: bool, apart: bool = False) -> Reading:
        """The integer of a piece; of the upper bits of a word, floor(P / 2^k) as an atom."""
        found = super().piece(piece, top=top, apart=apart)
        node, start, _ = piece
        if node is None or not start or len(found.poly.terms) < 2 or self.fact(node).signed is not None:
            return found
        cut = self.cut(node, start)
        (atom, *more) = cut.atoms or (0,)
        kind, of, k = self.formulas.get(atom, ("", cut, 0))
        if more or kind != "low" or k != start or found.poly != (of - cut).scaled(1, k):
            return found
        return Reading(self._floor(atom, of, k), found.low, found.high)

    # --- without cuts

    def name_cuts(self) -> None:
        """Make the lowest bits of a word words of their own where they are a factor, as in a channel modulo 2^k."""
        for node in self.named:
            cut = self.cuts.get((node, self.used.get(node, 0)), ZERO)
            for atom in cut.atoms if len(cut.terms) == 1 else ():
                kind, of, k = self.formulas.get(atom, ("", cut, 0))
                if kind == "low" and atom not in self.values:
                    self.values[atom] = of - self._floor(atom, of, k).scaled(1 << k)

    def opened(self, p: Poly) -> Poly:
        """A polynomial with every cut a of k bits of P replaced by P - 2^k·floor(P / 2^k), and without names of
        bits."""
        while True:
            cuts = sorted(atom for atom in p.atoms if atom in self.between or self._is_cut(atom))
            if not cuts:
                return p
            _, of, k = self.formulas[cuts[-1]]
            if cuts[-1] in self.between:
                p = self.ring.substitute(p, cuts[-1], of)
                continue
            p = self.ring.substitute(p, cuts[-1], of - self._floor(cuts[-1], of, k).scaled(1 << k))

    def _is_cut(self, atom: int) -> bool:
        return atom in self.formulas and self.formulas[atom][0] == "low" and atom not in self.values

    def _floor(self, cut: int, of: Poly, k: int) -> Poly:
        """floor(P / 2^k) as an atom."""
        if cut not in self._high:
            low, high = self.ends(of)
            if self.origins[cut][0] == "cut":
                fact = self.fact(self.cut_atoms[cut][0])
                if fact.poly == of:
                    low, high = max(low, fact.low), min(high, fact.high)
            name = f"{self.ring.atoms[cut].name} above"
            found = number(low >> k)
            if low >> k != high >> k:
                found = self.atom(("floor", of, k), ("floor", cut), name, low >> k, high >> k)
            self._high[cut] = found
            for atom in found.atoms:
                self.highs[atom] = of, k, cut
        return self._high[cut]

    def closed(self, p: Poly, basis: set[int], *, tops: bool = True) -> Poly:
        """A polynomial, possibly with fractions, with floors by cuts again and named words by their definitions, but
        for some; with `tops` also those floors that are tests."""
        while True:
            atoms = self.highs.keys() | self.values.keys() | self.between.keys()
            atoms |= self.tops.keys() if tops else set[int]()
            open_atoms = sorted((p.atoms & atoms) - basis)
            if not open_atoms:
                return p
            atom = open_atoms[-1]
            by = self.values.get(atom, self.between.get(atom))
            if by is None:
                of, k, cut = self.tops.get(atom) or self.highs[atom]
                by = (of - (cut if isinstance(cut, Poly) else Poly({(cut,): 1}))).scaled(1, k)
            p = self.ring.substitute(p, atom, by)


def _least(form: Poly, k: int) -> Poly:
    """A polynomial with the coefficients of least absolute value that are congruent modulo 2^k."""
    size = 1 << k + form.shift
    return Poly({m: r for m, v in form.items() if (r := (v + size // 2) % size - size // 2)}, form.shift)
