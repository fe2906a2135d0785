# SPDX-License-Identifier: Apache-2.0
"""Rules of numbers in carry-save form: rows of adders, words that few bits choose, quotient digits; and lies about
them."""

import copy
from itertools import product

import pytest

from modwright.checker import check as checker
from modwright.checker.netlist import RefusedError
from modwright.deliver.verilog import core_verilog
from modwright.prove.theorem.adders import adders_of
from modwright.prove.theorem.choices import Choices
from modwright.prove.theorem.decide import UndecidedError, decide
from modwright.prove.theorem.facts import Facts
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of
from modwright.prove.theorem.pieces import constant
from modwright.prove.theorem.poly import Poly
from modwright.prove.theorem.refute import find_failure
from modwright.prove.theorem.rows import Digit
from modwright.prove.theorem.words import Words

from .planted_bugs import KINDS
from .small_theorems import claim, log, operation, small, small_netlist
from .small_theorems import read_once as read_once

AND, OR, XOR = 0x8, 0xE, 0x6
WIDTH = 8


def word_of(words, name, bits=WIDTH):
    return words.whole(words.node("input", bits, name=name))


def full_adder(words, a, b, c, last=None):
    """Total and carry word of three words; `last` stands for c in the carry word."""
    half = words.bitwise(XOR, [a, b], "half")
    total = words.bitwise(XOR, [half, c], "total")
    passed = words.bitwise(AND, [half, last or c], "passed")
    return total, words.bitwise(OR, [words.bitwise(AND, [a, b], "both"), passed], "carry")


# --- adders


def test_the_total_and_twice_the_carry_are_the_sum():
    words = Words()
    a, b, c = (word_of(words, name) for name in "abc")
    total, carry = full_adder(words, a, b, c)
    facts = Facts({})
    found = adders_of(words.gates)
    facts.rows(found, Choices(words, found))
    summed = facts.reading(total).poly + facts.reading(carry).poly.scaled(2)
    assert summed == facts.reading(a).poly + facts.reading(b).poly + facts.reading(c).poly
    assert len(facts.reading(carry).poly.terms) == 4


def test_another_carry_word_is_no_adder():
    words = Words()
    a, b, c, d = (word_of(words, name) for name in "abcd")
    total, carry = full_adder(words, a, b, c, last=d)
    found = adders_of(words.gates)
    assert carry[0][0] not in found
    facts = Facts({})
    facts.rows(found, Choices(words, found))
    summed = facts.reading(total).poly + facts.reading(carry).poly.scaled(2)
    assert summed != facts.reading(a).poly + facts.reading(b).poly + facts.reading(c).poly


# --- choices


def booth_row(words, x, y):
    """A row of radix 4: 0, Y or 2Y by the two lowest bits of x, and its complement by the third."""
    bits = [words.slice(x, k, 1) for k in range(3)]
    one = words.bitwise(XOR, bits[:2], "one")
    two = words.bitwise(0x18, bits, "two")  # 1 at 3 and at 4
    zero = constant(0, WIDTH)
    rows = [words.choose(one, zero, y, "one_row"), words.choose(two, zero, shifted(words, y), "two_row")]
    row = words.bitwise(OR, rows, "row")
    return words.bitwise(XOR, [row, words.repeat(bits[2], WIDTH)], "signed")


def shifted(words, value):
    return words.slice(words.join([*constant(0, 1), *value]), 0, WIDTH)


def test_a_word_that_bits_choose_has_its_value_for_each_of_them():
    words = Words()
    x, y = word_of(words, "x", 3), word_of(words, "y", WIDTH - 2)
    y = words.extend(y, WIDTH, signed=False)
    row = booth_row(words, x, y)
    facts = Facts({})
    facts.rows({}, Choices(words, {}))
    poly = facts.chosen(row)
    for at, value in product(range(8), (0, 1, 37, 63)):
        digit = (at & 1) + (at >> 1 & 1) - 2 * (at >> 2)
        due = digit * value - (at >> 2) & (1 << WIDTH) - 1
        assert value_of(facts, poly, {"x": at, "y": value}) == due


def value_of(facts, poly, inputs):
    """A polynomial where inputs have values; digits and cuts by their definitions."""

    def atom(number):
        origin = facts.origins[number]
        if origin[0] == "digit":
            bits, table = facts.tables[number]
            return table[sum(value_of(facts, bit, inputs) << k for k, bit in enumerate(bits))]
        value = inputs[origin[1].name]
        return value % (1 << origin[2]) if origin[0] == "cut" else value

    total = 0
    for monomial, factor in poly.items():
        for number in monomial:
            factor *= atom(number)
        total += factor
    assert not total % (1 << poly.shift)
    return total >> poly.shift


# --- quotient digits


@pytest.mark.parametrize(("table", "right"), [((0, 1, 2, -1, 0, -1, 2, 1), True), ((0, 1, 2, -1, 0, -1, 2, -1), False)])
def test_a_quotient_digit_is_tried_for_all_of_its_bits(table, right):
    """q of {-1, 0, 1, 2} for the two lowest bits of a sum and the second one of an odd modulus."""
    words = Words()
    row, m = word_of(words, "row"), word_of(words, "m")
    node, modulus = row[0][0], m[0][0]
    facts = Facts({("cut", modulus, 1): 1})
    facts.rows({}, Choices(words, {}))
    (of_m,) = facts.fact(modulus).poly.atoms
    facts.cut(modulus, 1)
    atom = facts.ring.atom("q", -1, 2)
    (number,) = atom.atoms
    # the wrong one for S = 1 and M = 3 modulo 4 comes first
    ordered = (0, -1, 2, 1, 0, 1, 2, -1) if right else table
    facts.digits[number] = Digit(((node, 0), (node, 1), (modulus, 1)), ordered)
    form = Poly({(number, of_m): 1}) + facts.ring.atom("rest", 0, 1)
    left = facts._without(form, node, 2)
    assert (left is not None) == right
    if left is not None:
        assert len(left.terms) == 1


# --- bugs and lies


QUICK = ["lost carry", "lost top bit", "or for and", "and for or", "choice the wrong way", "shift off by one"]


@pytest.mark.parametrize("bug", QUICK)
def test_no_bug_of_a_carry_save_core_is_decided(bug):
    """A variant whose claim is decided all the same gives the right results."""
    one = small("modmul/csa-high-radix")
    kinds = list(KINDS[bug](dict(small_netlist("modmul/csa-high-radix").module)))
    for module in kinds[-2:]:
        netlist = netlist_of(module)
        try:
            decide(claim(one), operation(one, netlist))
        except (UndecidedError, UnsupportedError):
            continue
        assert find_failure(netlist, claim(one), one.schedule.latency, 0.3) == ({}, "")


LIES = {
    "another entry of a digit": lambda atoms: atoms["table"][-1][5].reverse(),
    "a conjunction for a parity": lambda atoms: atoms["xor"][-1].__setitem__(3, "and"),
    "one word alone in a parity": lambda atoms: atoms["xor"][-1].__delitem__(slice(4, 6)),
    "a digit of other bits": lambda atoms: atoms["table"][-1][4].reverse(),
    "a digit with a smaller interval": lambda atoms: atoms["table"][-1].__setitem__(2, "0x0"),
}


NEW = ("table", "xor")
"""Kinds of atoms of rows and digits."""


def reached(changed):
    """Atoms of which the result is made, by their definitions."""
    found, queue = set(), [changed["z"]]
    while queue:
        for _, monomial in queue.pop()[1]:
            for atom in set(monomial) - found:
                found.add(atom)
                _, _, _, kind, *rest = changed["atoms"][atom]
                polys = rest[0] if kind == "table" else rest
                queue += [poly for poly in polys if isinstance(poly, list)]
    return found


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_about_rows_and_digits_is_refused(lie, tmp_path):
    changed = copy.deepcopy(log("modmul/csa-high-radix"))
    used = reached(changed)
    atoms = {kind: [atom for n, atom in enumerate(changed["atoms"]) if n in used and atom[3] == kind] for kind in NEW}
    LIES[lie](atoms)
    path = tmp_path / "core.v"
    path.write_text(core_verilog(small("modmul/csa-high-radix")), encoding="utf-8")
    with pytest.raises(RefusedError):
        checker.check(changed, path, operations=30)
