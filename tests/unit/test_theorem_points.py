# SPDX-License-Identifier: Apache-2.0
"""The theorem of point multiplications: proved, and never where a bug is planted."""

import re
from dataclasses import replace

import pytest

from modwright.base.errors import UsageError
from modwright.catalog.points import multiply_point
from modwright.deliver.theorem import theorem_files
from modwright.deliver.verilog import core_verilog
from modwright.prove.theorem import NOT_PROVED, PROVED, REFUTED, prove_verilog, stated
from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.points.curve import ROLES, Element, Evaluator, Pair
from modwright.prove.theorem.points.expressions import ADD, GIVEN, INVERSE, ONE, PRODUCT, STATE, SUBTRACT, Expressions
from modwright.prove.theorem.points.identities import StepClaim, is_curve_equation
from modwright.prove.theorem.points.induction import steps_of
from modwright.prove.theorem.points.leaving import Leaving
from modwright.prove.theorem.points.position import check_position
from modwright.prove.theorem.points.product import prove_unit_products
from modwright.prove.theorem.points.program import fields_at
from modwright.prove.theorem.points.prove import check_begin, check_step, ladder_of
from modwright.prove.theorem.points.refute import due, judged
from modwright.prove.theorem.points.unit import (
    ITERATE,
    PLUS,
)
from modwright.prove.theorem.poly import Poly, Ring

from .point_bugs import put, with_words, words_of
from .small_points import CORES, parts, small


@pytest.fixture(scope="module")
def leaving():
    """The ladder, its steps, and two of its exits."""
    ladder = ladder_of(parts(), stated(small()), small().schedule.latency)
    steps = steps_of(ladder)
    found = Leaving(ladder, steps, check_begin(ladder, steps, ""), "")
    found.check_point(0, 0, 0)
    return found


@pytest.mark.campaign
@pytest.mark.parametrize("name", [name for name in CORES if name != "one multiplier"])
def test_a_ladder_is_proved(name):
    one = small(name)
    found = prove_verilog(one, core_verilog(one))
    assert (found.status, found.detail) == (PROVED, "")
    assert "the result is u·P" in found.statement
    assert "Assumed, not proved: that the operation unit keeps the rest of its contract" in found.statement
    assert ("squares" in found.statement) == (name != "r64")


def test_products_of_the_unit_are_proved_of_the_text():
    one = small("longer limbs")
    text = core_verilog(one)
    assert prove_unit_products(text, stated(one)) == (0, 2)
    claim = stated(one)
    slower = tuple(replace(kind, latency=kind.latency + 1) for kind in claim.contract.kinds)
    with pytest.raises(UndecidedError, match="a product of the operation unit is not proved"):
        prove_unit_products(text, replace(claim, contract=replace(claim.contract, kinds=slower)))


def test_a_product_whose_operands_change_too_early_is_not_proved():
    """The contract says fewer cycles than the multiplier reads them in."""
    claim = stated(small("r64"))
    (kind,) = claim.contract.kinds
    banks = tuple((bank, first, last - 1) for bank, first, last in kind.banks)
    changed = replace(claim, contract=replace(claim.contract, kinds=(replace(kind, banks=banks),)))
    with pytest.raises(UndecidedError, match="a product of the operation unit is not proved"):
        prove_unit_products(core_verilog(small("r64")), changed)


def test_steps_and_exit_of_a_ladder_are_proved(leaving):
    for exchanged in (0, 1):
        check_step(leaving, exchanged)
    leaving.check_point(1, 1, 1)
    assert leaving.ladder.program.steps == stated(small()).order_bits
    assert set(leaving.roles) == set(ROLES)


def test_every_transition_of_the_position_is_checked():
    assert check_position(parts().position) == 60


def test_another_step_is_not_decided(leaving):
    """The word of one role in the place of another's; and the other direction."""
    steps, roles = leaving.steps, leaving.roles
    h_zero = steps.decided[0]["h_zero"][1]
    g_zero = steps.decided_after[0, 0]["g_zero"][1]
    made = steps.made[0]
    right = StepClaim(leaving.ladder.expressions, roles, made, False)
    right.check(h_zero, g_zero)
    for a, b in (("XQ", "XR"), ("G", "M")):
        changed = made | {roles[a]: made[roles[b]], roles[b]: made[roles[a]]}
        with pytest.raises(UndecidedError, match="next pair"):
            replace(right, made=changed).check(h_zero, g_zero)
    with pytest.raises(UndecidedError, match="next pair"):
        replace(right, exchanged=True).check(h_zero, g_zero)
    with pytest.raises(UndecidedError, match="the ordinate"):
        right.check(g_zero, g_zero)
    with pytest.raises(UndecidedError, match="abscissas"):
        right.check(h_zero, h_zero)


def test_another_latency_is_not_decided():
    with pytest.raises(UndecidedError, match="the program has not"):
        ladder_of(parts(), stated(small()), small().schedule.latency + 1)


def test_another_number_of_bits_is_not_decided():
    claim = replace(stated(small()), order_bits=3)
    with pytest.raises(UndecidedError, match="the order 3 bits"):
        ladder_of(parts(), claim, small().schedule.latency)


@pytest.mark.parametrize("name", ["one multiplier", "r64"])
def test_a_scalar_of_the_other_unit_is_not_decided(name):
    one = small(name)
    claim = stated(one)
    assert ladder_of(parts(name), claim, one.schedule.latency).program.reductions == claim.reductions
    with pytest.raises(UndecidedError, match="in the steps of its unit"):
        ladder_of(parts(name), replace(claim, lifts=not claim.lifts), one.schedule.latency)


IN_AN_INVERSION = [
    {"load_a": 1},
    *(pytest.param(fields, marks=pytest.mark.campaign) for fields in ({"second": PLUS}, {"inverse": 0}, {"first": 1})),
]
"""Changes of a control word."""


@pytest.mark.parametrize("fields", IN_AN_INVERSION, ids=str)
def test_a_program_with_a_sum_in_an_inversion_that_is_alone_is_not_decided(fields):
    """Or with a cycle that waits."""
    one, whole = small("r64"), parts("r64")
    words = words_of(whole)
    at = next(number for number, word in enumerate(words) if fields_at(whole.fields, word)["inverse"] == ITERATE)
    words[at] = put(whole, words[at], **fields)
    ladder = ladder_of(with_words(whole, words), stated(one), one.schedule.latency)
    steps = steps_of(ladder)
    with pytest.raises(UndecidedError):
        Leaving(ladder, steps, check_begin(ladder, steps, ""), "").check_point(0, 0, 0)


def test_a_multiplier_that_is_slower_is_not_decided():
    claim = stated(small())
    kinds = tuple(replace(kind, latency=kind.latency + 1) for kind in claim.contract.kinds)
    ladder = ladder_of(parts(), replace(claim, contract=replace(claim.contract, kinds=kinds)), small().schedule.latency)
    with pytest.raises(UndecidedError):
        check_begin(ladder, steps_of(ladder), "")


CHANGES = {
    "a point of order 2 is not seen": (r"\.h_zero\(h_zero\)", ".h_zero(1'b0)"),
    "another operand": (r"found = \{ 1'h0, held_a \}", "found = { 1'h0, held_b }"),
}


EVERY_RUN = "another operand"


@pytest.mark.parametrize(
    "change", [name if name == EVERY_RUN else pytest.param(name, marks=pytest.mark.campaign) for name in CHANGES]
)
def test_a_bug_in_the_text_is_not_proved(change):
    pattern, by = CHANGES[change]
    text = core_verilog(small())
    changed, count = re.subn(pattern, by, text)
    assert count == 1
    found = prove_verilog(small(), changed, search=False)
    assert found.status == NOT_PROVED
    assert found.detail


@pytest.mark.campaign
def test_another_operand_is_refuted():
    pattern, by = CHANGES[EVERY_RUN]
    found = prove_verilog(small(), re.sub(pattern, by, core_verilog(small())))
    assert found.status == REFUTED
    assert found.operands.keys() >= {"m", "a", "b", "x", "y", "k", "order"}


def test_verilog_with_other_parts_is_not_proved():
    found = prove_verilog(small(), core_verilog(small()).replace(" sequencer (", " player ("), search=False)
    assert found.status == NOT_PROVED
    assert "one instance each" in found.detail


def test_a_package_has_no_log_of_it():
    with pytest.raises(UsageError, match="the checker has no rule"):
        theorem_files(small())


# --- expressions and identities


def test_words_of_a_pair_are_those_of_its_points():
    """Numbers for the free coordinates: both points are on the curve."""
    pair = Pair()
    given = {"y_P": 3, "λ": 5, "u": 7, "Z": 2, "x_P": 4}
    number = {}
    for name in ("x", "y", "a", "u", "v", "slope"):
        number[name] = value_of(getattr(pair, name), pair.ring, given)
    words = {role: value_of(poly, pair.ring, given) for role, poly in pair.words.items()}
    x, y, a = (number[name] for name in "xya")
    b = y**2 - x**3 - a * x
    points = [(x + number[w], y + number["slope"] * number[w]) for w in "uv"]
    assert all(t**2 == s**3 + a * s + b for s, t in points)
    assert [words["XQ"], words["XR"]] == [4 * (s - x) for s, _ in points]
    assert [words["YQ"], words["YR"]] == [16 * t for _, t in points]


def value_of(poly, ring, given):
    total = 0
    for monomial, value in poly.items():
        for atom in monomial:
            value *= given[ring.atoms[atom].name]
        total += value
    return total


def test_the_equation_of_a_curve_is_recognised():
    expressions = Expressions()
    x, y, a, b, r2 = (expressions.make(GIVEN, name=name) for name in ("x", "y", "a", "b", "r2"))

    def plain(p, q):
        return expressions.make(PRODUCT, [expressions.make(PRODUCT, [p, r2]), q])

    right = expressions.make(ADD, [plain(x, expressions.make(ADD, [plain(x, x), a])), b])
    assert is_curve_equation(expressions, expressions.make(SUBTRACT, [plain(y, y), right]))
    wrong = expressions.make(ADD, [plain(x, expressions.make(ADD, [plain(x, x), b])), b])
    assert not is_curve_equation(expressions, expressions.make(SUBTRACT, [plain(y, y), wrong]))
    assert not is_curve_equation(expressions, expressions.make(SUBTRACT, [plain(y, y), x]))


def test_sums_of_different_domains_are_refused():
    expressions, ring = Expressions(), Ring()
    x, r2 = expressions.make(GIVEN, name="x"), expressions.make(GIVEN, name="r2")
    leaves = {(GIVEN, "x"): Element(ring.atom("x", 0, 2)), (GIVEN, "r2"): Element(Poly({(): 1}), domain=2)}
    inside = expressions.make(PRODUCT, [x, r2])
    with pytest.raises(UndecidedError, match="domains"):
        Evaluator(expressions, ring, leaves).element(expressions.make(ADD, [x, inside]))
    with pytest.raises(UndecidedError, match="not in the domain"):
        Evaluator(expressions, ring, leaves).poly(x, 1)


def test_an_inverse_has_its_sign():
    expressions, ring = Expressions(), Ring()
    x = expressions.make(GIVEN, name="x")
    atom = ring.atom("x", 0, 2)
    evaluator = Evaluator(expressions, ring, {(GIVEN, "x"): Element(atom)})
    one = Poly({(): 1})
    assert evaluator.element(expressions.make(INVERSE, [x])) == Element(one, atom, 2)
    assert evaluator.element(expressions.make(INVERSE, [x], "-")) == Element(-one, atom, 2)


def test_expressions_match_with_other_words_of_the_state():
    expressions = Expressions()
    a, b = (expressions.make(STATE, name=name) for name in "ab")
    one = expressions.make(ONE)
    pattern = expressions.make(SUBTRACT, [expressions.make(PRODUCT, [a, b]), a])
    number = expressions.substituted(pattern, {"a": one, "b": pattern})
    bindings = {}
    expressions.match(pattern, number, bindings)
    assert bindings == {"a": one, "b": pattern}
    other = expressions.make(SUBTRACT, [expressions.make(PRODUCT, [one, b]), b])
    with pytest.raises(UndecidedError, match="different words"):
        expressions.match(pattern, other, {})
    large = expressions.make(ADD, [a, b], bound=2)
    with pytest.raises(UndecidedError, match="as large as the modulus"):
        expressions.match(a, large, {})


# --- operands that fail


def test_results_in_affine_coordinates():
    given = {"m": 13, "a": 1, "b": 4, "x": 0, "y": 2, "infinity": 0, "k": 5, "order": 7}
    assert multiply_point(7, (0, 2), 13, 1) is None
    x, y = multiply_point(5, (0, 2), 13, 1)
    assert due(given) == {"x": x, "y": y, "infinity": 0, "error": 0}
    assert due(given | {"k": 14}) == {"x": 0, "y": 0, "infinity": 1, "error": 0}
    assert [due(given | change)["error"] for change in ({"m": 12}, {"order": 0}, {"a": 13}, {"y": 3})] == [1, 1, 2, 3]
    assert judged(given, None) == "no result, or one with unknown bits"
    assert judged(given, due(given)) == ""
    assert judged(given, due(given) | {"x": 12}).startswith("x = 0xc")
