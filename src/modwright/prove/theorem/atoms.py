# SPDX-License-Identifier: Apache-2.0
"""Atoms: their definitions, their values in a case, and the intervals that follow."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .pieces import Node
from .poly import ONE, ZERO, Monomial, Poly, Ring, number

Key = tuple[object, ...]
Condition = tuple[Poly, int]
"""A polynomial that is a bit, and its value."""
Range = tuple[Poly, int, int]
"""A polynomial and its interval."""


@dataclass(frozen=True)
class Fact:
    """Knowledge of a word.

    Parameters
    ----------
    poly : Poly
        The unsigned integer.
    low, high : int
        Interval of the unsigned integer.
    signed : Poly or None
        The signed integer, where the word was computed as one.
    sign : Poly
        Bit that is 1 where the signed integer is negative.
    """

    poly: Poly
    low: int
    high: int
    signed: Poly | None = None
    sign: Poly = ZERO


@dataclass(frozen=True)
class Reading:
    """An integer that is congruent to a value modulo 2^width, with its interval."""

    poly: Poly
    low: int
    high: int


@dataclass(frozen=True)
class Known:
    """Knowledge from the case: a test is true or false, or a bit, or the lowest bit of an input, has a value.

    Parameters
    ----------
    kind : str
        "negative", "nonzero", "bit" or "cut".
    of : Poly
        Polynomial that is tested, or of the bit.
    value : int
    """

    kind: str
    of: Poly
    value: int


class Atoms:
    """Atoms of one operation, in one case.

    Parameters
    ----------
    case : mapping
        Bits that are known in this case, by their origins.

    Attributes
    ----------
    relations : list of (int, int, int, int)
        Pairs of inputs whose product is a constant: the numbers of the atoms that are the first input and the lowest w
        bits of the second, the constant, and w: first·second ≡ constant modulo 2^w.
    known : list of Known
        Assumptions of the case, as polynomials.
    formulas : dict
        Definition of each atom but the inputs: "low", the lowest bits of a polynomial, and their number; a test of a
        polynomial; or its "value".
    conjunctions : dict
        Words of an atom that is their bitwise conjunction.
    parities : set
        Atoms of `conjunctions` that are the words' parity in each column instead.
    tables : dict
        Bits, and the values by the index that they form, of an atom that is a digit.
    origins : dict
        Origin of each atom, by its number: its kind, and a node or value.
    keys : dict
        Number of each atom that is a test, by the test; and of each cut.
    meanings : dict
        Test of an atom that is one: its kind, its polynomial, and the ends of the polynomial.
    signed : dict
        Signed integer of the lowest bits of a node, by node and bits, where it is known.
    tops : dict
        Monomial of most factors of each word that has fractions, as the highest limb of a number, and fewer bits than
        its sum.
    lines : dict
        Integer of which an atom is the sign, as a polynomial times 1 or -1, and a constant.
    modulus : int or None
        Odd modulus that is fixed in the hardware.
    classes : dict
        Polynomial and quotient of an atom that is a choice: the atom is polynomial + quotient·modulus.
    """

    def __init__(self, case: Mapping[Key, int], within: Mapping[Node, tuple[Node, int, int]] | None = None) -> None:
        self.within = within or {}
        self.ring = Ring()
        self.case = dict(case)
        self.known: list[Known] = []
        self._open: set[Node] = set()
        self.carried: set[Node] = set()
        self.sums: dict[Poly, Node] = {}
        self.leads: dict[int, tuple[tuple[int, ...], Poly]] = {}
        self._wholes: dict[int, list[Range]] = {}
        self._spoken_of: dict[Key, Key] = {}
        self.origins: dict[int, Key] = {}
        self.formulas: dict[int, tuple[str, Poly, int]] = {}
        self.cut_atoms: dict[int, tuple[Node, int]] = {}
        self.relations: list[tuple[int, int, int, int]] = []
        self.keys: dict[Key, Poly] = {}
        self.meanings: dict[int, tuple[str, Poly, int, int]] = {}
        self.lines: dict[int, tuple[Poly, int, int]] = {}
        self.modulus: int | None = None
        self.classes: dict[int, tuple[Poly, Poly]] = {}
        self.conjunctions: dict[int, list[Poly]] = {}
        self.lookups: dict[int, tuple[Poly, int, int, list[int]]] = {}
        self.parities: set[int] = set()
        self.tables: dict[int, tuple[list[Poly], tuple[int, ...]]] = {}
        self.definitions: dict[int, tuple[Poly, int]] = {}
        self.names: dict[int, Poly] = {}
        self.cuts: dict[tuple[Node, int], Poly] = {}
        self.signed: dict[tuple[Node, int], Poly] = {}
        self.tops: dict[Poly, Monomial] = {}

    def atom(self, key: Key, origin: Key, name: str, low: int, high: int, of: Poly = ZERO) -> Poly:
        """An atom, once for a key; a constant where the case fixes its origin.

        Several atoms may have one origin. The case fixes the first, which is the same in all cases that
        agree in the earlier atoms, so that no operands are left out; the others stay atoms.
        """
        found = self.keys.get(key)
        if found is None:
            found = self.ring.atom(name, low, high)
            (monomial,) = found.terms
            self.origins[monomial[0]] = origin
            if origin[0] in ("negative", "nonzero", "bit"):
                self.formulas[monomial[0]] = ("value" if origin[0] == "bit" else str(origin[0]), of, 1)
            if origin[0] == "cut" and origin in self.case:
                self.formulas[monomial[0]] = "low", of, 1
            if origin in self.case and self._spoken_of.setdefault(origin, key) == key:
                found = number(self.case[origin])
                self.known.append(Known(str(origin[0]), of, self.case[origin]))
            self.keys[key] = found
        return found

    def test(
        self, kind: str, of: Poly, node: Node, name: str, ends: tuple[int, int] | None = None, at: Node | None = None
    ) -> Poly:
        """The bit that is 1 where an integer is "negative" or "nonzero"; `node`, and `at`, is its origin."""
        low, high = self.ring.interval(of)
        if ends is not None:
            low, high = max(low, ends[0]), min(high, ends[1])
        if kind == "nonzero" and (low > 0 or high < 0):
            return ONE
        if low >= 0 and (kind == "negative" or high == 0):
            return ZERO
        if kind == "negative" and high < 0:
            return ONE
        origin = (kind, node) if at is None else (kind, node, at)
        bit = self.atom((kind, of), origin, name, 0, 1, of)
        for atom in bit.atoms:
            self.meanings[atom] = (kind, of, low, high)
            if kind == "negative":
                self.lines[atom] = _line(of)
        return bit

    # --- classes

    def reduced(self, p: Poly) -> tuple[Poly, Poly]:
        """A polynomial without atoms that are choices, and the quotient: p is their sum with the quotient times the
        modulus."""
        quotient = ZERO
        for atom in sorted(p.atoms & self.classes.keys(), reverse=True):
            by, times = self.classes[atom]
            if any(monomial.count(atom) > 1 for monomial in p.terms):
                continue
            quotient += self.ring.times(self.ring.factor(p, atom), times)
            p = self.ring.substitute(p, atom, by)
        return p, quotient

    def split(self, p: Poly) -> tuple[Poly, Poly]:
        """Terms that are not multiples of the modulus, and the others over the modulus."""
        m = self.modulus or 1
        residue = {monomial: value for monomial, value in p.items() if value % m}
        rest = {monomial: value // m for monomial, value in p.items() if not value % m}
        return Poly(residue, p.shift), Poly(rest, p.shift)

    def choice(self, node: Node, zero: Poly, one: Poly, select: Poly, ends: tuple[int, int]) -> Poly | None:
        """An atom for a choice among words that are congruent; None where they are not, or their terms already show the
        congruence."""
        poly = zero + self.ring.times(select, one - zero)
        least, most = self.ring.interval(poly)
        if self.modulus is None or (least >= ends[0] and most <= ends[1]):
            return None
        difference, quotient = self.reduced(one - zero)
        left, more = self.split(difference)
        if left.terms:
            return None
        atom = self.atom(("choice", node), ("choice", node), node.name, *ends)
        (monomial,) = atom.terms
        self.formulas[monomial[0]] = "value", poly, 1
        by, below = self.reduced(zero)
        by, rest = self.split(by)
        self.classes[monomial[0]] = by, below + rest + self.ring.times(select, quotient + more)
        return atom

    # --- intervals

    @abstractmethod
    def ends(self, poly: Poly) -> tuple[int, int]:
        """The narrowest known interval of a polynomial."""

    def most_of_product(self, poly: Poly) -> int:
        """The largest value of a product of two slices, where the bound by terms is too loose; else the interval's
        end."""
        loose = self.ring.interval(poly)[1]
        first = next(iter(poly.terms), ())
        if len(first) != 2:
            return loose
        a, b = first
        rows = {m[m[0] == b]: value for m, value in poly.items() if len(m) == 2 and b in m}
        columns = {m[m[0] == a]: value for m, value in poly.items() if len(m) == 2 and a in m}
        left, right = (Poly({(atom,): value for atom, value in part.items()}) for part in (rows, columns))
        corner = poly.terms[first]
        if self.ring.times(left, right) != Poly(poly.terms).scaled(corner):
            return loose
        most = [self.most_of_slice(part) for part in (left, right)]
        if most[0] is None or most[1] is None:
            return loose
        return min(loose, (most[0] * most[1] // abs(corner)) >> poly.shift)

    def most_of_slice(self, poly: Poly) -> int | None:
        """The largest absolute value of a cut, or of the difference of two of one node, with a factor."""
        atoms = [(m[0], value) for m, value in poly.items()]
        if len(atoms) == 1:
            return self.ring.atoms[atoms[0][0]].high * abs(atoms[0][1])
        if len(atoms) != 2 or atoms[0][1] != -atoms[1][1]:
            return None
        (node, k), (other, low) = (self.cut_atoms.get(atom, (None, 0)) for atom, _ in atoms)
        if node is not other or node is None:
            return None
        i = min(k, low)
        atom = atoms[0][0] if k > low else atoms[1][0]
        return (self.ring.atoms[atom].high >> i << i) * abs(atoms[0][1])

    def substituted(self, poly: Poly, conditions: Sequence[Condition]) -> Poly:
        """A polynomial where bits are known, and signs that follow from them."""
        for bit, chosen in conditions:
            for atom in bit.atoms if len(bit.atoms) == 1 else ():
                given = chosen if bit.terms == {(atom,): 1} else 1 - chosen
                poly = self.ring.substitute(poly, atom, number(given))
        for atom in sorted(poly.atoms & self.lines.keys()):
            value = self._follows(atom, conditions)
            if value is not None:
                poly = self.ring.substitute(poly, atom, number(value))
        return poly

    def _follows(self, atom: int, conditions: Sequence[Condition]) -> int | None:
        """The sign of an atom where bits are known, from another sign of the same integer, negated or with a
        constant."""
        _, _, low, high = self.meanings[atom]
        line, sign, base = self.lines[atom]
        for bit, chosen in conditions:
            for other in bit.atoms if len(bit.atoms) == 1 else ():
                of, turned, start = self.lines.get(other, (None, 0, 0))
                if of != line:
                    continue
                value = chosen if bit.terms == {(other,): 1} else 1 - chosen
                least, most = (self.meanings[other][2], -1) if value else (0, self.meanings[other][3])
                ends = sorted(sign * turned * (end - start) + base for end in (least, most))
                low, high = max(low, ends[0]), min(high, ends[1])
        return int(high < 0) if low >= 0 or high < 0 else None

    def within_implied(self, poly: Poly, low: int, high: int, implied: Sequence[Range]) -> tuple[int, int]:
        """The interval of a polynomial that is plus or minus one with a known interval, and a constant."""
        for of, below, above in implied:
            for sign in (1, -1):
                difference = (poly - of.scaled(sign)).constant
                if difference is not None:
                    ends = sorted((sign * below, sign * above))
                    low, high = max(low, ends[0] + difference), min(high, ends[1] + difference)
        return low, high

    def implied(self, conditions: Sequence[Condition]) -> list[Range]:
        """Intervals that follow from tests with a known result."""
        found: list[Range] = []
        for bit, chosen in conditions:
            for atom in bit.atoms if len(bit.atoms) == 1 else ():
                value = chosen if bit.terms == {(atom,): 1} else 1 - chosen
                kind, of, low, high = self.meanings.get(atom, ("", ZERO, 0, 0))
                if kind == "negative":
                    found.append((of, low, -1) if value else (of, 0, high))
                    if atom not in self._wholes:
                        wholes = [self.without_floor(of), *self.without_cuts(of)]
                        self._wholes[atom] = [(whole, *self.ends(whole)) for whole in wholes]
                    for whole, low, high in self._wholes[atom]:
                        found.append((whole, low, -1) if value else (whole, 0, high))
                elif kind == "nonzero" and low >= 0:
                    found.append((of, 1, high) if value else (of, 0, 0))
        return found

    def without_cuts(self, of: Poly) -> Iterator[Poly]:
        """Polynomials that are negative where an integer is, each without one more cut that a floor removes.

        The cuts of the word that was made last come first: a sum in segments loses all of its own before those of
        its operands.
        """
        while True:
            found: list[int] = []
            for monomial, value in of.items():
                _, k = self.cut_atoms.get(monomial[0], (None, 0)) if len(monomial) == 1 else (None, 0)
                if k and -value << k == 1 << of.shift:
                    found.append(monomial[0])
            if not found:
                return
            k = self.cut_atoms[max(found)][1]
            of = (of + Poly({(max(found),): 1}, k)).scaled(1 << k)
            yield of

    def without_floor(self, of: Poly) -> Poly:
        """A polynomial that is negative where an integer is, without the cuts that a floor removes.

        Where the integer is (P - a) / 2^k with a cut of k bits, it is floor(P / 2^k), and negative where P is.
        Where it is (P + a) / 2^k, it is below 0 where P <= -2^k. With the least k first, nested floors are
        removed in order; a difference of two floors stays.
        """
        while True:
            found: list[tuple[int, int, tuple[int, ...]]] = []
            for monomial, value in of.items():
                _, k = self.cut_atoms.get(monomial[0], (None, 0)) if len(monomial) == 1 else (None, 0)
                if k and abs(value) << k == 1 << of.shift:
                    found.append((k, value, monomial))
            if len({value > 0 for _, value, _ in found}) != 1:
                return of
            k, value, monomial = min(found)
            of = (of - Poly({monomial: value}, of.shift)).scaled(1 << k)
            if value > 0:
                of += number((1 << k) - 1)


def _line(p: Poly) -> tuple[Poly, int, int]:
    """A polynomial as sign·line + constant, where that is an integer; the same line for all that differ so."""
    constant = p.terms.get((), 0)
    if constant & ((1 << p.shift) - 1):
        return p, 1, 0
    rest = Poly({monomial: value for monomial, value in p.items() if monomial}, p.shift)
    sign = -1 if rest.terms and rest.terms[min(rest.terms)] < 0 else 1
    return rest.scaled(sign), sign, constant >> p.shift
