# SPDX-License-Identifier: Apache-2.0
"""The multipliers with a runtime modulus: constants, model, hardware.

What every core must keep is tested in tests/contract.
"""

import json
import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from amaranth.sim import Simulator

from modwright.base.errors import ParameterError, UsageError
from modwright.contract.request import Request
from modwright.cores.modmul import carry_save
from modwright.cores.modmul.carry_save.parameters import BAD_MODULUS, OUT_OF_RANGE
from modwright.functions import vectors
from modwright.functions.cases import edge_cases, encode_cases, random_cases
from modwright.prepared import prepare
from modwright.rtl.streams import layout
from modwright.simulate import Stalls, Stimulus, run, verify

from ..tools import needs

DATA = Path(__file__).parents[1] / "data" / "carry_save"
CORES = {core.name.partition("/")[2]: core for core in carry_save.CORES}
ALL = [(name, domain) for name in CORES for domain in (1, 2)]


def make(name, n, store, modulus=None, **options):
    core = CORES[name]
    return prepare(core, Request.make(core, modulus=modulus, target="generic", options={"bits": n, **options}), store)


def of_paper(name, n, domain, **options):
    """Parameters and schedule; nothing is built."""
    prepared = make(name, n, None, domain=domain, **options)
    return prepared.parameters, prepared.schedule


def word(p, x, y, m):
    """A packed input payload."""
    return x | y << p.operand_bits | m << 2 * p.operand_bits


def moduli(n, rng, count):
    """Odd moduli of n bits, of all four classes of m2 m1 in turn."""
    return [rng.getrandbits(n - 3) << 3 | 1 << (n - 1) | (2 * k + 1) % 8 for k in range(count)]


def multipliers(m, bound, rng):
    """0, 1, runs and alternating bits, the ends of the range, and random values, all below `bound`."""
    ones = (1 << (bound.bit_length() - 1)) - 1
    fixed = [0, 1, ones, ones // 3, ones // 3 * 2, ones // 5, m - 1, bound - 1, (ones + 1) % bound]
    return [*fixed, *(rng.randrange(bound) for _ in range(3))]


# --- constants


@pytest.mark.parametrize(
    ("name", "domain", "T", "W", "J"),
    [
        ("radix2", 1, 1024, 1026, 1024),
        ("radix2", 2, 1026, 1027, 1026),
        ("csa", 2, 1026, 1027, 1026),
        ("vlm3", 1, 1025, 1029, 513),
        ("vlm3", 2, 1026, 1030, 514),
        ("booth4-csa", 2, 1028, 1029, 514),
        ("booth8-csa", 2, 1026, 1030, 342),
    ],
)
def test_constants_at_1024_bits(name, domain, T, W, J):
    p, schedule = of_paper(name, 1024, domain)
    assert (p.T, p.width, p.most_digits) == (T, W, J)
    assert schedule.latency == J + p.limbs + (3 if domain == 2 else 4)
    assert schedule.constant_time == (name != "vlm3")


def test_booth8_at_1024_bits_takes_10_cycles_beside_its_digits():
    assert of_paper("booth8-csa", 1024, 2)[1].latency == 342 + 10


@pytest.mark.parametrize(
    ("domain", "low", "high"), [(1, Fraction(-2, 3), Fraction(5, 3)), (2, Fraction(-4, 3), Fraction(7, 3))]
)
def test_bounds_of_vlm3(domain, low, high):
    p, _ = of_paper("vlm3", 512, domain)
    assert p.sum_bounds == (low, high)
    tight = {i.name for i in p.certificate.inequalities if i.slack == 0}
    assert {"step-high-1", "step-low-1"} <= tight, "±1 in every second place reaches the bounds"


@pytest.mark.parametrize(("name", "domain"), ALL)
@pytest.mark.parametrize("n", [6, 64, 521, 4096])
def test_certificates_hold_and_less_does_not(name, domain, n):
    p, _ = of_paper(name, n, domain)
    assert p.certificate.failing is None
    shorter = type(p)(p.cell, n, domain, p.T - p.cell.shift, p.limb)
    assert shorter.certificate.failing is not None
    low, high = p.before_shift
    guard = Fraction(1, 1 << (p.width - n))
    if p.cell.signed:
        assert high * guard > Fraction(1, 4) or -low * guard > Fraction(1, 8), "a bit less would not do"
    else:
        assert high * guard > Fraction(1, 2), "a bit less would not do"


def test_requests_that_cannot_be_met():
    core = CORES["vlm3"]
    for arguments, error in (
        ({"modulus": "0xffff1", "options": {"bits": 16}}, ParameterError),
        ({}, UsageError),
    ):
        request = Request.make(core, **arguments)
        with pytest.raises(error):
            core.derive(request)


def test_codec_refuses_what_has_no_montgomery_form(store):
    codec = make("csa", 8, store).codec
    for m in (0, 1, 2, 100, 257):
        with pytest.raises(ValueError, match="modulus"):
            codec.encode({"x": 1, "y": 1, "modulus": m})
    with pytest.raises(ValueError, match="negative"):
        codec.encode({"x": -1, "y": 1, "modulus": 101})


# --- the model


@pytest.mark.parametrize(("name", "domain"), ALL)
def test_every_state_is_the_sum_that_the_digits_say(name, domain, store):
    """S after each digit against plain integers, its bounds and its registers; 16 moduli, 12 x 3 operands each."""
    prepared = make(name, 64, store, domain=domain)
    p, model, rng = prepared.parameters, prepared.model, random.Random(2)
    low, high = p.sum_bounds
    for m in [*moduli(64, rng, 15), 3]:
        for x in multipliers(m, domain * m, rng):
            for y in (domain * m - 1, 1, rng.randrange(domain * m)):
                digits = model.digits(x)
                places, value = 0, 0
                for digit, state in zip(digits, model.states(digits, y, m), strict=True):
                    if p.cell.variable:
                        value += digit.nz * (-1) ** digit.neg << (places + digit.a)
                        places += digit.a + 1
                    else:
                        value += digit << places
                        places += p.cell.bits
                    s = model.value(state)
                    assert (s * 2**places - value * y) % m == 0
                    assert low * m <= s <= high * m
                    assert state.total >> p.sum_width == state.carry >> max(0, p.carry_width) == 0 <= state.carry
                assert (value, places) == (x, p.T)
                last = s + p.offset * m
                z = model.run({"x": x, "y": y, "m": m}).payload["z"]
                assert z == last if domain == 2 else z == last % m
                assert 0 <= z < domain * m
                assert (z * 2**p.T - x * y) % m == 0


# --- the independent model's figures


def products():
    return json.loads((DATA / "vlm3-digits.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("domain", [1, 2])
def test_digits_and_results_of_an_independent_model(domain, store):
    """7 products of 512 and 1024 bits: digit counts, first and last digits, result."""
    for case in products()["products"]:
        prepared = make("vlm3", case["n"], store, domain=domain)
        expected = case[f"T=n+{domain}"]
        x, y, m = (int(case[name], 16) for name in "XYM")
        digits = prepared.model.digits(x)
        shown = ["".join(map(str, digit)) for digit in digits]
        assert len(digits) == expected["J"]
        assert shown[:12] == expected["digits_first12_nz_neg_a"]
        assert shown[-4:] == expected["digits_last4_nz_neg_a"]
        *_, state = prepared.model.states(digits, y, m)
        assert prepared.model.value(state) == int(expected["S_unreduced"], 16)
        z = prepared.model.run({"x": x, "y": y, "m": m}).payload["z"]
        assert z == int(expected["result_mod_M"] if domain == 1 else expected["S_unreduced"], 16)


@needs("compiled-simulator", why="512 bits")
def test_operands_up_to_2m_in_hardware(store):
    """R = 2^(n+2) and 0 <= Q < R leave one result, whatever the digits are; 2 products of 512 bits."""
    cases = products()["products_2M"]
    prepared = make("vlm3", 512, store, modulus=hex((1 << 512) - 3))
    p = prepared.parameters
    trace = run(prepared, Stimulus([word(p, *(int(case[key], 16) for key in "XYM")) for case in cases]))
    for case, result, start, end in zip(cases, trace.words, trace.accepted, trace.valid, strict=True):
        assert p.o.unpack(result) == {"z": int(case["S_unreduced"], 16), "m": int(case["M"], 16), "error": 0}
        assert end - start == case["J"] + p.limbs + 3


# --- hardware


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


@pytest.mark.parametrize("stalls", [None, Stalls(3, 40, 40), Stalls(4, 5, 95)], ids=["free", "stalled", "pressed"])
@pytest.mark.parametrize("name", CORES)
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


@pytest.mark.parametrize("name", [name for name in CORES if name != "radix2"])
def test_q_made_ahead_takes_a_cycle_more(name):
    plain, ahead = of_paper(name, 1024, 2)[1], of_paper(name, 1024, 2, ahead=True)[1]
    assert ahead.latency == plain.latency + 1
    assert ahead.interval == plain.interval + 1


@pytest.mark.parametrize(("name", "options"), [("radix2", {}), ("booth8-csa", {"interleave": 2})])
def test_q_that_cannot_be_made_ahead(name, options):
    with pytest.raises(ParameterError, match="ahead"):
        of_paper(name, 64, 2, ahead=True, **options)


@pytest.mark.parametrize("name", [name for name in CORES if name != "radix2"])
def test_q_made_ahead_for_many_operands_and_moduli(name, store):
    """20 pairs of operands for each modulus of at most 5 bits, and one operand of each that is too large."""
    prepared = make(name, 5, store, ahead=True, domain=1)
    p, rng = prepared.parameters, random.Random(8)
    operands = [{"x": rng.randrange(m), "y": rng.randrange(m), "m": m} for m in range(3, 32, 2) for _ in range(20)]
    operands += [{"x": m, "y": 0, "m": m} for m in range(3, 32, 2)]
    trace = run(prepared, Stimulus([p.i.pack(given) for given in operands]), "pure")
    for number, (given, result) in enumerate(zip(operands, trace.words, strict=True)):
        outcome = prepared.model.run(given)
        assert p.o.unpack(result) == outcome.payload
        assert trace.valid[number] - trace.accepted[number] == outcome.cycles


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
        results = iter(run(prepared, Stimulus(words)).words)
        bound = p.domain * m
        for x in operands:
            for y in operands:
                z, _, error = p.o.unpack(next(results)).values()
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
