# SPDX-License-Identifier: Apache-2.0
"""The contract of the operation unit of a point multiplication: what is assumed of it, and no more."""

from dataclasses import replace

import pytest

from modwright.prove.theorem import stated
from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.points.expressions import ADD, GIVEN, PRODUCT, SUBTRACT, Expressions
from modwright.prove.theorem.points.unit import (
    ITERATE,
    LOAD,
    MINUS,
    MODULUS,
    PLUS,
    RESULT,
    Contract,
    Inputs,
    Kind,
    Unit,
    UnitState,
)

from .point_simulation import first_failure
from .small_points import parts, small

KIND = Kind(4, 6, (("x", 1, 3), ("y", 1, 3)), 3)
QUIET = dict.fromkeys(("load_a", "clear_a", "first", "second", "one", "inverse", "start_0", "kind_0"), 0)


def unit(kind=KIND, iterations=2, alone=False, **state):
    """A unit, and expressions of two operands below m and of one that may be as large as m."""
    expressions = Expressions()
    words = [expressions.make(GIVEN, name=name) for name in "xy"]
    words.append(expressions.make(ADD, words, bound=2))
    return Unit(Contract((kind,), iterations, alone), expressions, UnitState(flights=((),), **state), ""), words


def product_of(found, rows):
    """The word that leaves after a product with the words of some cycles at x, and one more at y."""
    for cycle, x in enumerate(rows):
        fields = QUIET | {"start_0": int(cycle == 0), "first": 1, "second": MODULUS}
        found.clock(Inputs(fields, {"x_0": x, "y_0": rows[1]}))
    return found.result(0)


def test_a_product_needs_operands_that_stay_and_are_below_m():
    found, (x, y, large) = unit()
    assert product_of(found, [None, x, x, x, None, None]) == found.expressions.make(PRODUCT, [x, x])
    for rows in ([None, x, y, x, None, None], [x, None, x, x, None, None], [None, large, large, large, None, None]):
        assert product_of(unit()[0], rows) is None
    assert product_of(unit()[0], [None, x, x, x, None]) is None
    assert product_of(unit()[0], [None, x, x, x, None, None, None]) is None
    wide = product_of((found := unit(replace(KIND, multiple=4))[0]), [None, x, x, x, None, None])
    assert found.expressions.bounds[wide] == 2


def test_a_square_needs_equal_factors():
    square = replace(KIND, square=True)
    for other in (0, 1):
        found, words = unit(square)
        for cycle in range(6):
            fields = QUIET | {"start_0": int(cycle == 0), "first": 1, "second": MODULUS}
            found.clock(Inputs(fields, {"x_0": words[0], "y_0": words[other]}))
        assert (found.result(0) is None) == bool(other)


def test_a_product_that_starts_too_early_is_refused():
    found, (x, *_) = unit()
    with pytest.raises(UndecidedError, match="starts before"):
        for _ in range(4):
            found.clock(Inputs(QUIET | {"start_0": 1}, {"x_0": x, "y_0": x}))


@pytest.mark.parametrize(
    ("second", "operands", "op"),
    [(PLUS, (0, 1), ADD), (PLUS, (2, 1), None), (MINUS, (2, 1), SUBTRACT), (MINUS, (1, 2), None), (PLUS, (0, 2), None)],
)
def test_sums_need_words_below_m(second, operands, op):
    found, words = unit()
    a, read = (words[k] for k in operands)
    found.clock(Inputs(QUIET | {"load_a": 1}, {"filled": a}))
    found.clock(Inputs(QUIET | {"second": second}, {"read": read}))
    assert found.result(0) == (None if op is None else found.expressions.make(op, [a, read]))


def test_a_word_is_reduced_and_an_operand_compared():
    found, (_, _, large) = unit()
    found.clock(Inputs(QUIET | {"load_a": 1}, {"filled": large}))
    found.clock(Inputs(QUIET | {"second": MODULUS}))
    assert found.state.tested == large
    assert found.result(0) == found.expressions.below(large, 1)


@pytest.mark.parametrize("alone", [False, True])
def test_an_inverse_needs_all_its_iterations(alone):
    for count in range(4):
        found, (x, *_) = unit(alone=alone)
        found.clock(Inputs(QUIET | {"inverse": LOAD}, {"filled": x}))
        for _ in range(count):
            assert found.result(ITERATE) is None
            found.clock(Inputs(QUIET | {"inverse": ITERATE}))
        assert (found.result(RESULT) is not None) == found.inverted == (count == 2)
        assert not found.state.signed
        found.clock(Inputs(QUIET | {"inverse": RESULT}))
        assert found.state.signed == (count == 2)


INVERSION = (LOAD, ITERATE, ITERATE, RESULT)


def is_signed(alone, cycles=INVERSION, at=0, fields=QUIET):
    """Whether an inversion of these cycles has a result, with other fields in one of them."""
    found, (x, *_) = unit(alone=alone)
    for cycle, inverse in enumerate(cycles):
        found.clock(Inputs(QUIET | (fields if cycle == at else {}) | {"inverse": inverse}, {"filled": x}))
    return found.state.signed


@pytest.mark.parametrize("at", range(len(INVERSION)))
@pytest.mark.parametrize("fields", [{"load_a": 1}, {"first": 1}, {"second": PLUS}, {"one": 1}], ids=str)
def test_an_inverse_that_is_alone_shares_no_cycle_with_a_sum(fields, at):
    """But that of its result, in which the next sum may load A."""
    assert is_signed(False, at=at, fields=fields)
    assert is_signed(True, at=at, fields=fields) == (at == 3)


def test_iterations_of_an_inverse_that_is_alone_follow_each_other():
    assert [is_signed(alone, (LOAD, ITERATE, 0, ITERATE, RESULT)) for alone in (False, True)] == [True, False]


def test_an_inverse_that_is_alone_takes_what_a_held():
    for alone in (False, True):
        found, (x, *_) = unit(alone=alone)
        found.clock(Inputs(QUIET | {"load_a": 1}, {"filled": x}))
        found.clock(Inputs(QUIET | {"inverse": LOAD}, {"filled": x}))
        assert (found.state.a is None) == alone


@pytest.mark.parametrize("name", ["one multiplier", "r64"])
def test_the_contract_gives_multiples_of_points(name):
    """The same numbers in the place of the unit; small primes, so that most states are exceptional."""
    assert not first_failure(parts(name), stated(small(name)), small(name).schedule.latency, 2)
