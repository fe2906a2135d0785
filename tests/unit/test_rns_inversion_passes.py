# SPDX-License-Identifier: Apache-2.0
"""Plus-minus inversion in residues: rules, constants, cox, RTL. What every core must keep is in tests/contract."""

import random
from itertools import pairwise
from math import gcd
from pathlib import Path

import pytest

from modwright.base.errors import ParameterError
from modwright.contract.request import Request
from modwright.engines.plus_minus import BMI, BTMI, FUSED, Flow, counter, factor, invert
from modwright.functions import vectors
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import verify
from modwright.statistics.sampling import sample

from ..tools import needs

KINDS = {"modinv/rns-bmi": BMI, "modinv/rns-btmi": BTMI, "modinv/rns-btmi-fused": FUSED}
CORES = sorted(KINDS)
VECTORS = sorted((Path(__file__).parents[1] / "data" / "vectors").glob("modinv-*.json"))
NEEDS_COMPILER = needs("compiled-simulator")
PRIMES = [p for p in range(5, 252) if all(p % q for q in range(2, p))]
CLASSES = {1: "P-224", 5: "2^256-587", 7: "secp256k1", 11: "P-192"}
"""A prime of each class modulo 12."""


def request_for(name, field=None, modulus=None, target="generic", **options):
    return Request.make(find(name), field=field, modulus=modulus, target=target, options=options)


def make(name, store, **selection):
    return prepare(find(name), request_for(name, **selection), store)


# --- the rules, in integers


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_operand_of_every_small_modulus(kind):
    """Each modulus from 5 to 299 that is co-prime to 6, prime or not, and all a below twice that."""
    for modulus in (m for m in range(5, 300) if gcd(m, 6) == 1):
        for a in range(2 * modulus):
            z, passes = invert(kind, modulus, a)
            assert passes <= kind.most_passes(modulus.bit_length())
            if gcd(a, modulus) > 1:
                assert z is None
            else:
                assert z * a % modulus == 1
                assert 0 < z < 2 * modulus


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_a_blinded_start(kind):
    """V1 = r and operand r·a give 1/a; 400 pairs of a modulus of 31 bits."""
    P, rng = 2**31 - 1, random.Random(4)
    for _ in range(400):
        a, r = rng.randrange(1, P), rng.randrange(1, P)
        z, _ = invert(kind, P, r * a % P, r)
        assert z * a % P == 1
        assert 0 < z < 2 * P


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_gain_of_two_passes_in_a_row(kind):
    """The bound of the passes rests on it; 500 operands of 64 bits."""
    rng, P = random.Random(6), 2**64 - 59
    assert gcd(P, 6) == 1
    for _ in range(500):
        flow, gains = Flow(kind, P, rng.randrange(1, 2 * P)), []
        while not flow.done:
            one = flow.step()
            gains.append(kind.gain(one.divisor) - (2 if one.sign else 0))
        assert min(gains) >= 2
        assert all(x + y >= kind.least_gain for x, y in pairwise(gains))


@pytest.mark.parametrize("P", [5, 7, 11, 13, 35, 1009])
@pytest.mark.parametrize("divisor", sorted({*BMI.divisors, *BTMI.divisors, *FUSED.divisors}))
def test_factor(P, divisor):
    for y in range(-divisor, divisor):
        f = factor(y, divisor, P)
        assert (y + f * P) % divisor == 0
        assert 1 + (-divisor // 2) <= f <= divisor // 2


@pytest.mark.parametrize(("kind", "outer", "inner"), [(BMI, 0.71, 0.67), (BTMI, 0.46, 0.75)])
def test_mean_counts_are_those_of_the_paper(kind, outer, inner):
    """500 operands of P-256; the paper's figures, to the accuracy that it prints."""
    rng, P = random.Random(7), 2**256 - 2**224 + 2**192 + 2**96 - 1
    plus_minus = divisions = 0
    for _ in range(500):
        flow = Flow(kind, P, rng.randrange(1, P))
        while not flow.done:
            one = flow.step()
            plus_minus += one.sign != 0
            divisions += one.sign == 0
    assert plus_minus / 500 / 256 == pytest.approx(outer, abs=0.01)
    assert divisions / plus_minus == pytest.approx(inner, abs=0.01)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_the_fast_count_is_that_of_the_rules(kind):
    """Every operand of a small modulus, and 20 of each class."""
    rng = random.Random(10)
    primes = [find(CORES[0]).derive(request_for(CORES[0], field=field)).modulus for field in CLASSES.values()]
    cases = [(1009, a) for a in range(2018)] + [(P, rng.randrange(P)) for P in primes for _ in range(20)]
    fast = {P: counter(kind, P) for P in (1009, *primes)}
    for P, a in cases:
        flow, steps, divisions = Flow(kind, P, a), 0, 0
        while not flow.done:
            one = flow.step()
            steps += one.sign != 0
            divisions += one.sign == 0
        assert fast[P](a) == (steps, divisions)


@pytest.mark.parametrize("name", CORES)
def test_a_campaign_counts_what_the_core_does(name, store):
    """60 operands: the cycles of the model are those of the passes that are counted."""
    prepared = make(name, store, field="P-192")
    parts = prepared.model.parts
    found = sample(prepared, 60, 3, workers=1)
    rng = random.Random("3/0")  # that of the first chunk
    cycles = [
        prepared.model.run(prepared.codec.encode({"a": rng.randrange(1, prepared.parameters.modulus)})).cycles
        for _ in range(60)
    ]
    assert sorted(cycles) == sorted(
        parts.cycles(passes) for passes, ways in found.histogram.items() for _ in range(ways)
    )
    document = found.to_json(prepared.request)
    assert [one["statistic"].split()[0] for one in document["also"]] == ["plus-minus", "divisions", "EMM,"]
    steps, divisions, products = (one["measured"]["mean"] for one in document["also"])
    assert steps + divisions == pytest.approx(document["measured"]["mean"], abs=1e-3)
    assert products == pytest.approx(2 * prepared.parameters.n * document["measured"]["mean"], rel=1e-4)


# --- constants


@pytest.mark.parametrize("width", [17, 20, 22, 24, 29, 33, 36])
@pytest.mark.parametrize("name", CORES)
def test_certificates_for_every_class(name, width):
    core = find(name)
    for field in ("secp192k1", *CLASSES.values(), "P-384", "P-521"):
        p = core.derive(request_for(name, field=field, width=width))
        assert p.certificate.failing is None
        assert all(gcd(m, 6) == 1 for m in p.base.moduli)


def test_the_four_classes():
    core = find(CORES[0])
    found = [core.derive(request_for(CORES[0], field=field)).modulus % 12 for field in CLASSES.values()]
    assert found == list(CLASSES) == [1, 5, 7, 11]


@pytest.mark.parametrize(
    ("name", "moduli", "load", "one"), [(CORES[0], 14, 16, 12), (CORES[1], 14, 16, 12), (CORES[2], 13, 9, 11)]
)
def test_cycles_of_a_pass(name, moduli, load, one):
    core = find(name)
    p = core.derive(request_for(name, field="P-256"))
    schedule = core.schedule(p)
    parts = core.model(p, schedule).parts
    assert (p.n, parts.load_cycles, parts.turn_cycles) == (moduli, load, one)
    assert schedule.latency == parts.cycles(p.most_passes)
    assert not schedule.constant_time


@pytest.mark.parametrize("name", CORES[1:])
def test_a_modulus_with_a_factor_of_six_is_refused(name):
    with pytest.raises(ParameterError, match=r"gcd\(P, 6\) = 1\n.*3 against 1"):
        find(name).derive(request_for(name, modulus=33))


@pytest.mark.parametrize("name", CORES)
def test_the_cox_is_exact(name):
    """q for both ends of the range and 300 values between, with hats that are any of their representatives."""
    p = find(name).derive(request_for(name, field="P-256"))
    engine, base, rng = p.engine, p.base, random.Random(8)
    values = [engine.least, engine.most, *(rng.randint(engine.least, engine.most) for _ in range(300))]
    for value in values:
        hats = [
            h + m if h + m < 1 << p.width and rng.randrange(2) else h
            for h, m in zip(engine.hats(value), base.moduli, strict=True)
        ]
        tops = sum(h >> (p.width - p.top_bits) for h in hats)
        q = (tops + engine.cox.offset) >> p.top_bits
        assert sum(h * c for h, c in zip(hats, base.cofactors, strict=True)) - q * base.product == value


# --- the hardware


@pytest.mark.parametrize(
    ("name", "path"),
    [
        pytest.param(name, path, id=f"{name[7:]}-{path.stem[7:]}", marks=[] if n == k else [pytest.mark.campaign])
        for n, name in enumerate(CORES)
        for k, path in enumerate(VECTORS)
    ],
)
@NEEDS_COMPILER
def test_vectors(name, path, store):
    """Every file on every core, one each in every run, and the core's edges."""
    file = vectors.load(path)
    prepared = make(name, store, field=file.field)
    edges = [case for key, case in prepared.codec.edges().items() if key[0] not in "23" or key[-1] in "05"]
    found = verify(prepared, [*file.cases_for(prepared.core, prepared.request), *edges])
    assert found.failed == []
    assert found.passed > 60
    assert found.cycles["max"] <= prepared.schedule.latency


@pytest.mark.parametrize("name", CORES)
@pytest.mark.parametrize("field", ["secp192k1", *CLASSES.values(), "P-384", "P-521"])
@pytest.mark.campaign
@NEEDS_COMPILER
def test_edges_of_every_class(name, field, store):
    """Edges, and 200 random operands below 2P."""
    prepared = make(name, store, field=field)
    rng = random.Random(9)
    cases = [{"a": rng.randrange(2 * prepared.parameters.modulus)} for _ in range(200)]
    assert verify(prepared, [*prepared.codec.edges().values(), *cases]).failed == []


@NEEDS_COMPILER
def test_every_operand_modulo_3(store):
    """By passes that divide by 2 alone: 6 operands of 6 possible."""
    assert verify(make("modinv/rns-bmi", store, modulus=3, width=8), [{"a": a} for a in range(6)]).failed == []


@pytest.mark.parametrize("name", CORES)
@pytest.mark.parametrize(
    "modulus", [pytest.param(p, marks=[] if p in (5, 13) else [pytest.mark.campaign]) for p in PRIMES]
)
@NEEDS_COMPILER
def test_every_operand_of_a_small_prime(name, modulus, store):
    """All a below 2P, of every prime from 5 to 251; two primes on every run."""
    prepared = make(name, store, modulus=modulus, width=10)
    found = verify(prepared, [{"a": a} for a in range(2 * modulus)])
    assert found.failed == []


@pytest.mark.parametrize("name", CORES)
@pytest.mark.campaign
@NEEDS_COMPILER
def test_ten_thousand_random_operands(name, store):
    """10^4 of 2^256 possible; the core of 10^5 is that of divsteps."""
    prepared = make(name, store, field="P-256")
    rng = random.Random(33)
    found = verify(prepared, ({"a": rng.randrange(1, prepared.parameters.modulus)} for _ in range(10_000)))
    assert found.failed == []
    assert found.passed == 10_000
