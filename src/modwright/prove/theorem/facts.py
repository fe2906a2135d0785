# SPDX-License-Identifier: Apache-2.0
"""Facts about words: each as a polynomial over atoms that holds exactly, and an interval.

Sums and products are exact where their interval fits the word; where it does not, a word that fits as a signed one has
its sign as an atom, and any other is an atom itself. The lowest k bits of a word, a cut, are an atom, too, unless the
interval or a congruence says what they are. A slice is a difference of two cuts over a power of two, so that the slices
of a word add up to the word. Nothing else makes an atom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .netlist import UnsupportedError
from .poly import ONE, ZERO, Atom, Poly, Ring, number
from .ternary import ones
from .words import Node, Value, edges_of, width_of

Key = tuple[object, ...]
Condition = tuple[Poly, int]
"""A polynomial that is a bit, and its value."""
MOST_TERMS = 3
"""Terms of a bit that is written out; a longer one gets a name."""
MOST_RESIDUES = 64
"""Terms of a congruence in which atoms are still replaced by what they are congruent to."""


@dataclass(frozen=True)
class Fact:
    """Knowledge of a word.

    Parameters
    ----------
    poly : Poly
        The unsigned integer.
    low, high : int
        Its interval.
    signed : Poly or None
        The signed integer, where that is what was computed.
    sign : Poly
        The bit that it is negative.
    """

    poly: Poly
    low: int
    high: int
    signed: Poly | None = None
    sign: Poly = ZERO


@dataclass(frozen=True)
class Reading:
    """An integer that a value stands for modulo 2^width."""

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
        What is tested; the polynomial of the bit.
    value : int
    """

    kind: str
    of: Poly
    value: int


class Facts:
    """Facts of the nodes of one operation, in one case.

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
        What the case says, as polynomials.
    formulas : dict
        What each atom but the inputs is: "low", the lowest bits of a polynomial, and how many; a test of a polynomial;
        or its "value".
    origins : dict
        Where each atom, by its number, comes from: its kind, and a node or value.
    keys : dict
        Number of each atom that is a test, by what it tests; and of each cut.
    meanings : dict
        What an atom that is a test says: its kind and polynomial.
    """

    def __init__(self, case: Mapping[Key, int], within: Mapping[Node, tuple[Node, int, int]] | None = None) -> None:
        self.within = within or {}
        self.ring = Ring()
        self.case = dict(case)
        self.known: list[Known] = []
        self.origins: dict[int, Key] = {}
        self.formulas: dict[int, tuple[str, Poly, int]] = {}
        self.cut_atoms: dict[int, tuple[Node, int]] = {}
        self.relations: list[tuple[int, int, int, int]] = []
        self.keys: dict[Key, Poly] = {}
        self.meanings: dict[int, tuple[str, Poly]] = {}
        self.definitions: dict[int, tuple[Poly, int]] = {}
        self.names: dict[int, Poly] = {}
        self._facts: dict[Node, Fact] = {}
        self._cuts: dict[tuple[Node, int], Poly] = {}

    # --- atoms

    def _atom(self, key: Key, origin: Key, name: str, low: int, high: int, of: Poly = ZERO) -> Poly:
        """An atom, once for a key; a constant where the case says so of its origin."""
        found = self.keys.get(key)
        if found is None:
            found = self.ring.atom(name, low, high)
            (monomial,) = found.terms
            self.origins[monomial[0]] = origin
            if origin[0] in ("negative", "nonzero", "bit"):
                self.formulas[monomial[0]] = ("value" if origin[0] == "bit" else str(origin[0]), of, 1)
            if origin[0] == "cut" and origin in self.case:
                self.formulas[monomial[0]] = "low", of, 1
            if origin in self.case:
                found = number(self.case[origin])
                self.known.append(Known(str(origin[0]), of, self.case[origin]))
            self.keys[key] = found
        return found

    def test(self, kind: str, of: Poly, node: Node, name: str) -> Poly:
        """The bit that says whether an integer is "negative" or "nonzero"; the node is where it came up."""
        low, high = self.ring.interval(of)
        if kind == "nonzero" and (low > 0 or high < 0):
            return ONE
        if low >= 0 and (kind == "negative" or high == 0):
            return ZERO
        if kind == "negative" and high < 0:
            return ONE
        bit = self._atom((kind, of), (kind, node), name, 0, 1, of)
        for atom in bit.atoms:
            self.meanings[atom] = (kind, of)
        return bit

    # --- values

    def reading(self, value: Value, *, signed: bool = False, apart: bool = False) -> Reading:
        """The integer that a value is; with `signed` that of its two's complement where the top bit is a sign."""
        total, low, high, at = ZERO, 0, 0, 0
        if not apart:
            value = self._gathered(value)
        for number_of_piece, piece in enumerate(value):
            last = number_of_piece == len(value) - 1
            found = self._piece(piece, top=signed and last, apart=apart)
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
            whole, place, count = self.within.get(node, (None, 0, 0)) if node is not None else (None, 0, 0)
            if whole is not None and start + bits <= count and self._adds_up(whole, self.fact(whole)):
                piece = whole, place + start, bits
            below = found[-1] if found else None
            if below and piece[0] is not None and below[0] is piece[0] and below[1] + below[2] == piece[1]:
                found[-1] = (below[0], below[1], below[2] + bits)
            else:
                found.append(piece)
        return tuple(found)

    def _piece(self, piece: tuple[Node | None, int, int], *, top: bool, apart: bool = False) -> Reading:
        """The integer that a piece is; a part of a sum in parts is a slice of the sum, but for the sum itself."""
        node, start, bits = piece
        whole, place, count = self.within.get(node, (None, 0, 0)) if node is not None else (None, 0, 0)
        if whole is not None and not apart and start + bits <= count and self._adds_up(whole, self.fact(whole)):
            return self._piece((whole, place + start, bits), top=False)
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
        poly = (self.cut(node, start + bits) - (self.cut(node, start) if start else ZERO)).scaled(1, start)
        low = fact.low >> start if start + bits >= node.width else 0
        high = min(fact.high >> start, ones(bits))
        least, most = self.ring.interval(poly)
        return Reading(poly, max(low, least), min(high, most))

    def bit(self, value: Value) -> Poly:
        """A bit; by a name of its own where it is long."""
        poly = self.reading(value).poly
        if len(poly.terms) <= MOST_TERMS:
            return poly
        bit = self._atom(("bit", poly), ("bit", value), f"bit {value[0][0].name if value[0][0] else ''}", 0, 1, poly)
        for atom in bit.atoms:
            self.names[atom] = poly
        return bit

    # --- nodes

    def fact(self, node: Node) -> Fact:
        """The fact of a node; all nodes that it needs first, in the order of their numbers."""
        if node not in self._facts:
            needed, queue = {node}, [node]
            while queue:
                for value in queue.pop().args:
                    for inner, _, _ in value:
                        if inner is not None and inner not in needed and inner not in self._facts:
                            needed.add(inner)
                            queue.append(inner)
            for one in sorted(needed, key=lambda one: one.number):
                self._facts[one] = self._find(one)
        return self._facts[node]

    def narrow(self, node: Node, high: int) -> None:
        """An input is at most this in the case."""
        poly = self.fact(node).poly
        (monomial,) = poly.terms
        atom = self.ring.atoms[monomial[0]]
        self.ring.atoms[monomial[0]] = Atom(atom.name, atom.low, min(atom.high, high))
        self._facts[node] = self._of(poly)

    def _find(self, node: Node) -> Fact:
        match node.op:
            case "input":
                poly = self._atom(("input", node), ("input", node), node.name, 0, ones(node.width))
                self.cut_atoms[next(iter(poly.atoms))] = node, node.width
                return self._of(poly)
            case "add" | "sub" | "mul" | "neg":
                return self._arithmetic(node)
            case "mux":
                return self._mux(node)
            case "concat":
                reading = self.reading(node.args[0], apart=True)
                return Fact(reading.poly, max(reading.low, 0), min(reading.high, self._most_of_product(reading.poly)))
            case "repeat":
                return self._of(self.bit(node.args[0]).scaled(ones(node.width)))
            case "bitwise":
                return self._bitwise(node)
            case "nonzero":
                return self._of(self.test("nonzero", self.reading(node.args[0]).poly, node, node.name))
            case "less":
                a, b = (self.reading(value, signed=bool(node.table)) for value in node.args)
                return self._of(self.test("negative", a.poly - b.poly, node, node.name))
            case "equal":
                a, b = (self.reading(value) for value in node.args)
                return self._of(ONE - self.test("nonzero", a.poly - b.poly, node, node.name))
            case _:
                raise UnsupportedError(node.name)

    def _most_of_product(self, poly: Poly) -> int:
        """The largest value of a product of two slices, which its terms say too loosely; else the interval's end."""
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
        most = [self._most_of_slice(part) for part in (left, right)]
        if most[0] is None or most[1] is None:
            return loose
        return min(loose, (most[0] * most[1] // abs(corner)) >> poly.shift)

    def _most_of_slice(self, poly: Poly) -> int | None:
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

    def _of(self, poly: Poly) -> Fact:
        return Fact(poly, *self.ring.interval(poly))

    def _arithmetic(self, node: Node) -> Fact:
        total, low, high = self._exact(node)
        least, most = self.ring.interval(total)
        low, high = max(low, least), min(high, most)
        width = node.width
        if low >= 0 and high < 1 << width:
            return Fact(total, low, high)
        if low >= -(1 << (width - 1)) and high < 1 << (width - 1):
            sign = self.test("negative", total, node, f"{node.name} < 0")
            return Fact(total + sign.scaled(1 << width), 0, ones(width), total, sign)
        if (low >= 0 and high < 2 << width) or (low >= -(1 << width) and high < 1 << width):
            down = low < 0
            moved = total if down else total - number(1 << width)
            bit = self.test("negative", moved, node, f"borrow of {node.name}")
            return Fact(moved + bit.scaled(1 << width), 0, ones(width))
        word = self._atom(("word", node), ("word", node), node.name, 0, ones(width))
        for atom in word.atoms:
            self.formulas[atom] = "low", total, width
            if total.integral:
                self.definitions[atom] = (total, width)
        return Fact(word, 0, ones(width))

    def _exact(self, node: Node) -> tuple[Poly, int, int]:
        """The integer before it is taken modulo 2^width."""
        readings = [self.reading(value, signed=True) for value in node.args]
        a = readings[0]
        if node.op == "neg":
            return -a.poly, -a.high, -a.low
        b = readings[1]
        if node.op == "add":
            return a.poly + b.poly, a.low + b.low, a.high + b.high
        if node.op == "sub":
            return a.poly - b.poly, a.low - b.high, a.high - b.low
        ends = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
        return self.ring.times(a.poly, b.poly), min(ends), max(ends)

    def _mux(self, node: Node) -> Fact:
        select = self.bit(node.args[0])
        if select.constant is not None:
            chosen = self.reading(node.args[1 + select.constant])
            return Fact(chosen.poly, chosen.low, chosen.high)
        zero, one = (self._under(value, (select, k)) for k, value in enumerate(node.args[1:]))
        poly = zero + self.ring.times(select, one - zero)
        ranges = [self.bounds(value, [(select, k)]) for k, value in enumerate(node.args[1:])]
        ranges = [found for found in ranges if found[0] <= found[1]]
        if not ranges:
            raise UnsupportedError(f"neither input of {node.name} can be chosen")
        low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
        return Fact(poly, max(low, 0), min(high, ones(node.width)))

    def _under(self, value: Value, condition: Condition) -> Poly:
        """The polynomial of a value where a bit is known: the lowest bits of a word may be all of it there."""
        node, start, bits = value[0]
        if len(value) == 1 and node is not None and start == 0 and bits < node.width:
            low, high = self.bounds(((node, 0, node.width),), [condition])
            if 0 <= low <= high < 1 << bits:
                return self._substituted(self.fact(node).poly, [condition])
        return self.reading(value).poly

    def _substituted(self, poly: Poly, conditions: Sequence[Condition]) -> Poly:
        for bit, chosen in conditions:
            for atom in bit.atoms if len(bit.atoms) == 1 else ():
                given = chosen if bit.terms == {(atom,): 1} else 1 - chosen
                poly = self.ring.substitute(poly, atom, number(given))
        return poly

    def _bitwise(self, node: Node) -> Fact:
        """A choice by bits that are the same in every column, among constants, one word, and its complement."""
        full, leaves = ones(node.width), node.args
        selects = [k for k, leaf in enumerate(leaves) if _repeats(leaf)]
        words = [k for k in range(len(leaves)) if k not in selects]
        bits = {k: self.bit(leaves[k] if node.width == 1 else _inner(leaves[k])) for k in selects}
        total = ZERO
        for row in range(1 << len(selects)):
            known = {k: row >> n & 1 for n, k in enumerate(selects)}
            chosen = self._column(node, known, words)
            for k, value in known.items():
                chosen = self.ring.times(chosen, bits[k] if value else ONE - bits[k])
            total += chosen
        low, high = self.ring.interval(total)
        return Fact(total, max(low, 0), min(high, full))

    def _column(self, node: Node, known: Mapping[int, int], words: Sequence[int]) -> Poly:
        """The word where the bits that choose are known."""
        full = ones(node.width)
        base = sum(value << k for k, value in known.items())
        results = [
            node.table >> (base + sum((n >> i & 1) << k for i, k in enumerate(words))) & 1
            for n in range(1 << len(words))
        ]
        if len(set(results)) == 1:
            return number(full * results[0])
        for i, k in enumerate(words):
            if all(results[n] == n >> i & 1 for n in range(len(results))):
                return self.reading(node.args[k]).poly
            if all(results[n] != n >> i & 1 for n in range(len(results))):
                return number(full) - self.reading(node.args[k]).poly
        raise UnsupportedError(f"{node.name} is a bitwise function of several words")

    # --- intervals under conditions

    def bounds(self, value: Value, conditions: Sequence[Condition], depth: int = 6) -> tuple[int, int]:
        """Interval of a value where some bits are known; its ends are in the wrong order if they contradict."""
        node = value[0][0]
        if depth and len(value) == 1 and node is not None and node.op == "mux":
            low, high = self._bounds_of_mux(node, conditions, depth)
            if value[0][1] == 0 and high < 1 << value[0][2]:
                return low, high
        reading = self.reading(value)
        low, high = reading.low, reading.high
        poly = self._substituted(reading.poly, conditions)
        least, most = self.ring.interval(poly)
        low, high = max(low, least), min(high, most)
        for of, below, above in self._implied(conditions):
            for sign in (1, -1):
                difference = (poly - of.scaled(sign)).constant
                if difference is not None:
                    ends = sorted((sign * below, sign * above))
                    low, high = max(low, ends[0] + difference), min(high, ends[1] + difference)
        return low, high

    def _bounds_of_mux(self, node: Node, conditions: Sequence[Condition], depth: int) -> tuple[int, int]:
        select = self.bit(node.args[0])
        found: list[tuple[int, int]] = []
        for k, arm in enumerate(node.args[1:]):
            if select.constant in (None, k) and (select, 1 - k) not in conditions:
                found.append(self.bounds(arm, [*conditions, (select, k)], depth - 1))
        found = [one for one in found if one[0] <= one[1]] or [(1, 0)]
        return min(low for low, _ in found), max(high for _, high in found)

    def _implied(self, conditions: Sequence[Condition]) -> list[tuple[Poly, int, int]]:
        """Intervals that tests with a known result give."""
        found: list[tuple[Poly, int, int]] = []
        for bit, chosen in conditions:
            for atom in bit.atoms if len(bit.atoms) == 1 else ():
                value = chosen if bit.terms == {(atom,): 1} else 1 - chosen
                kind, of = self.meanings.get(atom, ("", ZERO))
                low, high = self.ring.interval(of)
                if kind == "negative":
                    found.append((of, low, -1) if value else (of, 0, high))
                elif kind == "nonzero" and low >= 0:
                    found.append((of, 1, high) if value else (of, 0, 0))
        return found

    # --- cuts

    def cut(self, node: Node, k: int) -> Poly:
        """The lowest k bits of a node."""
        fact = self.fact(node)
        if k <= 0:
            return ZERO
        if k >= node.width or fact.high < 1 << k:
            return fact.poly
        key = node, k
        if key not in self._cuts:
            self._cuts[key] = self._find_cut(node, k, fact)
        return self._cuts[key]

    def _find_cut(self, node: Node, k: int, fact: Fact) -> Poly:
        if fact.signed is not None and k == node.width - 1:
            return fact.signed + fact.sign.scaled(1 << k)
        if node.op == "concat" and (k in edges_of(node.args[0]) or not self._adds_up(node, fact)):
            return self._cut_of(node.args[0], k, apart=True)
        if node.op == "mux":
            select = self.bit(node.args[0])
            if select.constant is not None:
                return self._cut_of(node.args[1 + select.constant], k)
            zero, one = (self._cut_of(value, k) for value in node.args[1:])
            return zero + self.ring.times(select, one - zero)
        found = self._congruent(node, k)
        if found is not None:
            return found
        atom = self._atom(("cut", node, k), ("cut", node, k), f"{node.name}[{k - 1}:0]", 0, ones(k), fact.poly)
        form = self.residue(node, k)
        for one in atom.atoms:
            self.cut_atoms[one] = node, k
            self.formulas[one] = "low", fact.poly, k
            if form is not None:
                self.definitions[one] = (form, k)
        return atom

    def _adds_up(self, node: Node, fact: Fact) -> bool:
        """Whether the parts of a sum are one polynomial again, without the atoms that they are cut at."""
        inner = self._piece(node.args[0][0], top=False, apart=True).poly
        return not inner.atoms & fact.poly.atoms

    def _cut_of(self, value: Value, k: int, *, apart: bool = False) -> Poly:
        """The lowest k bits of a value."""
        total, at = ZERO, 0
        for node, start, bits in value:
            count = min(bits, k - at)
            if count > 0:
                part = self._piece(
                    (node, start & ones(count) if node is None else start, count), top=False, apart=apart
                )
                total += part.poly.scaled(1, -at)
            at += bits
        return total

    # --- congruences

    def _congruent(self, node: Node, k: int) -> Poly | None:
        """The lowest k bits where a congruence modulo 2^k says what they are."""
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
        if (node, k) in self._cuts and self._cuts[node, k].integral:
            return self._cuts[node, k]
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
            found = self._piece(piece, top=False).poly
            if not found.integral:
                if node is None or start or (bits < k - at and bits < node.width):
                    return None
                inner = self.residue(node, k - at)
                if inner is None:
                    return None
                found = inner
            total += found.scaled(1, -at)
            at += bits
        return total

    def _forms(self, form: Poly, k: int) -> list[Poly]:
        """A residue, and what the relations make of it."""
        found = [self._related(self._low(form, k), k)]
        wanted = {first for first, _, _, bits in self.relations if bits >= k}
        for all_of_them in (False, False, True):
            form = found[-1]
            for atom in sorted(form.atoms, reverse=True):
                definition, bits = self.definitions.get(atom, (ZERO, 0))
                if bits >= k and (all_of_them or definition.atoms & wanted) and len(form.terms) < MOST_RESIDUES:
                    form = self.ring.substitute(form, atom, definition)
            if form != found[-1]:
                found.append(self._related(self._low(form, k), k))
        return found

    def _low(self, form: Poly, k: int) -> Poly:
        """Inputs and longer cuts become cuts of k bits where there are such."""
        for (node, bits), short in list(self._cuts.items()):
            if bits == k:
                for longer in [self.fact(node).poly, *(p for (n, b), p in self._cuts.items() if n is node and b > k)]:
                    if len(longer.terms) == 1 and longer.integral and longer != short:
                        (monomial,) = longer.terms
                        if len(monomial) == 1 and monomial[0] in form.atoms and longer.terms[monomial] == 1:
                            form = self.ring.substitute(form, monomial[0], short)
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


def _repeats(leaf: Value) -> bool:
    node, _, bits = leaf[0]
    return bits == 1 or (node is not None and node.op == "repeat")


def _inner(leaf: Value) -> Value:
    node = leaf[0][0]
    return node.args[0] if node is not None else leaf


__all__ = ["Condition", "Fact", "Facts", "Key", "Reading", "width_of"]
