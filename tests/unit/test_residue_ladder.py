# SPDX-License-Identifier: Apache-2.0
"""Point multiplication in residues: sums of products, places in time, model and hardware, small fields in full."""

import random
from fractions import Fraction
from types import SimpleNamespace

import pytest
from amaranth.sim import Simulator

from modwright.base.errors import ParameterError
from modwright.catalog import resolve_curve
from modwright.catalog.points import add_points, multiply_point, small_curve_points
from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.plan.ladder import lifted_scalar
from modwright.cores.ecpm.ladder.plan.residues.formulas import COPIED, GRAPHS
from modwright.cores.ecpm.ladder.plan.residues.microcode import HEAD, WORDS, decision, make_plan
from modwright.cores.ecpm.ladder.plan.residues.steps import stored_steps
from modwright.cores.ecpm.ladder.plan.row.microcode import FIRST_BIT, scalar_steps
from modwright.cores.ecpm.ladder.schedule.residues import OUT
from modwright.engines.rowers.bases import find_root_bases, signed_root
from modwright.engines.rowers.control import TRAVEL
from modwright.engines.rowers.hardware.field import fields
from modwright.engines.rowers.model import ResidueField
from modwright.engines.rowers.parameters import BELOW
from modwright.engines.rowers.program import Places, loop_is_right, parse
from modwright.functions.cases import edge_cases, encode_cases, random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import verify

from ..tools import needs

CORE = find("ecpm/rns-ladder")
compiled = needs("compiled-simulator", why="a point multiplication has thousands of cycles")
SUMS = parse("z = x * y - y * y + x * #3 - x * x\nw = z * z + z * y - x * z\nq = w * #0\np = x * #enter\n")


def make(p=None, store=None, target="generic", curve=None, **options):
    chosen = options or ({"width": 8, "order_bits": p.bit_length() + 1} if p else {})
    request = Request.make(CORE, modulus=None if p is None else str(p), curve=curve, target=target, options=chosen)
    return prepare(CORE, request, *([] if store is None else [store]))


def whole_field(p):
    """Every curve over p, every point and that at infinity, and every scalar that fits, with its multiple."""
    for a in range(p):
        for b in range(p):
            if (4 * a**3 + 27 * b * b) % p == 0:
                continue
            points = small_curve_points(p, a, b)
            for x, y in [*points, (None, None)]:
                point, total = (None if x is None else (x, y)), None
                for k in range(2 << p.bit_length()):
                    result = {"infinity": True} if total is None else {"rx": total[0], "ry": total[1]}
                    yield {"a": a, "b": b, "order": len(points) + 1, "k": k, "x": x, "y": y} | result
                    total = add_points(total, point, p, a)


CASES = {5: 1920, 7: 5376}
"""All of the cases above."""


# --- the field


@pytest.mark.parametrize("prime", [3, 7, 11, 251])
def test_one_of_a_number_and_its_negative_has_a_root(prime):
    """Modulo primes 3 modulo 4, every number."""
    for value in range(prime):
        root, negative = signed_root(value, prime)
        assert (root * root - (-value if negative else value)) % prime == 0


def test_bases_are_of_primes_and_share_nothing():
    A, B = find_root_bases(8, 4, 7)
    assert A.moduli == (251, 239, 227, 223) and B.u[0] == 1
    with pytest.raises(ParameterError, match="primes 3 modulo 4"):
        find_root_bases(8, 30, 7)


def test_only_a_prime_is_taken():
    for bad, rule in (("9", "0x9, which is not a prime"), ("3", "3 against 5")):
        with pytest.raises(ParameterError, match=rule):
            CORE.derive(Request.make(CORE, modulus=bad, options={"width": 8}))


@pytest.mark.parametrize("lanes", [1, 2, 3])
def test_sums_of_products_of_every_pair(lanes):
    """Modulo 13, x and y below it, 169 pairs of 169: class, one integer in both bases, and its limits."""
    p = make(13, width=8, order_bits=5, lanes=lanes, channels=3).parameters.rowers
    check_sums(p, [(x, y) for x in range(13) for y in range(13)])


@pytest.mark.parametrize("curve", ["P-256", "secp256k1"])
def test_sums_of_products_of_a_whole_curve(curve):
    """At both ends, and at random."""
    p, drawn = make(curve=curve, target="ecp5").parameters.rowers, random.Random(2)
    ends = (0, 1, p.modulus - 1)
    check_sums(p, [(x, y) for x in ends for y in ends] + [[drawn.randrange(p.modulus) for _ in "xy"] for _ in range(8)])


def check_sums(p, pairs):
    P, out = p.modulus, pow(p.A.product, -1, p.modulus)
    for x, y in pairs:
        model = ResidueField(p)
        model.load("x", x)
        model.load("y", y)
        for operation in SUMS:
            model.run(operation, {})
        z = (x * y - y * y + x * p.constants["3"] - x * x) * out % P
        wanted = {"x": x, "z": z, "w": (z * z + z * y - x * z) * out % P, "q": 0, "p": x * p.A.product % P}
        for name, value in wanted.items():
            number = model.number(name)
            assert number % P == value
            assert -BELOW < Fraction(number, P) < p.above < 2


def test_a_whole_multiplication_stays_in_its_limits():
    """P-256, a random scalar: representatives through all 3,120 sums, none of them outside, to the right point."""
    p, curve = make(curve="P-256", target="ecp5").parameters, resolve_curve("P-256")
    k, model, numbers = random.Random(5).randrange(curve.order), ResidueField(p.rowers), set()

    def run(label, **flags):
        for operation in GRAPHS[label]:
            hats = model.run(operation, flags)
            if operation.name not in ("ox", "oy"):  # these have P added
                numbers.add(model.number(operation.name))
        return p.rowers.conversion.apply(hats)

    for name, value in {"px": curve.gx, "py": curve.gy, "pa": curve.a, "pb": curve.b, "unit": 1}.items():
        model.load(name, value)
    run("set-up")
    model.words |= {name: model.words[f"{name}0"] for name in COPIED}
    scalar, exchanged = lifted_scalar(k, curve.order, 256), False
    for at in reversed(range(256)):
        before, exchanged = exchanged, not scalar >> at & 1
        run("step", turn=int(exchanged != before))
    run("exit", turned=int(exchanged != before), own=int(exchanged), x_zero=0)
    run("first power", x_zero=0)
    for at in range(256):
        run("power", digit=curve.p - 2 >> at & 1)
    found = run("end", direct=0), run("last", negate=0)
    assert found == multiply_point(k, (curve.gx, curve.gy), curve.p, curve.a)
    assert len(model.quotients) == 3120
    assert -BELOW * curve.p < min(numbers) < max(numbers) < p.rowers.above * curve.p


# --- places in time


def test_stored_steps_fit_their_formulas():
    """Each is a loop in which all values are there, and no shorter than the bound; those marked so are the shortest."""
    graph = GRAPHS["step"]
    for step in stored_steps():
        field = SimpleNamespace(rows=step.rows, result=step.result)
        placed = tuple(Places(field, operation, *step.starts[operation.name]) for operation in graph)
        assert loop_is_right(placed, step.period, step.period)
        assert decision(placed, step.period) is not None
        assert step.period >= 21 + 10 * (step.rows + 1)


def test_a_step_in_which_a_value_comes_late_is_refused():
    step = stored_steps()[0]
    field, graph = SimpleNamespace(rows=step.rows, result=step.result), GRAPHS["step"]
    for name, (start, second) in step.starts.items():
        moved = step.starts | {name: (start - 1, second - 1)}
        placed = tuple(Places(field, operation, *moved[operation.name]) for operation in graph)
        later = step.starts | {name: (start + step.period, second + step.period)}
        behind = tuple(Places(field, operation, *later[operation.name]) for operation in graph)
        assert not loop_is_right(behind, step.period, step.period)
        assert not loop_is_right(placed, step.period, step.period) or name in ("K", "L", "U", "XQ", "YQ", "H")


@pytest.mark.parametrize("options", [{"lanes": 3}, {}, {"width": 17}, {"width": 17, "lanes": 4}, {"latency": 3}])
def test_no_two_factors_meet(options):
    """In the parts that run once: a rower takes one factor a cycle, and every value is there when it is read."""
    prepared = make(curve="P-256", target="ecp5", **{"width": 18, **options})
    p = prepared.parameters
    for part in make_plan(p, prepared.schedule.parts[OUT].latency).parts:
        if part.count > 1:
            continue
        in_a = [cycle for places in part.placed for cycle in places.in_a]
        in_b = [cycle for places in part.placed for cycle in (*places.in_b, places.second)]
        assert len(set(in_a)) == len(in_a) and len(set(in_b)) == len(in_b) and min(in_a) >= 0
        made = {places.operation.name: places for places in part.placed}
        for places in part.placed:
            for source in places.operation.sources:
                assert source not in made or source == places.operation.name or places.start >= made[source].ready


def test_cycles_of_the_default():
    """175 a step, which the solver has shown to be the shortest, and 45 a digit of the inverse: a product's latency."""
    prepared = make(curve="P-256", target="ecp5")
    step, power, *_ = prepared.schedule.microcode.loops
    assert (step.length, power.length) == (175, prepared.parameters.rowers.latency) == (175, 45)
    assert prepared.schedule.latency == 57978


# --- model and hardware


def test_model_over_a_small_field():
    """Every curve over 5, every point, every scalar that fits: 1,920 cases of 1,920 possible."""
    prepared, cases = make(5), list(whole_field(5))
    for case, payload in zip(cases, encode_cases(prepared, cases), strict=True):
        found = prepared.codec.decode(prepared.model.run(payload).payload)
        names = [name for name in ("rx", "ry", "infinity") if name in case]
        assert {name: found.get(name) for name in names} == {name: case[name] for name in names}
    assert len(cases) == CASES[5]


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("p", [5, 7])
def test_all_curves_points_and_scalars(store, p):
    """Modulo 5, 1,920 cases of 1,920 possible; modulo 7, 5,124 of 5,124; each in the cycles of the schedule."""
    prepared, cases = make(p, store), list(whole_field(p))
    found = verify(prepared, cases, oracle=False)
    assert found.failed == []
    assert found.passed == len(cases) == CASES[p]
    assert set(found.cycles.values()) == {prepared.schedule.latency}


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("options", [{"lanes": 1}, {"lanes": 3, "channels": 3}, {"latency": 3}, {"t": 6}, {"width": 9}])
def test_all_curves_points_and_scalars_with_options(store, options):
    """Modulo 5, 1,920 cases of 1,920 possible."""
    prepared = make(5, store, **{"width": 8, "order_bits": 4, **options})
    found = verify(prepared, list(whole_field(5)), oracle=False)
    assert found.failed == []
    assert found.passed == CASES[5]


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("name", ["P-256", "secp256k1", "secp160r1", "brainpoolP384r1"])
def test_full_width(store, name):
    """Edge scalars and random ones, against sums of points."""
    prepared = make(None, store, curve=name, target="ecp5")
    cases = random.Random(1).sample(edge_cases(prepared), 6) + random_cases(prepared, 6, seed=1)
    found = verify(prepared, cases)
    assert found.failed == []
    assert found.passed == 12


@pytest.mark.parametrize("curve", ["secp160r1", "P-256", "P-384"])
def test_the_ladder_begins_when_the_first_bit_of_the_scalar_is_there(curve):
    """From 384 bits on the scalar, a bit a cycle, takes longer than the arithmetic of the set-up."""
    p = make(curve=curve).parameters
    setup = make_plan(p, conversion=1).parts[0].words
    last = max(cycle for cycle, word in enumerate(setup) if word.get("reduce"))
    begins = next(cycle for cycle, word in enumerate(setup) if word.get("begin"))
    assert begins - last >= FIRST_BIT
    assert sum("reduce" in word for word in setup) == len(scalar_steps(p))


def test_hardware_has_the_representatives_of_the_model():
    """Hats of every number of the set-up, bit for bit."""
    prepared = make(13)
    p, seen, wanted = prepared.parameters, {}, {}
    x, y = small_curve_points(13, 2, 3)[0]
    payload = prepared.codec.encode(
        {"a": 2, "b": 3, "order": len(small_curve_points(13, 2, 3)) + 1, "k": 5, "x": x, "y": y}
    )
    (setup, *_) = make_plan(p, prepared.schedule.parts[OUT].latency).parts
    events = {1 + HEAD + places.stored_b + TRAVEL: places.operation.name for places in setup.placed}
    core = CORE.build(p, prepared.schedule)

    async def bench(ctx):
        for name, value in payload.items():
            ctx.set(getattr(core.i.p, name), value)
        ctx.set(core.i.valid, 1)
        await ctx.tick()
        ctx.set(core.i.valid, 0)
        for cycle in range(1, max(events) + 1):
            if cycle in events:
                seen[events[cycle]] = tuple(ctx.get(hat) for hat in core.unit.hats)
            await ctx.tick()

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    model = ResidueField(p.rowers)
    for name, value in {**{f"p{name}": payload[name] for name in "xyab"}, "unit": 1}.items():
        model.load(name, value)
        wanted[name] = model.words[name].x
    for operation in GRAPHS["set-up"]:
        wanted[operation.name] = model.run(operation, {})
    assert seen == wanted


# --- what shows


def test_control_does_not_depend_on_the_operands():
    """Of three scalars, one of them 0, on two points: everything that controls the rowers is the same in every cycle,
    but for addresses of words that a flag exchanges or that the set-up has left."""
    prepared = make(13)
    points = small_curve_points(13, 2, 3)
    curve = {"a": 2, "b": 3, "order": len(points) + 1}
    first, *others = (
        trace(prepared, {**curve, "k": k, "x": x, "y": y})
        for k, (x, y) in ((0, points[0]), (5, points[0]), (11, points[3]))
    )
    words = enumerate(prepared.schedule.microcode.issued(), 1)
    flips = {cycle for cycle, word in words if any(name.endswith(("_flip", "_fresh")) for name in word)}
    assert len(first) == prepared.schedule.latency
    for other in others:
        differing = {cycle for cycle, (one, two) in enumerate(zip(first, other, strict=True)) if one != two}
        assert all(first[cycle][1] == other[cycle][1] for cycle in differing)
        assert differing and differing <= flips


def trace(prepared, case):
    """Addresses that are read, and all else that controls the rowers, in every cycle of an operation."""
    core, payload, seen = prepared.core.build(prepared.parameters, prepared.schedule), prepared.codec.encode(case), []
    reads = ("a_x", "a_y", "b_x", "b_y")

    async def bench(ctx):
        names = [name for name in fields(prepared.parameters.rowers, WORDS) if name not in reads]
        for name, value in payload.items():
            ctx.set(getattr(core.i.p, name), value)
        ctx.set(core.i.valid, 1)
        await ctx.tick()
        ctx.set(core.i.valid, 0)
        seen.append(((), ()))
        while not ctx.get(core.o.valid):
            seen.append(tuple(tuple(ctx.get(getattr(core.unit, name)) for name in group) for group in (reads, names)))
            await ctx.tick()

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


def test_bases_of_wide_moduli_are_found_at_once():
    """The search ends with the last modulus: there are 2^62 candidates."""
    a, b = find_root_bases(64, 5, 2**256 - 2**224 + 2**192 + 2**96 - 1)
    assert len(a.u) == len(b.u) == 5 and max(a.u + b.u) < 2000
