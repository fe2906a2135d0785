# SPDX-License-Identifier: Apache-2.0
"""Point multiplication over a row multiplier: model, limits, control words, and the hardware, small fields in full."""

import random
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import pytest
from amaranth.sim import Simulator

from modwright.catalog import resolve_curve
from modwright.catalog.points import small_curve_points
from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.hardware.row.pairs import PairedScalar
from modwright.cores.ecpm.ladder.hardware.row.scalar import SerialScalar
from modwright.cores.ecpm.ladder.plan.ladder import lifted_scalar
from modwright.cores.ecpm.ladder.plan.row.formulas import COORDINATES, GRAPHS, MODULI
from modwright.cores.ecpm.ladder.plan.row.microcode import FIRST_BIT, make_plan, paired_steps, scalar_steps
from modwright.cores.ecpm.ladder.schedule.row import START
from modwright.engines.ladder.dataflow import MULTIPLICATIONS, parse_graph
from modwright.engines.ladder.machine import NoPlaceError
from modwright.engines.row.divsteps import MATRIX, SIGNS, STEPS, TAKEN_F, TAKEN_G
from modwright.engines.row.machine import RowPlacer, machine_of, steps_of
from modwright.engines.row.model import RowField
from modwright.engines.row.parameters import limits, short_digits
from modwright.functions.cases import edge_cases, random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import verify

from ..tools import needs
from .conftest import CommandLine
from .ecpm_cases import agrees_with_sums, exchanged, small_orders_and_narrow_curves, traces, whole_field

CORE = find("ecpm/row-ladder")
DATA = Path(__file__).parents[1] / "data" / "vectors"
SMALL = {"bits": 4, "order_bits": 5, "digit": 3, "tile": 4}
compiled = needs("compiled-simulator", why="a point multiplication has thousands of cycles")


def make(store=None, curve=None, target="generic", **options):
    request = Request.make(CORE, curve=curve, target=target, options=options)
    return prepare(CORE, request, *([] if store is None else [store]))


@cache
def plan_of(target="generic", **options):
    """The plan of a core, which several tests read."""
    return make_plan(make(target=target, **options).parameters)


# --- without hardware


@pytest.mark.parametrize(("bits", "digit"), [(4, 2), (4, 3), (5, 3), (16, 4), (256, 16), (521, 3)])
def test_no_parameters_break_the_limits_of_values(bits, digit):
    """The sentences of their inequalities: T - n - K is at least 10, and the limits are largest there."""
    options = {"bits": bits, "digit": digit, "tile": digit + digit % 2 + 1}
    p = CORE.derive(Request.make(CORE, target="generic", options=options))
    margin = p.row.T - p.n - p.row.K
    assert margin >= 10 and p.word_bits == p.n + p.row.K + 9
    word, lift, state, test, remainder, *inverse = p.own_inequalities()
    names = ("word-limit", "lift", "state", "test", "remainder")
    assert (word.name, lift.name, state.name, test.name, remainder.name) == names
    assert 2 * p.row.K - p.row.T <= -4 and remainder.left < Fraction(11, 16)
    assert test.left < test.right and short_digits(p.row) <= p.row.N
    assert 80 < word.left < 83 <= word.right == 512
    assert 1 < lift.left < Fraction(3, 2) and lift.right >= 3
    assert Fraction(-1, 10) < state.left < 0
    steps, begin, batch, room, *_ = inverse
    assert begin.left < Fraction(8, 5) and batch.left < 6 <= batch.right, "sentences of these"
    assert steps.left >= steps.right and room.left <= room.right
    assert margin > 10 or (word.left > Fraction(82) and lift.left > Fraction(7, 5)), "the largest of all margins"


def test_model_over_a_small_field():
    """Every curve over 5, every point, every scalar from 0 to 2N + 1: 1,872 cases of 1,872 possible."""
    prepared, cases = make(**SMALL), list(whole_field(5, infinity=True))
    assert agrees_with_sums(prepared, cases)
    assert len(cases) == 1872


@pytest.mark.parametrize("bits", [4, 6])
def test_limits_hold_for_the_largest_operands(bits):
    """Products, sums and differences of what is just below its limit, for every m of that many bits."""
    p = make(bits=bits, order_bits=bits, digit=3, tile=4).parameters
    row, inputs = p.row, {"a": Fraction(13), "b": Fraction(40), "c": Fraction(1)}
    graph = parse_graph("sums", "p = a * b\ns = b ^ 2\nt = p + s\nd = t - c\n", inputs)
    found = limits(row, p.n, graph, inputs)
    for m in range(1, 1 << bits):
        field = RowField(row, 5, (m << row.K) - 1)
        field.lifted()
        unit = m << row.K
        field.values = {name: int(limit * unit) - 1 for name, limit in inputs.items()}
        field.run(graph)
        for name, limit in found.items():
            assert 0 <= field.values[name] < limit * unit, (m, name)
            assert field.values[name] <= field.words


def test_a_product_is_that_of_montgomery():
    """Modulo M~, and so modulo M, for random operands of the whole width."""
    p, rng = make(curve="P-256", target="ecp5").parameters, random.Random(1)
    m = resolve_curve("P-256").p
    multiple = (p.constants_of(m)["mk"] << p.row.K) - 1
    assert multiple % m == 0
    field = RowField(p.row, m, multiple)
    for _ in range(20):
        x, y = (rng.randrange(64 * multiple) for _ in "xy")
        assert (field.product(x, y) * pow(2, p.row.T, m) - x * y) % m == 0


def test_every_coordinate_leaves_as_its_least_remainder():
    """Every number up to M~ and a little above, for every odd M of four bits: what it stands for, times 2^-K."""
    p = make(**SMALL).parameters
    K = p.row.K
    for m in range(5, 16, 2):
        multiple = (p.constants_of(m)["mk"] << K) - 1
        field = RowField(p.row, m, multiple)
        field.values = {"t": multiple // m, "m": m, "MK": m << K}
        for number in range(multiple + 3):
            field.values |= {"xw": number, "yw": multiple - number if number <= multiple else 0}
            field.run(GRAPHS["last"])
            for name in ("x", "y"):
                found, rest = divmod(field.values[f"{name}_out"], 1 << K)
                assert (found << K) % m == field.values[f"{name}w"] % m and found < m and rest == 0


@pytest.mark.parametrize("options", [SMALL, {"bits": 256, "order_bits": 256}])
def test_no_two_operations_meet(options):
    """In the steps of a loop, and in what runs once: a result a cycle, an operand a cycle, and a step of S a cycle."""
    p = make(target="generic" if "digit" in options else "ecp5", **options).parameters
    for part in make_plan(p).parts:
        period = part.period or 1 << 20
        products = [one for one in part.placed if one.operation.kind in MULTIPLICATIONS]
        results = [one.written % period for one in part.placed if one.operation.makes_value]
        reads = [read.cycle % period for one in part.placed for read in one.reads]
        steps = [
            (one.start + p.row.slots * k) % period
            for one in products
            for k in range(steps_of(p.row, one.operation.kind))
        ]
        for cycles in (results, reads, steps):
            assert len(set(cycles)) == len(cycles), part.label


def test_operands_are_there_when_they_are_read():
    """A value that the part makes is read after it is written, or a round later."""
    for part in plan_of(**SMALL).parts:
        made = {one.operation.name: one.readable for one in part.placed}
        for one in part.placed:
            for read in one.reads:
                for value in one.operation.operands[read.index].values:
                    ready = made.get(value, made.get(f"{value}'", 0) - part.period if part.period else 0)
                    assert read.cycle >= ready, (part.label, one.operation.text)


# --- hardware


@pytest.mark.parametrize(("unit", "steps"), [(SerialScalar, scalar_steps), (PairedScalar, paired_steps)])
def test_scalars_of_every_order(unit, steps):
    """Bits of k' for every order of at most four bits, and k of five, and of five bits: 1472 cases of 1472 possible."""
    for bits in (4, 5):
        p, seen = make(bits=4, order_bits=bits, digit=3, tile=4).parameters, []
        cases = [(k, order) for order in range(1, 1 << bits) for k in range(32)]
        simulator = Simulator(made := unit(p))
        simulator.add_clock(1e-6)
        simulator.add_testbench(partial(scalar_bench, unit=made, steps=steps(p), cases=cases, seen=seen))
        simulator.run()
        assert seen == [lifted_scalar(k, order, bits) for k, order in cases]
        for found, (k, order) in zip(seen, cases, strict=True):
            aligned = order << bits - order.bit_length()
            assert (1 << bits) + found - k in (0, aligned, 2 * aligned)


@pytest.mark.parametrize(("bits", "orders"), [(4, (1, 5, 8)), (5, (8, 21))])
def test_pairs_of_a_scalar(bits, orders):
    """Orders that are moved by an odd number of bits among them, and not at all, for an even and an odd N."""
    p, seen = make(bits=4, order_bits=bits, digit=3, tile=4).parameters, []
    cases = [(k, order) for order in orders for k in range(32)]
    simulator = Simulator(made := PairedScalar(p))
    simulator.add_clock(1e-6)
    simulator.add_testbench(partial(scalar_bench, unit=made, steps=paired_steps(p), cases=cases, seen=seen))
    simulator.run()
    assert seen == [lifted_scalar(k, order, bits) for k, order in cases]


async def scalar_bench(ctx, *, unit, steps, cases, seen):
    """Every case, in as many cycles as the program gives."""
    for k, order in cases:
        ctx.set(unit.idle, -1)
        ctx.set(unit.k, k)
        ctx.set(unit.order, order)
        await ctx.tick()
        ctx.set(unit.idle, 0)
        for step in (*steps, *(0,) * FIRST_BIT):
            ctx.set(unit.reduce, step)
            await ctx.tick()
        found = 0
        for _ in range(unit.p.order_bits):
            found = 2 * found + ctx.get(unit.bit)
            ctx.set(unit.begin, 1)
            await ctx.tick()
            ctx.set(unit.begin, 0)
            await ctx.tick().repeat(4)
        seen.append(found)


def test_what_leaves_last_stays_in_its_word():
    """The end writes nothing else into the words that the last part reads, behind their writes."""
    for options in (SMALL, {"bits": 256}):
        parts = {part.label: part for part in plan_of(**options).parts}
        end, homes = parts["end"], parts["last"].words.homes
        for name in COORDINATES:
            (written,) = (one.written for one in end.placed if one.operation.name == name)
            others = [one for one in end.placed if one.operation.makes_value and one.written > written]
            assert all(end.words.homes[one.operation.name] != homes[name] for one in others)


def test_moduli_stay_in_their_words():
    """Neither the batches nor the end write where M and M·2^K are, nor does the last part write any of its inputs."""
    for options in (SMALL, {"bits": 256}):
        parts = {part.label: part for part in plan_of(**options).parts}
        homes = {name: parts["last"].words.homes[name] for name in GRAPHS["last"].inputs}
        assert all(parts["prepare"].words.homes[name] == homes[name] for name in MODULI)
        for label, kept in (("batch", MODULI), ("end", MODULI), ("last", homes)):
            written = {
                parts[label].words.homes[one.operation.name] for one in parts[label].placed if one.operation.makes_value
            }
            assert not written & {homes[name] for name in kept}, label


@pytest.mark.parametrize(
    ("target", "options"),
    [("generic", SMALL), *(("ecp5", {"bits": bits}) for bits in (61, 256, 384, 521)), ("generic", {"bits": 256})],
)
def test_a_first_round_leaves_nothing_to_the_second(target, options):
    """What a loop writes comes in its round or in the one behind it, whose first one ignores it; divsteps end in
    theirs."""
    for part in plan_of(target=target, **options).parts:
        if part.period:
            assert all(placed.last < 2 * part.period for placed in part.placed), part.label
            assert all(placed.last < part.period for placed in part.placed if placed.operation.name == STEPS)


def test_a_loop_in_which_something_comes_two_rounds_late_is_refused():
    """Three sums one after the other in a loop that is shorter than two of them."""
    machine = machine_of(make(**SMALL).parameters.row)
    graph = parse_graph("late", "a = x + x\nb = a + a\nc = b + b\n", ("x",))
    with pytest.raises(NoPlaceError, match="c = b"):
        RowPlacer(graph, machine, period=machine.delay("add") + 2).place_all("abc")
    assert len(RowPlacer(graph, machine, period=2 * machine.delay("add")).place_all("abc")) == 3


def test_a_batch_reads_its_matrix_before_the_next_one_changes_it():
    """Words and signs of the matrix are read before the next round takes g, and f is taken before g."""
    for options in (SMALL, {"bits": 256}, {"bits": 61, "slots": 5}):
        plan = plan_of(target="generic" if "digit" in options else "ecp5", **options)
        (batch,) = (part for part in plan.parts if part.label == "batch")
        placed = {one.operation.name: one for one in batch.placed}
        assert placed[TAKEN_F].start < placed[TAKEN_G].start
        until = placed[TAKEN_G].start + batch.period
        assert all(placed[name].written <= until for name in MATRIX)
        for one in batch.placed:
            signs = [read.cycle for read in one.reads if one.operation.operands[read.index].flag in SIGNS]
            assert all(placed[STEPS].written + 1 < cycle <= until for cycle in signs)


@compiled
@pytest.mark.parametrize("p", [pytest.param(5, id="5"), pytest.param(7, id="7", marks=pytest.mark.campaign)])
def test_all_curves_points_and_scalars(store, p):
    """Modulo 5, 1,872 cases of 1,872 possible; modulo 7, 6,624 of 6,624; each in the cycles of the schedule."""
    prepared, cases = make(store, **SMALL), list(whole_field(p, infinity=True))
    found = verify(prepared, cases, oracle=False)
    assert found.failed == []
    assert found.passed == len(cases) == {5: 1872, 7: 6624}[p]
    assert set(found.cycles.values()) == {prepared.schedule.latency}


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize(("p", "every"), [(11, 1), (13, 1), (17, 31), (19, 31), (23, 61), (29, 61), (31, 61)])
def test_curves_points_and_scalars_of_larger_fields(store, p, every):
    """All points and scalars of every curve that fit modulo 11 and 13, above every 31st and every 61st of them."""
    prepared = make(store, bits=5, order_bits=6, digit=4, tile=5)
    fit = [case for case in whole_field(p, infinity=True) if case["k"].bit_length() <= prepared.parameters.order_bits]
    cases = fit[::every]
    found = verify(prepared, cases, oracle=False)
    assert found.failed == []
    assert found.passed == len(cases)


@compiled
def test_points_of_small_order_and_narrow_curves(store):
    """On a core of 61 bits: points of every order up to 12 of curves over 13, 61 and a prime of 61 bits, scalars around
    multiples of the order, and the order times a cofactor."""
    prepared, cases = make(store, bits=61, order_bits=61), small_orders_and_narrow_curves()
    found = verify(prepared, cases)
    assert found.failed == []
    assert found.passed == len(cases)


@compiled
@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("P-256", "ecp5"),
        pytest.param("secp256k1", "ecp5", marks=pytest.mark.campaign),
        pytest.param("brainpoolP384r1", "generic", marks=pytest.mark.campaign),
        pytest.param("P-521", "generic", marks=pytest.mark.campaign),
    ],
)
def test_full_width(store, name, target):
    """Edge scalars and random ones, against sums of points."""
    prepared = make(store, curve=name, target=target)
    cases = random.Random(1).sample(edge_cases(prepared), 4) + random_cases(prepared, 2, seed=1)
    found = verify(prepared, cases)
    assert found.failed == []
    assert found.passed == 6


@compiled
@pytest.mark.campaign
def test_vectors_on_the_command_line(capsys):
    command, path = CommandLine(capsys), DATA / "ecpm-P-256.json"
    assert command("simulate", "ecpm/row-ladder", "--vectors", path, "--pattern", "free", "--json") == 0
    assert command.json["failed"] == []


# --- what shows


def test_control_does_not_depend_on_the_operands():
    """Of three scalars, one of them 0, on two points: starts, sums, comparisons and write enables of every cycle are
    the same, and the addresses but for the words that the declared flags exchange."""
    prepared = make(**SMALL)
    curve = {"modulus": 13, "a": 2, "b": 3, "order": len(small_curve_points(13, 2, 3)) + 1}
    points = small_curve_points(13, 2, 3)
    scalars = ((0, points[0]), (5, points[0]), (11, points[3]))
    first, *others = traces(prepared, [{**curve, "k": k, "x": x, "y": y} for k, (x, y) in scalars], control_of)
    flips = exchanged(prepared, ("flip", "into_flip", "fresh", "tail"), START)
    assert len(first) == prepared.schedule.latency
    for other in others:
        differing = {cycle for cycle, (one, two) in enumerate(zip(first, other, strict=True)) if one != two}
        assert all(first[cycle][:-2] == other[cycle][:-2] for cycle in differing)
        assert differing <= flips
    assert any(first[cycle] != others[0][cycle] for cycle in flips)


def control_of(ctx, core):
    """Control of the arithmetic and of the memory, its two addresses last."""
    unit, words = core.arithmetic, core.words
    controls = (unit.start, unit.minus, unit.sum, unit.load, unit.given, core.incoming.load, words.write)
    return (*map(ctx.get, controls), ctx.get(words.read), ctx.get(words.into))
