# SPDX-License-Identifier: Apache-2.0
"""Point multiplication without hardware: graphs, inversion, ladder, kept steps, control words, model, parameters.

The hardware is in test_ecpm_rtl.py, and what every core must keep in tests/contract.
"""

import random
from dataclasses import replace
from itertools import combinations

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.catalog import resolve_curve
from modwright.catalog.points import add_points, multiply_point, small_curve_points
from modwright.contract.request import Request
from modwright.cores.ecpm.ladder import schedule as ladder_schedule
from modwright.cores.ecpm.ladder.plan.formulas import setup, step
from modwright.cores.ecpm.ladder.plan.microcode import EXTERNAL, make_plan
from modwright.engines.ladder.control import ITERATE, LOAD, PLUS, RESULT
from modwright.engines.ladder.dataflow import INVERSE, MULTIPLICATIONS, SUM, parse_graph
from modwright.engines.ladder.inversion import invert
from modwright.engines.ladder.parameters import UNITS
from modwright.functions.cases import encode_cases

from ..ecpm_words import RuleError, Words
from .ecpm_cases import LADDER, PAPER, make, plan_of

VARIANTS = [(PAPER, {}), *((LADDER, {"unit": unit, "macs": macs}) for unit in UNITS for macs in (1, 2))]
IDS = ["r64", *(f"{unit} x {macs}" for unit in UNITS for macs in (1, 2))]


def curves(p):
    """Every curve over a prime field, with its points."""
    for a in range(p):
        for b in range(p):
            if (4 * a**3 + 27 * b * b) % p:
                yield a, b, small_curve_points(p, a, b)


def expected(point):
    return {"infinity": True} if point is None else {"rx": point[0], "ry": point[1]}


def results(prepared, cases):
    """The model's result, decoded, without the code of no error."""
    for payload in encode_cases(prepared, cases):
        found = prepared.codec.decode(prepared.model.run(payload).payload)
        yield {name: value for name, value in found.items() if value is not None}


# --- graphs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = x * y", "reads y too early"),
        ("a = x + x\na = x - x", "made twice"),
        ("a = x / x", "not a formula"),
        ("a = x + x after b", "comes after b"),
        ("a = flag?x:y + x", "reads y too early"),
    ],
)
def test_a_wrong_graph_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_graph("planted", text, ("x",))


def test_products_of_the_graphs():
    """Products of a step: eleven, two of them as one sum where the unit has it."""
    assert sum(one.kind in MULTIPLICATIONS for one in step(False).operations) == 11
    kinds = [one.kind for one in step(True).operations]
    assert (sum(kind in MULTIPLICATIONS for kind in kinds), kinds.count(SUM)) == (10, 1)
    assert sum(one.kind in MULTIPLICATIONS for one in setup(True).operations) == 15


# --- inversion


@pytest.mark.parametrize("n", range(3, 9))
def test_inversion_of_every_residue(n):
    """Every residue modulo every odd number of n bits, and iterations from 2n on: all cases."""
    cases = 0
    for m in range((1 << (n - 1)) + 1, 1 << n, 2):
        for d in range(m):
            for iterations in (2 * n, 2 * n + 1, 2 * n + 5):
                r, negative = invert(d, m, iterations)
                assert 0 <= r < m
                value = -r if negative else r
                try:
                    assert value % m == pow(d, -1, m) * pow(2, iterations, m) % m
                except ValueError:
                    assert d == 0 or m % 3 == 0 or not_prime(m)
                cases += 1
    assert cases == 3 * sum(range((1 << (n - 1)) + 1, 1 << n, 2))


def not_prime(m):
    return any(m % d == 0 for d in range(2, m))


def test_one_iteration_less_is_too_few():
    """2n iterations are needed: with 2n - 1, some residue of a 5-bit prime has a wrong inverse."""

    def right(d, m, iterations):
        r, negative = invert(d, m, iterations)
        return (-r if negative else r) % m == pow(d, -1, m) * pow(2, iterations, m) % m

    assert all(right(d, 31, 10) for d in range(1, 31))
    assert not all(right(d, 31, n) for d in range(1, 31) for n in range(6, 10))


# --- the model against sums of points


@pytest.mark.parametrize("blinding", [False, True])
@pytest.mark.parametrize("core", [LADDER, PAPER], ids=lambda core: core.name)
def test_model_over_small_fields(core, blinding):
    """Every curve over 5 and 7, every point, every scalar from 0 to 2N + 1, N the order: 8,496 cases of 8,496
    possible."""
    count = sum(check_field(make(core, bits=4, limb=2, order_bits=5, blinding=blinding), p) for p in (5, 7))
    assert count == 8496 == sum(possible(p) for p in (5, 7))


def possible(p):
    """Points of every curve, times scalars."""
    return sum((len(points) + 1) * (2 * len(points) + 4) for _, _, points in curves(p))


def check_field(prepared, p):
    count = 0
    for a, b, points in curves(p):
        order = len(points) + 1
        for x, y in [*points, (None, None)]:
            ks = range(2 * order + 2)
            cases = [{"modulus": p, "a": a, "b": b, "order": order, "k": k, "x": x, "y": y} for k in ks]
            point, total = (None if x is None else (x, y)), None
            for case, found in zip(cases, results(prepared, cases), strict=True):
                assert found == expected(total), case
                total = add_points(total, point, p, a)
                count += 1
    return count


@pytest.mark.campaign
@pytest.mark.parametrize("p", [11, 13, 17, 19])
def test_model_over_larger_fields(p):
    """The same for 11, 13, 17 and 19: all cases."""
    prepared = make(bits=5, limb=3, order_bits=5)
    assert check_field(prepared, p) == possible(p)


# --- control words


@pytest.mark.parametrize(("core", "options"), VARIANTS, ids=IDS)
@pytest.mark.parametrize("limb", [2, 3])
def test_words_compute_multiples(core, options, limb):
    """Random curves, points and scalars of fields up to 61, on the words alone, with every rule of the machine."""
    rng = random.Random(limb)
    prepared = make(core, bits=6, limb=limb, order_bits=7, **options)
    for p in (5, 7, 13, 37, 61):
        for a, b, points in rng.sample(list(curves(p)), 3):
            for x, y in rng.sample(points, min(3, len(points))):
                k = rng.randrange(128)
                play(prepared, {"modulus": p, "a": a, "b": b, "order": len(points) + 1, "k": k, "x": x, "y": y})


def play(prepared, case):
    words = Words(prepared.parameters, prepared.schedule, encode_cases(prepared, [case])[0])
    assert words.run() + 1 == prepared.schedule.latency
    point = multiply_point(case["k"], (case["x"], case["y"]), case["modulus"], case["a"])
    assert words.flags["on_curve"]
    assert not words.bad_range
    if point is not None:
        assert (words.out["x"], words.out["y"]) == point
    return words


@pytest.mark.parametrize(("core", "options"), VARIANTS, ids=IDS)
def test_words_at_full_size(core, options):
    """256 bits, blinded."""
    prepared = make(core, curve="P-256", blinding=True, **options)
    curve = resolve_curve("P-256")
    case = {"k": curve.order - 5, "x": curve.gx, "y": curve.gy, "modulus": curve.p, "a": curve.a}
    play(prepared, case)


def test_a_wrong_word_is_found():
    """The reads of a step, one at a time from another word: wrong or refused, but for those that only look for a 0."""
    prepared = make(bits=6, limb=3, order_bits=7)
    case = {"modulus": 61, "a": 2, "b": 3, "order": 61, "k": 45, "x": 0, "y": 0}
    points = small_curve_points(61, 2, 3)
    case |= {"order": len(points) + 1, "x": points[7][0], "y": points[7][1]}
    code = prepared.schedule.microcode
    places = [code.loops[0].first + at for at in range(code.loops[0].length)]
    places = [at for at in places if "read" in code.words[at] and "zero" not in code.words[at]]
    assert len(places) > 15
    for at in places:
        words = list(code.words)
        words[at] = {**words[at], "read": words[at]["read"] ^ 2}
        changed = replace(prepared.schedule, control=replace(code, words=tuple(words)))
        with pytest.raises((AssertionError, RuleError)):
            play(replace(prepared, schedule=changed), case)


@pytest.mark.parametrize(("core", "options"), VARIANTS, ids=IDS)
def test_no_two_values_share_a_word(core, options):
    """Words of set-up and exit, by the cycles in which each value is written and read."""
    plan = plan_of(make(core, bits=256, **options).parameters)
    for name in ("set-up", "exit"):
        placed = {one.operation.name: one for one in plan.placed[name]}
        spans = []
        for value, word in plan.homes[name].items():
            if value not in placed:
                continue
            reads = [
                read.cycle
                for one in placed.values()
                for read in one.reads
                if value in one.operation.operands[read.index].values
            ]
            spans.append((word, placed[value].written + 1, max(reads, default=placed[value].written + 1)))
        for (word, first, last), (other, begin, end) in combinations(spans, 2):
            assert word != other or last < begin or end < first


def test_an_inversion_takes_its_iterations():
    plan = plan_of(make(bits=256).parameters)
    inverse = next(one for one in plan.placed["exit"] if one.operation.kind == INVERSE)
    assert len(inverse.iterations) == 512 + 1
    # 2T iterations, the operand and the result: all else that goes on meanwhile takes two clocks of the adder at most
    others = [one for one in plan.placed["exit"] if one.adds and inverse.start < one.adds < inverse.written]
    assert inverse.written - inverse.start <= 515 + 2 * len(others)


@pytest.mark.parametrize("bits", [4, 64, 256])
def test_an_inversion_in_the_registers_of_the_adder_is_alone(bits):
    """Operand, 2T iterations and result follow each other; no word loads A or takes the adder before the result."""
    p = make(PAPER, bits=bits).parameters
    plan = plan_of(p)
    inverse = next(one for one in plan.placed["exit"] if one.operation.kind == INVERSE)
    assert inverse.iterations == tuple(range(inverse.start + 1, inverse.start + 2 + p.iterations))
    first = plan.setup + plan.step + inverse.start
    words = plan.microcode.words[first : first + 1 + p.iterations]
    assert [word["inverse"] for word in words] == [LOAD] + [ITERATE] * p.iterations
    assert not any(word.get(name) for word in words for name in ("load_a", "clear_a", "first", "second", "one"))
    assert plan.microcode.words[first + len(words)]["inverse"] == RESULT


def test_a_wrong_inversion_is_found():
    """A sum in an inversion that is alone, and one that waits for a cycle."""
    prepared = make(PAPER, bits=4, limb=2)
    x, y = small_curve_points(13, 2, 3)[0]
    case = {"modulus": 13, "a": 2, "b": 3, "order": len(small_curve_points(13, 2, 3)) + 1, "k": 5, "x": x, "y": y}
    play(prepared, case)
    code = prepared.schedule.microcode
    at = next(number for number, word in enumerate(code.words) if word.get("inverse") == LOAD)
    changes = ({"second": PLUS}, {"load_a": 1}, {"one": 1}, {"inverse": 0})
    for cycle, change in enumerate(changes, at):
        words = list(code.words)
        words[cycle] = {**words[cycle], **change}
        changed = replace(prepared.schedule, control=replace(code, words=tuple(words)))
        with pytest.raises(RuleError, match=r"inversion|iteration"):
            play(replace(prepared, schedule=changed), case)


CYCLES = [
    (PAPER, {}, 396, 103_000),
    (LADDER, {}, 250, 65_100),
    (LADDER, {"macs": 2}, 137, 36_500),
    (LADDER, {"unit": "scan"}, 358, 93_000),
    (LADDER, {"unit": "fold"}, 328, 85_200),
]


@pytest.mark.parametrize(("core", "options", "period", "most"), CYCLES)
def test_cycles_at_256_bits(core, options, period, most):
    for curve in ("P-256", "secp256k1"):
        prepared = make(core, curve=curve, **options)
        plan = plan_of(prepared.parameters)
        assert plan.step == period
        assert prepared.schedule.latency == 1 + plan.setup + 256 * period + plan.exit <= most
        assert prepared.schedule.constant_time


def test_words_in_use():
    """XQ, XR, YQ, YR, G and two more, and M, which the exit reads; of the eleven names of Table 1, two share."""
    assert plan_of(make(bits=256).parameters).step_words == 8
    assert plan_of(make(PAPER, bits=256).parameters).step_words <= 10


# --- parameters and codec


def test_parameters_place_nothing(monkeypatch):
    """Derived, certified and described without a placer; the plan is the schedule's, and model and hardware read it."""
    request = Request.make(LADDER, curve="P-256", target="generic", options={})
    made = []
    monkeypatch.setattr(ladder_schedule, "make_plan", lambda p, units: made.append(p) or make_plan(p, units))
    p = LADDER.derive(request)
    assert p.certificate.failing is None
    assert "iterations" in p.describe()
    assert made == []
    plan = LADDER.schedule(p)
    LADDER.model(p, plan)
    LADDER.build(p, plan)
    list(LADDER.blocks(p, plan))
    assert len(made) == 1


def test_orders_may_have_a_bit_more():
    assert make(curve="P-256").parameters.order_bits == 256
    assert make(bits=256).parameters.order_bits == 257
    with pytest.raises(ParameterError, match="256 or 257"):
        make(bits=256, order_bits=255)


def test_edwards_curves_are_refused():
    with pytest.raises(UsageError, match="Weierstrass"):
        make(curve="ed25519")


@pytest.mark.parametrize("case", [{"modulus": 4}, {"modulus": 3}, {"modulus": 17}, {"k": 32}, {"order": 64}, {"a": -1}])
def test_what_does_not_fit_is_refused(case):
    prepared = make(bits=4, limb=2, order_bits=5)
    regular = {"modulus": 13, "a": 1, "b": 2, "order": 12, "k": 3, "x": 1, "y": 2}
    with pytest.raises(UsageError, match="cannot be given"):
        encode_cases(prepared, [regular | case])


def test_operands_stay_where_they_are():
    """No word is taken for an operand."""
    plan = plan_of(make(bits=256).parameters)
    assert all(not set(EXTERNAL) & set(homes) for homes in plan.homes.values())
