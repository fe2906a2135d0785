# SPDX-License-Identifier: Apache-2.0
"""The multipliers with a runtime modulus in hardware: all operands of small widths, pairs, edges and errors."""

import random
from itertools import pairwise

import pytest
from amaranth.sim import Simulator

from modwright.base.errors import ParameterError
from modwright.cores.modmul.carry_save.hardware.ahead_forward import left_behind
from modwright.cores.modmul.carry_save.model import State
from modwright.cores.modmul.carry_save.parameters import BAD_MODULUS, OUT_OF_RANGE
from modwright.cores.modmul.carry_save.schedule import LOOP_BEHIND
from modwright.functions import vectors
from modwright.functions.cases import edge_cases, encode_cases, random_cases
from modwright.rtl.streams import layout
from modwright.simulate import Stalls, Stimulus, run, verify

from ..tools import needs
from .carry_save_cases import ALL, CORES, DATA, make, moduli, multipliers, of_paper, word


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize(("name", "domain"), [(name, 1) for name in CORES] + [("vlm3", 2)])
def test_all_operands_and_odd_moduli_of_6_bits(name, domain, store):
    """Domain 1: 131072 of 131072 products, those with an operand that is not reduced as well; domain 2: 524288."""
    exhaust(make(name, 6, store, domain=domain), range(1, 64, 2))


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize("name", ["vlm3", "booth8-csa"])
def test_all_operands_and_odd_moduli_of_6_bits_in_pairs(name, store):
    """131072 of 131072 products, two at a time on one digit loop."""
    exhaust(make(name, 6, store, domain=1, interleave=2), range(1, 64, 2))


AHEAD = [name for name in CORES if name != "radix2"]

STALLS = {"free": None, "stalled": Stalls(3, 40, 40), "pressed": Stalls(4, 5, 95)}
PAIRS = [
    pytest.param(name, stalls, id=f"{name}-{how}", marks=[] if (row + column) % 3 != 2 else [pytest.mark.campaign])
    for row, name in enumerate(CORES)
    for column, (how, stalls) in enumerate(STALLS.items())
]
"""On every run two of the three for each core, and each of the three for several cores."""


@pytest.mark.parametrize(("name", "stalls"), PAIRS)
def test_pairs_of_products(name, stalls, store):
    """40 products of 40 bits in 3 limbs: values, bits, cycles; of 8, the second of a pair directly after the first."""
    prepared = make(name, 40, store, modulus="0xffffffffff", limb=16, interleave=2)
    cases = random_cases(prepared, 40, seed=7)
    found = verify(prepared, cases, simulator="pure", stalls=stalls)
    assert found.failed == []
    assert found.passed == 40
    words = [prepared.parameters.i.pack(payload) for payload in encode_cases(prepared, cases[:8])]
    accepted = run(prepared, Stimulus(words, stalls), "pure").accepted
    pairs = sum(second == first + 1 for first, second in pairwise(accepted))
    assert pairs == 4 if stalls is None else 0 < pairs <= 4


ROWS = [
    pytest.param(name, domain, interleave, marks=[] if (number + domain + interleave) % 2 else [pytest.mark.campaign])
    for number, name in enumerate(CORES)
    for domain in (1, 2)
    for interleave in (1, 2)
]
"""Every pair of a core, a domain and an interleaving; all three together in the long run."""


@pytest.mark.parametrize(("name", "domain", "interleave"), ROWS)
def test_rows_that_are_longer_than_all_limbs(name, domain, interleave, store):
    """40 products of 16 bits in limbs of 16 or a little more, with edges: of booth8-csa a row of S has 19 bits and the
    one limb 18, which hold S."""
    prepared = make(name, 16, store, modulus="0xffef", domain=domain, interleave=interleave, limb=16)
    found = verify(prepared, random_cases(prepared, 40, seed=5) + edge_cases(prepared), simulator="pure")
    assert found.failed == []
    assert found.cases > 40


def test_a_pair_takes_twice_the_cycles_of_one_and_a_half_of_the_loop():
    for name in CORES:
        alone, pair = of_paper(name, 1024, 2)[1], of_paper(name, 1024, 2, interleave=2)[1]
        assert pair.latency == 2 * alone.latency - 1
        assert (alone.burst, pair.burst) == (1, 2)
        assert pair.constant_time == alone.constant_time
        if pair.constant_time:
            assert pair.interval == pair.latency + 2


@pytest.mark.parametrize("name", AHEAD)
def test_q_made_ahead_takes_three_cycles_more(name):
    plain, ahead = of_paper(name, 1024, 2)[1], of_paper(name, 1024, 2, ahead=True)[1]
    assert ahead.latency == plain.latency + 3
    assert ahead.interval == plain.interval + 3


@pytest.mark.parametrize(("name", "options"), [("radix2", {}), ("booth8-csa", {"interleave": 2})])
def test_q_that_cannot_be_made_ahead(name, options):
    with pytest.raises(ParameterError, match="ahead"):
        of_paper(name, 64, 2, ahead=True, **options)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *(pytest.param(name, {}, id=name) for name in AHEAD),
        pytest.param("csa-high-radix", {"radix": 4}, id="radix-4", marks=pytest.mark.campaign),
        pytest.param("csa-high-radix", {"radix": 8}, id="radix-8"),
        pytest.param("csa-high-radix", {"radix": 32}, id="radix-32", marks=pytest.mark.campaign),
    ],
)
def test_q_made_ahead_for_many_operands_and_moduli(name, options, store):
    """20 pairs of operands for each modulus of at most 5 bits, and one operand of each that is too large."""
    prepared = make(name, 5, store, ahead=True, domain=1, **options)
    rng = random.Random(8)
    operands = [{"x": rng.randrange(m), "y": rng.randrange(m), "m": m} for m in range(3, 32, 2) for _ in range(20)]
    operands += [{"x": m, "y": 0, "m": m} for m in range(3, 32, 2)]
    assert_as_the_model(prepared, operands, "pure")


@needs("compiled-simulator", why="models of the device's cells")
@pytest.mark.parametrize("name", ["vlm3", "csa-high-radix"])
def test_q_made_ahead_with_cells_of_the_device(name, store):
    """Edges and 40 products of 81 bits in six limbs; registers and tables of four inputs as on ECP5."""
    prepared = make(name, 81, store, ahead=True, limb=16, target="ecp5")
    rng = random.Random(9)
    some = [*moduli(81, rng, 8), 3, (1 << 81) - 1]
    operands = [{"x": x, "y": rng.randrange(2 * m), "m": m} for m in some for x in multipliers(m, 2 * m, rng)]
    assert "LUT4" in prepared.verilog()
    assert_as_the_model(prepared, operands, "compiled")


def assert_as_the_model(prepared, operands, simulator):
    """Results and cycles of products one after the other."""
    p = prepared.parameters
    trace = run(prepared, Stimulus([p.i.pack(given) for given in operands]), simulator)
    for number, (given, result) in enumerate(zip(operands, trace.words, strict=True)):
        outcome = prepared.model.run(given)
        assert p.o.unpack(result) == outcome.payload
        assert trace.valid[number] - trace.accepted[number] == outcome.cycles


def test_what_q_leaves_behind():
    """G for all P, odd M and lengths of a digit: P + q·M has no bit below the digit's places."""
    for places in range(1, 5):
        for low in range(16):
            for m in range(1, 1 << 2 * places, 2):
                above = left_behind(low, m, places)
                rest = (above << places) - low % (1 << places)
                assert rest % m == 0
                assert 0 <= rest // m < 1 << places


@pytest.mark.parametrize("name", AHEAD)
def test_sum_after_each_digit_with_q_made_ahead(name, store):
    """S in every cycle, whatever the words that stand for it; 4 products of 80 bits in two slices."""
    prepared = make(name, 80, store, ahead=True, limb=16)
    p, model, rng = prepared.parameters, prepared.model, random.Random(3)
    cases = [{"x": rng.randrange(2 * m), "y": rng.randrange(2 * m), "m": m} for m in moduli(80, rng, 4)]
    core = prepared.core.build(p, prepared.schedule)
    seen = []

    async def bench(context):
        context.set(core.o.ready, 1)
        for case in cases:
            context.set(core.i.payload, layout(p.i).const(case))
            context.set(core.i.valid, 1)
            sums, given = [], [0] * LOOP_BEHIND  # whether there was a digit, in the last cycles
            while not context.get(core.o.valid):
                given.append(context.get(core.loop.enable))
                await context.tick()
                context.set(core.i.valid, 0)
                if given.pop(0):
                    state = State(*(context.get(getattr(core.loop, name)) for name in State._fields))
                    sums.append(model.value(state))
            seen.append(sums)
            await context.tick()

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    for case, sums in zip(cases, seen, strict=True):
        states = model.states(model.digits(case["x"]), case["y"], case["m"])
        assert sums == [model.value(state) for state in states]


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize(
    "name", [name if name == "booth8-csa" else pytest.param(name, marks=pytest.mark.campaign) for name in AHEAD]
)
def test_all_operands_and_odd_moduli_of_6_bits_with_q_made_ahead(name, store):
    """131072 of 131072 products."""
    exhaust(make(name, 6, store, domain=1, ahead=True), range(1, 64, 2))


@pytest.mark.campaign
@pytest.mark.parametrize("name", [name for name in CORES if name != "vlm3"])
def test_all_operands_and_moduli_of_6_bits_in_domain_2(name, store):
    """1048576 of 1048576 words."""
    exhaust(make(name, 6, store), range(64))


def exhaust(prepared, some_moduli):
    """All X and Y of the payload with these moduli: results and errors against plain integers."""
    p = prepared.parameters
    operands = range(1 << p.operand_bits)
    for m in some_moduli:
        words = [word(p, x, y, m) for x in operands for y in operands]
        results = run(prepared, Stimulus(words)).words
        fields = {result: tuple(p.o.unpack(result).values()) for result in set(results)}
        found = (fields[result] for result in results)
        bound = p.domain * m
        for x in operands:
            for y in operands:
                z, _, error = next(found)
                if m % 2 == 0 or m < 3:
                    assert (z, error) == (0, BAD_MODULUS)
                elif max(x, y) >= bound:
                    assert (z, error) == (0, OUT_OF_RANGE)
                else:
                    assert error == 0
                    assert z < bound
                    assert ((z << p.T) - x * y) % m == 0


@pytest.mark.parametrize(("name", "domain"), ALL)
def test_carry_save_words_are_the_models(name, domain, store):
    """Every register of the digit loop in every cycle; 8 products of 12 bits, all classes of m2 m1."""
    prepared = make(name, 12, store, domain=domain)
    rng = random.Random(3)
    cases = [{"x": rng.randrange(domain * m), "y": rng.randrange(domain * m), "m": m} for m in moduli(12, rng, 8)]
    core = prepared.core.build(prepared.parameters, prepared.schedule)
    seen = []

    async def bench(context):
        context.set(core.o.ready, 1)
        for case in cases:
            context.set(core.i.payload, layout(prepared.parameters.i).const(case))
            context.set(core.i.valid, 1)
            states = []
            while not context.get(core.o.valid):
                digit = context.get(core.loop.enable)
                await context.tick()
                context.set(core.i.valid, 0)
                if digit:
                    states.append(tuple(context.get(getattr(core.loop, name)) for name in ("total", "carry", "lost")))
            seen.append(states)
            await context.tick()

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    for case, states in zip(cases, seen, strict=True):
        digits = prepared.model.digits(case["x"])
        assert states == [tuple(s) for s in prepared.model.states(digits, case["y"], case["m"])]


@pytest.mark.parametrize(("name", "domain"), ALL)
def test_edges_and_errors_over_several_limbs(name, domain, store):
    """Bits, values and cycles over 3 limbs: moduli of all classes and sizes, edge operands, and broken ones."""
    prepared = make(name, 40, store, domain=domain, limb=16)
    p, rng = prepared.parameters, random.Random(4)
    operands = []
    for m in [*moduli(40, rng, 4), *moduli(17, rng, 4), 3, (1 << 40) - 1]:
        operands += [{"x": x, "y": y, "m": m} for x in multipliers(m, domain * m, rng) for y in (1, domain * m - 1)]
    good = len(operands)
    m, top = moduli(40, rng, 1)[0], (1 << p.operand_bits) - 1
    operands += [{"x": 0, "y": 0, "m": broken} for broken in (0, 1, 2, m - 1, m ^ 1)]
    operands += [{"x": x, "y": y, "m": m} for x, y in ((domain * m, 0), (0, domain * m), (top, 0), (0, top))]
    assert good == len(operands) - 9
    trace = run(prepared, Stimulus([p.i.pack(o) for o in operands]))
    for number, (given, result) in enumerate(zip(operands, trace.words, strict=True)):
        outcome, found = prepared.model.run(given), p.o.unpack(result)
        assert found == outcome.payload
        assert trace.valid[number] - trace.accepted[number] == outcome.cycles
        assert (found["error"] == 0) == (number < good)
        if found["error"] == 0:
            assert found["z"] < domain * given["m"]
            assert ((found["z"] << p.T) - given["x"] * given["y"]) % given["m"] == 0


@needs("compiled-simulator", why="512 bits")
@pytest.mark.parametrize(
    "name", [name if name == "vlm3" else pytest.param(name, marks=pytest.mark.campaign) for name in CORES]
)
def test_products_of_512_bits(name, store):
    """8 of an independent model, each with a modulus of its own."""
    file = vectors.load(DATA / "modmul-odd512.json")
    prepared = make(name, 512, store, modulus=hex((1 << 512) - 3))
    found = verify(prepared, file.cases_for(prepared.core, prepared.request))
    assert found.failed == []
    assert found.passed == len(file.cases) == 8
    assert found.cycles["max"] <= prepared.schedule.latency


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "domain"), ALL)
@pytest.mark.parametrize(("n", "count"), [(512, 100_000), (1024, 10_000), (2048, 200)])
def test_random_products(name, domain, n, count, store):
    """Moduli of all four classes, edge multipliers and random ones; values against plain integers."""
    prepared = make(name, n, store, domain=domain)
    p, rng = prepared.parameters, random.Random(n)
    done = 0
    while done < count:
        cases = []
        for m in moduli(n, rng, 40):
            bound = domain * m
            cases += [(x, rng.randrange(bound), m) for x in multipliers(m, bound, rng)]
            cases += [(rng.randrange(bound), rng.randrange(bound), m) for _ in range(20)]
        for (x, y, m), result in zip(cases, run(prepared, Stimulus([word(p, *c) for c in cases])).words, strict=True):
            found = p.o.unpack(result)
            z = found["z"]
            assert (found["error"], found["m"]) == (0, m)
            assert z < domain * m
            assert ((z << p.T) - x * y) % m == 0
        done += len(cases)
