# SPDX-License-Identifier: Apache-2.0
"""Words and polynomials of a theorem, and what is known of them in a case."""

from functools import reduce
from itertools import product
from math import prod
from operator import and_

import pytest

from modwright.prove.theorem.comparisons import compared
from modwright.prove.theorem.facts import Facts
from modwright.prove.theorem.pieces import constant, number_of, width_of
from modwright.prove.theorem.poly import ONE, Poly, Ring, number
from modwright.prove.theorem.words import Words

# --- polynomials and words


def test_a_bit_is_its_own_square():
    ring = Ring()
    bit, word = ring.atom("b", 0, 1), ring.atom("w", 0, 15)
    assert ring.times(bit, bit) == bit
    assert ring.times(word, word) != word
    assert ring.interval(ring.times(bit, word) - word) == (-15, 15)


def test_polynomials_are_in_lowest_terms():
    ring = Ring()
    word = ring.atom("w", 0, 255)
    half = word.scaled(2, 2)
    assert (half.terms, half.shift) == ({(0,): 1}, 1)
    assert half + half == word
    assert word - word == Poly()
    assert (ONE + number(-1)).constant == 0


def test_slices_of_a_value_are_what_was_put_there():
    words = Words()
    x, y = (words.whole(words.node("input", 8, name=name)) for name in "xy")
    both = words.join([*x, *constant(5, 3), *y])
    assert words.slice(both, 0, 8) == x
    assert words.slice(both, 11, 8) == y
    assert number_of(words.slice(both, 8, 3)) == 5
    assert words.join([*words.slice(both, 0, 4), *words.slice(both, 4, 4)]) == x
    assert width_of(both) == 19


@pytest.mark.parametrize("table", range(0, 256, 7))
def test_a_function_of_words_is_a_sum_of_conjunctions(table):
    """Of every third word of four bits each, the polynomial has the value of the function."""
    words, facts = Words(), Facts({})
    leaves = [words.whole(words.node("input", 4, name=name)) for name in "abc"]
    value = words.bitwise(table, leaves, "f")
    poly = facts.reading(value).poly
    for given in product(range(0, 16, 3), repeat=3):
        values = {k: given["abc".index(atom.name)] for k, atom in enumerate(facts.ring.atoms) if atom.name in "abc"}
        for atom, parts in facts.conjunctions.items():
            values[atom] = reduce(and_, (evaluated(part, values) for part in parts))
        due = sum((table >> sum((x >> k & 1) << n for n, x in enumerate(given)) & 1) << k for k in range(4))
        assert evaluated(poly, values) == due


def evaluated(poly, values):
    """The value of a polynomial with integer coefficients."""
    return sum(value * prod(values[atom] for atom in monomial) for monomial, value in poly.items())


def test_functions_of_bits_are_found_equal():
    words = Words()
    x, y = (words.whole(words.node("input", 4, name=name)) for name in "xy")
    no = words.invert(words.bitwise(0x8, [x, y], ""), "")
    assert no == words.bitwise(0xE, [words.invert(x, ""), words.invert(y, "")], "")
    assert number_of(words.bitwise(0x6, [x, x], "")) == 0
    assert number_of(words.bitwise(0x8, [words.unknown("?", 4), constant(0, 4)], "")) == 0


# --- comparisons, and what tests say


def segments_of(words, source, limit):
    """The tests of two segments of an input of six bits against those of a limit: above, and different."""
    whole = words.whole(source)
    found = {}
    for name, low, bits in (("low", 0, 2), ("high", 2, 4)):
        part, number = words.slice(whole, low, bits), constant(limit >> low & ((1 << bits) - 1), bits)
        found[name] = words.test("less", [number, part], "above")
        found[name, "other"] = words.nonzero(words.bitwise(0x6, [part, number], "x"), "other")
    return found


def value_of(value, given):
    """The value of words made of inputs, tests and bitwise functions."""
    total = at = 0
    for node, low, bits in value:
        one = low if node is None else node_value(node, given) >> low & ((1 << bits) - 1)
        total, at = total | one << at, at + bits
    return total


def node_value(node, given):
    if node.op == "input":
        return given[node.name]
    args = [value_of(arg, given) for arg in node.args]
    if node.op == "less":
        return int(args[0] < args[1])
    if node.op == "nonzero":
        return int(args[0] != 0)
    assert node.op == "bitwise"
    columns = (sum((arg >> k & 1) << n for n, arg in enumerate(args)) for k in range(node.width))
    return sum((node.table >> row & 1) << k for k, row in enumerate(columns))


@pytest.mark.parametrize("limit", [high << 2 | low for high in (1, 3, 6, 7, 8, 9, 12, 14) for low in (0, 1, 2)])
def test_segments_that_are_compared_are_one_comparison_of_the_whole(limit):
    """With every value of x, and some of another input y; a limit of alternating bits is not tested as a word."""
    words = Words()
    inputs = {name: words.node("input", 6, name=name) for name in "xy"}
    bits = []
    for source in inputs.values():
        test = segments_of(words, source, limit)
        equal = words.invert(test["high", "other"], "=")
        bits.append(words.bitwise(0xE, [test["high"], words.bitwise(0x8, [equal, test["low"]], "&")], "|"))
    both = words.bitwise(0xE, bits, "either")
    for value, names in ((bits[0], "x"), (both, "xy")):
        found = compared(value[0][0])
        assert [source.name for source in found.limits] == list(names)
        for x, y in product(range(64), range(0, 64, 5)):
            given = {"x": x, "y": y}
            row = sum((given[source.name] > most) << k for k, (source, most) in enumerate(found.limits.items()))
            assert found.table >> row & 1 == value_of(value, given)


def test_segments_in_the_wrong_order_are_no_comparison():
    words = Words()
    test = segments_of(words, words.node("input", 6, name="x"), 0b010101)
    equal = words.invert(test["low", "other"], "=")
    wrong = words.bitwise(0xE, [test["low"], words.bitwise(0x8, [equal, test["high"]], "&")], "|")
    assert compared(wrong[0][0]) is None


@pytest.mark.parametrize("sign", [1, -1])
def test_a_floor_is_negative_where_the_word_is(sign):
    """Of ±floor(w / 4) + c for all w of six bits: the polynomial without a floor is negative where it is."""
    words, facts = Words(), Facts({})
    node = words.node("input", 6, name="w")
    whole, low = facts.fact(node).poly, facts.cut(node, 2)
    for c in range(-17, 18):
        floor = (whole - low).scaled(sign, 2) + number(c)
        found = facts.without_floor(floor)
        assert found.integral
        assert low.atoms.isdisjoint(found.atoms)
        for w in range(64):
            values = {next(iter(whole.atoms)): w}
            assert (evaluated(found, values) < 0) == (sign * (w // 4) + c < 0)


def test_a_case_speaks_of_one_test_at_a_place():
    """Two tests may come up at one node; the value of the one says nothing of the other."""
    node = Words().node("input", 6, name="w")
    given = Facts({("negative", node): 1})
    of = given.fact(node).poly
    first, second = (given.test("negative", of - number(limit), node, "") for limit in (5, 9))
    assert (first.constant, second.constant) == (1, None)


def test_a_congruence_has_the_cuts_of_a_sum_in_parts():
    """A product in two tiles is one word with one set of cuts, also where bits above some of it are added."""
    words = Words()
    x, y, z = (words.whole(words.node("input", n, name=name)) for n, name in ((16, "x"), (8, "y"), (12, "z")))
    low, high = (
        words.arithmetic("mul", [words.extend(part, 16, signed=False) for part in (words.slice(x, at, 8), y)], "tile@0")
        for at in (0, 8)
    )
    tiles = [words.extend(low, 24, signed=False), words.join([*constant(0, 8), *high])]
    upper = words.slice(words.arithmetic("add", tiles, "product@0"), 12, 12)
    ((total, _, _),) = words.arithmetic("add", [upper, z], "sum@1")
    facts = Facts({}, words.within)
    assert facts.congruence(total, 12) == facts.reading(upper).poly + facts.reading(z).poly
