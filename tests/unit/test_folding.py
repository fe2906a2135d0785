# SPDX-License-Identifier: Apache-2.0
"""Folding in plain integers and in simulated hardware: every value at small widths, drawn ones at real widths."""

import random
from itertools import pairwise

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import ParameterError
from modwright.rns import Fold, FoldPlan, signed_digits, signed_weight
from modwright.rtl.folding import fold, modular_sum, reduction


def outputs(build, inputs):
    """Results of combinational hardware: `build(module, *signals)`, one row of values a case."""
    m = Module()
    widths = [max(1, max(column).bit_length()) for column in zip(*inputs, strict=True)]
    signals = [Signal(width) for width in widths]
    value = build(m, *signals)
    z = Signal(len(value))
    m.d.comb += z.eq(value)
    results = []

    async def bench(ctx):
        for row in inputs:
            for signal, number in zip(signals, row, strict=True):
                ctx.set(signal, number)
            results.append(ctx.get(z))

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    return results


def chain(plan, canonical_result):
    def build(m, x):
        for number, stage in enumerate(reduction(plan, canonical_result=canonical_result)):
            x = stage.apply(m, x, f"stage_{number}")
        return x

    return build


@given(st.integers(0, 1 << 80))
def test_signed_digits_are_the_value_and_never_adjacent(value):
    digits = signed_digits(value)
    powers = [power for _, power in digits]
    assert sum(sign << power for sign, power in digits) == value
    assert all(sign in (-1, 1) for sign, _ in digits)
    assert all(b - a >= 2 for a, b in pairwise(powers))
    assert signed_weight(value) == len(digits)


def test_signed_digits_are_the_fewest():
    """All values below 2^9 against every signed-digit form of ten digits."""
    fewest = {0: 0}
    for power in range(10):
        for value, cost in list(fewest.items()):
            for other in (value - (1 << power), value + (1 << power)):
                fewest[other] = min(fewest.get(other, 99), cost + 1)
    assert all(len(signed_digits(value)) == fewest[value] for value in range(512))


@pytest.mark.parametrize(("width", "u"), [(8, 0), (8, 5), (8, 127), (9, 100)])
def test_the_bound_of_a_fold_is_tight(width, u):
    largest = 0
    for x in range(1 << 14):
        step = Fold(width, u, x)
        y = step.apply(x)
        assert (x - y) % ((1 << width) - u) == 0
        largest = max(largest, y)
        assert step.result == largest


@given(st.integers(8, 72), st.data())
def test_plans_reduce(width, data):
    u = data.draw(st.integers(0, (1 << (width - 3))))
    bound = data.draw(st.integers(0, 1 << (2 * width + 6)))
    x = data.draw(st.integers(0, bound))
    plan = FoldPlan(width, u, bound)
    assert plan.modulus == (1 << width) - u
    assert plan.apply(x) < 1 << width
    assert (plan.apply(x) - x) % plan.modulus == 0
    assert plan.canonical(x) == x % plan.modulus
    bounds = [bound, *(step.result for step in plan.folds)]
    assert [step.bound for step in plan.folds] == bounds[:-1]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < 1 << width


def test_a_plan_that_cannot_end_is_refused():
    with pytest.raises(ParameterError, match="0 <= u < 2"):
        FoldPlan(8, 128, 1000)
    with pytest.raises(ParameterError, match="0 <= u < 2"):
        FoldPlan(8, -1, 1000)
    FoldPlan(8, 127, 1000)


@pytest.mark.parametrize("canonical_result", [False, True])
@pytest.mark.parametrize(
    ("width", "u", "bound"), [(8, 5, 9000), (8, 0, 3000), (8, 127, 4000), (9, 1, 511), (8, 3, 260)]
)
def test_the_hardware_is_the_plan_for_every_value(width, u, bound, canonical_result):
    plan = FoldPlan(width, u, bound)
    expected = plan.canonical if canonical_result else plan.apply
    found = outputs(chain(plan, canonical_result), [(x,) for x in range(bound + 1)])
    assert found == [expected(x) for x in range(bound + 1)]


@pytest.mark.parametrize("canonical_result", [False, True])
@pytest.mark.parametrize(("width", "u"), [(66, 513), (48, 93), (66, 0)])
def test_the_hardware_is_the_plan_at_real_widths(width, u, canonical_result):
    plan = FoldPlan(width, u, ((1 << width) - 1) ** 2)
    source = random.Random(width + u)
    edges = [k * plan.modulus + d for k in (0, 1, 2, 1 << width) for d in (-1, 0, 1) if k * plan.modulus + d >= 0]
    xs = [*edges, plan.bound, plan.bound - 1, *(source.randrange(plan.bound + 1) for _ in range(300))]
    expected = plan.canonical if canonical_result else plan.apply
    assert outputs(chain(plan, canonical_result), [(x,) for x in xs]) == [expected(x) for x in xs]


def test_a_fold_with_an_addend_for_every_value():
    """All 601·8 pairs."""
    step = Fold(8, 5, 600)
    rows = [(x, a) for x in range(601) for a in range(8)]
    found = outputs(lambda m, x, a: fold(m, step, x, "y", a, 7), rows)
    assert found == [step.apply(x) + a for x, a in rows]


@pytest.mark.parametrize(("width", "u"), [(5, 3), (5, 0), (6, 31)])
def test_modular_sums_for_every_pair(width, u):
    modulus = (1 << width) - u
    rows = [(a, b) for a in range(modulus) for b in range(modulus)]
    found = outputs(lambda m, a, b: modular_sum(m, width, u, a, b, "z"), rows)
    assert found == [(a + b) % modulus for a, b in rows]
