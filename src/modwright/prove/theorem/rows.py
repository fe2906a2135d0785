# SPDX-License-Identifier: Apache-2.0
"""Numbers in carry-save form: rows of adders, words that few bits choose, and the quotient digit that clears the lowest
bits.

The total word of an adder is an atom A, and its carry word (a + b + c - A) / 2. So a sum of both words is a + b + c,
and the atom is gone: what is left of S after a step is a polynomial in operands and digits.

A word that few bits choose is known for each value of them. A coefficient other than a sum of single bits of inputs is
an atom, a digit: its table over these bits is its definition. The quotient digit q is one, of bits of the sum L and
of the modulus. That L + q·m is 0 modulo 2^k is decided by its values for all of these bits.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd

from .adders import Adder
from .atoms import Fact, Key, Reading
from .choices import MOST_ROOTS, Choices, Root, TooManyRootsError
from .pieces import Node, Value, width_of
from .poly import ZERO, Monomial, Poly, number
from .readings import Readings
from .ternary import ones

MOST_DIGIT = 6
"""Most bits of a digit; each doubles the values for which a quotient digit is checked."""


@dataclass(frozen=True)
class Digit:
    """An atom that few bits determine.

    Parameters
    ----------
    roots : tuple of Root
        The bits, the lowest of the index first.
    table : tuple of int
        Value for each index.
    """

    roots: tuple[Root, ...]
    table: tuple[int, ...]

    def at(self, known: Mapping[Root, int]) -> int:
        """The value where the bits are known."""
        return self.table[sum(known[root] << k for k, root in enumerate(self.roots))]


class Rows(Readings):
    """Facts of adders and choices.

    Attributes
    ----------
    adders : mapping of Node to Adder
        Adders by their results.
    choices : Choices or None
    digits : dict
        Digits by the numbers of their atoms.
    low_bits : collection of Node
        Bits that are single pieces of words that are added.
    centred : dict
        For a digit's atom, a polynomial that it equals: an atom of the least value's sign, and a constant.
    """

    adders: Mapping[Node, Adder] = {}
    choices: Choices | None = None
    low_bits: Collection[Node] = ()

    def rows(self, adders: Mapping[Node, Adder], choices: Choices) -> None:
        """Set the adders of the operation."""
        self.adders, self.choices = adders, choices
        self.digits: dict[int, Digit] = {}
        self.centred: dict[int, Poly] = {}
        self._chosen: dict[Value, Poly | None] = {}
        self._totals: dict[Node, Poly] = {}
        self._sums: dict[tuple[tuple[int, int], ...], Poly] = {}
        words = {word for adder in adders.values() for word in adder.words}
        pieces = {piece for word in words for piece in word}
        self.low_bits = {node for node, _, bits in pieces if bits == 1 and node is not None and node.op == "bitwise"}

    @abstractmethod
    def fact(self, node: Node) -> Fact:
        """The fact of a node."""

    # --- adders

    def adder_fact(self, node: Node) -> Fact:
        """The total or the carry word of an adder."""
        adder = self.adders[node]
        total = self.sum_of(adder)
        polys = [self.leaf(word).poly for word in adder.words]
        most = self.ring.interval(total)[1]
        if most >> node.width:
            most = self.ends(total)[1]
        high = min(ones(node.width), most)
        word = self.atom(("total", adder.total), ("total", adder.total), adder.total.name, 0, high)
        for atom in word.atoms:
            self.cut_atoms[atom] = adder.total, node.width
            self.conjunctions[atom] = polys
            self.parities.add(atom)
        if node is adder.total:
            return Fact(word, 0, high)
        return Fact((total - word).scaled(1, 1), 0, min(ones(node.width), most >> 1))

    def sum_of(self, adder: Adder) -> Poly:
        """The sum of the words of an adder."""
        if adder.total not in self._totals:
            total = ZERO
            for word in adder.words:
                total += self.leaf(word).poly
            self._totals[adder.total] = total
        return self._totals[adder.total]

    def leaf(self, value: Value) -> Reading:
        """The integer of a word that is added."""
        poly = self.chosen(value)
        if poly is None:
            return self.reading(value)
        return Reading(poly, 0, ones(width_of(value)))

    # --- choices

    def chosen(self, value: Value) -> Poly | None:
        """A word that few bits choose, as a polynomial; None for another one."""
        if self.choices is None:
            return None
        if value not in self._chosen:
            self._chosen[value] = self._find_chosen(value, self.choices)
        return self._chosen[value]

    def _find_chosen(self, value: Value, choices: Choices) -> Poly | None:
        try:
            roots = sorted(choices.roots(value), key=lambda root: (root[0].number, root[1]))
        except TooManyRootsError:
            return None
        if not roots:
            return None
        bits = [self._root(root) for root in roots]
        free = [k for k, bit in enumerate(bits) if bit.constant is None]
        polys: list[Poly] = []
        for row in range(1 << len(free)):
            known = {root: bits[k].constant or 0 for k, root in enumerate(roots)}
            known |= {roots[k]: row >> n & 1 for n, k in enumerate(free)}
            polys.append(self.reading(choices.chosen(value, known)).poly)
        return self._by_bits([roots[k] for k in free], [bits[k] for k in free], polys, width_of(value))

    def _root(self, root: Root) -> Poly:
        node, k = root
        return (self.cut(node, k + 1) - self.cut(node, k)).scaled(1, k)

    def _by_bits(self, roots: Sequence[Root], bits: Sequence[Poly], polys: Sequence[Poly], width: int) -> Poly:
        """The polynomial that is `polys[n]` where the bits are those of n; multiples of 2^width are apart."""
        shift = max(poly.shift for poly in polys)
        monomials = {monomial: None for poly in polys for monomial in poly.terms}
        total = ZERO
        for monomial in monomials:
            values = [poly.terms.get(monomial, 0) << (shift - poly.shift) for poly in polys]
            if not monomial and width > 1:
                size = 1 << (width + shift)
                above = [(value + size // 2) // size * size for value in values]
                total += self._coefficient(roots, bits, above, linear=False).scaled(1, shift)
                values = [value - more for value, more in zip(values, above, strict=True)]
            total += self.ring.times(self._coefficient(roots, bits, values), Poly({monomial: 1}, shift))
        return total

    def _coefficient(
        self, roots: Sequence[Root], bits: Sequence[Poly], values: Sequence[int], *, linear: bool = True
    ) -> Poly:
        factors = _factors(values)
        if (
            linear
            and all(node.op == "input" for node, _ in roots)
            and all(not factor or n.bit_count() < 2 for n, factor in enumerate(factors))
        ):
            total = number(factors[0])
            for k, bit in enumerate(bits):
                total += bit.scaled(factors[1 << k])
            return total
        if not any(factors[1:]):
            return number(factors[0])
        return self._digit(roots, bits, values, factors)

    def _digit(
        self, roots: Sequence[Root], bits: Sequence[Poly], values: Sequence[int], factors: Sequence[int]
    ) -> Poly:
        """An atom for values of which at least two differ, times their common factor, plus the least."""
        used = [k for k in range(len(roots)) if any(factor and n >> k & 1 for n, factor in enumerate(factors))]
        rows = [values[sum((n >> i & 1) << k for i, k in enumerate(used))] for n in range(1 << len(used))]
        least, most = min(rows), max(rows)
        times = gcd(*(value - least for value in rows))
        up, down = (tuple((value - end) // step for value in rows) for end, step in ((least, times), (most, -times)))
        if down < up:  # a table and its complement are one digit
            least, times = most, -times
        digit = Digit(tuple(roots[k] for k in used), min(up, down))
        name = f"digit of {roots[used[-1]][0].name}"
        word = self.atom(("digit", digit), ("digit", digit), name, 0, max(digit.table))
        for atom in word.atoms - self.digits.keys():
            self.digits[atom] = digit
            self.tables[atom] = [bits[k] for k in used], digit.table
            first = least // times
            if first * times == least and first < 0:
                key = ("signed", digit)
                signed = self.atom(key, key, f"signed {name}", first, first + max(digit.table))
                for other in signed.atoms:
                    self.formulas[other] = "value", word + number(first), 1
                self.centred[atom] = signed - number(first)
        return number(least) + word.scaled(times)

    # --- the lowest bits

    def near(self, form: Poly | None, k: int) -> tuple[Poly, bool] | None:
        """See `Ranges.near`; digits that belong together are one."""
        return super().near(form if form is None or self.choices is None else self.joined(form), k)

    def joined(self, form: Poly) -> Poly:
        """A polynomial with one digit for several of the same bits: their sum may be linear, or have a narrower
        interval."""
        groups: dict[tuple[Monomial, Key], list[int]] = {}
        for monomial in form.terms:
            digits = [atom for atom in monomial if atom in self.digits]
            rest = tuple(atom for atom in monomial if atom not in self.digits)
            if len(digits) == 1 and rest:
                groups.setdefault((rest, self._family(digits[0])), []).append(digits[0])
        for (rest, _), digits in groups.items():
            if len(digits) > 1:
                form = self._joined(form, rest, digits)
        return form

    def _family(self, atom: int) -> Key:
        """Common source of digits that belong together: a sum, or the lowest bit of an input."""
        roots = self.digits[atom].roots
        return next(((root[0],) for root in roots if root[0].op != "input"), roots[0])

    def _joined(self, form: Poly, rest: Monomial, digits: Sequence[int]) -> Poly:
        monomials = {atom: tuple(sorted((*rest, atom))) for atom in digits}
        found = {root for atom in digits for root in self.digits[atom].roots}
        if len(found) > MOST_ROOTS:
            return form
        factors = [form.terms[monomials[atom]] for atom in digits]
        times = gcd(*factors)
        parts = tuple((atom, factor // times) for atom, factor in zip(digits, factors, strict=True))
        if parts not in self._sums:
            roots = sorted(found, key=lambda root: (root[0].number, root[1]))
            values: list[int] = []
            for row in range(1 << len(roots)):
                known = {root: row >> k & 1 for k, root in enumerate(roots)}
                values.append(sum(factor * self.digits[atom].at(known) for atom, factor in parts))
            self._sums[parts] = self._coefficient(roots, [self._root(root) for root in roots], values)
        others = Poly({m: v for m, v in form.items() if m not in monomials.values()}, form.shift)
        return others + self.ring.times(self._sums[parts], Poly({rest: times}, form.shift))

    def ends(self, poly: Poly) -> tuple[int, int]:
        """The interval of a polynomial, also with digits of either sign."""
        low, high = super().ends(poly)
        if self.choices is None or not poly.atoms & self.centred.keys():
            return low, high
        for atom in poly.atoms & self.centred.keys():
            poly = self.ring.substitute(poly, atom, self.centred[atom])
        least, most = super().ends(poly)
        return max(low, least), min(high, most)

    def sign_first(self, bit: Value) -> None:
        """Find a word before its sign, so that the sign is known as one."""
        node, low, _ = bit[0]
        if self.adders and node is not None and node.op == "add":
            self.cut(node, low + 1)

    def row_cut(self, node: Node, k: int) -> Poly | None:
        """The lowest k bits of a result of an adder, where they follow from a quotient digit or the word's interval."""
        adder = self.adders.get(node)
        if adder is None:
            return None
        if node is adder.total:
            if k > 1:
                return None
            left = self._cleared(self.sum_of(adder), 1)
            return left if left is not None and self.ring.interval(left) in ((0, 0), (0, 1)) else None
        poly = self.fact(node).poly
        if k == node.width - 1:
            over = poly - number(1 << k)
            top = number(1) - self.test("negative", over, node, f"top of {node.name}")
            return poly - top.scaled(1 << k)
        return self._carry_cut(adder, k)

    def _carry_cut(self, adder: Adder, k: int) -> Poly | None:
        """The lowest k bits of a carry word, of whose doubled word and a bit the total word's lowest bits are the
        negative."""
        if k > MOST_DIGIT:
            return None
        total = self.cut(adder.total, k + 1)
        left = self._cleared(self.sum_of(adder) - total, k + 1)
        if left is None:
            return None
        bit = -left - total
        if not bit.integral:
            return None
        bit = Poly({monomial: value % (2 << k) for monomial, value in bit.items() if value % (2 << k)})
        if bit.constant != 0 and not (bit.shift == 0 and self.ring.interval(bit) == (0, 1)):
            return None
        some = self.test("nonzero", total, adder.carry, f"{adder.total.name}[{k}:0] is not 0")
        return (some.scaled(2 << k) - total - bit).scaled(1, 1)

    def _cleared(self, form: Poly, k: int) -> Poly | None:
        """A polynomial with few terms that is congruent to one with a quotient digit modulo 2^k."""
        for atom in sorted(form.atoms & self.digits.keys(), reverse=True):
            for node in {node for node, _ in self.digits[atom].roots if node.op != "input"}:
                total = self.congruence(node, k) or self.fact(node).poly
                return self._without(form - (self._with_sums(total) if k == 1 else total), node, k)
        return None

    def _with_sums(self, form: Poly) -> Poly:
        """A polynomial that is congruent modulo 2, with sums of words for their parities, from which twice the carry
        word differs; only where factors are integers."""
        if not form.integral:
            return form
        for atom in form.atoms & self.parities:
            node, _ = self.cut_atoms[atom]
            known = ("cut", node, 1) not in self.keys
            form = self.ring.substitute(form, atom, self.cut(node, 1) if known else self.sum_of(self.adders[node]))
        return form

    def _without(self, form: Poly, node: Node, k: int) -> Poly | None:
        """Rest of a polynomial modulo 2^k, where a sum and the terms with its digits are 0 for all bits."""
        if not form.integral:
            return None
        of_node = {atom for atom in form.atoms & self.digits.keys() if node in {n for n, _ in self.digits[atom].roots}}
        evaluated = {a for m in form.terms if of_node & set(m) for a in m if a in of_node or self._is_input(a)}
        core = {m: v for m, v in form.items() if m and evaluated >= set(m)}
        rest = {m: v % (1 << k) for m, v in form.items() if m not in core and v % (1 << k)}
        if all(value == 0 for value in self._values(core, node, k)):
            half = 1 << (k - 1)
            return Poly({m: v - (1 << k) if v > half else v for m, v in rest.items()})
        return None

    def _values(self, core: Mapping[Monomial, int], node: Node, k: int) -> Iterator[int]:
        """Values of terms and of a sum, modulo 2^k, for all values of the bits; 1 where a term has other bits."""
        atoms = {atom for monomial in core for atom in monomial}
        inputs = {atom: self.cut_atoms[atom][0] for atom in atoms - self.digits.keys() if self._is_input(atom)}
        roots = {root for atom in atoms & self.digits.keys() for root in self.digits[atom].roots}
        roots |= {(source, bit) for source in (node, *inputs.values()) for bit in range(k)}
        if atoms - inputs.keys() - self.digits.keys() or len(roots) > 2 * k + 1:
            yield 1
            return
        fixed = {root: self._root(root).constant for root in roots if root[0].op == "input"}
        free = sorted((root for root in roots if fixed.get(root) is None), key=lambda r: (r[0].number, r[1]))
        for bits in product((0, 1), repeat=len(free)):
            known = {root: bit for root, bit in fixed.items() if bit is not None} | dict(zip(free, bits, strict=True))
            total = sum(known[node, bit] << bit for bit in range(k))
            for monomial, value in core.items():
                for atom in monomial:
                    if atom in inputs:
                        value *= sum(known[inputs[atom], bit] << bit for bit in range(k))
                    else:
                        value *= self.digits[atom].at(known)
                total += value
            yield total % (1 << k)

    def _is_input(self, atom: int) -> bool:
        node, bits = self.cut_atoms.get(atom, (None, 0))
        return node is not None and node.op == "input" and bits == node.width


def _factors(values: Sequence[int]) -> list[int]:
    """The factor of each product of bits in a function of them, by Möbius' inversion of its values."""
    factors = list(values)
    for k in range((len(factors) - 1).bit_length()):
        for n in range(len(factors)):
            if n >> k & 1:
                factors[n] -= factors[n ^ 1 << k]
    return factors
