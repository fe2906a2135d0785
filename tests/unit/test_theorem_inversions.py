# SPDX-License-Identifier: Apache-2.0
"""The theorem of inverters by divsteps: proved, not for other claims; each rule refuses what a weaker one accepts."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import pytest

from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.engines.divsteps import steps_for
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import NOT_PROVED, PROVED, REFUTED, prove_verilog
from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.inversions import leaving
from modwright.prove.theorem.inversions.claim import InversionClaim
from modwright.prove.theorem.inversions.forms import Forms, Sums
from modwright.prove.theorem.inversions.frames import known
from modwright.prove.theorem.inversions.prove import (
    Course,
    check_last,
    check_ranges,
    course_of,
    decide_inversion,
    prove_operations,
)
from modwright.prove.theorem.inversions.ranges import after_halvings, stays
from modwright.prove.theorem.inversions.steps import Modulus
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of
from modwright.prove.theorem.pieces import constant
from modwright.prove.theorem.poly import number

from .inversion_bugs import KINDS
from .small_inversions import MODULUS, SLICES, claim, netlist, operation, small

M = int(MODULUS, 16)
XOR, AND = 0x6, 0x8


def decided(wanted=None, modulus=MODULUS, slices=SLICES):
    run, storage = operation(modulus, slices)
    decide_inversion(run, wanted or claim(modulus, slices), storage)
    return run


def modulus_of(value=M):
    return Modulus(constant(value, value.bit_length()), number(value))


# --- the theorem


def test_an_inverter_in_slices_is_proved():
    found = prove_verilog(small(), core_verilog(small()))
    assert (found.status, found.detail) == (PROVED, "")
    assert "a·z ≡ 1 (mod m), z < m, error = 0" in found.statement
    assert "Assumed, not proved: the published theorem that g = 0 after 12 of these" in found.statement
    assert "DIVSTEP_ENDTOEND_BITS_SIMPLE" in found.statement


@pytest.mark.parametrize(
    ("modulus", "slices"),
    [("1009", 1), *(pytest.param(*one, marks=pytest.mark.campaign) for one in (("1009", 3), ("315", 2), ("3", 1)))],
)
def test_operations_of_other_inverters_are_decided(modulus, slices):
    """With other slices, a modulus that is no prime, and the least one."""
    run = decided(modulus=modulus, slices=slices)
    assert run.steps >= steps_for(int(modulus).bit_length())


@pytest.mark.campaign
@pytest.mark.parametrize("slices", [4, 1])
def test_an_inverter_of_256_bits_is_decided(slices):
    decided(modulus="P-256", slices=slices)


WRONG = {
    "another modulus": (lambda c: replace(c, modulus=27), "another number"),
    "a limit that is not compared": (lambda c: replace(c, codes={"operand": 3, "inverse": 2}), "error code"),
    "another operand": (lambda c: replace(c, operand="b"), "ports"),
    "another result": (lambda c: replace(c, result="x"), "ports"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_another_claim_is_not_decided(wrong):
    change, reason = WRONG[wrong]
    with pytest.raises(UndecidedError, match=reason):
        decided(change(claim()))


def test_fewer_divsteps_than_the_published_bound_are_not_enough(monkeypatch):
    """The netlist takes more steps, but the word of f that leaves is read as soon as the bound is reached."""
    assert claim().divsteps == steps_for(M.bit_length()) == 12
    monkeypatch.setattr(InversionClaim, "divsteps", 13)
    with pytest.raises(UndecidedError, match="divsteps are due before"):
        decided()


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("modinv/binary-divstep", {"steps": 2, "slices": 1}, "f is another word"),
        ("modinv/binary-divstep-rt", {"bits": 5}, "a modulus among the operands"),
    ],
)
def test_other_inverters_are_not_proved(name, options, reason):
    core = find(name)
    given = {} if name.endswith("-rt") else {"modulus": MODULUS}
    one = prepare(core, Request.make(core, target="generic", options=options, **given))
    found = prove_verilog(one, core_verilog(one), search=False)
    assert found.status == NOT_PROVED
    assert reason in found.detail


# --- words as linear forms


@pytest.fixture
def words():
    return Sums()


def word(words, name, bits):
    return words.whole(words.node("input", bits, name=name))


def test_a_sum_without_its_carry_is_congruent_and_not_equal(words):
    x, y = word(words, "x", 4), word(words, "y", 4)
    forms, total = Forms(words), words.arithmetic("add", [x, y], "sum")
    exact = forms.of(x) + forms.of(y)
    assert forms.congruent(total, exact, 4)
    assert not forms.congruent(total, exact, 5)


def test_a_sum_that_fits_is_equal(words):
    x, y = (words.extend(word(words, name, 4), 5, signed=False) for name in "xy")
    forms = Forms(words)
    total = words.arithmetic("add", [x, y], "sum")
    assert forms.congruent(total, forms.of(x) + forms.of(y), 64)


def test_a_row_of_adders_is_its_sum_and_no_half_of_it_is(words):
    x, y = word(words, "x", 4), word(words, "y", 4)
    forms = Forms(words)
    parity, both = (forms.of(words.bitwise(table, [x, y], "gate")) for table in (XOR, AND))
    assert forms.residue(parity + both.scaled(2) - forms.of(x) - forms.of(y), 64) == 0
    assert forms.residue(parity + both - forms.of(x) - forms.of(y), 1) is None
    assert forms.residue(parity - forms.of(x) - forms.of(y), 1) == 0
    assert forms.residue(parity - forms.of(x) - forms.of(y), 2) is None


def test_slices_of_a_sum_add_up_only_with_the_carry_between_them(words):
    x, y = word(words, "x", 8), word(words, "y", 8)
    forms = Forms(words)

    def part(low, carry):
        terms = [words.slice(value, low, 4) for value in (x, y)]
        terms = [words.join([*constant(0, 0), *carry, *term, *constant(0, 1)]) for term in terms]
        return words.arithmetic("add", terms, f"sum {low}")

    below = part(0, constant(0, 1))
    whole = forms.of(x) + forms.of(y)
    for carry, congruent in ((words.slice(below, 5, 1), True), (constant(0, 1), False)):
        above = part(4, carry)
        total = words.join([*words.slice(below, 1, 4), *words.slice(above, 1, 4)])
        assert forms.congruent(total, whole, 8) == congruent


def test_a_word_with_an_unknown_part_has_no_form(words):
    x = words.join([*word(words, "x", 4), *words.unknown("of another operation", 1)])
    with pytest.raises(UndecidedError, match="of another operation"):
        Forms(words).of(x)
    with pytest.raises(UndecidedError, match="of another operation"):
        known([x])


# --- ranges


def states_of(m, age, steps):
    """All d, e and signs that steps reach with any choice, from d = 0, e = 1."""
    states = {(0, 1, (False,) * (age + 1))}
    for _ in range(steps):
        states = {after for state in states for after in followers(m, age, state, ((0, 0), (1, 0), (1, 1)))}
        yield states


def followers(m, age, state, choices):
    d, e, signs = state
    for odd, swap in choices:
        total = e + (-d if swap else odd * d)
        if total % 2:
            total += m if signs[age] else -m
        yield (e if swap else d), total // 2, (total // 2 < 0, *signs[:age])


@pytest.mark.parametrize(("age", "m"), [(0, 7), (1, 5), (2, 5)])
def test_cofactors_stay_in_their_range_and_reach_much_of_it(age, m):
    bound = Fraction((2 << age) - 1)
    most = max(max(abs(d), abs(e)) for states in states_of(m, age, 14) for d, e, _ in states)
    assert bound * m / 4 < most <= bound * m
    assert stays(bound, age)
    assert not stays(bound - Fraction(1, 100), age)


@pytest.mark.parametrize(("age", "m"), [(0, 7), (1, 5), (2, 3)])
def test_halvings_keep_their_bound(age, m):
    (*_, states) = states_of(m, age, 10)
    bound = Fraction((2 << age) - 1)
    for count in range(9):
        assert max(abs(e) for _, e, _ in states) <= after_halvings(bound, age, count) * m
        states = {after for state in states for after in followers(m, age, state, ((0, 0),))}
    assert after_halvings(bound, age, 0) == bound
    assert after_halvings(bound, age, 2 * age + 4) < 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"first": 4}, "the first e"),
        ({"course": Course(14, 2)}, "the first e"),
        ({"course": Course(14, 3)}, "d and e"),
        ({"m": 2 * M + 1}, "f and g"),
        ({"divsteps": 16}, "D"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(change, reason):
    run, _ = operation()
    course = course_of(run, claim().divsteps, modulus_of())
    first = pow(2, run.steps - course.last, M)
    right = {"run": run, "m": M, "first": first, "divsteps": claim().divsteps, "course": course}
    check_ranges(**right)
    with pytest.raises(UndecidedError, match=reason):
        check_ranges(**right | change)


def test_the_sign_of_f_is_not_used_before_it_is_settled():
    run, _ = operation()
    last = course_of(run, claim().divsteps, modulus_of()).last
    check_last(run, last, last - run.layout.top, modulus_of())
    with pytest.raises(UndecidedError, match="are due before"):
        check_last(run, last, last - run.layout.top + 1, modulus_of())
    with pytest.raises(UndecidedError, match="does not take ±d"):
        check_last(run, last - 1, claim().divsteps - 2, modulus_of())


# --- the flag that f is 1 or -1


def flag_of(run, f, low, high):
    """The flag that all bits of a part of f are 0, or all are 1."""
    words, part = run.words, run.words.slice(f, low, high - low)
    zero, ones = (words.invert(words.nonzero(value, "flag"), "flag") for value in (part, words.invert(part, "f")))
    return words.bitwise(0xE, [zero, ones], "flag")


def test_a_flag_that_leaves_out_a_bit_of_f_is_refused():
    run, _ = operation()
    bits = run.layout.width("f")
    f = run.word("f", bits, lowest=1)
    assert leaving._is_zero_for_others(run, flag_of(run, f, 1, bits), f)
    assert not leaving._is_zero_for_others(run, flag_of(run, f, 2, bits), f)
    assert not leaving._is_zero_for_others(run, flag_of(run, f, 1, bits - 1), f)
    assert not leaving._is_zero_for_others(run, constant(1, 1), f)


# --- bugs


def test_a_step_that_needs_a_word_from_before_is_not_the_same_as_others():
    """Without the second slice of f in the state, the step is a function of what was there before it."""
    run, _ = operation()
    state, missing = run.state(), run.layout.words["f"][-1]
    at = {place: value for place, value in state.at.items() if place != (missing.register, missing.behind)}
    for given, same in ((state, True), (replace(state, at=at), False)):
        third, fourth = (run.at(run.before(given, step), "g", step + 1) for step in (3, 4))
        assert (third == fourth) == same


QUICK = ("carry that is lost", "sign of no word", "flag without a slice", "counter that stays", "sum for difference")


@pytest.mark.parametrize("kind", QUICK)
def test_no_claim_of_a_netlist_with_a_bug_is_decided(kind):
    """The first place of a kind; all kinds and places are campaigns."""
    (module,) = islice(KINDS[kind](dict(netlist().module)), 1)
    changed = netlist_of(module)
    with pytest.raises((UndecidedError, UnsupportedError)):
        prove_operations(changed, claim(), small().schedule.latency)


def test_a_wrong_constant_is_refuted_with_operands():
    text = core_verilog(small())
    changed = text.replace("4'hd", "4'hf")
    assert text != changed
    found = prove_verilog(small(), changed)
    assert found.status == REFUTED
    assert found.operands.keys() == {"a"}
