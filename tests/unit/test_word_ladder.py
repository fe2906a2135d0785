# SPDX-License-Identifier: Apache-2.0
"""Point multiplication on limbs: model, limits, loops, control words, and the hardware, small fields in full."""

import random
from fractions import Fraction
from math import gcd

import pytest
from amaranth.sim import Simulator

from modwright.catalog import resolve_curve
from modwright.catalog.points import small_curve_points
from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.plan.word.formulas import BATCH_CARRIED, GRAPHS
from modwright.cores.ecpm.ladder.plan.word.microcode import make_plan
from modwright.cores.ecpm.ladder.plan.word.steps import STORED, placed_loop, stored_loop
from modwright.engines.columns.cycles import CLOSE_TO_FIRST
from modwright.engines.columns.digits import NOTHING
from modwright.engines.divsteps import divstep
from modwright.engines.ladder.dataflow import ADD, SUBTRACT, ZERO, parse_graph
from modwright.engines.ladder.machine import NoPlaceError
from modwright.engines.word.divsteps import LimbDivsteps
from modwright.engines.word.hardware.sums import WordSums
from modwright.engines.word.machine import FRESH_TERMS, TERMS, is_result, machine_of
from modwright.engines.word.model import WordField
from modwright.engines.word.parameters import derive_words, limits
from modwright.functions.cases import edge_cases, random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import verify

from ..tools import needs
from .ecpm_cases import agrees_with_sums, exchanged, small_orders_and_narrow_curves, traces, whole_field

CORE = find("ecpm/word-ladder")
IN_HALVES = {"bits": 4, "order_bits": 5, "digit": 7, "digits": 8}
"""Limbs that are multiplied in halves, and whose words come from two chains."""
SMALL = {"bits": 4, "order_bits": 5, "digit": 3, "digits": 2}
compiled = needs("compiled-simulator", why="a point multiplication has thousands of cycles")


def make(store=None, curve=None, target="generic", **options):
    request = Request.make(CORE, curve=curve, target=target, options=options)
    return prepare(CORE, request, *([] if store is None else [store]))


# --- without hardware


@pytest.mark.parametrize(
    "options", [{"bits": 8, "digit": 3, "digits": 2}, {"bits": 256}, {"bits": 521}, {"bits": 256, "digits": 8}, SMALL]
)
def test_limits_of_all_sizes(options):
    """Figures in the sentences of the inequalities: the limits are largest where R has ten bits above m."""
    p = CORE.derive(Request.make(CORE, target="generic", options=options))
    margin = p.words.T - p.n
    word, lift, state, test, *_ = p.own_inequalities()
    assert [one.name for one in (word, lift, state, test)] == ["word-limit", "lift", "state", "test"]
    assert margin >= 10
    assert 56 < word.left < 57
    assert word.right == 1 << margin
    assert lift.left < Fraction(5, 2)
    assert test.left < Fraction(5, 2)
    assert Fraction(-1, 4) < state.left < 0


def test_model_over_a_small_field():
    """Every curve over 5, every point, every scalar from 0 to 2N + 1: 1,872 cases of 1,872 possible."""
    prepared, cases = make(**SMALL), list(whole_field(5, infinity=True))
    assert agrees_with_sums(prepared, cases)
    assert len(cases) == 1872


@pytest.mark.parametrize("bits", [4, 6])
def test_limits_hold_for_the_largest_operands(bits):
    """Products, sums and differences of what is just below its limit, for every odd m of that many bits."""
    p, inputs = derive_words(bits, 2, 2, "generic"), {"a": Fraction(13), "b": Fraction(40), "c": Fraction(2)}
    graph = parse_graph("sums", "p = a * b\nz = a * b + b * b\ns = b ^ 2\nt = p + s\nd = t - c\n", inputs)
    found = limits(p, graph, inputs)
    for m in range(5, 1 << bits, 2):
        given = {"m": m, "mu": pow(2, -p.w, m), "q": -pow(m, -1, 1 << p.w) % (1 << p.w)}
        field = WordField(p, given)
        field.values = {name: int(limit * m) - 1 for name, limit in inputs.items()}
        field.run(graph)
        for name, limit in found.items():
            assert 0 <= field.values[name] < limit * m, (m, name)
        assert (field.values["p"] * pow(2, p.T, m) - field.values["a"] * field.values["b"]) % m == 0


def test_products_that_are_zero():
    """Modulo 5, 7, 9 and 11, and of every pair of operands below 3m: a product is 0 modulo m if it is 0, m or 2m."""
    p = derive_words(4, 2, 2, "generic")
    for m in (5, 7, 9, 11):
        field = WordField(p, {"m": m, "mu": pow(2, -p.w, m), "q": -pow(m, -1, 1 << p.w) % (1 << p.w)})
        for x in range(3 * m):
            for y in range(3 * m):
                assert (x * y % m == 0) == (field.product(x * y) in (0, m, 2 * m))


@pytest.mark.parametrize("options", [{"bits": 5, "digit": 2, "digits": 2}, {"bits": 61, "digit": 8, "digits": 3}])
def test_batches_are_divsteps(options):
    """Every odd m of five bits and every g below 2m, and some of 61 bits: a batch takes f and g to what K divsteps
    make of them, negated, and d and e to what keeps f and g multiples of g's first value; f ends as a divisor."""
    p = CORE.derive(Request.make(CORE, target="generic", options=options))
    words, n, drawn = p.words, p.n, random.Random(1)
    wide = [(drawn.getrandbits(n) | 1 << n - 1 | 1, drawn.getrandbits(n)) for _ in range(40)]
    pairs = wide if n > 8 else [(m, g) for m in range(5, 1 << n, 2) for g in range(2 * m)]
    for m, g in pairs:
        given = {"m": m, "mu": 0, "q": -pow(m, -1, 1 << words.w) % (1 << words.w), "r2": 1, "S": 0, "m2": 2 * m}
        field = WordField(words, given, LimbDivsteps(p.K, words.w))
        field.values = given | p.constants_of_program
        field.run(GRAPHS["prepare"])
        half = 1 << words.T - 1
        field.values |= {"gi": g, "gp": 2 * g + half, "gn": -2 * g & field.words}
        D, f, first, sign, halvings = 0, m, g, 1, 1
        for _ in range(p.batches):
            field.run(GRAPHS["batch"], {made: name for name, made in BATCH_CARRIED.items()})
            for _ in range(p.K):
                D, f, g, *_ = divstep(D, f, g)
            sign, halvings = -sign, 2 * halvings % m
            found = {name: signed(field.values[name], words.T) for name in ("fi", "gi", "di", "ei")}
            assert (found["fi"], found["gi"]) == (sign * f, sign * g), (m, first)
            assert (found["fi"] * field.values["e"] - found["di"] * halvings * first) % m == 0, (m, first)
            assert abs(found["di"]) < 3 * m
            assert abs(found["ei"]) < 3 * m
        assert g == 0
        assert abs(f) == gcd(m, first)


def signed(word, bits):
    """A number of two's complement."""
    return word - (word >> bits - 1 << bits)


@pytest.mark.parametrize(
    "options",
    [
        SMALL,
        {"bits": 256, "order_bits": 256},
        {"bits": 256, "order_bits": 256, "digits": 8},
        {"bits": 21, "digit": 4, "digits": 4},
    ],
)
def test_no_two_operations_meet(options):
    """In the rounds of a loop, and in what runs once: a product of limbs, a limb for the adder and a write a cycle, and
    contexts that hold one product; a column follows what it continues, and limbs of t are there when they are read."""
    p = make(target="generic" if "digit" in options else "ecp5", **options).parameters
    words = p.words
    for part in make_plan(p).parts:
        period = part.period or 1 << 20
        resources = {"products": [], "reads": [], "writes": []} | {number: [] for number in range(p.words.contexts)}
        for one in part.placed:
            resources["writes"] += one.writes
            assert max(one.writes, default=0) < 2 * period
            if not one.columns:
                resources["reads"] += range(one.start, one.start + p.words.s * len(TERMS.get(one.operation.kind, ())))
                continue
            resources[one.unit] += range(one.start, one.columns[-1].end + 1)
            closed, left = 0, {}
            for place in one.columns:
                resources["products"] += range(place.start, place.end + 1)
                assert place.column.opening is NOTHING or place.start >= closed + CLOSE_TO_FIRST
                for at, (a, _) in enumerate(place.column.products):
                    gap = place.start + at - left.get(a, -words.stored_cycles)
                    assert gap == words.word_cycles or gap >= words.stored_cycles
                if place.column.leaves is not None and not is_result(place.column):
                    resources["writes"].append(place.end + words.left)
                closed = place.end if place.column.stores else closed
                left |= {place.column.leaves: place.end}
        for name, cycles in resources.items():
            assert len({cycle % period for cycle in cycles}) == len(cycles), (part.label, name)


def test_operands_are_there_when_they_are_read():
    """A limb is read after it is written, in this round or the next one, and before what replaces it is written."""
    for part in make_plan(make(**SMALL).parameters).parts:
        made = {one.operation.name: one for one in part.placed if one.operation.makes_value}
        for one in part.placed:
            for read in one.reads:
                for value in one.operation.operands[read.index].values:
                    if value in made:
                        written = made[value].writes[read.limb]
                        later = written + (part.period or 1 << 20)
                        assert written < read.cycle < later, (part.label, one.operation.text)
                    elif f"{value}'" in made:
                        written = made[f"{value}'"].writes[read.limb]
                        assert written - part.period < read.cycle < written, (part.label, one.operation.text)


@pytest.mark.parametrize(("digit", "digits"), [(18, 5), (17, 8)])
def test_a_stored_loop_that_is_wrong_is_refused(digit, digits):
    """A product of a round a cycle earlier, or a period less."""
    machine = machine_of(derive_words(256, digit, digits, "ecp5"))
    loop = stored_loop(machine, "step")
    assert STORED.exists()
    starts = {
        name: [place.start for place in one.columns] or [one.start]
        for one in loop.placed
        for name in (one.operation.name,)
    }
    assert placed_loop(machine, "step", {"period": loop.period, "starts": starts}) == loop
    with pytest.raises(NoPlaceError):
        placed_loop(machine, "step", {"period": loop.period - 1, "starts": starts})
    earlier = {name: [cycle - (at == 2) for at, cycle in enumerate(cycles)] for name, cycles in starts.items()}
    with pytest.raises(NoPlaceError):
        placed_loop(machine, "step", {"period": loop.period, "starts": earlier})


# --- hardware


@pytest.mark.parametrize(("n", "digits", "limbs"), [(4, 2, (4, 4)), (24, 8, (3, 16))])
def test_sums_of_all_limbs(n, digits, limbs):
    """Sums, differences and tests of operands of four limbs of four bits, or of three in halves, near the ends of
    their range."""
    p, seen, expected = derive_words(n, 2, digits, "generic"), [], []
    assert (p.s, p.w) == limbs
    values = [0, 1, 15, 16, 255, 4095, 4096, 30000]
    values += [] if n == 4 else [255 << 8, 0xFFFF, 0x10000, 0xFF00FFFF00FF, (1 << 48) - 50000]
    cases = [(kind, x, y) for kind in (ADD, SUBTRACT, ZERO) for x in values for y in values]

    async def bench(ctx):
        for kind, x, y in cases:
            await one_sum(ctx, unit, p, (kind, x, y), seen)
            lifted = x + 40000 - y if kind == SUBTRACT else x + y
            expected.append(int(x in (0, y, 9)) if kind == ZERO else lifted & (1 << p.T) - 1)

    simulator = Simulator(unit := WordSums(p))
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen == expected


async def one_sum(ctx, unit, p, case, seen):
    """One operation, limb by limb, in the cycles of the control words; the lift is 40000, and 2m is 9."""
    kind, x, y = case
    terms, numbers = TERMS[kind], {"m4": 40000, "m": y, "m2": 9}
    strobes, result = {}, 0
    for number in range(p.s * len(terms)):
        limb, at = divmod(number, len(terms))
        term, fresh = terms[at], at in FRESH_TERMS.get(kind, (0,))
        value = numbers[term.constant] if term.constant else (x, y)[term.index]
        begins = int(kind == SUBTRACT and limb == 0 and fresh)
        strobes.setdefault(number, {})["minus"] = int(term.minus)
        strobes.setdefault(number + 1, {})["found"] = value >> p.w * limb & (1 << p.w) - 1
        opens = {"opens": int(fresh), "carries": int(fresh and kind != ZERO and limb > 0), "one": begins}
        strobes.setdefault(number + 1, {}).update(opens)
        if kind == ZERO and term.minus:
            candidate = sum(one.minus for one in terms[: at + 1])
            strobes.setdefault(number + 5 + p.skew, {}).update(test=candidate, test_first=int(limb == 0))
    names = ("minus", "found", "opens", "carries", "one", "test", "test_first")
    for cycle in range(p.s * len(terms) + 7 + p.skew):
        for name in names:
            ctx.set(getattr(unit, name), strobes.get(cycle, {}).get(name, 0))
        limb, at = divmod(cycle - 3 - p.skew - len(terms) + 1, len(terms))
        if at == 0 and 0 <= limb < p.s:
            result |= ctx.get(unit.sum) << p.w * limb
        await ctx.tick()
    seen.append(ctx.get(unit.zero) if kind == ZERO else result)


@compiled
@pytest.mark.parametrize(("options", "every"), [(SMALL, 13), (IN_HALVES, 39)])
def test_curves_points_and_scalars(store, options, every):
    """Modulo 5, every 13th of 1,872 cases, or every 39th, each in the cycles of the schedule."""
    check_field(store, options, 5, every)


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize(("p", "count"), [(5, 1872), (7, 6624)])
def test_all_curves_points_and_scalars(store, p, count):
    """All cases of all possible."""
    assert check_field(store, SMALL, p, 1) == count


@compiled
@pytest.mark.campaign
def test_all_curves_points_and_scalars_in_halves(store):
    """Modulo 5, all cases of all possible."""
    assert check_field(store, IN_HALVES, 5, 1) == 1872


def check_field(store, options, p, every):
    """Number of cases that come out right, in the cycles of the schedule."""
    prepared, cases = make(store, **options), list(whole_field(p, infinity=True))[::every]
    found = verify(prepared, cases, oracle=False)
    assert found.failed == []
    assert found.passed == len(cases)
    assert set(found.cycles.values()) == {prepared.schedule.latency}
    return found.passed


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("p", [11, 13, 17])
def test_curves_points_and_scalars_of_larger_fields(store, p):
    """Every 61st of all points and scalars of every curve."""
    prepared = make(store, bits=5, order_bits=6, digit=4, digits=2)
    cases = list(whole_field(p, infinity=True))[::61]
    found = verify(prepared, cases, oracle=False)
    assert found.failed == []
    assert found.passed == len(cases)


@compiled
@pytest.mark.campaign
def test_points_of_small_order_and_narrow_curves(store):
    """On a core of 61 bits, whose exponent has three limbs."""
    prepared, cases = make(store, bits=61, order_bits=61, digit=8, digits=3), small_orders_and_narrow_curves()
    found = verify(prepared, cases)
    assert found.failed == []
    assert found.passed == len(cases)


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize(
    ("name", "digits"),
    [("P-256", 5), ("secp256k1", 5), ("brainpoolP384r1", 5), ("P-521", 5), ("P-256", 8), ("P-384", 8), ("P-521", 8)],
)
def test_full_width(store, name, digits):
    """Edge scalars and random ones, against sums of points."""
    prepared = make(store, curve=name, target="ecp5", digits=digits)
    cases = random.Random(1).sample(edge_cases(prepared), 4) + random_cases(prepared, 2, seed=1)
    found = verify(prepared, cases)
    assert found.failed == []
    assert found.passed == 6


# --- what shows


def test_control_does_not_depend_on_the_operands():
    """Of two scalars, one of them 0, on two points: strobes and write enables of every cycle are the same, and the
    addresses but for the words that the declared flags exchange."""
    prepared, points = make(**SMALL), small_curve_points(13, 2, 3)
    curve = {"modulus": 13, "a": 2, "b": 3, "order": len(points) + 1}
    cases = [{**curve, "k": k, "x": x, "y": y} for k, (x, y) in ((0, points[0]), (11, points[3]))]
    first, other = traces(prepared, cases, control_of)
    flips = exchanged(prepared, ("flip_a", "flip_b", "flip", "into_flip", "fresh_a", "fresh_b", "fresh", "tail"))
    assert len(first) == prepared.schedule.latency
    differing = {cycle for cycle, (one, two) in enumerate(zip(first, other, strict=True)) if one != two}
    assert all(first[cycle][:-4] == other[cycle][:-4] for cycle in differing)
    assert differing
    assert differing <= flips


def control_of(ctx, core):
    """Control of the multiply-accumulate, of the adder and of the memory, its four addresses last."""
    columns, sums, words = core.columns, core.sums, core.words
    strobes = ("multiply", "forward", "first", "lower", "ones", "close", "store", "context", "outside")
    controls = [
        *(getattr(columns, name) for name in strobes),
        *(getattr(sums, name) for name in ("minus", "opens", "carries", "one", "test", "test_first")),
        *(core.divsteps.step, words.source, words.write, words.read_a, words.read_b, words.read, words.into),
    ]
    return tuple(map(ctx.get, controls))


def test_no_value_is_zero_whatever_the_scalar():
    """On P-256, values of set-up, step, exit and end for scalars of both top bits: none is 0 in integers, but for what
    is computed from operands that are 0. Of the inverse, the last g is, for every operand."""
    prepared = make(curve="P-256", target="ecp5")
    curve = resolve_curve("P-256")
    for k in (1, 1 << 255, (1 << 256) + 5):
        payload = prepared.codec.encode({"modulus": curve.p, "k": k, "x": curve.gx, "y": curve.gy})
        prepared.model.run(payload)
        values = dict(prepared.model.last.values)
        inverse = {operation.name for label in ("prepare", "batch") for operation in GRAPHS[label].operations}
        for name in {"dx", "dy", "x_out", "y_out", "up", "un", *inverse, *BATCH_CARRIED}:
            values.pop(name, None)
        assert all(values.values())
