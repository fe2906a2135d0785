# SPDX-License-Identifier: Apache-2.0
"""Shares of time in which units work: in [0, 1], tied to the steps, and exact where they were counted by hand."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modwright.combine.exponentiation.parameters import ModexpParameters
from modwright.combine.exponentiation.plan.execution import start
from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, find
from modwright.schedule import WORKING, Schedule, Step, times, total
from modwright.schedule.shares import shares_of
from modwright.schedule.units import KINDS, OTHER, UNITS, kind_of
from modwright.tables.shares import shares_table


def schedule_of(name, document):
    core = find(name)
    return prepare(core, Request.from_mapping(core, {"core": name, **document})).schedule


def share(schedule, unit):
    return next(one for one in schedule.shares if one.unit == unit)


def busy_cycles(schedule, unit):
    """Cycles of one operation in which any step has the unit, one by one."""
    steps = (s for s in schedule.steps if unit in (s.resource, *s.also))
    return len({s.start + k for s in steps for k in range(s.busy)})


@pytest.mark.parametrize("name", all_cores())
def test_shares_of_every_core_lie_between_0_and_1_and_follow_from_interval_and_steps(name):
    for one in all_cores()[name].trials:
        schedule = schedule_of(name, one.document)
        intervals = (schedule.interval, schedule.longest_interval)
        assert schedule.shares
        for found in schedule.shares:
            assert all(0 <= value <= 1 for value in found.share), found
            assert found.kind != OTHER, f"{found.unit} has no kind in schedule.units.UNITS"
            assert found.share == tuple(
                schedule.burst * busy / interval for busy, interval in zip(found.busy, intervals, strict=True)
            )
            if schedule.constant_time:
                assert found.share[0] == found.share[1]
            if schedule.counted is None and schedule.burst == 1:
                assert found.busy[0] == busy_cycles(schedule, found.unit)
        assert any(found.kind in WORKING and found.share[1] > 0 for found in schedule.shares)


def test_a_unit_that_no_table_names_is_shown_as_one():
    schedule = Schedule((Step("x", "abacus", 0),), 2, "2")
    assert [(one.unit, one.kind) for one in schedule.shares] == [("abacus", OTHER)]


def test_every_unit_has_one_kind():
    names = [name for of_kind in UNITS.values() for name in of_kind]
    assert len(names) == len(set(names))
    assert {*UNITS, OTHER} == set(KINDS)
    assert kind_of("in: conversion adder") == "adder"
    assert kind_of("multiplier 2") == "multiplier"


def test_a_kawamura_multiplication_counted_by_hand():
    """2^255 - 19 in 16 moduli of 17 bits: x·y in two bases, two scaled products, and 16 rows in each of two
    extensions; a row is added to the cox, and all but 2 products are by a constant. 49 cycles lie between two."""
    schedule = schedule_of("modmul/rns-kbe", {"modulus": "2^255-19", "target": "generic"})
    assert schedule.interval == 49
    assert share(schedule, "multiply-accumulate").share[0] == Fraction(2 + 2 + 2 * 16, 49)
    assert share(schedule, "coefficients").share[0] == Fraction(2 + 2 * 16, 49)
    assert share(schedule, "cox accumulator").share[0] == Fraction(2 * 16, 49)
    assert share(schedule, "accumulator").share[0] == Fraction(15 + 16, 49)
    assert share(schedule, "reduction").share[0] == Fraction(5, 49)


def test_an_exponentiation_has_the_work_of_its_products():
    document = {"target": "generic", "options": {"bits": 16, "exponent_bits": 8, "window": 2}}
    core = find("modexp/booth4-csa-window")
    prepared = prepare(core, Request.from_mapping(core, {"core": core.name, **document}))
    parameters, issued = prepared.parameters, 0
    assert isinstance(parameters, ModexpParameters)

    def product(_x, _y):
        nonlocal issued
        issued += 1
        return 0, parameters.multiplier.latency, 0

    start(parameters, product, base=0, exponent=0xA5).run()
    inner = prepared.schedule.parts["product"].step("S")
    found = share(prepared.schedule, "product: carry-save loop")
    assert found.share[0] == Fraction(issued * inner.busy, prepared.schedule.interval)


def test_tables_of_two_exponentiations_in_turn_are_two_units():
    """Of 1,024 bits: 206 digits of 5 bits, each looked up in 32 entries of 15 limbs; each table has half of them."""
    options = {"bits": 1024, "window": 5, "slots": 2, "constants": "stream"}
    schedule = schedule_of("modexp/orup-interleaved-window", {"target": "ecp5", "options": options})
    reads = 206 * 32 * 15
    for table in ("table 1", "table 2"):
        assert share(schedule, f"{table}: read port").busy == (Fraction(reads, 2),) * 2
        assert share(schedule, f"{table}: read port").share[0] == Fraction(reads, schedule.interval)
    assert all(found.share[1] <= 1 for found in schedule.shares)


def test_a_pass_more_adds_the_work_of_a_pass():
    name, document = "modinv/rns-btmi", all_cores()["modinv/rns-btmi"].trials[0].document
    schedule = schedule_of(name, document)
    parts = schedule.parts
    least, most = share(schedule, "multiply-accumulate").busy
    passes = Fraction(most - least, parts["turn"].work["multiply-accumulate"][0])
    assert least == sum(parts[one].work["multiply-accumulate"][0] for one in ("load", "finish"))
    assert passes == (schedule.latency + 1 - schedule.interval) // parts["turn"].interval


def test_interleaved_operations_fill_each_others_cycles():
    """Two operations, each in every second of 2c - 1 cycles: together they work in 2c."""
    steps = (Step("x", "multiplier", 2, busy=9, latency=9),)
    schedule = Schedule(steps, 12, "12", minimum_interval=20, burst=2)
    assert share(schedule, "multiplier").busy == (5, 5)
    assert share(schedule, "multiplier").share == (Fraction(1, 2),) * 2


def test_the_longest_operation_has_its_own_share():
    steps = (Step("x", "multiplier", 1, busy=2, latency=8, depends_on_data=True, most=8),)
    schedule = Schedule(steps, 10, "10", minimum_interval=4)
    found = share(schedule, "multiplier")
    assert found.busy == (2, 8)
    assert found.share == (Fraction(2, 4), Fraction(8, 11))
    assert found.percent == "50.0 to 72.7 %"
    assert found.to_json() == {"name": "multiplier", "kind": "multiplier", "busy": [2, 8], "share": [0.5, 0.727273]}


@given(st.dictionaries(st.sampled_from(["adder", "multiplier"]), st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_work_is_added_by_unit(given_work):
    work = {unit: (Fraction(least), Fraction(most)) for unit, (least, most) in given_work.items()}
    assert total(work, times(work, 2, 3)) == {unit: (3 * least, 4 * most) for unit, (least, most) in work.items()}
    assert total(times(work, 1, part="a")) == {f"a: {unit}": busy for unit, busy in work.items()}


def test_a_step_that_is_left_out_changes_the_share():
    schedule = schedule_of("modmul/rns-kbe", {"modulus": "2^255-19"})
    fewer = replace(schedule, steps=tuple(s for s in schedule.steps if not s.name.startswith("s: row 3")))
    assert share(fewer, "multiply-accumulate").busy < share(schedule, "multiply-accumulate").busy


def test_the_table_has_the_busiest_unit_of_each_kind():
    core = find("modmul/rns-kbe")
    request = Request.from_mapping(core, {"core": core.name, "modulus": "2^255-19", "target": "generic"})
    made = shares_table([request])
    assert "73.5 % (multiply-accumulate)" in str(made)
    assert shares_table([]) == "not run"


def test_converters_around_an_exponentiation_are_units_too():
    """Of 4 bits into residues, one digit; out of two residues in 12 bits, and M is subtracted in one limb."""
    schedule = schedule_of("modexp/rns-kbe-runtime-window", {"options": {"bits": 4, "width": 9, "window": 2}})
    assert [share(schedule, f"in: conversion {unit}").busy[0] for unit in ("adder", "fold")] == [1, 1]
    assert share(schedule, "out: subtractor").busy == (1, 1)
    assert share(schedule, "out: converter multiplier").busy[0] == share(schedule, "out: converter accumulator").busy[0]


def test_units_of_one_share_are_in_the_order_of_their_numbers():
    work = {f"stage {number}": (Fraction(1), Fraction(1)) for number in range(12)}
    assert [share.unit for share in shares_of(work, 1, (1, 1))] == list(work)
