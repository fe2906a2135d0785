# SPDX-License-Identifier: Apache-2.0
"""Stored steps of the point multiplication: each rule, other sizes, and the solver that found them."""

from dataclasses import replace

import pytest

from modwright.cores.ecpm.ladder.plan.formulas import CARRIED, EXCHANGED, step
from modwright.cores.ecpm.ladder.plan.stored import loop_of, stored_steps
from modwright.engines.ladder.control import machine_of, unit_schedules
from modwright.engines.ladder.dataflow import MULTIPLICATIONS, ZERO, parse_graph
from modwright.engines.ladder.machine import NoPlaceError
from modwright.engines.ladder.placement import Placer, least_period, place_loop

from .ecpm_cases import LADDER, PAPER, make, plan_of

SIZES = [
    pytest.param(name, number, id=f"{name}, {size['bits']} bits")
    for name, variant in stored_steps().items()
    for number, size in enumerate(variant["sizes"])
]
PERIODS = {
    "r64 x 1": (396, 858, 1881),
    "limb-scan x 1": (358, 771, 1683),
    "limb-fold x 1": (328, 721, 1603),
    "limb-fold-karatsuba x 1": (250, 501, 1035),
    "limb-scan x 2": (191,),
    "limb-fold x 2": (176,),
    "limb-fold-karatsuba x 2": (137,),
}


def stored(name, number):
    """Graph, machine and step of a kept size."""
    unit, _, macs = name.partition(" x ")
    size = stored_steps()[name]["sizes"][number]
    options = {"bits": size["bits"]}
    core = PAPER if unit == "r64" else LADDER
    if core is LADDER:
        options |= {"unit": unit.removeprefix("limb-"), "macs": int(macs)}
    p = make(core, **options).parameters
    graph = step(p.sums)
    return p, graph, machine_of(p, unit_schedules(p)), loop_of(graph, size), size


@pytest.mark.parametrize(("name", "number"), SIZES)
def test_stored_steps_keep_every_rule(name, number):
    p, graph, machine, loop, size = stored(name, number)
    assert (loop.period, size["bound"]) == (PERIODS[name][number],) * 2
    assert {one.operation.name for one in loop.placed} == set(graph.by_name)
    check_loop(graph, machine, loop)
    assert plan_of(p).step == loop.period


def check_loop(graph, machine, loop):
    """Dependencies, and one user of each resource in each cycle modulo the period."""
    placed = {one.operation.name: one for one in loop.placed}
    groups = {name: group for group in EXCHANGED for name in group}
    users = {}

    def use(resource, first, last, user):
        for cycle in range(first, last + 1):
            key = (resource, cycle % loop.period)
            assert users.setdefault(key, user) == user, f"{key}: {user} and {users[key]}"

    for name, one in placed.items():
        operation = one.operation
        for read in one.reads:
            use("read port", read.cycle, read.cycle, (name, read.cycle))
            for value in operation.operands[read.index].values:
                if value in placed:
                    early = machine.forwards and operation.kind != ZERO and read.target != "b"
                    assert read.cycle >= placed[value].readable - early
                    continue
                for member in groups.get(value, (value,)):
                    assert read.cycle + loop.period >= placed[CARRIED[member]].readable
                assert placed[CARRIED[value]].written >= read.cycle
        if one.adds is not None:
            use("adder", one.adds, one.adds, name)
        if operation.after:
            assert one.start >= placed[operation.after].readable
        if operation.kind in MULTIPLICATIONS:
            timing = machine.timings[operation.kind]
            assert one.written == one.start + timing.latency
            use(f"unit {one.unit}", one.start, one.start + timing.interval - 1, name)
            for bank, first, last in timing.banks:
                loads = [read.cycle for read in one.reads if bank in ("x", "y") and read.target == "xy"]
                loads += [read.cycle for read in one.reads if read.target == bank]
                if loads or operation.kind != "square":
                    assert loads[0] < one.start + first
                    use(f"unit {one.unit} {bank}", loads[0], one.start + last - 1, name)
    assert placed["decide"].start <= loop.period - 2
    assert placed["decide"].start + loop.period >= placed["g_zero"].readable


def test_a_wrong_stored_step_is_found():
    """Each of the starts of 256 bits, L3, one cycle earlier: the check of the steps fails for most, and never
    crashes."""
    _, graph, machine, loop, _ = stored("limb-fold-karatsuba x 1", 0)
    found = 0
    for one in loop.placed:
        reads = tuple(replace(read, cycle=read.cycle - 1) for read in one.reads)
        moved = replace(one, start=one.start - 1, reads=reads, written=one.written - 1)
        others = tuple(moved if other is one else other for other in loop.placed)
        try:
            check_loop(graph, machine, replace(loop, placed=others))
        except AssertionError:
            found += 1
    assert found > len(loop.placed) // 2


@pytest.mark.parametrize("registers", [1, 2])
@pytest.mark.parametrize("macs", [1, 2])
def test_other_sizes_are_placed_in_the_stored_order(macs, registers):
    p = make(bits=256, registers=registers, macs=macs).parameters
    machine = machine_of(p, unit_schedules(p))
    loop_of_p = place_loop(
        step(True), machine, stored_steps()[f"limb-fold-karatsuba x {macs}"]["order"], CARRIED, EXCHANGED
    )
    check_loop(step(True), machine, loop_of_p)
    assert plan_of(p).step == loop_of_p.period >= least_period(step(True), machine)


def test_the_solver_finds_the_stored_periods():
    """Two multipliers of L3: a step of 137 cycles, and none of 136 even without the read port and the operand
    registers."""
    import schedule_ecpm  # here, as it loads OR-tools: a second that every worker would spend to collect tests

    _, graph, machine, loop, _ = stored("limb-fold-karatsuba x 2", 0)
    assert schedule_ecpm.solve(graph, machine, loop.period - 1, 300, relaxed=True) == ("none", None)
    status, found = schedule_ecpm.solve(graph, machine, loop.period, 300, relaxed=False)
    assert status == "found"
    check_loop(graph, machine, found)


def test_sums_pass_between_iterations_but_not_where_an_inversion_is_alone():
    """One placed first, or behind it."""
    graph = parse_graph("exit", "inv = inverse x\ns = y + y", ("x", "y"))
    p = make(PAPER, bits=4, limb=2).parameters
    shared = replace(machine_of(p, unit_schedules(p)), alone=False)
    for machine in (shared, replace(shared, alone=True)):
        inverse, total = Placer(graph, machine).place_all(("inv", "s"))
        assert inverse.iterations == tuple(range(1, machine.iterations + 2))
        assert total.adds == inverse.written + 1
        total, inverse = Placer(graph, machine, ready={"y": 5}).place_all(("s", "inv"))
        assert (total.adds, inverse.start) == (6, 7 if machine.alone else 0)
        gaps = {6, 7} if not machine.alone else set()
        assert inverse.written - inverse.start == machine.iterations + 1 + len(gaps)
        assert gaps == set(range(inverse.start + 1, inverse.written)) - set(inverse.iterations)


def test_a_loop_that_is_too_short_is_refused():
    p = make(bits=256).parameters
    order = stored_steps()["limb-fold-karatsuba x 1"]["order"]
    with pytest.raises(NoPlaceError, match="no loop of up to 249 cycles"):
        place_loop(step(True), machine_of(p, unit_schedules(p)), order, CARRIED, EXCHANGED, longest=249)
