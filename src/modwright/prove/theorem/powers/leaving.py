# SPDX-License-Identifier: Apache-2.0
"""The power as it leaves: a word, less multiples of the modulus that tests of it choose.

The bits that choose are taken at each value. What is chosen is congruent, modulo 2^n, to the word less j·m, by the
sums that its limbs are cut from; the tests say that this lies from 0 to m - 1, so it is the result of n bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from ..atoms import Known
from ..contract import Limit
from ..decide import UndecidedError, follows
from ..facts import Facts
from ..pieces import Node, Value, width_of
from ..poly import ONE, Poly, number
from ..words import Words

MOST_CHOICES = 6
"""Most bits that choose: subtractions of the modulus at the end."""


def word_that_leaves(words: Words, value: Value, m: Node, limits: dict[Node, Limit]) -> Node:
    """The word whose residue below the modulus a result is.

    Parameters
    ----------
    words : Words
    value : Value
        The result.
    m : Node
        The modulus.
    limits : dict of Node to Limit
        Limits of words, as multiples of the modulus.

    Raises
    ------
    UndecidedError
        When it is not decided.
    """
    selects = _selects(value)
    if len(selects) > MOST_CHOICES:
        raise UndecidedError(f"the power that leaves has {len(selects)} choices")
    cases = (dict(zip(selects, values, strict=True)) for values in product((0, 1), repeat=len(selects)))
    found = [node for case in cases if (node := _in_case(words, value, m, limits, case)) is not None]
    if len(set(found)) != 1:
        raise UndecidedError("the power that leaves is one of several words")
    return found[0]


def _selects(value: Value) -> list[Value]:
    """Bits that choose in a value, in the order of their nodes."""
    queue, found = [value], dict[Value, int]()
    seen: set[Node] = set()
    while queue:
        for node, _, _ in queue.pop():
            if node is not None and node not in seen and node.op != "input":
                seen.add(node)
                queue += node.args
                if node.op == "mux":
                    found[node.args[0]] = min(found.get(node.args[0], node.number), node.number)
    return sorted(found, key=lambda select: found[select])


def _in_case(words: Words, value: Value, m: Node, limits: dict[Node, Limit], case: Mapping[Value, int]) -> Node | None:
    """The word from which the result is made, where bits that choose have some values; None where they cannot have
    them."""
    facts = Facts({}, words.within)
    modulus, under = facts.fact(m).poly, _Under(words, case)
    bits = width_of(value)
    form = _modulo(facts, facts.reading(under.value(value)).poly, bits)
    nodes = {next(iter(facts.fact(node).poly.atoms)): node for node in limits}
    leaving = [nodes[atom] for atom in form.atoms if atom in nodes]
    for node in leaving:
        above = facts.fact(node).poly - modulus.scaled(limits[node].factor)
        facts.known.append(Known("negative", above, 1))
    if not _assume(facts, [(facts.bit(under.value(select)), bit) for select, bit in case.items()]):
        return None
    if len(leaving) != 1:
        raise UndecidedError("the power that leaves is not a word less a multiple of the modulus")
    (node,) = leaving
    word, limit = facts.fact(node).poly, limits[node]
    for j in range(limit.factor):
        if _modulo(facts, form - word + modulus.scaled(j), bits) == Poly():
            exact = word - modulus.scaled(j)
            if follows(facts, exact) and follows(facts, modulus - ONE - exact):
                return node
    raise UndecidedError("that the power that leaves is below the modulus does not follow")


def _assume(facts: Facts, tests: Sequence[tuple[Poly, int]]) -> bool:
    """Take the values of some tests as known; False where they contradict each other, or what is known."""
    values: dict[int, int] = {}
    for test, bit in tests:
        tested = test
        for atom in tested.atoms & values.keys():
            tested = facts.ring.substitute(tested, atom, number(values[atom]))
        if tested.constant is not None:
            if tested.constant != bit:
                return False
            continue
        (atom, *more) = tested.atoms
        kind, of, *_ = facts.meanings.get(atom, ("", tested, 0, 0))
        plain = tested == Poly({(atom,): 1})
        if more or kind != "negative" or not (plain or tested == ONE - Poly({(atom,): 1})):
            facts.known.append(Known("bit", tested, bit))
            continue
        values[atom] = bit if plain else 1 - bit
        above = Poly(of.terms)  # of the same sign, without a denominator
        if follows(facts, above if values[atom] else -above - ONE):
            return False
        facts.known.append(Known("negative", of, values[atom]))
    return True


def _modulo(facts: Facts, p: Poly, bits: int) -> Poly:
    """A polynomial congruent modulo 2^bits, with sums in place of what is cut from them, and small coefficients."""
    for atom in sorted(p.atoms, reverse=True):
        kind, of, k = facts.formulas.get(atom, ("", p, 0))
        value = p.terms.get((atom,), 0)
        if kind == "low" and p.integral and value and (value << k) % (1 << bits) == 0:
            p = p - Poly({(atom,): value}) + of.scaled(value)
    size = 1 << bits
    terms = {m: (value + size // 2) % size - size // 2 for m, value in p.items()} if p.integral else p.terms
    return Poly({m: value for m, value in terms.items() if value}, p.shift)


class _Under:
    """Values where bits that choose have some values."""

    def __init__(self, words: Words, case: Mapping[Value, int]) -> None:
        self.words, self.case = words, case
        self._made: dict[Node, Value] = {}

    def value(self, value: Value) -> Value:
        """A value with the words that are chosen."""
        pieces = [piece for node, low, bits in value for piece in self._piece(node, low, bits)]
        return self.words.join(pieces)

    def _piece(self, node: Node | None, low: int, bits: int) -> Value:
        if node is None or node.op in ("input", "unknown"):
            return ((node, low, bits),)
        return self.words.slice(self._node(node), low, bits)

    def _node(self, node: Node) -> Value:
        if node in self._made:
            return self._made[node]
        if node.op == "mux":
            bit = self.case.get(node.args[0])
            arms = [node.args[1 + bit]] if bit is not None else []
            made = self.value(arms[0]) if arms else self.words.whole(node)
        else:
            args = [self.value(arg) for arg in node.args]
            made = self.words.whole(node) if tuple(args) == node.args else self._again(node, args)
        self._made[node] = made
        return made

    def _again(self, node: Node, args: list[Value]) -> Value:
        """A node of other operands."""
        words = self.words
        if node.op in ("add", "sub", "mul", "neg"):
            return words.arithmetic(node.op, args, node.name)
        if node.op == "bitwise":
            return words.bitwise(node.table, args, node.name)
        if node.op == "nonzero":
            return words.nonzero(args[0], node.name)
        if node.op == "repeat":
            return words.repeat(args[0], node.width)
        if node.op in ("less", "equal"):
            return words.test(node.op, args, node.name, signed=bool(node.table))
        raise UndecidedError(f"the power that leaves has a word of the kind {node.op}")
