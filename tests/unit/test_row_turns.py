# SPDX-License-Identifier: Apache-2.0
"""Two point multiplications in turn over one row multiplier: control words, and the hardware, small fields in full."""

import random
from functools import cache

import pytest
from amaranth.sim import Simulator

from modwright.catalog.points import small_curve_points
from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.plan.row.formulas import GRAPHS, PREPARE_OF_WORDS, STORED
from modwright.cores.ecpm.ladder.plan.row.microcode import STORED_WORDS, WORDS, make_plan
from modwright.engines.ladder.dataflow import MULTIPLICATIONS
from modwright.engines.row.divsteps import MATRIX, SIGNS, STEPS, TAKEN_F, TAKEN_G
from modwright.engines.row.machine import machine_of, steps_of
from modwright.functions.cases import edge_cases, random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.rtl.turns import CONTEXTS, TurnPlayer
from modwright.schedule import Loop, Microcode
from modwright.simulate import verify

from ..tools import needs
from .control_words import send
from .ecpm_cases import agrees_with_sums, exchanged, traces, whole_field

CORE = find("ecpm/row-ladder")
SMALL = {"bits": 4, "order_bits": 5, "digit": 3, "tile": 4, "contexts": 2}
OPTIONS = [SMALL, *({"bits": bits, "order_bits": bits, "contexts": 2} for bits in (61, 256))]
compiled = needs("compiled-simulator", why="a point multiplication has thousands of cycles")


def make(store=None, curve=None, target="generic", **options):
    request = Request.make(CORE, curve=curve, target=target, options=options)
    return prepare(CORE, request, *([] if store is None else [store]))


@cache
def _plan(**options):
    p = make(target="generic" if "digit" in options else "ecp5", **options).parameters
    return p, make_plan(p)


# --- without hardware


def test_cycles_of_a_context():
    """A product of 80 cycles of the clock, a sum of nine, and each has a cycle more for its second operand."""
    found = [machine_of(make(target="ecp5", bits=256, contexts=count).parameters.row) for count in (1, 2)]
    (alone, turns), rows = found, [machine.row for machine in found]
    assert (rows[0].slots, rows[1].slots, turns.slots) == (2, 4, 2)
    assert (alone.timings["product"].latency, turns.timings["product"].latency) == (52, 40)
    assert (alone.summed, turns.summed, alone.compared, turns.compared) == (9, 5, 7, 3)


@pytest.mark.parametrize("options", OPTIONS)
def test_no_two_operations_of_a_context_meet(options):
    """A result a cycle, an operand a cycle, and a step of S a cycle, in which the contexts take turns."""
    p, plan = _plan(**options)
    slots = machine_of(p.row).slots
    for part in plan.parts:
        period = part.period or 1 << 20
        results = [one.written % period for one in part.placed if one.operation.makes_value]
        reads = [read.cycle % period for one in part.placed for read in one.reads]
        steps = [
            (one.start + slots * k) % period
            for one in part.placed
            if one.operation.kind in MULTIPLICATIONS
            for k in range(steps_of(p.row, one.operation.kind))
        ]
        for cycles in (results, reads, steps):
            assert len(set(cycles)) == len(cycles), part.label


@pytest.mark.parametrize("options", OPTIONS)
def test_values_are_there_when_they_are_read(options):
    """Those of the part, or of the round before; the matrix until the next round takes g; nothing two rounds late."""
    _, plan = _plan(**options)
    for part in plan.parts:
        made = {one.operation.name: one for one in part.placed}
        for one in part.placed:
            assert not part.period or one.last < 2 * part.period
            for read in one.reads:
                for value in one.operation.operands[read.index].values:
                    before = made[f"{value}'"].readable - part.period if f"{value}'" in made else 0
                    assert read.cycle >= (made[value].readable if value in made else before), (part.label, value)
    (batch,) = (part for part in plan.parts if part.label == "batch")
    placed = {one.operation.name: one for one in batch.placed}
    until = placed[TAKEN_G].start + batch.period
    assert placed[TAKEN_F].start < placed[TAKEN_G].start and placed[STEPS].last < batch.period
    assert all(placed[name].written <= until for name in MATRIX)
    for one in batch.placed:
        signs = [read.cycle for read in one.reads if one.operation.operands[read.index].flag in SIGNS]
        assert all(placed[STEPS].written + 1 < cycle <= until for cycle in signs)


def test_what_the_inverse_begins_with_stays_in_words():
    """Modulus and R² come in once, into words that nothing else is written to."""
    graph = GRAPHS["prepare"]
    assert {one.name for one in graph.operations} - {one.name for one in PREPARE_OF_WORDS.operations} == set(STORED)
    for options in OPTIONS:
        for part in _plan(**options)[1].parts:
            written = {part.words.homes[one.operation.name] for one in part.placed if one.operation.makes_value}
            assert written < set(range(WORDS)) and not written & set(STORED_WORDS.values()), part.label


def test_model_of_contexts():
    """The values of a multiplier with fewer digits: every fifth case over 5."""
    assert agrees_with_sums(make(**SMALL), list(whole_field(5, infinity=True))[::5])


# --- hardware


def test_words_in_turn():
    """Of both contexts, whenever they start: word t comes 2t + 2 cycles later."""
    words = [{}, {"a": 1}, *({"a": k} for k in (2, 3, 4, 5)), {}, {"a": 7}, {"end": 1}]
    code = Microcode(tuple(words), 40, (Loop(2, 2, 3),))
    expected = [0, 1, 2, 3, 2, 3, 2, 3, 4, 5, 0, 7, 0]
    for start in (4, 5):
        own, other = (_played(code, start)[turn % CONTEXTS] for turn in (start, start + 1))
        assert own[: len(expected)] == expected and not any(own[len(expected) :]) and not any(other)


def _played(code, start):
    """Field `a` in the cycles of each context, from word 0 of the one that starts on."""
    player, seen = TurnPlayer(code, "generic"), [[], []]

    async def bench(ctx):
        for _ in range(start):
            await ctx.tick()
        ctx.set(player.start, 1)
        for cycle in range(80):
            if cycle > 1:
                seen[(start + cycle) % CONTEXTS].append(ctx.get(player.word["a"]))
            await ctx.tick()
            ctx.set(player.start, 0)

    simulator = Simulator(player)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


@compiled
@pytest.mark.parametrize(
    ("share", "count"), [pytest.param(40, 213, id="some"), pytest.param(1, 8496, id="all", marks=pytest.mark.campaign)]
)
def test_curves_over_two_fields_in_turn(store, share, count):
    """Every curve, point and scalar modulo 5 and 7 in an order by chance, so that neighbours have different curves and
    moduli; in the cycles of the schedule."""
    cases = [case for p in (5, 7) for case in whole_field(p, infinity=True)]
    random.Random(1).shuffle(cases)
    prepared = make(store, **SMALL)
    found = verify(prepared, cases[::share], oracle=False)
    assert found.failed == []
    assert found.passed == count
    assert set(found.cycles.values()) == {prepared.schedule.latency}


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize(("name", "target"), [("P-256", "ecp5"), ("secp256k1", "generic"), ("P-521", "generic")])
def test_full_width(store, name, target):
    """Edge scalars and random ones, against sums of points."""
    prepared = make(store, curve=name, target=target, contexts=2)
    cases = random.Random(1).sample(edge_cases(prepared), 4) + random_cases(prepared, 2, seed=1)
    found = verify(prepared, cases)
    assert found.failed == []
    assert found.passed == 6


# --- what shows

CURVE = {"modulus": 13, "a": 2, "b": 3, "order": len(small_curve_points(13, 2, 3)) + 1}
POINTS = small_curve_points(13, 2, 3)


def _case(k, point):
    return {**CURVE, "k": k, "x": POINTS[point][0], "y": POINTS[point][1]}


def test_control_does_not_depend_on_the_operands():
    """Of two operations at a time, with any scalars and points: the control of every cycle is the same, and addresses
    but for words that declared flags exchange; and one alone takes as long as two."""
    prepared = make(**SMALL)
    (alone,) = traces(prepared, [_case(3, 1)], lambda ctx, core: None)
    assert len(alone) == prepared.schedule.latency
    first, other = (_pair(prepared, pair) for pair in (((0, 0), (5, 0)), ((11, 3), (0, 0))))
    words = exchanged(prepared, ("flip", "into_flip", "fresh", "tail"), 2)
    distance = prepared.schedule.burst_distance
    flips = {begin + 2 * word - late for word in words for begin in (0, distance) for late in (0, 1)}
    differing = {cycle for cycle, (one, two) in enumerate(zip(first, other, strict=True)) if one != two}
    assert all(first[cycle][:-2] == other[cycle][:-2] for cycle in differing)
    assert differing and differing <= flips


def _pair(prepared, pair):
    """Control of the arithmetic and of the memory, its two addresses last, in all cycles of two operations."""
    core, seen = prepared.core.build(prepared.parameters, prepared.schedule), []

    async def feed(ctx):
        for k, point in pair:
            await send(ctx, core, prepared.codec.encode(_case(k, point)))

    async def watch(ctx):
        ctx.set(core.o.ready, 1)
        while not (ctx.get(core.i.ready) and ctx.get(core.i.valid)):
            await ctx.tick()
        for _ in range(prepared.schedule.latency + prepared.schedule.burst_distance):
            unit, words = core.arithmetic, core.words
            controls = (unit.start, unit.minus, unit.sum, unit.load, unit.given, core.incoming.load, words.write)
            seen.append((*map(ctx.get, controls), ctx.get(words.read), ctx.get(words.into)))
            await ctx.tick()

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(feed, background=True)
    simulator.add_testbench(watch)
    simulator.run()
    return seen
