# SPDX-License-Identifier: Apache-2.0
"""Admission and the result queue against plain models, under stalls of every kind."""

import random

import pytest
from amaranth.sim import Simulator
from hypothesis import given
from hypothesis import strategies as st

from modwright.contract import Field, Payload
from modwright.rtl.streams import Admission, RegisteredAdmission, ResultQueue, layout, places

PAYLOAD = Payload((Field("z", 5, count=2), Field("error", 1)))


def simulate(component, bench):
    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@given(st.lists(st.integers(0, 31), min_size=2, max_size=2), st.integers(0, 1))
def test_the_layout_is_that_of_the_payload(z, error):
    shape = layout(PAYLOAD)
    word = PAYLOAD.pack({"z": tuple(z), "error": error})
    view = shape.from_bits(word)
    assert shape.size == PAYLOAD.width
    assert [view.z[0], view.z[1], view.error] == [*z, error]


@given(st.integers(1, 60), st.integers(1, 60))
def test_places_are_what_a_free_reader_needs(latency, interval):
    """Operations admitted as often as allowed, each holding its place through clock s + latency."""
    starts = range(0, 4 * (latency + interval), interval)
    most = max(sum(s <= cycle <= s + latency for s in starts) for cycle in range(2 * (latency + interval)))
    assert places(latency, interval) == most


@pytest.mark.parametrize("admission", [Admission, RegisteredAdmission])
@pytest.mark.parametrize("stall", [0, 30, 90])
@pytest.mark.parametrize(
    ("interval", "capacity", "forbidden"),
    [(1, 1, ()), (1, 3, ()), (3, 2, ()), (4, 1, ()), (2, 4, (3, 5)), (1, 5, (2,))],
)
def test_admission_against_a_plain_model(admission, interval, capacity, forbidden, stall):
    unit = admission(interval, capacity, frozenset(forbidden))
    source = random.Random(stall)
    admissions = 0

    async def bench(ctx):
        nonlocal admissions
        held, starts = 0, []
        for cycle in range(300):
            rested = all(cycle - s >= interval and cycle - s not in forbidden for s in starts[-8:])
            ready = ctx.get(unit.ready)
            assert ready == (held < capacity and rested), cycle
            admit = bool(ready and source.randrange(100) >= stall)
            release = bool(held and source.randrange(100) >= 40)
            ctx.set(unit.admit, admit)
            ctx.set(unit.release, release)
            assert ctx.get(unit.ready) == ready  # from registers only
            if admit:
                starts.append(cycle)
                admissions += 1
            held += admit - release
            await ctx.tick()

    simulate(unit, bench)
    assert admissions > 10


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 7])
def test_the_queue_against_a_plain_model(depth):
    """Drawn pushes and readers; the queue is filled to the last place and emptied many times."""
    unit = ResultQueue(PAYLOAD, depth)
    source = random.Random(depth)
    seen = {"full": 0, "empty": 0, "both": 0}

    async def bench(ctx):
        waiting = []
        rate = 50
        for cycle in range(500):
            if cycle % 50 == 0:
                rate = source.choice((5, 50, 95))
            valid = ctx.get(unit.o.valid)
            assert valid == bool(waiting), cycle
            if valid:
                z = (ctx.get(unit.o.p.z[0]), ctx.get(unit.o.p.z[1]))
                assert PAYLOAD.pack({"z": z, "error": ctx.get(unit.o.p.error)}) == waiting[0]
            ready = source.randrange(100) < rate
            ctx.set(unit.o.ready, ready)
            taken = ctx.get(unit.taken)
            assert taken == (valid and ready)
            push = len(waiting) < depth and source.randrange(100) >= rate
            word = source.getrandbits(PAYLOAD.width)
            ctx.set(unit.push, push)
            ctx.set(unit.data, fields(word))
            seen["full"] += len(waiting) == depth
            seen["empty"] += not waiting
            seen["both"] += push and taken
            if taken:
                waiting.pop(0)
            if push:
                waiting.append(word)
            await ctx.tick()

    simulate(unit, bench)
    assert seen["full"] > 5
    assert seen["empty"] > 5
    assert depth == 1 or seen["both"] > 5


def fields(word):
    """A payload as Amaranth sets one."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in PAYLOAD.unpack(word).items()}
