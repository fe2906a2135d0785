# SPDX-License-Identifier: Apache-2.0
"""Base extensions and RNS Montgomery multipliers as cores, without hardware: cycles, models, options, errors."""

import dataclasses
import random

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.catalog import moduli
from modwright.contract import BuiltFold
from modwright.contract.request import Request
from modwright.cores.basext.coxrower.schedule import extension_schedule
from modwright.engines.coxrower.hardware.folds import build
from modwright.prepared.registry import find
from modwright.prove import reduction
from modwright.rns import Fold

from .rns_montgomery_cases import derive, prepared

# --- cores, without hardware

CORES = ("basext/kbe", "basext/hbe", "modmul/rns-kbe", "modmul/rns-hbe")


@pytest.mark.parametrize(
    ("name", "width", "n", "cycles"),
    [
        *(("basext/hbe", *row) for row in ((17, 16, 22), (20, 14, 21), (24, 12, 20), (28, 10, 19))),
        *(("basext/kbe", *row) for row in ((17, 16, 27), (20, 14, 25), (24, 12, 23), (28, 10, 21))),
    ],
)
def test_cycles_of_an_extension_at_256_bits(name, width, n, cycles):
    p = derive(name, "2^256-2^224+2^192+2^96-1", width=width, channels=n)
    assert extension_schedule(p).latency == cycles


@pytest.mark.parametrize(
    ("name", "passes", "extensions"),
    [("basext/hbe", 2, 1), ("basext/kbe", 2, 1), ("modmul/rns-hbe", 4, 2), ("modmul/rns-kbe", 4, 2)],
)
def test_cycles_of_local_rowers(name, passes, extensions, store):
    """One more for each multiply-accumulate, reduction and copy of the bus, at the beginning, and at the end."""
    common, local = (prepared(name, "2^256-2^224+2^192+2^96-1", store, local=local) for local in (False, True))
    end = int(name.startswith("modmul/"))  # an extension's result comes from the register anyway
    assert local.schedule.latency == common.schedule.latency + 2 * passes + extensions + 1 + end


def test_cycles_of_a_multiplication_at_256_bits(store):
    one = prepared("modmul/rns-hbe", "2^256-2^224+2^192+2^96-1", store)
    assert one.parameters.n == 16
    assert (one.schedule.latency, one.schedule.interval) == (43, 24)


@pytest.mark.parametrize("width", [17, 24])
def test_products_of_a_multiplication(width, store):
    """2n² + 4n for KBE, of which the reduction has 2n² + 2n; n² + 4n for HBE, whose bus has folds instead."""
    for name, per_row in (("modmul/rns-kbe", 1), ("modmul/rns-hbe", 2)):
        one = prepared(name, "2^256-2^224+2^192+2^96-1", store, width=width, channels={17: 16, 24: 12}[width])
        n = one.parameters.n
        slots = sum(step.resource == "multiply-accumulate" for step in one.schedule.steps)
        assert n * slots == 2 * n * n // per_row + 4 * n


@pytest.mark.parametrize("modulus", ["3", "61", "2^64-59", "2^255-19", "2^256-2^224+2^192+2^96-1", "2^384-317"])
@pytest.mark.parametrize("name", CORES[2:])
def test_models_multiply(name, modulus, store):
    """Edge cases and 40 random ones; results chain as operands."""
    one = prepared(name, modulus, store, width=17)
    codec, P = one.codec, one.parameters.modulus
    rng = random.Random(3)
    cases = [*codec.edges().values(), *({"x": rng.randrange(P), "y": rng.randrange(P)} for _ in range(40))]
    chained, value = codec.encode({"x": 1, "y": 1})["x"], 1
    for case in cases:
        payload = codec.encode(case)
        found = codec.decode(one.model.run(payload).payload)
        assert found["error"] is None
        assert found["z"] == case["x"] * case["y"] % P
        chained = one.model.run({"x": chained, "y": payload["y"]}).payload["z"]
        value = value * case["y"] % P
        assert codec.decode({"z": chained, "error": 0})["z"] == value


@pytest.mark.parametrize("name", CORES[2:])
def test_every_modulus_of_the_catalog(name, store):
    """Three products each, at the default width."""
    rng = random.Random(15)
    for modulus in moduli():
        one, P = prepared(name, hex(modulus.value), store), modulus.value
        for _ in range(3):
            x, y = rng.randrange(P), rng.randrange(P)
            assert one.codec.decode(one.model.run(one.codec.encode({"x": x, "y": y})).payload)["z"] == x * y % P


RSA = [
    (1024, 17, {}),
    (1024, 28, {"cox": "sum"}),
    (2048, 28, {"cox": "sum"}),
    (2048, 17, {"cox": "sum", "sigma": "31/32"}),
]


@pytest.mark.parametrize(("bits", "width", "options"), RSA)
def test_models_at_the_sizes_of_rsa(bits, width, options, store):
    """Three products modulo an odd number."""
    P = (1 << bits) - 159
    one = prepared("modmul/rns-hbe", hex(P), store, width=width, **options)
    rng = random.Random(bits)
    for _ in range(3):
        x, y = rng.randrange(P), rng.randrange(P)
        assert one.codec.decode(one.model.run(one.codec.encode({"x": x, "y": y})).payload)["z"] == x * y % P


@pytest.mark.parametrize("name", CORES[2:])
def test_2048_bits_in_channels_of_17(name):
    """With super-residues and σ2 = 1/2 the errors of 122 moduli are too large."""
    with pytest.raises(ParameterError, match="one too small"):
        derive(name, hex((1 << 2048) - 159))


@pytest.mark.parametrize("c", [1, 2])
def test_the_first_extension_may_give_one_more(c, store):
    """X = j·A - k·P makes Q = k: small ones come out as Q + A, and the result is right all the same."""
    one = prepared("modmul/rns-kbe" if c == 1 else "modmul/rns-hbe", "2^255-19", store)
    p, reduction = one.parameters, one.parameters.reduction
    unit = one.codec.store(1)
    seen = set()
    for k in range(1, 40):
        X = -k * p.modulus % p.A.product
        q = [x * i % a for x, i, a in zip(p.A.to_residues(X), reduction.minus_inverse, p.A.moduli, strict=True)]
        assert p.A.from_residues(q) == k
        seen.add(reduction.first.value(reduction.first.hats(q)) - k)
        payload = one.model.run({"x": one.codec.store(X), "y": unit}).payload
        assert one.codec.decode(payload)["error"] is None
        s = one.codec.restore(payload["z"])
        assert s * p.A.product % p.modulus == X % p.modulus
    assert seen <= {0, p.A.product}
    assert p.A.product in seen


# --- options past the paper


@pytest.mark.parametrize("kappa", [2, 3, 16])
@pytest.mark.parametrize("name", CORES[2:])
def test_sums_of_products(name, kappa, store):
    """Sums of κ products before one reduction: 60 random ones and largest operands; the certificate counts κ."""
    one = prepared(name, "2^255-19", store, kappa=kappa)
    p, codec, rng = one.parameters, one.codec, random.Random(kappa)
    condition = next(i for i in p.certificate.inequalities if i.name == "range-A")
    assert condition.right == 4 * kappa * p.reduction.growth * p.modulus
    names = [name for pair in p.pairs for name in pair]
    assert len(names) == len(set(names)) == 2 * kappa
    cases = [dict.fromkeys(names, p.bound - 1), dict.fromkeys(names, 0)]
    cases += [{name: rng.randrange(p.modulus) for name in names} for _ in range(60)]
    for case in cases:
        found = codec.decode(one.model.run(codec.encode(case)).payload)
        assert found["error"] is None
        assert found["z"] == sum(case[x] * case[y] for x, y in p.pairs) % p.modulus


@pytest.mark.parametrize("name", CORES[2:])
def test_more_products_need_more_bits(name):
    """Sixteen channels of 17 bits have 272 bits: enough for one product modulo 2^269 - 241, and not for eight."""
    assert derive(name, "2^269-241", channels=16).n == 16
    with pytest.raises(ParameterError, match="range-A") as refused:
        derive(name, "2^269-241", channels=16, kappa=8)
    assert refused.value.rule == "A >= 4·κ·(1+E1)·P"


@pytest.mark.parametrize("name", CORES[2:])
def test_without_a_cox_in_the_first_extension(name, store):
    """A >= 4nP and B >= 4nP, about; Q + k·A with k up to n - 1 does come, and results stay below λP."""
    one = prepared(name, "2^255-19", store, first="none")
    p = one.parameters
    assert p.n - 1 <= p.reduction.first.error < p.n
    assert p.A.product >= 4 * p.n * p.modulus
    assert "cox1" not in {i.name for i in p.certificate.inequalities}
    rng, seen = random.Random(5), set()
    unit = one.codec.store(1)
    for _ in range(200):
        X = rng.randrange(p.bound)
        payload = one.model.run({"x": one.codec.store(X), "y": unit}).payload
        assert one.codec.decode(payload)["error"] is None
        assert one.codec.restore(payload["z"]) * p.A.product % p.modulus == X % p.modulus
        q = [x * i % a for x, i, a in zip(p.A.to_residues(X), p.reduction.minus_inverse, p.A.moduli, strict=True)]
        seen.add(p.reduction.first.value(p.reduction.first.hats(q)) // p.A.product)
    assert len(seen) > 3
    assert 0 <= min(seen) <= max(seen) < p.n


@pytest.mark.parametrize("bits", [256, 384, 512, 1024])
def test_bases_allow_to_leave_the_first_cox_out(bits):
    """At every size from 256 to 1024 bits, with as many channels as with it, or two more."""
    modulus = {256: "2^256-189", 384: "2^384-317", 512: "2^512-569", 1024: "2^1024-105"}[bits]
    with_cox, without = (derive("modmul/rns-hbe", modulus, first=first) for first in ("cox", "none"))
    assert without.n - with_cox.n in (0, 2)


@pytest.mark.parametrize("name", CORES[2:])
def test_exact_results(name, store):
    """x·y mod P in binary, below P: edge cases and 40 random ones. There is no second extension."""
    one = prepared(name, "2^255-19", store, output="exact")
    P, rng = one.parameters.modulus, random.Random(17)
    assert len(one.parameters.engine.extensions) == 1
    assert not one.codec.feedback()
    cases = [*one.codec.edges().values(), *({"x": rng.randrange(P), "y": rng.randrange(P)} for _ in range(40))]
    for case in cases:
        payload = one.model.run(one.codec.encode(case)).payload
        assert payload == {"z": case["x"] * case["y"] % P, "error": 0}


@pytest.mark.parametrize(("c", "n", "cycles"), [(2, 16, 22), (3, 18, 23), (4, 16, 25)])
def test_cycles_of_more_columns(c, n, cycles):
    p = derive("basext/hbe", "2^256-189", c=c)
    assert (p.n, extension_schedule(p).latency) == (n, cycles)


@pytest.mark.parametrize(("rowers", "cycles"), [(16, 22), (8, 31), (4, 49), (2, 85)])
def test_cycles_with_fewer_rowers(rowers, cycles):
    p = derive("basext/hbe", "2^256-189", rowers=rowers)
    assert extension_schedule(p).latency == cycles
    assert p.engine.rowers * p.engine.slots == p.n == 16


@pytest.mark.parametrize("latency", [2, 3, 8])
@pytest.mark.parametrize("rowers", [1, 2, 5, 16])
@pytest.mark.parametrize("kappa", [1, 2, 5, 16])
def test_multiplications_find_a_schedule(rowers, kappa, latency, store):
    """Whatever the numbers of rowers and products: every unit has one user in each cycle."""
    options = {"rowers": rowers, "kappa": kappa, "latency": latency, "width": 20}
    one = prepared("modmul/rns-kbe", "2^255-19", store, **({**options, "channels": 16} if rowers == 16 else options))
    assert one.schedule.interval <= one.schedule.latency


@pytest.mark.parametrize(
    ("name", "options", "rule"),
    [
        ("basext/hbe", {"rowers": 3}, "p mod c = 0"),
        ("basext/kbe", {"rowers": 40}, "p <= n"),
        ("modmul/rns-hbe", {"rowers": 18, "channels": 16}, "p <= n"),
        ("modmul/rns-hbe", {"c": 3, "channels": 16}, "n mod c = 0"),
    ],
)
def test_refused_numbers_of_rowers(name, options, rule):
    with pytest.raises(ParameterError) as refused:
        derive(name, "2^255-19", **options)
    assert refused.value.rule == rule


# --- what a user can ask wrongly


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sigma": "1/0"}, UsageError),
        ({"sigma": "half"}, UsageError),
        ({"sigma": "1"}, UsageError),
        ({"sigma": "-1/2"}, UsageError),
        ({"sigma": "1/3"}, ParameterError),
        ({"sigma": "15/16", "t": 3}, ParameterError),
        ({"t": 2}, ParameterError),
        ({"t": 1}, ParameterError),
        ({"t": 19}, ParameterError),
        ({"channels": 2}, ParameterError),
        ({"width": 8}, ParameterError),
    ],
)
@pytest.mark.parametrize("name", CORES)
def test_refused_options(name, options, error):
    with pytest.raises(error):
        derive(name, "2^255-19", **options)


@pytest.mark.parametrize("name", CORES)
def test_a_modulus_is_needed(name):
    core = find(name)
    with pytest.raises(UsageError, match="modulus"):
        core.derive(Request.make(core))


def test_an_odd_number_of_channels_has_no_rows_of_two():
    with pytest.raises(ParameterError, match="rows of 2"):
        derive("basext/hbe", "2^255-19", channels=17)


def test_without_offset_the_second_extension_is_not_exact():
    with pytest.raises(UsageError, match="second extension"):
        derive("modmul/rns-kbe", "2^255-19", sigma="0")


@pytest.mark.parametrize("name", CORES[2:])
def test_a_modulus_with_factors_of_small_channels(name):
    """P = 255·253: no channel may share a factor with it, and none does."""
    p = derive(name, "255*253", width=12)
    assert p.certificate.failing is None
    assert next(i for i in p.certificate.inequalities if i.name == "coprime").left == 1


# --- proofs


@pytest.mark.parametrize("name", CORES)
def test_folds_are_proved_as_they_are_built(name):
    """Every fold but the first of a sum, of both bases; one that is said to be of another modulus is refuted."""
    folds = [one for one in derive(name, "1009", width=10).obligations() if isinstance(one, BuiltFold)]
    assert len(folds) >= 4
    rows = [(Fold(one.width, one.u, one.bound), one.most, build(one)) for one in folds]
    proved = reduction.prove_lemmas([reduction.lemma_of_built(*row) for row in rows])
    assert proved.status == "proved"
    step, most, make = rows[0]
    planted = dataclasses.replace(step, u=step.u + 2)
    assert reduction.prove_lemmas([reduction.lemma_of_built(planted, most, make)]).status == "refuted"
    assert reduction.prove_lemmas([reduction.lemma_of_built(step, most - 1, make)]).status == "refuted"
