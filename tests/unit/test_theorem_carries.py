# SPDX-License-Identifier: Apache-2.0
"""Carries that select among sums, in the theorem: each rule against every operand of a few bits."""

from itertools import product
from math import prod

import pytest

from modwright.prove.theorem.carries import carry_into
from modwright.prove.theorem.facts import Facts
from modwright.prove.theorem.pieces import constant
from modwright.prove.theorem.poly import number as number_poly
from modwright.prove.theorem.ranges import lead_of
from modwright.prove.theorem.words import Words

BITS = 3
MAJORITY, CARRY_OUT, BOTH, EITHER, XOR = 0xE8, 0xEA, 0x8, 0xE, 0x6


def number(value, values):
    """The number that a value of the graph is, by its nodes alone."""
    total = at = 0
    for node, low, bits in value:
        whole = low if node is None else result(node, values) >> low
        total |= (whole & ((1 << bits) - 1)) << at
        at += bits
    return total


def result(node, values):
    """The number that a node is."""
    if node.op == "input":
        return values[node.name]
    args = [number(value, values) for value in node.args]
    if node.op == "add":
        return sum(args) % (1 << node.width)
    if node.op == "mux":
        return args[2] if args[0] else args[1]
    if node.op == "nonzero":
        return int(args[0] != 0)
    rows = [sum((arg >> k & 1) << n for n, arg in enumerate(args)) for k in range(node.width)]
    return sum((node.table >> row & 1) << k for k, row in enumerate(rows))


def evaluate(facts, poly, values):
    """The number that a polynomial is, by the formulas of its atoms."""
    atoms = []
    for number_of_atom, atom in enumerate(facts.ring.atoms):
        kind, of, bits = facts.formulas.get(number_of_atom, ("input", None, 0))
        inner = 0 if of is None else total(of, atoms)
        found = {"low": inner % (1 << bits), "negative": int(inner < 0), "value": inner}
        atoms.append(values[atom.name] if of is None else found[kind])
        assert atom.low <= atoms[-1] <= atom.high
    return total(poly, atoms)


def total(poly, atoms):
    numerator = sum(value * prod(atoms[atom] for atom in monomial) for monomial, value in poly.items())
    assert numerator % (1 << poly.shift) == 0
    return numerator >> poly.shift


def inputs(words, **widths):
    return [words.whole(words.node("input", bits, name=name)) for name, bits in widths.items()]


def test_the_parity_of_a_sum_and_its_words_is_the_carry():
    words = Words()
    a, b = inputs(words, a=BITS, b=BITS)
    wide = [words.extend(one, BITS + 1, signed=False) for one in (a, b)]
    both = words.arithmetic("add", wide, "both")
    for j in range(1, BITS):
        leaves = [words.slice(value, j, 1) for value in (both, *wide)]
        carry = words.bitwise(0x96, leaves, "carry")
        assert carry[0][0] not in {leaf[0][0] for leaf in leaves}
        for x, y in product(range(1 << BITS), repeat=2):
            low = (1 << j) - 1
            assert number(carry, {"a": x, "b": y}) == ((x & low) + (y & low)) >> j


def test_the_parity_of_a_sum_and_one_word_is_the_carry_where_the_other_has_a_zero():
    words = Words()
    a, low, high = inputs(words, a=BITS, low=1, high=BITS - 2)
    wide = [words.extend(one, BITS + 1, signed=False) for one in (a, words.join([*low, *constant(0, 1), *high]))]
    both = words.arithmetic("add", wide, "both")
    carry = words.bitwise(0x6, [words.slice(both, 1, 1), words.slice(wide[0], 1, 1)], "carry")
    for x, y in product(range(1 << BITS), (0, 1)):
        assert number(carry, {"a": x, "low": y, "high": 0}) == x & y


def test_a_carry_out_by_the_next_number_alone_is_that_of_the_sum():
    """A below 2^BITS has none: bit BITS of A + 1, where c is 1."""
    words = Words()
    a, c = inputs(words, a=BITS, c=1)
    facts = Facts({})
    more = words.arithmetic("add", [words.extend(a, BITS + 1, signed=False), constant(1, BITS + 1)], "A + 1")
    node = words.node("bitwise", 1, (words.slice(more, BITS, 1), c), 0x8)
    poly = facts.fact(node).poly
    assert poly.shift == BITS
    for x, bit in product(range(1 << BITS), (0, 1)):
        assert evaluate(facts, poly, {"a": x, "c": bit}) == x + bit >> BITS


def selected(table):
    """A, A + 1, a carry c, the choice by c, and the function of both carries out and c; and the facts."""
    words = Words()
    a, b, c = inputs(words, a=BITS, b=BITS, c=1)
    size = BITS + 2
    first = words.arithmetic("add", [words.extend(one, size, signed=False) for one in (a, b)], "A")
    second = words.node("add", size, (first, constant(1, size)), name="A + 1")
    top = [words.slice(value, BITS + 1, 1) for value in (first, words.whole(second))]
    leaves = [*top, c] if table in (MAJORITY, CARRY_OUT) else top
    node = words.node("bitwise", 1, tuple(leaves), table)
    return words, Facts({}), first, words.whole(second), c, node


@pytest.mark.parametrize("table", [MAJORITY, CARRY_OUT, BOTH, EITHER])
@pytest.mark.parametrize("k", [BITS, BITS + 1])
def test_a_carry_out_is_that_of_the_sum(table, k):
    words, facts, first, second, c, _ = selected(table)
    leaves = [words.slice(first, k, 1), words.slice(second, k, 1), *([c] if table > EITHER else [])]
    node = words.node("bitwise", 1, tuple(leaves), table)
    poly = facts.fact(node).poly
    for x, y, bit in product(range(1 << BITS), range(1 << BITS), (0, 1)):
        values = {"a": x, "b": y, "c": bit}
        assert evaluate(facts, poly, values) == number(words.whole(node), values)


def test_a_choice_among_a_sum_and_the_next_is_the_sum_with_the_carry():
    words, facts, first, second, c, _ = selected(BOTH)
    choice = words.choose(c, first, second, "sum")
    node = choice[0][0]
    for k in range(1, BITS + 3):
        poly = facts.cut(node, k)
        for x, y, bit in product(range(1 << BITS), range(1 << BITS), (0, 1)):
            values = {"a": x, "b": y, "c": bit}
            assert evaluate(facts, poly, values) == (x + y + bit) % (1 << k)


@pytest.mark.parametrize(("more", "whole"), [(1, True), (2, False)])
def test_a_choice_between_carries_out_is_that_of_the_sum(more, whole):
    """Bit k of A, or that of A + 1: the cut of A + c is in it. Of A + 2 it is no carry, and has the same values."""
    words, facts, first, _, c, _ = selected(BOTH)
    second = words.whole(words.node("add", BITS + 2, (first, constant(more, BITS + 2)), name="A + more"))
    k = BITS + 1
    node = words.choose(c, words.slice(first, k, 1), words.slice(second, k, 1), "carry")[0][0]
    poly = facts.fact(node).poly
    assert (poly.shift == k) is whole
    for x, y, bit in product(range(1 << BITS), range(1 << BITS), (0, 1)):
        assert evaluate(facts, poly, {"a": x, "b": y, "c": bit}) == x + y + more * bit >> k & 1


def test_carries_through_two_sums_at_once_are_those_of_both():
    """A function of five bits: c chooses between the carries of A and A + 1, and its result between those of B."""
    words = Words()
    a, b, c = inputs(words, a=BITS, b=BITS, c=1)
    mids = []
    for one in (a, b):
        first = words.arithmetic("add", [words.extend(one, BITS + 1, signed=False), constant(3, BITS + 1)], "A")
        second = words.node("add", BITS + 1, (first, constant(1, BITS + 1)), name="A + 1")
        mids.append([words.slice(value, BITS, 1) for value in (first, words.whole(second))])
    (low, high), (zero, one) = mids
    node = words.choose(words.choose(c, low, high, "lower"), zero, one, "upper")[0][0]
    assert len(node.args) == 5
    facts = Facts({})
    poly = facts.fact(node).poly
    assert poly.shift == 2 * BITS
    for x, y, bit in product(range(1 << BITS), range(1 << BITS), (0, 1)):
        values = {"a": x, "b": y, "c": bit}
        assert evaluate(facts, poly, values) == y + 3 + (x + 3 + bit >> BITS) >> BITS


@pytest.mark.parametrize(
    ("table", "into"),
    [(MAJORITY, 0b10), (CARRY_OUT, 0b10), (0xCA, 0b10), (0xAC, 0b01), (0xF0, None), (0x88, 0), (0xC6, None)],
)
def test_the_carry_into_a_choice_of_carries(table, into):
    """Leaf 0 is the carry of A, leaf 1 that of A + 1."""
    assert carry_into(table, 3, 0, 1) == into


def test_a_choice_among_other_words_is_no_sum():
    words, facts, first, _, c, _ = selected(BOTH)
    second = words.node("add", BITS + 2, (first, constant(2, BITS + 2)), name="A + 2")
    node = words.choose(c, first, words.whole(second), "sum")[0][0]
    poly = facts.fact(node).poly
    assert node not in facts.carried
    for x, y, bit in product(range(1 << BITS), range(1 << BITS), (0, 1)):
        assert evaluate(facts, poly, {"a": x, "b": y, "c": bit}) == x + y + 2 * bit


def test_words_in_place_of_their_products_give_an_interval_that_holds():
    words, facts = Words(), Facts({})
    x, y = inputs(words, x=4, y=4)
    wide = [words.extend(one, 8, signed=False) for one in (x, y)]
    node = words.arithmetic("add", [words.arithmetic("mul", wide, "product"), wide[1]], "sum")[0][0]
    form = (facts.fact(node).poly - facts.cut(node, 4)).scaled(-3)
    loose = facts.ends(form)
    facts.keep_word(node, 8, facts.fact(node).poly, 0, 240)
    low, high = facts.ends(form)
    found = [evaluate(facts, form, {"x": a, "y": b}) for a, b in product(range(16), repeat=2)]
    assert loose[0] <= low <= min(found)
    assert max(found) <= high < loose[1]


# --- limbs that are added at once

LIMBS = (1, 2, 2)
"""Bits of three limbs."""


def added_at_once(words, passing):
    """Sum of two words of three limbs: of each limb the sum, and flags of a carry with and without one into it."""
    pairs = [inputs(words, **{f"a{g}": bits, f"b{g}": bits}) for g, bits in enumerate(LIMBS)]
    sums = [
        words.arithmetic("add", [words.extend(word, bits + 1, signed=False) for word in pair], "limb")
        for pair, bits in zip(pairs, LIMBS, strict=True)
    ]
    made = [words.slice(total, bits, 1) for total, bits in zip(sums, LIMBS, strict=True)]
    passes = [
        words.bitwise(EITHER, [flag, passing(words, *pair)], "passes") for flag, pair in zip(made, pairs, strict=True)
    ]
    row, other = words.join([p for flag in made for p in flag]), words.join([p for flag in passes for p in flag])
    both = words.arithmetic("add", [row, other], "flags")
    into = words.bitwise(XOR, [words.bitwise(XOR, [both, row], "into"), other], "into")
    limbs = []
    for g, (total, bits) in enumerate(zip(sums, LIMBS, strict=True)):
        carry = words.extend(words.slice(into, g, 1), bits + 1, signed=False)
        limb = words.extend(words.slice(total, 0, bits), bits + 1, signed=False)
        limbs += words.slice(words.arithmetic("add", [limb, carry], "limb"), 0, bits)
    return words.join(limbs)


def all_ones(words, a, b):
    """Whether two words differ in every bit."""
    return words.invert(words.nonzero(words.invert(words.bitwise(XOR, [a, b], "ones"), "ones"), "ones"), "ones")


def lowest_one(words, a, b):
    """Whether two words differ in the lowest bit."""
    return words.slice(words.bitwise(XOR, [a, b], "ones"), 0, 1)


def test_limbs_that_are_added_at_once_are_the_sum():
    words = Words()
    found = added_at_once(words, all_ones)
    assert len(words.sums) == 1
    for given in product(*(range(1 << bits) for bits in LIMBS), repeat=2):
        values, parts = {}, ([], [])
        for place, part in enumerate(given):
            values[f"{'ab'[place // 3]}{place % 3}"] = part
            parts[place // 3].append(part)
        a, b = (part[0] + 2 * part[1] + 8 * part[2] for part in parts)
        assert number(found, values) == (a + b) % 32


def test_limbs_with_a_flag_that_is_another_are_no_sum():
    words = Words()
    added_at_once(words, lowest_one)
    assert words.sums == {}


# --- limbs of a number


def added_in_limbs():
    """a + b of 6 bits each in limbs of 3, without the carry out of the upper one; and the facts."""
    words = Words()
    a, b = inputs(words, a=6, b=6)
    low = words.arithmetic("add", [words.extend(words.slice(one, 0, 3), 4, signed=False) for one in (a, b)], "low")
    upper = [words.extend(words.slice(one, 3, 3), 5, signed=False) for one in (a, b)]
    carry = words.extend(words.slice(low, 3, 1), 5, signed=False)
    high = words.arithmetic("add", [words.arithmetic("add", upper, "both"), carry], "high")
    facts = Facts({}, words.within)
    total = facts.reading(a).poly + facts.reading(b).poly
    return facts, facts.reading(words.join([*words.slice(low, 0, 3), *words.slice(high, 0, 3)])).poly, total


def test_limbs_are_the_number_that_a_test_speaks_of():
    facts, limbs, total_of_both = added_in_limbs()
    found = facts.congruent_to_one(limbs, 6, [(total_of_both - number_poly(9), -9, 50)])
    assert (found.low, found.high) == (0, 59)
    for a, b in product(range(64), repeat=2):
        values = {"a": a, "b": b}
        assert evaluate(facts, limbs, values) == (a + b) % 64 == evaluate(facts, found.poly, values) % 64


@pytest.mark.parametrize(
    ("size", "factor", "high"), [(6, 1, 64), (7, 1, 63), (6, 2, 63)], ids=["range", "bits", "number"]
)
def test_limbs_are_no_number_whose_upper_bits_differ(size, factor, high):
    """Its range reaches the next multiple of 2^6; the limbs have no bit above; it is not congruent to them."""
    facts, limbs, total_of_both = added_in_limbs()
    assert facts.congruent_to_one(limbs, size, [(total_of_both.scaled(factor), 0, high)]) is None


@pytest.mark.parametrize("k", range(3, 9))
def test_a_sum_of_limbs_is_congruent_to_the_number_that_is_found(k):
    """A multiple of 2^k times the highest limb of x·y is not added for a smaller power."""
    words = Words()
    x, y = (words.extend(one, 6, signed=False) for one in inputs(words, x=3, y=3))
    ((node, _, _),) = words.arithmetic("mul", [x, y], "x·y")
    facts = Facts({}, words.within)
    whole, low = facts.fact(node).poly, facts.cut(node, 3)
    high = (whole - low).scaled(1, 3)
    facts.tops[high] = lead_of(high)
    form = low + high.scaled(8 - 64)
    found = facts.near(form, k)
    assert k != 6 or found == (whole, False)
    for a, b in product(range(8), repeat=2) if found else ():
        values = {"x": a, "y": b}
        assert (evaluate(facts, found[0], values) - evaluate(facts, form, values)) % (1 << k) == 0
