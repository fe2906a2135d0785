# SPDX-License-Identifier: Apache-2.0
"""Words as polynomials over atoms, and intervals; `atoms` has the lowest and the highest value of each atom.

Only inputs, the lowest bits of a word (a cut), and tests make atoms.
"""

from __future__ import annotations

from itertools import product

from .carries import limb_of
from .comparisons import compared
from .congruences import Fact, Read
from .cuts import Cuts
from .netlist import GATES, Node, Piece, RefusedError, Value, apart, constant, gate, node_of, width
from .poly import Poly, add, key_of, number, scale


class Facts(Cuts):
    """Polynomial and interval of each node; `case` has the tests whose result is taken as known, by their keys."""

    def __init__(self, case: dict[tuple, int]) -> None:
        super().__init__(case)
        self.tested = {id(part) for key in case for part in key if isinstance(part, Node)}
        self.sums: dict[int, tuple[Node, int, int]] = {}
        self.adds_up: dict[int, bool] = {}
        self.opened: set[int] = set()

    def bit(self, value: Value) -> Poly:
        """Polynomial of a bit; it is named where that and its complement have more than three terms."""
        p = self.read(value)[0]
        if min(len(p[0]), len(add(number(1), p, -1)[0])) <= 3:
            return p
        found = self.atom(("bit", *key_of(p)), ("bit", value), 0, 1, p)
        self.names |= {m[0]: p for m in found[0] if m}
        return found

    # --- sums in parts

    def whole(self, n: Node | None, end: int) -> tuple[Node | None, int, int]:
        """The sum that a node is part of, where its parts are one polynomial again; the node's place and bits there."""
        total, place, bits = self.sums.get(id(n), (None, 0, 0))
        if total is None or end > bits or id(total) in self.opened:
            return None, 0, 0
        if id(total) not in self.adds_up:
            self.opened.add(id(total))
            sides = self.fact(total)[0], self.piece(*total[2][0][0], top=False, apart=True)[0]
            self.adds_up[id(total)] = not set.intersection(*({a for m in p[0] for a in m} for p in sides))
            self.opened.remove(id(total))
        return (total, place, bits) if self.adds_up[id(total)] else (None, 0, 0)

    def gathered(self, value: Value) -> Value:
        """Neighbouring parts of one sum as one piece of it."""
        found: list[Piece] = []
        for n, start, bits in value:
            total, place, _ = self.whole(n, start + bits)
            n, start = (n, start) if total is None else (total, place + start)
            if found and n is not None and found[-1][0] is n and sum(found[-1][1:]) == start:
                found[-1] = n, found[-1][1], found[-1][2] + bits
            else:
                found.append((n, start, bits))
        return tuple(found)

    # --- nodes and values

    def read(self, value: Value, *, signed: bool = False, apart: bool = False) -> Read:
        """Polynomial, lowest and highest value of a value; `apart`, its pieces are not parts of sums."""
        total, low, high, at = number(0), 0, 0, 0
        value = value if apart else self.gathered(value)
        for k, (n, start, bits) in enumerate(value):
            p, a, b = self.piece(n, start, bits, top=signed and k == len(value) - 1, apart=apart)
            total, low, high, at = add(total, p, 1, -at), low + (a << at), high + (b << at), at + bits
        a, b = self.range(total)
        return total, max(a, low), min(b, high)

    def piece(self, n: Node | None, start: int, bits: int, *, top: bool, apart: bool = False) -> Read:
        """Polynomial and range of a piece; the top one of a signed word counts as negative where its highest bit is
        set."""
        total, place, _ = (None, 0, 0) if apart else self.whole(n, start + bits)
        if total is not None:
            return self.piece(total, place + start, bits, top=False, apart=True)
        if n is None:
            return number(start), start, start
        p, _, high, exact = self.fact(n)
        if top and n[0] == "repeat":
            return scale(self.read(n[2][0])[0], -1), -1, 0
        if top and exact and start == 0 and bits == n[1]:
            return exact, *self.range(exact)
        below, above = self.cut(n, start), self.cut(n, start + bits)
        if top and (id(n), start + bits) in self.signed:
            p = scale(add(self.signed[id(n), start + bits], below, -1), 1, start)
            return p, *self.range(p)
        p = scale(add(above, below, -1), 1, start)
        a, b = self.range(p)
        return p, max(a, 0), min(b, high >> start, (1 << bits) - 1)

    def fact(self, n: Node) -> Fact:
        """Polynomial, lowest and highest value of a node, and the polynomial before it is taken modulo 2^width."""
        if id(n) not in self.facts:
            needed, queue = {n}, [n]
            while queue:
                for value in self._needed_by(queue.pop()):
                    pieces = value if isinstance(value, tuple) else ()
                    new = {m for m, _, _ in pieces if m is not None and id(m) not in self.facts} - needed
                    needed |= new
                    queue += new
            for m in sorted(needed, key=lambda m: m.number):
                if id(m) in self.facts:  # found from within a sum in parts
                    continue
                p, exact, *ends = self._find(m)
                low, high = self.range(p)
                low, high = max(low, *ends[:1], 0), min(high, *ends[1:], (1 << m[1]) - 1)
                self.facts[id(m)] = p, low, high, exact
        return self.facts[id(n)]

    def _needed_by(self, n: Node) -> tuple:
        """Operands of a node, without the word that a choice by tests of this case does not select."""
        if id(n) in self.adders:
            return self.adders[id(n)][2]
        queue, seen = [n[2][0]] if n[0] == "mux" else [], set[int]()
        while queue:
            for m, _, _ in queue.pop():
                if m is not None and id(m) in self.tested:
                    select = self.bit(n[2][0])
                    return n[2] if select not in (number(0), number(1)) else (n[2][0], n[2][1 + len(select[0])])
                if m is not None and id(m) not in seen and m[0] in (*GATES, "$not", "nonzero", "mux"):
                    seen.add(id(m))
                    queue += m[2]
        return n[2]

    def _find(self, n: Node) -> tuple:
        kind, bits, args = n.parts
        if id(n) in self.adders:
            return self.adder(n)
        if kind == "unknown":
            raise RefusedError("a word that is not known")
        if kind == "input":
            p = self.atom(("input", n), ("input", n), 0, (1 << bits) - 1)
            self.inputs_of |= {m[0]: n for m in p[0]}
            return p, None
        if kind == "zero":
            return number(0), None
        if id(n) in self.low_bits and self.by_choice(((n, 0, 1),)):
            return self.by_choice(((n, 0, 1),)), None
        if kind in ("$add", "$sub", "$mul"):
            return self._arithmetic(n)
        if kind == "concat":
            p, low, high = self.read(args[0], apart=True)
            return p, None, low, min(high, self.most(p))
        full = number((1 << bits) - 1)
        if kind == "$not":
            return add(full, self.bit(args[0]) if bits == 1 else self.read(args[0])[0], -1), None
        if kind == "repeat":
            self.sign_first(args[0])
            return self.times(full, self.bit(args[0])), None
        if kind == "mux":
            return self._mux(n)
        if kind == "nonzero":
            return self.test("nonzero", n, self.read(args[0])[0]), None
        if kind == "less":
            a, b = (self.read(v, signed=bool(args[2]))[0] for v in args[:2])
            return self.test("negative", n, add(a, b, -1)), None
        carry = self._carry_out(n) if bits == 1 else None
        if carry is not None:
            return carry, None
        if kind == "majority":
            raise RefusedError("a majority that is not a carry")
        limits, table = compared(n) if bits == 1 else ([], 0)
        if limits:
            tests = [
                self.test("negative", n, add(number(most), self.fact(m)[0], -1), at=k)
                for k, (m, most) in enumerate(limits)
            ]
            return self._chosen(tests, table), None
        p, q = (self.bit(v) if bits == 1 else self.read(v)[0] for v in args)
        both = self.times(p, q) if bits == 1 else self._conjunction(n, kind, args)
        return {"$and": both, "$or": add(add(p, q), both, -1), "$xor": add(add(p, q), both, -2)}[kind], None

    def _carry_out(self, n: Node) -> Poly | None:
        """The carry out of a sum A + c by bit k of A and of A + 1: A's, or that of A + 1 where c is 1; c may be 0.

        Where A has a carry, A + 1 has one. So both bits are A's, and the majority of them and c is that of A + c.
        """
        args = n[2]
        ways = [(*args, ())] if n[0] == "$and" else []
        if n[0] == "majority":
            ways = [(args[k - 2], args[k - 1], args[k]) for k in range(3)]
        for k, other in enumerate(args if n[0] == "$or" else ()):
            inner = other[0][0]
            if inner is not None and inner[0] == "$and":
                ways += [(args[1 - k], inner[2][i], inner[2][1 - i]) for i in (0, 1)]
        for x, y, carry in ways:
            for zero, one in ((x, y), (y, x) if n[0] != "$or" else (x, y)):
                found = self._carry_of(zero, one, carry)
                if found is not None:
                    return found
        for k, made in enumerate(args if n[0] == "majority" else ()):
            for passes, carry in ((args[k - 1], args[k - 2]), (args[k - 2], args[k - 1])):
                found = self._carry_ahead(made, passes, carry)
                if found is not None:
                    return found
        return self._carry_of_one(n) if n[0] == "$and" else None

    def _carry_ahead(self, made: Value, passes: Value, carry: Value) -> Poly | None:
        """The carry out of x + y and a carry into it, by the flags that x + y has one, and that it has one or is all
        ones, as it is where x and y differ in every bit; None for other bits."""
        below = limb_of(made, passes)
        if below is None:
            return None
        total, bits = self.with_carry(below, node_of(made), carry), width(below) + made[0][1]
        return scale(add(total, self.lowest(node_of(made), total, bits), -1), 1, bits)

    def _carry_of(self, zero: Value, one: Value, carry: Value) -> Poly | None:
        """The carry out of a sum A + c, where the bits are bit k of A and of A + 1; None where they are not."""
        (a, k, _), (b, at, _) = zero[0], one[0]
        if a is None or b is None or k != at or not k:
            return None
        first, second = self.fact(a), self.fact(b)
        if add(second[0], first[0], -1) != number(1) or max(first[2] + 1, second[2]) >> k > 1:
            return None
        c = self.read(carry)[0]
        total = add(first[0], c)
        return scale(add(total, self.lowest(a, total, k) if c[0] else self.cut(a, k), -1), 1, k)

    def _carry_of_one(self, n: Node) -> Poly | None:
        """The carry out of A + c where A < 2^k has none, by bit k of A + 1, which carries where c is 1, too."""
        for bit, carry in (n[2], n[2][::-1]):
            b, k, _ = bit[0]
            if b is None or b[0] != "$add" or not k or 1 not in map(constant, b[2]):
                continue
            more, low, high, _ = self.fact(b)
            if low >= 1 and high <= 1 << k:
                total = add(add(more, number(1), -1), self.read(carry)[0])
                return scale(add(total, self.lowest(b, total, k), -1), 1, k)
        return None

    def _chosen(self, tests: list[Poly], table: int) -> Poly:
        """The bit of a table at the index that tests form."""
        if not tests:
            return number(table & 1)
        half = 1 << (1 << (len(tests) - 1))
        zero, one = self._chosen(tests[:-1], table % half), self._chosen(tests[:-1], table // half)
        return add(zero, self.times(tests[-1], add(one, zero, -1)))

    def _conjunction(self, n: Node, kind: str, args: tuple[Value, Value]) -> Poly:
        """Conjunction of two words: a choice where one word repeats a bit, or 0 where no bit can be 1 in both."""
        for one, other in (args, args[::-1]):
            if len(one) == 1 and node_of(one)[0] == "repeat":
                return self.times(self.bit(node_of(one)[2][0]), self.read(other)[0])
        if kind != "$and":
            return number(0) if apart(*args) else self.read(gate("$and", *args))[0]
        return self.atom(("and", n), ("and", n), 0, min(self.read(v)[2] for v in args))

    def _mux(self, n: Node) -> tuple:
        """Polynomial of a choice; where the bit is known, that of the selected word."""
        select = self.bit(n[2][0])
        if select in (number(0), number(1)):
            p, low, high = self.read(n[2][1 + len(select[0])])
            return p, None, low, high
        carry = self._carry_of(n[2][1], n[2][2], n[2][0]) if n[1] == 1 else None
        if carry is not None:
            return carry, None, 0, 1
        (zero, a, _), (one, _, d) = (self.read(n[2][1 + k]) for k in (0, 1))
        if add(one, zero, -1) == number(1):  # a sum, and a carry that selects
            p = add(zero, self.read(n[2][0])[0])
            low, high = self.range(p)
            self.carried.add(id(n))
            self.keep(n, n[1], p, (max(a, low), min(d, high)))
            return p, None, a, d
        (zero, a, b), (one, c, d) = (self.given(n[2][1 + k], [(select, k)]) for k in (0, 1))
        p, low, high = (
            add(zero, self.times(select, add(one, zero, -1))),
            max(min(a, c), 0),
            min(max(b, d), (1 << n[1]) - 1),
        )
        least, most = self.range(p)
        if self.m is None or (low <= least and most <= high) or self.reduced(add(one, zero, -1))[0]:
            return p, None, low, high
        found = self.atom(("choice", id(n)), ("choice", n), low, high)
        self.classes |= {m[0]: self.reduced(zero) for m in found[0]}
        return found, None, low, high

    def given(self, value: Value, conditions: list[tuple[Poly, int]], depth: int = 6) -> Read:
        """Result of `read` under values of bits; the lowest bits of a word may then be the whole word."""
        n, start, bits = value[0]
        if len(value) == 1 and n is not None and n[0] == "mux" and depth:
            select, found = self.bit(n[2][0]), []
            for k in (0, 1):
                if select not in (number(0), number(1)):
                    found.append(self.given(n[2][1 + k], [*conditions, (select, k)], depth - 1)[1:])
            found = [ends for ends in found if ends[0] <= ends[1]]
            low, high = min([e[0] for e in found], default=0), max([e[1] for e in found], default=-1)
            if found and not start and high < 1 << bits:
                return self.read(value)[0], low, high
        found = self._lowest(value, conditions, depth)
        return found or self._restricted(*self.read(value), conditions)

    def _lowest(self, value: Value, conditions: list[tuple[Poly, int]], depth: int) -> Read | None:
        """A value as a word less its upper bits, where those are the same at both ends of the word's interval."""
        n, start, bits = value[-1]
        if n is None or start or bits == n[1]:
            return None
        size = width(value)
        (p, a, b), (q, c, d, _) = self.read(value[:-1]), self.fact(n)
        whole = add(p, q, 1, bits - size)
        p = {m: v for m, v in whole[0].items() if not m or v % (1 << size + whole[1])}, whole[1]
        if p[0] != whole[0]:  # multiples of 2^size are above
            p = scale(p, 1)
            p, low, high = self._restricted(p, *self.ends(p), conditions)
        elif size > bits:
            p, low, high = self._restricted(p, a + (c << size - bits), b + (d << size - bits), conditions)
        else:
            p, low, high = self.given(((n, 0, n[1]),), conditions, depth)
        above = low >> size << size  # as at the other end
        if not 0 <= low <= high < above + (1 << size):
            return self.one_of(whole, size, self._known(self._results(conditions)))
        return add(p, number(above), -1), low - above, high - above

    def _results(self, conditions: list[tuple[Poly, int]]) -> dict[int, int]:
        """Values of atoms where bits have values."""
        found: dict[int, int] = {}
        for bit, chosen in conditions:
            atoms = {a for m in bit[0] for a in m}
            found |= {a: chosen if bit == ({(a,): 1}, 0) else 1 - chosen for a in atoms if len(atoms) == 1}
        return found

    def _known(self, results: dict[int, int]) -> list[Read]:
        """Ranges of polynomials that follow from the values of tests."""
        known: list[Read] = []
        for atom, result in results.items():
            kind, of, least, most = self.meaning.get(atom, ("", number(0), 0, 0))
            least, most = ((least, -1) if result else (0, most)) if kind == "negative" else (least, most)
            known += [(of, least, most)] if kind else []
            if kind == "negative":
                if atom not in self.wholes:
                    polys = [self.without_floor(of), *self.without_cuts(of)]
                    self.wholes[atom] = [(q, *self.ends(q)) for q in polys]
                known += [(q, a, -1) if result else (q, 0, b) for q, a, b in self.wholes[atom]]
        return known

    def _restricted(self, p: Poly, low: int, high: int, conditions: list[tuple[Poly, int]]) -> Read:
        """A polynomial where bits have values, and its range."""
        results = self._results(conditions)
        for atom, result in results.items():
            p = self.replace(p, atom, number(result))
        known = self._known(results)
        for sign, (of, least, most) in product((1, -1), known):
            rest = add(p, of, -sign)
            if set(rest[0]) <= {()} and not rest[1]:
                low = max(low, min(sign * least, sign * most) + rest[0].get((), 0))
                high = min(high, max(sign * least, sign * most) + rest[0].get((), 0))
        for atom in {a for m in p[0] for a in m} & set(self.meaning):
            kind, of, least, most = self.meaning[atom]
            for sign, (other, a, b) in product((1, -1), known):
                rest = add(of, other, -sign)
                if kind == "negative" and set(rest[0]) <= {()} and not rest[1]:
                    c = rest[0].get((), 0)
                    least, most = max(least, min(sign * a, sign * b) + c), min(most, max(sign * a, sign * b) + c)
            if kind == "negative" and (least >= 0 or most < 0):
                p = self.replace(p, atom, number(int(most < 0)))
        least, most = self.range(p)
        return p, max(low, least), min(high, most)

    def factors(self, n: Node) -> list[Read]:
        """Operands of a sum or product."""
        return [self.read(v, signed=True) for v in n[2]]

    def exact(self, n: Node) -> Read:
        """A sum or product before it is taken modulo 2^width."""
        (p, a, b), (q, c, d) = self.factors(n)
        if n[0] == "$mul":
            total, ends = self.times(p, q), (a * c, a * d, b * c, b * d)
            low, high = min(ends), max(ends)
        else:
            total = add(p, q, 1 if n[0] == "$add" else -1)
            low, high = (a + c, b + d) if n[0] == "$add" else (a - d, b - c)
        least, most = self.range(total)
        return total, max(low, least), min(high, most)

    def _arithmetic(self, n: Node) -> tuple:
        bits = n[1]
        total, low, high = self.exact(n)
        if low >= 0 and high < 1 << bits:
            return total, None, low, high
        if -(1 << (bits - 1)) <= low and high < 1 << (bits - 1):
            return add(total, self.test("negative", n, total, (low, high)), 1 << bits), total
        near, signed = self.near(self.congruent(n, bits), bits)
        if near is None:
            raise RefusedError(f"a word of {bits} bits that is too short")
        if signed:
            return add(near, self.test("negative", n, near, self.ends(near)), 1 << bits), near
        self.keep(n, bits, near, (0, (1 << bits) - 1))
        return near, None
