# SPDX-License-Identifier: Apache-2.0
"""What follows from steps: intervals, forbidden distances, control words, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import ParameterError
from modwright.schedule import Schedule, Step

SLOTS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9)), min_size=1, max_size=6, unique=True)


def of_slots(slots, minimum=1):
    steps = tuple(Step(f"{unit}{start}", unit, start) for unit, start in slots)
    return Schedule(steps, 10, "10", minimum)


def conflict(schedule, starts):
    """Whether operations started in these cycles ever want one resource at once."""
    uses = [
        (r, s + cycle)
        for s in starts
        for r, busy in schedule.occupancy.items()
        for cycle in range(10)
        if busy >> cycle & 1
    ]
    return len(uses) != len(set(uses))


@given(SLOTS, st.integers(1, 4))
def test_the_interval_is_the_least_that_repeats_without_conflict(slots, minimum):
    schedule = of_slots(slots, minimum)
    free = [d for d in range(minimum, 24) if not conflict(schedule, range(0, 40, d))]
    assert schedule.interval == free[0]


@given(SLOTS, st.integers(0, 2**40 - 1))
def test_starts_at_allowed_distances_never_collide(slots, wanted):
    schedule = of_slots(slots)
    starts = []
    for cycle in range(40):
        allowed = all(cycle - s >= schedule.interval and cycle - s not in schedule.forbidden for s in starts)
        if allowed and wanted >> cycle & 1:
            starts.append(cycle)
    assert not conflict(schedule, starts)


@given(SLOTS)
def test_every_forbidden_distance_collides(slots):
    schedule = of_slots(slots)
    assert all(conflict(schedule, (0, d)) and d > schedule.interval for d in schedule.forbidden)


def test_a_busy_resource_holds_its_cycles():
    schedule = Schedule((Step("x", "unit", 2, busy=3, latency=3),), 6, "6")
    assert schedule.occupancy == {"unit": 0b11100}
    assert schedule.interval == 3


def test_a_result_is_not_read_too_early():
    first = Step("first", "a", 0, latency=3)
    Schedule((first, Step("second", "b", 3, after=("first",))), 4, "4")
    with pytest.raises(ParameterError, match="second starts before first is readable"):
        Schedule((first, Step("second", "b", 2, after=("first",))), 4, "4")


@pytest.mark.parametrize(
    ("steps", "latency", "message"),
    [
        ((Step("x", "a", 0), Step("x", "b", 1)), 2, "same name"),
        ((Step("x", "a", 0, latency=4),), 3, "after the stated latency"),
    ],
)
def test_impossible_schedules_are_refused(steps, latency, message):
    with pytest.raises(ValueError, match=message):
        Schedule(steps, latency, "")


def test_double_use_and_double_values_are_refused():
    with pytest.raises(ValueError, match="used twice in cycle 1"):
        _ = Schedule((Step("x", "a", 0, busy=2), Step("y", "a", 1)), 3, "").occupancy
    clash = (Step("x", "a", 1, control={"go": 1}), Step("y", "b", 1, control={"go": 2}))
    with pytest.raises(ValueError, match="go has two values in cycle 1"):
        _ = Schedule(clash, 3, "").words


def test_words_join_the_steps_of_a_cycle():
    steps = (
        Step("x", "a", 1, control={"go": 1, "select": 2}),
        Step("y", "b", 1, control={"load": 1}),
        Step("z", "c", 4),
    )
    schedule = Schedule(steps, 5, "5")
    assert schedule.span == 2
    assert schedule.words == ({}, {"go": 1, "select": 2, "load": 1})


def test_constant_time_is_computed():
    assert of_slots([("a", 0)]).constant_time
    assert not Schedule((Step("x", "a", 0, depends_on_data=True),), 1, "").constant_time


def test_the_record_has_every_step():
    record = of_slots([("a", 0), ("b", 3)]).to_json()
    assert record["interval"] == 1
    assert record["steps"][1] == {"name": "b3", "resource": "b", "start": 3, "busy": 1, "latency": 1}
