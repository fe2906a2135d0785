# SPDX-License-Identifier: Apache-2.0
"""The units on limbs, cycle by cycle: the model, and the hardware against the model."""

import random
from functools import partial

import pytest
from amaranth.sim import Simulator

from modwright.base.errors import ParameterError
from modwright.cores.modmul.limb.model import (
    ColumnState,
    ScanState,
    column_result,
    column_states,
    result,
    scan_result,
    scan_states,
)
from modwright.engines.limb.hardware.multiplier import LimbMultiplier
from modwright.engines.limb.schedule import make_schedule
from modwright.engines.limb.units import FOLD, FOLD_KARATSUBA, PRODUCT, R64, SCAN, UNITS

from .limb_cases import EACH_KIND, SEVERAL, allowed, check, drawn, moduli, operands, parameters


def with_registers(*counts):
    """Each unit and kind with so many registers inside the multiplier; r64 has no room for any."""
    return [
        pytest.param(unit, kind, count, id=f"{unit.name}-{kind}-{count}")
        for unit, kind in EACH_KIND
        for count in (counts if unit is not R64 else (0,))
    ]


# --- the model, cycle by cycle


def states(p, schedule, given, state=None):
    """Contents of the registers after each cycle."""
    play = scan_states if p.unit is R64 else column_states
    return [snapshot(found) for found in play(p, schedule, given, state)]


def snapshot(state):
    """A copy of registers: numbers, and lists of numbers."""
    values = vars(state).items()
    return type(state)(**{name: value[:] if isinstance(value, list) else value for name, value in values})


@pytest.mark.parametrize(("unit", "kind", "macs", "registers"), SEVERAL)
def test_registers_of_several_multipliers_end_with_the_result(unit, kind, macs, registers):
    """40 operations or more for each width that has so many multipliers; against plain integers."""
    rng = random.Random(macs)
    for n, limb in ((4, 2), (6, 2), (8, 2), (12, 3), (64, 16), (256, 64), (521, 64)):
        if not allowed(unit, -(-n // limb), macs, registers):
            continue
        p = parameters(unit.name, n, limb=limb, macs=macs, registers=registers)
        schedule, before = make_schedule(p, kind), None
        for m in moduli(p, rng, 40):
            given = operands(p, kind, m, partial(drawn, rng))
            found = states(p, schedule, given, before)
            before = snapshot(found[-1])
            z = value_of(p, before)
            assert z == result(p, given, kind)
            check(p, kind, given, z)


def value_of(p, state):
    return (scan_result if p.unit is R64 else column_result)(p, state)


@pytest.mark.parametrize(("unit", "kind", "registers"), with_registers(0, 1, 3))
def test_registers_end_with_the_result(unit, kind, registers):
    """40 operations or more for each of 7 widths, against plain integers; the bounds of all registers."""
    rng = random.Random(registers)
    options = {} if unit is R64 else {"registers": registers}
    for n, limb in ((4, 2), (6, 2), (8, 2), (12, 3), (64, 16), (256, 64), (521, 64)):
        p = parameters(unit.name, n, limb=limb, **options)
        schedule, before = make_schedule(p, kind), None
        for m in moduli(p, rng, 40):
            given = operands(p, kind, m, partial(drawn, rng))
            found = states(p, schedule, given, before)
            before = snapshot(found[-1])
            z = value_of(p, before)
            assert z == result(p, given, kind)
            check(p, kind, given, z)
            for state in found:
                if isinstance(state, ScanState):
                    assert state.reg1 >> p.accumulator == state.reg2 >> (2 * p.w) == state.c >> (p.w + 1) == 0
                    assert [limb >> p.w for limb in state.z[:-1]] == [0] * (p.s - 1)
                    assert state.z[-1] >> (p.w + 1) == 0
                else:
                    assert isinstance(state, ColumnState)
                    assert all(limb >> p.w == 0 for limb in state.t)


# --- the units in hardware


def simulate_unit(unit, starts, cycles, look):
    """Play operations on a unit: `starts` maps a cycle to (kind, operands). Operands are held as long as the contract
    says, and are junk at all other times. Returns what `look` sees in each cycle."""
    p, rng, seen = unit.p, random.Random(9), []
    ports = [*unit.operands, "q"]

    async def bench(context):
        until = 0
        for cycle in range(cycles):
            started = cycle in starts
            context.set(unit.start, started)
            if started:
                kind, given = starts[cycle]
                index = unit.kinds.index(kind)
                context.set(unit.kind, index)
            if cycle - 1 in starts:
                kind, given = starts[cycle - 1]
                until = cycle - 1 + make_schedule(p, kind).interval
                for name in ports:
                    context.set(getattr(unit, name), given.get(name, 0))
            elif cycle > until:
                for name in ports:
                    context.set(getattr(unit, name), rng.getrandbits(p.w if name == "q" else p.n))
            seen.append(look(context))
            await context.tick()

    simulator = Simulator(unit)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


def registers_of(unit, context):
    """The state of a unit as the model has it."""
    own = unit.accumulator
    if unit.p.unit is R64:
        return ScanState(
            [context.get(limb) for limb in own.limbs], *(context.get(r) for r in (own.reg1, own.reg2, own.c, own.t[0]))
        )
    karatsuba = unit.p.unit.karatsuba
    kept = [context.get(r) for r in own.kept] if karatsuba else [0] * (unit.p.s - 1)
    chain = context.get(own.chain) if karatsuba else 0
    limbs = [context.get(limb) for limb in own.t]
    return ColumnState(context.get(own.accumulator), limbs, chain, kept, context.get(own.nonzero))


@pytest.mark.parametrize("n", [12, 7])
@pytest.mark.parametrize(("unit", "kind", "registers"), with_registers(0, 2))
def test_registers_are_the_models_in_every_cycle(unit, kind, n, registers):
    compare_registers(unit, kind, n, {} if unit is R64 else {"registers": registers})


@pytest.mark.parametrize("n", [12, 7])
@pytest.mark.parametrize(("unit", "kind", "macs", "registers"), SEVERAL)
def test_registers_of_several_multipliers_are_the_models(unit, kind, n, macs, registers):
    if allowed(unit, -(-n // 3), macs, registers):
        compare_registers(unit, kind, n, {"macs": macs, "registers": registers})
    else:
        with pytest.raises(ParameterError, match="more multipliers"):
            parameters(unit.name, n, limb=3, macs=macs, registers=registers)


def multiplier(p, kinds):
    return LimbMultiplier(p, {kind: make_schedule(p, kind) for kind in kinds})


def compare_registers(unit, kind, n, options):
    """10 operations one after the other, in 4 and 3 limbs of 3 bits."""
    p, rng = parameters(unit.name, n, limb=3, **options), random.Random(n)
    hardware = multiplier(p, unit.kinds)
    schedule = make_schedule(p, kind)
    latency = schedule.latency
    cases = [operands(p, kind, m, partial(drawn, rng)) for m in moduli(p, rng, 12)[:10]]
    starts = {number * latency: (kind, given) for number, given in enumerate(cases)}
    seen = simulate_unit(hardware, starts, latency * len(cases), partial(registers_of, hardware))
    before = None
    for number, given in enumerate(cases):
        expected = states(p, schedule, given, before)
        assert seen[number * latency + 2 : (number + 1) * latency] == expected[: latency - 2]
        before = snapshot(expected[-1])


@pytest.mark.parametrize(
    ("unit", "options"),
    [(unit, {}) for unit in UNITS]
    + [(unit, {"registers": 1}) for unit in (SCAN, FOLD, FOLD_KARATSUBA)]
    + [(unit, {"macs": 2}) for unit in (SCAN, FOLD, FOLD_KARATSUBA)]
    + [(SCAN, {"macs": 3, "registers": 1}), (FOLD, {"macs": 5}), (FOLD_KARATSUBA, {"macs": 2, "registers": 1})],
    ids=str,
)
def test_kinds_in_any_order_as_close_as_they_may_be(unit, options):
    """60 operations of drawn kinds; `done` and z in the cycles of the schedules, `done` in no other."""
    p, rng = parameters(unit.name, 11, limb=3, **options), random.Random(2)
    hardware = multiplier(p, unit.kinds)
    starts, due, cycle = {}, {}, 3
    for m in (moduli(p, rng, 60) * 2)[:60]:
        kind = rng.choice(unit.kinds)
        given = operands(p, kind, m, partial(drawn, rng))
        starts[cycle] = kind, given
        schedule = make_schedule(p, kind)
        due[cycle + schedule.latency - 1] = kind, given
        cycle += schedule.interval + rng.choice([0, 0, 0, 1, 2, 7])
    seen = simulate_unit(
        hardware, starts, cycle + 40, lambda context: (context.get(hardware.done), context.get(hardware.z))
    )
    assert [at for at, (done, _) in enumerate(seen) if done] == sorted(due)
    for at, (kind, given) in due.items():
        check(p, kind, given, seen[at][1])


def test_r64_keeps_its_result_while_the_next_product_begins():
    """The paper's result can be read in its cycles 38 to 42 (here a cycle later), because z_0 is left alone."""
    p, rng = parameters("r64", 12, limb=3), random.Random(5)
    hardware = multiplier(p, (PRODUCT,))
    schedule = make_schedule(p, PRODUCT)
    cases = [operands(p, PRODUCT, m, partial(drawn, rng)) for m in moduli(p, rng, 12)[:8]]
    starts = {number * schedule.interval: (PRODUCT, given) for number, given in enumerate(cases)}
    seen = simulate_unit(hardware, starts, 9 * schedule.interval + 9, lambda context: context.get(hardware.z))
    for number, given in enumerate(cases):
        there = number * schedule.interval + schedule.latency - 1
        assert schedule.latency - 1 == 39
        for cycle in range(there, there + 5):
            check(p, PRODUCT, given, seen[cycle])
