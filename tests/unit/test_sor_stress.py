# SPDX-License-Identifier: Apache-2.0
"""Sum-of-residues multipliers over drawn configurations: certificates attacked in the models, schedules in RTL.

A configuration is a modulus, a channel width, N, the multiplier's latency and interval, constants and converters,
drawn from a seed; the ones that the certificate refuses are drawn again.
"""

from __future__ import annotations

import dataclasses
import itertools
import random

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.contract.codec import FieldCodec
from modwright.contract.request import Request
from modwright.engines.residue.schedule import from_residues_schedule
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.rns import Base
from modwright.rns.bounds import CoxBound, estimate
from modwright.rns.conversion import FromResidues
from modwright.simulate import Stalls, verify

from ..tools import needs

CORES = ("modmul/sor-1m-n", "modmul/sor-1m-p", "modmul/sor-2m", "modmul/sor-nm", "modmul/sor-lean")
FORMS = tuple(itertools.product(("rns", "binary"), ("class", "exact")))
MOST_CHANNELS = 7
LATENCIES = (2, 2, 3, 4, 5, 8, 12)
PURE_CYCLES = 120
"""What the pure simulator gets for each run, in intervals."""


def drawn_modulus(rng, widest):
    """An odd number of 2 to 2·widest bits: next to a power of two, on either side of it, or anywhere."""
    bits = rng.randrange(2, 2 * widest)
    below = rng.choice([1, 3, 5, (1 << (bits - 1)) - 1, rng.randrange(1, 1 << (bits - 1), 2)])
    return max(3, (1 << bits) - below)


def drawn_options(rng, name, widest):
    options = {"width": rng.randrange(8, widest + 1), "latency": rng.choice(LATENCIES)}
    if rng.random() < 0.4:
        options["channels"] = rng.randrange(1, MOST_CHANNELS + 1)
    if name == "modmul/sor-lean":
        return options | {"multipliers": rng.choice([1, 2])}
    if rng.random() < 0.5:
        options["interval"] = rng.randrange(1, options["latency"] + 1)
    return options | {"constants": rng.choice(["paper", "smallest"]), "kappa": "bounded"}


def drawn(rng, name, form, *, widest, targets, store=None):
    """A configuration that the certificate takes."""
    core = find(name)
    while True:
        options = drawn_options(rng, name, widest) | dict(zip(("io", "output"), form, strict=True))
        request = Request.make(core, modulus=drawn_modulus(rng, widest), target=rng.choice(targets), options=options)
        try:
            prepared = prepare(core, request, store)
        except ParameterError:
            continue
        if prepared.parameters.N <= MOST_CHANNELS:
            return prepared


def operand_bound(prepared):
    """Exclusive bound of an operand: that of the class, or the modulus."""
    return getattr(prepared.codec, "bound", prepared.parameters.modulus)


def drawn_cases(rng, prepared, count):
    """Named edges, the largest operands, and random ones."""
    top = operand_bound(prepared)
    edges = list(prepared.codec.edges().values())
    random_ones = [
        {"x": rng.randrange(top), "y": rng.randrange(top)} for _ in range(max(count - len(edges), count // 2))
    ]
    cases = rng.sample(edges, min(len(edges), count - len(random_ones))) + random_ones
    rng.shuffle(cases)
    return cases


def other_representatives(rng, prepared, payload):
    """The same residues, some of them a modulus larger where that fits the channel."""
    base = prepared.parameters.base
    word = 1 << base.width
    return {
        name: tuple(
            r + m if r + m < word and rng.random() < 0.5 else r for r, m in zip(residues, base.moduli, strict=True)
        )
        for name, residues in payload.items()
    }


def check_model(rng, prepared, pairs, links):
    """Products of pairs and, where results chain, of `links` results after each: values, bounds, representatives."""
    codec, parameters = prepared.codec, prepared.parameters
    exact = prepared.request.options["output"] == "exact"
    for x, y in pairs:
        payload = codec.encode({"x": x, "y": y})
        if isinstance(payload["x"], tuple):
            payload = other_representatives(rng, prepared, payload)
        for _ in range(links if codec.feedback() else 1):
            out = prepared.model.run(payload).payload
            result = codec.decode(out)
            assert result["error"] is None, prepared.request
            assert result["z"] == x * y % parameters.modulus, prepared.request
            assert not parameters.o.out_of_bounds(out), prepared.request
            assert not exact or result["representative"] < parameters.modulus, prepared.request
            payload, x = payload | {"x": out["z"]}, result["representative"]


def attack(seed, configurations, name):
    """Model against integers; operands at both ends of the class, in pairs, and random ones."""
    rng = random.Random(f"model {name} {seed}")
    for number in range(configurations):
        prepared = drawn(rng, name, FORMS[number % 4], widest=20, targets=("generic",))
        top = operand_bound(prepared)
        ends = {value for value in (0, 1, 2, top - 3, top - 2, top - 1) if 0 <= value < top}
        edges = [(e["x"], e["y"]) for e in prepared.codec.edges().values() if max(e.values()) < top]
        pairs = [*itertools.product(sorted(ends), repeat=2), *edges]
        pairs += [(rng.randrange(top), rng.randrange(top)) for _ in range(20)]
        check_model(rng, prepared, pairs, links=3)


def simulate(prepared, rng, count, simulator):
    """At the schedule's interval; then with stalls, so that starts are any allowed distances apart; then chained."""
    cases = drawn_cases(rng, prepared, count)
    share = rng.choice([10, 40, 80])
    stalls = Stalls(rng.randrange(1 << 30), share, rng.choice([0, 20, 60]))
    runs = [{}, {"stalls": stalls}]
    if prepared.codec.feedback():
        runs.append({"chained": True})
    for options in runs:
        found = verify(prepared, cases, simulator=simulator, **options)
        assert found.failed == [], (prepared.request, options)
        assert found.passed == len(cases)
        assert set(found.cycles.values()) == {prepared.schedule.latency}


@pytest.mark.parametrize("name", CORES)
def test_certified_parameters_give_right_products(name):
    """8 configurations of one core, with about 70 products and 210 chained ones each."""
    attack(1, 8, name)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        pytest.param(
            name, form, id=f"{name}-{'-'.join(form)}", marks=[] if (row + k) % 2 == 0 else [pytest.mark.campaign]
        )
        for row, name in enumerate(CORES)
        for k, form in enumerate(FORMS)
    ],  # on every run two forms of each core, and each form of several cores
)
def test_drawn_configuration_in_rtl(name, form):
    """One configuration: 4 to 12 products at the schedule's interval, with stalls, and chained."""
    rng = random.Random(f"rtl {name} {form}")
    prepared = drawn(rng, name, form, widest=10, targets=("generic", "xc7"))
    simulate(prepared, rng, min(12, max(4, PURE_CYCLES // prepared.schedule.interval)), "pure")


def certified_range(base, f, offset):
    """Largest X for which the certificate calls the estimate exact; None when there is none."""
    largest = (((1 << f) - offset) * base.product - 1) >> f
    holds = all(row.holds for row in CoxBound(base.width, base.moduli, f, offset).exact(largest))
    return largest if holds else None


@pytest.mark.parametrize("u", [(0, 1), (3, 33), (59, 125)])
def test_cox_is_exact_for_every_value_that_it_certifies(u):
    """Every X of the certified range, for the least and the largest certified D: 8 bits, 4 of 7 f, 3 bases."""
    base = Base(8, u)
    rows = [
        [x * inverse % m for inverse, m in zip(base.inverses, base.moduli, strict=True)] for x in range(base.product)
    ]
    alphas = [sum(a * c for a, c in zip(xi, base.cofactors, strict=True)) // base.product for xi in rows]
    checked = 0
    for f in (2, 4, 6, 8):
        certified = [d for d in range(1 << f) if certified_range(base, f, d) is not None]
        for offset in {certified[0], certified[-1]} if certified else ():
            largest = certified_range(base, f, offset)
            assert largest is not None
            assert all(
                estimate(8, f, offset, xi) == alpha for xi, alpha in zip(rows[: largest + 1], alphas, strict=False)
            )
            checked += 1
    assert checked


def refusal(name, modulus, **options):
    core = find(name)
    with pytest.raises((UsageError, ParameterError)) as caught:
        prepare(core, Request.make(core, modulus=modulus, target="generic", options=options))
    return caught.value


def test_interval_above_latency_is_refused():
    error = refusal("modmul/sor-1m-p", "251", width=9, latency=2, interval=3)
    assert error.exit_code == 2
    assert "every 1 to 2 cycles, not every 3" in str(error)


def test_base_and_another_number_of_channels_are_refused():
    error = refusal("modmul/sor-2m", "251", width=9, base="1,5,9", channels=4)
    assert error.exit_code == 2
    assert "channels is 4, and base '1,5,9' has 3 moduli" in str(error)


def test_a_refused_base_is_named_by_its_own_number_of_channels():
    assert "with 1 to 1 channels" in str(refusal("modmul/sor-2m", "251", width=9, base="1"))


def test_fractions_of_a_failing_inequality_are_shown():
    """Two sides below 1 are not both shown as 0."""
    error = refusal("modmul/sor-1m-p", "2^1279-1")
    assert "E < Δ + 2^-f" in str(error)
    assert "0.164062500 against 0.06640625" in str(error)
    assert "constants=smallest" in error.hint


def test_an_exact_result_that_is_not_reduced_is_an_error():
    core = find("modmul/sor-1m-p")
    request = Request.make(core, modulus="251", target="generic", options={"width": 9, "output": "exact"})
    codec = prepare(core, request).codec
    assert isinstance(codec, FieldCodec)
    assert codec.decode({"z": codec.store(250), "error": 0})["error"] is None
    assert codec.decode({"z": codec.store(251), "error": 0})["error"] == "bound"


@pytest.mark.parametrize("count", range(1, 6))
def test_scaled_residues_stay_until_their_last_product(count):
    """A conversion cannot start while the one before still reads its residues, whatever gaps its products leave."""
    base = Base(12, (0, 1, 3, 5, 9)[:count])
    schedule = from_residues_schedule(FromResidues(base, 3, 9, 54, True))
    last = max(s.start for s in schedule.steps if s.control.get("multiply") and s.control["source"] == 0)
    assert all(schedule.collides(distance) for distance in range(1, last))


@pytest.mark.parametrize("name", CORES)
def test_starts_as_early_as_registers_allow(name):
    """The interval follows from registers, not from resources: 12 products, three times."""
    options = {"width": 10, "latency": 12} | ({} if name == "modmul/sor-lean" else {"channels": 3})
    core = find(name)
    prepared = prepare(core, Request.make(core, modulus="61", target="generic", options=options))
    without = dataclasses.replace(prepared.schedule, minimum_interval=1)
    assert without.interval < prepared.schedule.interval
    simulate(prepared, random.Random(8), 12, "pure")


@pytest.mark.campaign
@pytest.mark.parametrize("name", CORES)
def test_many_certified_parameters_give_right_products(name):
    """400 configurations of one core."""
    attack(2, 400, name)


@pytest.mark.campaign
@needs("compiled-simulator")
@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("form", FORMS, ids="-".join)
@pytest.mark.parametrize("name", CORES)
def test_drawn_configurations_at_larger_widths(name, form, number, store):
    """1,500 products three times, with widths up to 40 bits and the multiplier blocks of every target."""
    rng = random.Random(f"campaign {name} {form} {number}")
    prepared = drawn(rng, name, form, widest=40, targets=("generic", "ecp5", "xc7", "asic"), store=store)
    simulate(prepared, rng, 1500, "compiled")
