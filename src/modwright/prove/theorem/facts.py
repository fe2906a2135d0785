# SPDX-License-Identifier: Apache-2.0
"""Facts about words: each as a polynomial over atoms that holds exactly, and an interval.

Sums and products are exact where their interval fits the word; where it does not, a word that fits as a signed one has
its sign as an atom, and any other is an atom itself. The lowest k bits of a word, a cut, are an atom, too, unless the
interval or a congruence determines them. A slice is a difference of two cuts over a power of two, so that the slices
of a word add up to the word. Nothing else makes an atom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

from .atoms import Condition, Fact, Key, Reading
from .carries import carry_into
from .comparisons import compared
from .netlist import UnsupportedError
from .pieces import Node, Value, number_of, width_of
from .poly import ONE, ZERO, EffortError, Poly, number
from .rows import Rows
from .ternary import ones

BOTH = 0x8
"""Truth table of a conjunction of two bits."""


class Facts(Rows):
    """Facts of the nodes of one operation, in one case; see `Atoms` for the parameters."""

    def __init__(self, case: Mapping[Key, int], within: Mapping[Node, tuple[Node, int, int]] | None = None) -> None:
        super().__init__(case, within)
        self._facts: dict[Node, Fact] = {}
        self._tested = {part for key in case for part in key if isinstance(part, Node)}

    def fact(self, node: Node) -> Fact:
        """The fact of a node; all nodes that it needs first, in the order of their numbers."""
        if node not in self._facts:
            needed, queue = {node}, [node]
            while queue:
                for value in self._needed_by(queue.pop()):
                    for inner, _, _ in value:
                        if inner is not None and inner not in needed and inner not in self._facts:
                            needed.add(inner)
                            queue.append(inner)
            for inner in sorted(needed, key=lambda inner: inner.number):
                try:
                    if inner not in self._facts:
                        found = self._find(inner)
                        self._facts.setdefault(inner, found)  # a sum in parts may have found it meanwhile
                except EffortError as error:
                    raise UnsupportedError(f"{error}, as far as {inner.name}") from None
        return self._facts[node]

    def _needed_by(self, node: Node) -> tuple[Value, ...]:
        """Operands of a node, without words that a test of this case does not select."""
        if node in self.adders:
            return self.adders[node].words
        if node.op == "mux" and self._of_tests(node.args[0]):
            chosen = self.bit(node.args[0]).constant
            return node.args if chosen is None else (node.args[0], node.args[1 + chosen])
        return node.args

    def _of_tests(self, bit: Value) -> bool:
        """Whether a bit depends, through functions and choices, only on bits with values in the case."""
        queue, seen = [bit], set[Node]()
        while queue:
            for node, _, _ in queue.pop():
                if node in self._tested:
                    return True
                if node is not None and node not in seen and node.op in ("bitwise", "nonzero", "mux"):
                    seen.add(node)
                    queue += node.args
        return False

    def narrow(self, node: Node, high: int) -> None:
        """Lower the bound of an input in the case to `high`."""
        poly = self.fact(node).poly
        (monomial,) = poly.terms
        self.ring.narrow(monomial[0], high)
        self._facts[node] = self._of(poly)

    def _find(self, node: Node) -> Fact:
        if node in self.adders:
            return self.adder_fact(node)
        match node.op:
            case "input":
                poly = self.atom(("input", node), ("input", node), node.name, 0, ones(node.width))
                self.cut_atoms[next(iter(poly.atoms))] = node, node.width
                return self._of(poly)
            case "zero":
                return Fact(ZERO, 0, 0)
            case "add" | "sub" | "mul" | "neg":
                return self._arithmetic(node)
            case "mux":
                return self._mux(node)
            case "concat":
                reading = self.reading(node.args[0], apart=True)
                return Fact(reading.poly, max(reading.low, 0), min(reading.high, self.most_of_product(reading.poly)))
            case "lookup":
                return self._lookup(node)
            case "repeat":
                self.sign_first(node.args[0])
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

    def _lookup(self, node: Node) -> Fact:
        """A word of a table, as an atom."""
        address, table = self.reading(node.args[0]), node.args[1:]
        words = [number_of(word) if word else None for word in table[address.low : address.high + 1]]
        if not 0 <= address.low <= address.high < len(table) or None in words:
            raise UnsupportedError(f"{node.name} is read outside of its words")
        numbers = [word for word in words if word is not None]
        atom = self.atom(("lookup", node), ("lookup", node), node.name, min(numbers), max(numbers))
        for member in atom.atoms:
            self.lookups[member] = address.poly, width_of(node.args[0]), address.low, numbers
            self.cut_atoms[member] = node, node.width
        return self._of(atom)

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
            sign = self.test("negative", total, node, f"{node.name} < 0", (low, high))
            return Fact(total + sign.scaled(1 << width), 0, ones(width), total, sign)
        if (low >= 0 and high < 2 << width) or (low >= -(1 << width) and high < 1 << width):
            down = low < 0
            moved = total if down else total - number(1 << width)
            bit = self.test("negative", moved, node, f"borrow of {node.name}")
            return Fact(moved + bit.scaled(1 << width), 0, ones(width))
        near, signed = self.near(self.congruence(node, width), width) or (None, False)
        if near is not None and not signed:
            self.keep_word(node, width, near, 0, ones(width))
            return Fact(near, 0, ones(width))
        if near is not None:
            sign = self.test("negative", near, node, f"{node.name} < 0", self.ends(near))
            return Fact(near + sign.scaled(1 << width), 0, ones(width), near, sign)
        word = self.atom(("word", node), ("word", node), node.name, 0, ones(width))
        for atom in word.atoms:
            self.cut_atoms[atom] = node, width
            self.formulas[atom] = "low", total, width
            if total.integral:
                self.definitions[atom] = (total, width)
        return Fact(word, 0, ones(width))

    def _exact(self, node: Node) -> tuple[Poly, int, int]:
        """The integer before the reduction modulo 2^width."""
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
        sums = [self.reading(value) for value in node.args[1:]]
        if sums[1].poly - sums[0].poly == ONE:
            self.carried.add(node)
            poly = sums[0].poly + self.reading(node.args[0]).poly
            low, high = self.ring.interval(poly)
            low, high = max(low, sums[0].low), min(high, sums[1].high)
            self.keep_word(node, node.width, poly, low, high)
            return Fact(poly, low, high)
        zero, one = (self._under(value, (select, k)) for k, value in enumerate(node.args[1:]))
        poly = zero + self.ring.times(select, one - zero)
        ranges = [self.bounds(value, [(select, k)]) for k, value in enumerate(node.args[1:])]
        ranges = [found for found in ranges if found[0] <= found[1]]
        if not ranges:
            raise UnsupportedError(f"neither input of {node.name} can be chosen")
        low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
        ends = max(low, 0), min(high, ones(node.width))
        return Fact(self.choice(node, zero, one, select, ends) or poly, *ends)

    def _under(self, value: Value, condition: Condition) -> Poly:
        """The polynomial of a value where a bit is known: the bits above the value may then be known, too."""
        found = self._lowest(value, [condition])
        if found is None:
            return self.reading(value).poly
        return found.poly - number(found.low >> width_of(value) << width_of(value))

    def _lowest(self, value: Value, conditions: Sequence[Condition], depth: int = 6) -> Reading | None:
        """The word whose lowest bits a value is, where the bits above are the same at both ends of its interval."""
        node, start, bits = value[-1]
        if node is None or start or bits == node.width:
            return None
        below, at = self.reading(value[:-1]), width_of(value) - bits
        size = at + bits
        whole = below.poly + self.fact(node).poly.scaled(1 << at)
        poly = Poly({m: v for m, v in whole.items() if not m or v % (1 << size + whole.shift)}, whole.shift)
        if poly != whole:  # multiples of 2^size are above the value
            poly, low, high = self._restricted(poly, *self.ends(poly), conditions)
        elif at:
            ends = below.low + (self.fact(node).low << at), below.high + (self.fact(node).high << at)
            poly, low, high = self._restricted(poly, *ends, conditions)
        else:
            low, high = self.bounds(((node, 0, node.width),), conditions, depth)
            poly = self.substituted(poly, conditions)
        if 0 <= low <= high and low >> size == high >> size:
            return Reading(poly, low, high)
        return self.congruent_to_one(whole, size, self.implied(conditions))

    def _restricted(self, poly: Poly, low: int, high: int, conditions: Sequence[Condition]) -> tuple[Poly, int, int]:
        """A polynomial where bits are known, and its interval."""
        poly = self.substituted(poly, conditions)
        least, most = self.ring.interval(poly)
        low, high = max(low, least), min(high, most)
        return poly, *self.within_implied(poly, low, high, self.implied(conditions))

    def _bitwise(self, node: Node) -> Fact:
        """Polynomial of a choice among functions of words, by bits that are the same in every column."""
        found = self._compared(node) or self._carry_out(node)
        if found is None and node in self.low_bits:
            found = self.chosen(((node, 0, 1),))
        if found is not None:
            return self._of(found)
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

    def _carry_out(self, node: Node) -> Poly | None:
        """The carry out of a sum A + c, of a bit that is bit k of A where c is 0, and that of A + 1 where it is 1."""
        if node.width != 1:
            return None
        found = self._carry_of(node.table, node.args)
        return self._carry_of_one(node) if found is None and len(node.args) == 2 and node.table == BOTH else found

    def _carry_of(self, table: int, leaves: Sequence[Value]) -> Poly | None:
        """The same of a function of bits, among which both bits are; c is a function of the others."""
        slices = [at for at, leaf in enumerate(leaves) if leaf[0][0] is not None and leaf[0][1]]
        for zero, one in permutations(slices, 2):
            (a, k, _), (b, low, _) = leaves[zero][0], leaves[one][0]
            into = carry_into(table, len(leaves), zero, one)
            if into is None or a is None or b is None or k != low:
                continue
            first, second = self.fact(a), self.fact(b)
            if second.poly - first.poly != ONE or max(first.high + 1, second.high) >> k > 1:
                continue
            carry = self._function(into, [leaf for at, leaf in enumerate(leaves) if at not in (zero, one)])
            if carry is not None:
                total = first.poly + carry
                lowest = self.lowest(total, k, a) if carry.terms else self.cut(a, k)
                return (total - lowest).scaled(1, k)
        return None

    def _function(self, table: int, leaves: Sequence[Value]) -> Poly | None:
        """A function that is constant, one of its bits, or a carry; else None."""
        rows = 1 << len(leaves)
        if table in (0, ones(rows)):
            return number(table & 1)
        for k, leaf in enumerate(leaves):
            if table == sum(1 << row for row in range(rows) if row >> k & 1):
                return self.reading(leaf).poly
        return self._carry_of(table, leaves)

    def _carry_of_one(self, node: Node) -> Poly | None:
        """The carry out of a sum A + c where A < 2^k has none: bit k of A + 1, where c is 1."""
        for bit, carry in permutations(node.args):
            more, k, _ = bit[0]
            if more is None or more.op != "add" or not k or 1 not in map(number_of, more.args):
                continue
            fact = self.fact(more)
            if fact.low >= 1 and fact.high <= 1 << k:
                total = fact.poly - ONE + self.reading(carry).poly
                return (total - self.lowest(total, k, more)).scaled(1, k)
        return None

    def _compared(self, node: Node) -> Poly | None:
        """A bit that compares inputs with constants in segments, by comparisons of whole inputs."""
        found = compared(node)
        if found is None:
            return None
        tests: list[Poly] = []
        for source, limit in found.limits.items():
            of = number(limit) - self.fact(source).poly
            tests.append(self.test("negative", of, node, f"{source.name} > {limit:#x}", at=source))
        total = ZERO
        for row in range(1 << len(tests)):
            one = number(found.table >> row & 1)
            for k, test in enumerate(tests):
                one = self.ring.times(one, test if row >> k & 1 else ONE - test)
            total += one
        return total

    def _column(self, node: Node, known: Mapping[int, int], words: Sequence[int]) -> Poly:
        """The word where the selecting bits are known: a sum of conjunctions of the words, times integers.

        Of bits, every function is such a sum; of words it is the same in each column. So a row of full adders, the
        exclusive disjunction and twice the majority, adds up to its three words.
        """
        base = sum(value << k for k, value in known.items())
        factors = [
            node.table >> (base + sum((n >> i & 1) << k for i, k in enumerate(words))) & 1
            for n in range(1 << len(words))
        ]
        for i in range(len(words)):  # Möbius' inversion: of subsets that have no word i, from those that have it
            for n in range(len(factors)):
                if n >> i & 1:
                    factors[n] -= factors[n ^ 1 << i]
        total = ZERO
        for n, factor in enumerate(factors):
            if factor:
                chosen = [node.args[k] for i, k in enumerate(words) if n >> i & 1]
                total += self._conjunction(chosen, node).scaled(factor)
        return total

    def _conjunction(self, leaves: Sequence[Value], node: Node) -> Poly:
        """Bitwise conjunction of the leaves."""
        if len(leaves) < 2:
            return self.reading(leaves[0]).poly if leaves else number(ones(node.width))
        readings = [self.reading(leaf) for leaf in leaves]
        key = ("and", *leaves)
        found = self.atom(key, key, f"and of {len(leaves)} in {node.name}", 0, min(r.high for r in readings))
        for atom in found.atoms:
            self.conjunctions[atom] = [reading.poly for reading in readings]
        return found

    # --- intervals under conditions

    def bounds(self, value: Value, conditions: Sequence[Condition], depth: int = 6) -> tuple[int, int]:
        """Interval of a value where some bits are known; its ends are in the wrong order if they contradict."""
        node = value[0][0]
        if depth and len(value) == 1 and node is not None and node.op == "mux":
            low, high = self._bounds_of_mux(node, conditions, depth)
            if value[0][1] == 0 and high < 1 << value[0][2]:
                return low, high
        found = self._lowest(value, conditions, depth)
        if found is not None:
            mask = ones(width_of(value))
            return found.low & mask, found.high & mask
        reading = self.reading(value)
        return self._restricted(reading.poly, reading.low, reading.high, conditions)[1:]

    def _bounds_of_mux(self, node: Node, conditions: Sequence[Condition], depth: int) -> tuple[int, int]:
        select = self.bit(node.args[0])
        found: list[tuple[int, int]] = []
        for k, arm in enumerate(node.args[1:]):
            if select.constant in (None, k) and (select, 1 - k) not in conditions:
                found.append(self.bounds(arm, [*conditions, (select, k)], depth - 1))
        found = [interval for interval in found if interval[0] <= interval[1]] or [(1, 0)]
        return min(low for low, _ in found), max(high for _, high in found)


def _repeats(leaf: Value) -> bool:
    node, _, bits = leaf[0]
    return len(leaf) == 1 and (bits == 1 or (node is not None and node.op == "repeat"))


def _inner(leaf: Value) -> Value:
    node = leaf[0][0]
    return node.args[0] if node is not None else leaf
