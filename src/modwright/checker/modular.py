# SPDX-License-Identifier: Apache-2.0
"""Words of channels modulo the channels' moduli, by what the definitions of words say without intervals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from .channels import ChannelFacts
from .floors import members_of
from .netlist import RefusedError, Value, node_of
from .poly import Poly, add, number, scale

ALL_ZEROS = 64
"""Zero bits of 0, as far as they are counted."""


def zeros_of(v: int) -> int:
    """The lowest bits of a number that are 0."""
    return (v & -v).bit_length() - 1 if v else ALL_ZEROS


class Modular:
    """Words of a result, whose error code is 0."""

    def __init__(self, inputs: dict[str, Value], words: Sequence[Value], error: Value) -> None:
        self.facts = facts = ChannelFacts([*words, error])
        if facts.read(error)[0] != number(0):
            raise RefusedError("an error code is not always 0")
        self.words = [facts.read(word)[0] for word in words]
        self.inputs = {name: next(iter(facts.fact(node_of(value))[0][0]))[0] for name, value in inputs.items()}
        facts.name_cuts()
        self.simple: dict[tuple[int, int, frozenset[int]], Poly | None] = {}
        self.whole_values: dict[int, Poly] = {}
        self.fixed: dict[int, int | None] = {}
        self.low_zeros: dict[int, int] = {}

    # --- definitions

    def value(self, atom: int) -> Poly:
        """The definition of a word, without cuts and without bits that the definition decides."""
        if atom not in self.whole_values:
            p = self._settled(self.facts.uncut(self.facts.values[atom]))
            tests = [a for a in members_of(p) if self.facts.meaning.get(a, ("",))[0] == "negative"]
            for a, b in permutations(sorted(tests), 2):
                if any(a in x and b in x for x in p[0]):
                    p = self._implied(p, a, b)
            self.whole_values[atom] = p
        return self.whole_values[atom]

    def _implied(self, p: Poly, a: int, b: int) -> Poly:
        """A polynomial without a test b next to a test a that implies it: of a polynomial that is never smaller."""
        more = add(self._tested(a), self._tested(b), -1)
        if more[1] or set(more[0]) - {()} or more[0].get((), 0) < 0:
            return p
        terms: dict[tuple[int, ...], int] = {}
        for x, v in p[0].items():
            x = tuple(e for e in x if e != b) if a in x else x
            terms[x] = terms.get(x, 0) + v
        return scale(({x: v for x, v in terms.items() if v}, p[1]), 1)

    def _tested(self, atom: int) -> Poly:
        """A polynomial without cuts that is negative where that of a test is: floor(P / 2^k) - c is where P - c·2^k
        is, and c - floor(P / 2^k) where c·2^k - P + 2^k - 1 is."""
        p = self.facts.uncut(self.facts.meaning[atom][1])
        while True:
            floors = [x[0] for x in p[0] if len(x) == 1 and x[0] in self.facts.highs and abs(p[0][x]) == 1]
            if p[1] or len(floors) != 1 or p[0].keys() - {(), (floors[0],)}:
                return p
            of, k, _ = self.facts.highs[floors[0]]
            c, sign = p[0].get((), 0), p[0][floors[0],]
            end = c << k if sign > 0 else (c << k) + (1 << k) - 1
            p = add(number(end), self.facts.uncut(of), sign)

    def _settled(self, p: Poly) -> Poly:
        """A polynomial without bits that always have one value."""
        for atom in sorted(members_of(p), reverse=True):
            if atom in self.facts.names or atom in self.facts.meaning:
                found = self._fixed(atom)
                p = p if found is None else self.facts.replace(p, atom, number(found))
        return p

    def _fixed(self, atom: int) -> int | None:
        """The one value of a bit, if its definition without cuts has one."""
        if atom not in self.fixed:
            named = self.facts.names.get(atom)
            kind, of = ("bit", named) if named is not None else self.facts.meaning[atom][:2]
            low, high = self.facts.range(self._settled(self.facts.uncut(of)))
            sure, never = low == high == 1, low == high == 0
            if kind == "negative":
                sure, never = high < 0, low >= 0
            if kind == "nonzero":
                sure, never = low > 0 or high < 0, low == high == 0
            self.fixed[atom] = 1 if sure else 0 if never else None
        return self.fixed[atom]

    def zeros(self, atom: int) -> int:
        """The lowest bits of an atom that are 0 by factors in its definition."""
        if atom not in self.low_zeros:
            found = 0
            if atom in self.facts.values:
                found = self._zeros(self.value(atom))
            elif atom in self.facts.highs:
                of, k, _ = self.facts.highs[atom]
                found = max(0, self._zeros(self.facts.uncut(of)) - k)
            self.low_zeros[atom] = found
        return self.low_zeros[atom]

    def _zeros(self, p: Poly) -> int:
        """The lowest bits of a polynomial that are 0; the words of a table are its first one and differences."""
        constant, least = p[0].get((), 0), ALL_ZEROS
        for x, v in p[0].items():
            if len(x) == 1 and x[0] in self.facts.lookups:
                words = self.facts.lookups[x[0]][3]
                constant += v * words[0]
                least = min(least, zeros_of(v) + min(zeros_of(word - words[0]) for word in words))
            elif x:
                least = min(least, zeros_of(v) + sum(self.zeros(a) for a in x))
        return max(0, min(least, zeros_of(constant)) - p[1])

    def _whole(self, p: Poly, m: int) -> Poly:
        """A polynomial congruent modulo an odd m, with P / 2^k for floor(P / 2^k) where the bits below are 0."""
        for atom in sorted(members_of(p) & self.facts.highs.keys(), reverse=True):
            of, k, _ = self.facts.highs[atom]
            of = self.facts.uncut(of)
            if m % 2 and self._zeros(of) >= k:
                p = self.facts.replace(p, atom, (scale((of[0], 0), pow(1 << k + of[1], -1, m))))
        return p

    # --- words modulo m

    def residue(self, p: Poly, m: int, basis: frozenset[int]) -> Poly:
        """A polynomial congruent modulo m; words that are not basis are replaced where that makes it simpler."""
        p = self._without_tables(self._modulo(self._whole(self.facts.uncut(p), m), m), m)
        done: set[int] = set()
        while atoms := {a for x in p[0] for a in x if a in self.facts.values} - basis - done:
            atom = max(atoms)
            done.add(atom)
            by = self.simpler(atom, m, basis)
            if by is not None:
                p = self._modulo(self.facts.replace(p, atom, by), m)
        return p

    def _modulo(self, p: Poly, m: int) -> Poly:
        if p[1]:
            raise RefusedError("a word of a channel has fractions")
        return {x: v % m for x, v in p[0].items() if v % m}, 0

    def _without_tables(self, p: Poly, m: int) -> Poly:
        """A polynomial modulo m without words of tables that are linear in an address with words of other terms."""
        for atom in sorted({a for x in p[0] for a in x if a in self.facts.lookups}, reverse=True):
            address, _, least, words = self.facts.lookups[atom]
            address = self.facts.uncut(address)
            step = words[1] - words[0]
            line = all((word - words[0] - k * step) % m == 0 for k, word in enumerate(words))
            if line and not address[1] and {a for x in address[0] for a in x} & {a for x in p[0] for a in x}:
                by = add(number(words[0] - step * least), address, step)
                p = self._modulo(self.facts.replace(p, atom, by), m)
        return p

    def simpler(self, atom: int, m: int, basis: frozenset[int]) -> Poly | None:
        """A word modulo m where multiples of m vanish from its definition, or it is a sum of words."""
        key = atom, m, basis
        if key not in self.simple:
            facts, of = self.facts, self.value(atom)
            made = {a for x in of[0] for a in x if a in facts.highs or a in facts.meaning or a in facts.names}
            left = {a for x in self._modulo(of, m)[0] for a in x}
            self.simple[key] = self.residue(of, m, basis) if not made or made - left else None
        return self.simple[key]
