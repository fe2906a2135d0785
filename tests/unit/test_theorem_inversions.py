# SPDX-License-Identifier: Apache-2.0
"""The theorem of inverters by divsteps: proved, not for other claims; each rule refuses what a weaker one accepts."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import islice

import pytest

from modwright.contract.roles import Montgomery
from modwright.deliver.verilog import core_verilog
from modwright.engines.divsteps import steps_for
from modwright.prove.theorem import NOT_PROVED, PROVED, REFUTED, prove_verilog, stated
from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.inversions import prove
from modwright.prove.theorem.inversions.claim import InversionClaim, claim_of_inversion
from modwright.prove.theorem.inversions.forms import Forms, Sums
from modwright.prove.theorem.inversions.frames import known
from modwright.prove.theorem.inversions.moduli import is_zero_where, modulus_of
from modwright.prove.theorem.inversions.prove import (
    Course,
    check_last,
    check_ranges,
    course_of,
    decide_inversion,
    prove_operations,
    run_of,
)
from modwright.prove.theorem.inversions.ranges import after_halvings, reach
from modwright.prove.theorem.netlist import UnsupportedError
from modwright.prove.theorem.netlist import netlist_of as read_netlist
from modwright.prove.theorem.pieces import constant
from modwright.prove.theorem.theorem import find_storage

from .inversion_bugs import KINDS, registers
from .planted_bugs import changed
from .small_inversions import FIXED, HELD, MODULUS, claim, netlist, netlist_of, operation, prepared, small

M = int(MODULUS, 16)
XOR, AND = 0x6, 0x8


def decided(wanted=None, name=FIXED):
    run, storage = operation(name)
    decide_inversion(run, wanted or claim(name), storage)
    return run


def decided_core(one):
    storage = find_storage(netlist_of(one), one.schedule.latency)
    run = run_of(netlist_of(one), storage)
    decide_inversion(run, stated(one), storage)
    return run


@cache
def steps_of_the_small():
    """An operation, and its steps."""
    run, _ = operation()
    return run, course_of(run, claim().divsteps, modulus_word())


def modulus_word(value=M):
    return constant(value, value.bit_length())


@pytest.fixture
def words():
    return Sums()


def word(words, name, bits):
    return words.whole(words.node("input", bits, name=name))


# --- the theorem


def test_an_inverter_in_slices_is_proved():
    found = prove_verilog(small(), core_verilog(small()))
    assert (found.status, found.detail) == (PROVED, "")
    assert "a·z ≡ 1 (mod m), z < m, error = 0" in found.statement
    assert "Assumed, not proved: the published theorem that g = 0 after 12 of these" in found.statement
    assert "DIVSTEP_ENDTOEND_BITS_SIMPLE" in found.statement


def test_an_inverter_for_every_modulus_is_decided():
    decided(name=HELD)
    assert "for every odd m from 3 on: where a < 2·m and gcd(a, m) = 1, a·z ≡ 1 (mod m)" in claim(HELD).statement
    assert "error is 1 for any other m, else 2 where a is not below its limit, else 3" in claim(HELD).statement


OTHERS = (
    (FIXED, "1009", {"slices": 1}),
    (FIXED, "1009", {"slices": 3}),
    (FIXED, "315", {"slices": 2}),
    (FIXED, "3", {"slices": 1}),
    (FIXED, "P-256", {"slices": 1}),
    (FIXED, "P-256", {}),
    (HELD, None, {"bits": 10, "slices": 1}),
    (HELD, None, {"bits": 256}),
)
"""Other slices, a modulus that is no prime, the least one, and whole operands."""


@pytest.mark.parametrize(
    ("name", "modulus", "options"), [pytest.param(*one, marks=pytest.mark.campaign) for one in OTHERS]
)
def test_operations_of_other_inverters_are_decided(name, modulus, options):
    run = decided_core(prepared(name, modulus, **options))
    assert run.steps >= steps_for(run.layout.width("f") - 1)


WRONG = {
    "another modulus": (lambda c: replace(c, modulus=27), "another number"),
    "a modulus that is no operand": (lambda c: replace(c, modulus="m"), "no word modulus"),
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


def test_several_divsteps_in_a_cycle_are_not_proved():
    one = prepared(FIXED, MODULUS, steps=2)
    found = prove_verilog(one, core_verilog(one), search=False)
    assert (found.status, found.detail) == (NOT_PROVED, "f is another word after step 0 with odd = 0, swap = 0")


def test_another_latency_is_not_proved():
    with pytest.raises(UndecidedError, match="are stated"):
        prove_operations(netlist(), claim(), small().schedule.latency + 1)


def test_control_after_the_result_is_not_assumed(monkeypatch):
    """The monitor of the streams follows an operation up to its result: a later property would hold of nothing."""
    monkeypatch.setattr(prove, "assumed_in", lambda _: {find_storage(netlist()).ready + 1: [(0, 0, 0)]})
    with pytest.raises(UndecidedError, match="after the result"):
        prove_operations(netlist(), claim(), small().schedule.latency)


# --- a modulus that is held


@pytest.mark.parametrize("bits", [4, 3])
def test_a_flag_of_some_bits_only_is_refused(words, bits):
    upper = word(words, "m", 4)
    tested = words.nonzero(words.slice(upper, 0, bits), "upper")
    assert is_zero_where(words.invert(tested, "flag"), [upper]) == (bits == 4)
    assert not is_zero_where(tested, [upper])
    assert not is_zero_where(words.slice(upper, 0, 1), [upper])


def driver_of(module, bits):
    """The cell that drives some bits."""
    return next(name for name, cell in module["cells"].items() if cell["connections"].get("Y") == bits)


def with_modulus(edit):
    """A netlist with another word in the register while it is kept: what its choice by the reset has, chosen itself."""
    module = dict(netlist(HELD).module)
    (register,) = registers(module, ".modulus")
    reset = driver_of(module, module["cells"][register]["connections"]["D"])
    module, cell = changed(module, driver_of(module, module["cells"][reset]["connections"]["A"]))
    cell["connections"].update(edit(cell["connections"]))
    return read_netlist(module)


EDITS = {
    "the same": (lambda c: {}, ""),
    "its top bit is lost": (lambda c: {"A": [*c["A"][:-1], "0"]}, "does not stay in cycle 1"),
    "it shifts": (lambda c: {"A": [c["A"][-1], *c["A"][:-1]]}, "does not stay in cycle 1"),
    "it never loads": (lambda c: {"B": c["A"]}, "is not the operand"),
    "a bit of it never loads": (lambda c: {"B": ["1", *c["B"][1:]]}, "is not the operand"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_modulus_that_changes_is_refused(edit):
    change, reason = EDITS[edit]
    storage = find_storage(netlist(HELD))
    run = run_of(with_modulus(change), storage)
    if not reason:
        assert modulus_of(run, claim(HELD), storage)[1]
        return
    with pytest.raises(UndecidedError, match=reason):
        modulus_of(run, claim(HELD), storage)


# --- words as linear forms


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
    bound = reach(age)
    most = max(max(abs(d), abs(e)) for states in states_of(m, age, 14) for d, e, _ in states)
    assert bound * m / 4 < most <= bound * m
    for other in (bound - Fraction(1, 100), bound, bound + 1):
        assert ((1 - Fraction(1, 2 << age)) * (other + 1) <= other) == (other >= bound)


@pytest.mark.parametrize(("age", "m"), [(0, 7), (1, 5), (2, 3)])
def test_halvings_keep_their_bound(age, m):
    (*_, states) = states_of(m, age, 10)
    bound = Fraction(reach(age))
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
        ({"course": Course(17, 2), "first": 2}, "the last e"),
        ({"claim": replace(claim(), modulus=2 * M + 1)}, "f and g"),
        ({"claim": replace(claim(), bits=14)}, "D"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(change, reason):
    run, course = steps_of_the_small()
    first = pow(2, run.steps - course.last, M)
    right = {"run": run, "claim": claim(), "first": first, "course": course}
    check_ranges(**right)
    with pytest.raises(UndecidedError, match=reason):
        check_ranges(**right | change)


def test_the_sign_of_f_is_not_used_before_it_is_settled():
    run, course = steps_of_the_small()
    last = course.last
    check_last(run, last, last - run.layout.top, modulus_word())
    with pytest.raises(UndecidedError, match="are due before"):
        check_last(run, last, last - run.layout.top + 1, modulus_word())
    with pytest.raises(UndecidedError, match="does not take ±d"):
        check_last(run, last - 1, claim().divsteps - 2, modulus_word())


@pytest.mark.parametrize(
    ("modulus", "operand", "reason"),
    [
        (1, {}, "odd moduli from 3 on"),
        (30, {}, "odd moduli from 3 on"),
        (None, {}, "one number and a modulus"),
        (M, {"domain": Montgomery(5)}, "plain numbers"),
        (M, {"limit": M}, "these ranges"),
    ],
)
def test_it_is_not_stated_for_other_payloads(modulus, operand, reason):
    i, o = small().parameters.i, small().parameters.o
    (a,) = i.fields
    with pytest.raises(UnsupportedError, match=reason):
        claim_of_inversion(replace(i, fields=(replace(a, role=replace(a.role, **operand)),)), o, modulus)


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
    upper = run.words.slice(f, 1, bits - 1)
    others = [upper, run.words.invert(upper, "f")]
    assert is_zero_where(flag_of(run, f, 1, bits), others)
    assert not is_zero_where(flag_of(run, f, 2, bits), others)
    assert not is_zero_where(flag_of(run, f, 1, bits - 1), others)
    assert not is_zero_where(flag_of(run, f, 1, bits), [upper])
    assert not is_zero_where(constant(1, 1), others)


# --- bugs


def test_a_step_that_needs_a_word_from_before_is_not_the_same_as_others():
    """Without the second slice of f in the state, the step is a function of what was there before it."""
    run, _ = operation()
    state, missing = run.state(), run.layout.words["f"][-1]
    at = {place: value for place, value in state.at.items() if place != (missing.register, missing.behind)}
    for given, same in ((state, True), (replace(state, at=at), False)):
        third, fourth = (run.at(run.before(given, step), "g", step + 1) for step in (3, 4))
        assert (third == fourth) == same


QUICK = ("carry that is lost", "flag without a slice")


@pytest.mark.parametrize("kind", QUICK)
def test_no_claim_of_a_netlist_with_a_bug_is_decided(kind):
    """The first place of a kind; all kinds and places are campaigns."""
    (module,) = islice(KINDS[kind](dict(netlist().module)), 1)
    wrong = read_netlist(module)
    with pytest.raises((UndecidedError, UnsupportedError)):
        prove_operations(wrong, claim(), small().schedule.latency)


def test_a_wrong_constant_is_refuted_with_operands():
    text = core_verilog(small())
    other = text.replace("4'hd", "4'hf")
    assert text != other
    found = prove_verilog(small(), other)
    assert found.status == REFUTED
    assert found.operands.keys() == {"a"}
