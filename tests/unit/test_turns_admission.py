# SPDX-License-Identifier: Apache-2.0
"""Admission of two exponentiations in turn, cycle by cycle against what it says of itself."""

import random

import pytest
from amaranth.sim import Simulator

from modwright.combine.exponentiation.hardware.turns.admission import TurnsAdmission

CYCLES = 1500


@pytest.mark.parametrize("distance", [2, 3, 5])
def test_windows_and_starts(distance):
    """The first place has to be free for Δ cycles, a cycle before; registers follow from the one before a start on."""
    core, drawn = TurnsAdmission(distance), random.Random(distance)
    seen = {"opens": 0, "start_0": 0, "start_1": 0}

    async def drive(ctx):
        busy, free_for, free, opens, opened = [0, 0], distance, True, False, [0] * distance
        for _ in range(CYCLES):
            valid, takes = drawn.randrange(2), [busy[k] and drawn.randrange(3) == 0 for k in range(2)]
            for name, value in (("valid", valid), ("busy_0", busy[0]), ("busy_1", busy[1]), ("take_1", takes[1])):
                ctx.set(getattr(core, name), value)
            rests = free_for >= distance and (not busy[1] or takes[1])
            starts = [valid and free, valid and opened[-1]]
            expected = {
                "ready": free or opened[-1],
                "start_0": starts[0],
                "start_1": starts[1],
                "opens": opens,
                "again": opened[-2],
                "closes": opened[-1],
            }
            found = {name: ctx.get(getattr(core, name)) for name in expected}
            assert found == {name: int(bool(value)) for name, value in expected.items()}
            for name in seen:
                seen[name] += found[name]
            opens, free = rests and not free and not opens, opens or (free and not valid)
            opened = [int(bool(starts[0])), *opened[:-1]]
            busy = [int(bool(starts[k] or (busy[k] and not takes[k]))) for k in range(2)]
            free_for = 0 if busy[0] else free_for + 1
            await ctx.tick()

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    assert min(seen.values()) > 10
