# SPDX-License-Identifier: Apache-2.0
"""Residue multipliers and exponentiators with a runtime modulus, without hardware: every small modulus, full widths,
cycles, errors."""

import random
from pathlib import Path

import pytest

from modwright.base.errors import ParameterError
from modwright.contract.request import Request
from modwright.cores.modmul.rns_runtime.parameters import LIMIT, bases_for_any
from modwright.functions.cases import edge_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.protocols import read_private_key

KEYS = Path(__file__).parents[1] / "data" / "rsa"
PAIRED = {"width": 18, "c": 4, "slots": 2}
"""The shape of the halves of RSA-1024: 32 moduli in a base, two exponentiations in turn."""


def made(name, store, target="generic", modulus=None, **options):
    core = find(name)
    return prepare(core, Request.make(core, modulus=modulus, options=options, target=target), store)


def product(one, x, y, m):
    """The decoded result of stored operands."""
    operands = {"x": one.codec.store(x), "y": one.codec.store(y), **one.codec.constants(m)}
    return one.codec.decode(one.model.run(operands).payload)


@pytest.mark.parametrize("name", ["modmul/rns-kbe-runtime", "modmul/rns-hbe-runtime"])
def test_every_product_of_every_modulus_of_three_bits(name, store):
    """All stored operands below 4P: 16·(3² + 5² + 7²) = 1328 of 1328 products; results below 4P again."""
    one, count = made(name, store, bits=4, width=9), 0
    factor = one.parameters.A.product
    for m in (3, 5, 7):
        for x in range(LIMIT * m):
            for y in range(LIMIT * m):
                found = product(one, x, y, m)
                assert found["error"] is None
                assert found["representative"] * factor % m == x * y % m
                count += 1
    assert count == 1328


def test_products_at_the_bounds_of_512_bits(store):
    """The largest operands of the largest and of the least modulus of all bits, and of 1 bit more than 17."""
    one = made("modmul/rns-hbe-runtime", store, bits=512, **PAIRED)
    factor, rng = one.parameters.A.product, random.Random(5)
    for m in ((1 << 512) - 1, (1 << 511) + 1, (1 << 18) + 1, rng.getrandbits(512) | 1):
        for x, y in ((LIMIT * m - 1, LIMIT * m - 1), (0, 1), (LIMIT * m - 1, 1), (rng.randrange(m), rng.randrange(m))):
            found = product(one, x, y, m)
            assert found["error"] is None
            assert found["representative"] * factor % m == x * y % m
        leaving = product(one, LIMIT * m - 1, 1, m)
        assert leaving["representative"] < 2 * m


def test_moduli_of_the_first_base_are_primes():
    A, B = bases_for_any(17, 32)
    assert all(m % d for m in A.moduli for d in range(3, 363, 2))
    assert len({*A.moduli, *B.moduli}) == 64


@pytest.mark.parametrize("core", ["modmul/rns-kbe-runtime", "modmul/rns-hbe-runtime"])
def test_the_first_base_has_inverses_modulo_the_example(store, core):
    first = made(core, store, modulus=509, width=9).parameters.A.moduli
    assert 509 not in first
    assert made(core, store, modulus=3 * 509, width=9).parameters.A.moduli[0] == first[0]
    assert len(edge_cases(made(core, store, modulus=509, width=9))) > len(first)


def test_a_modulus_with_a_factor_in_common_is_refused(store):
    one = made("modmul/rns-kbe-runtime", store, bits=24, width=12)
    m = 3 * one.parameters.A.moduli[0]
    with pytest.raises(ValueError, match="a multiple of"):
        one.codec.encode({"x": 1, "y": 1, "modulus": m})
    exponentiator = made("modexp/rns-kbe-runtime-window", store, bits=24, width=12)
    with pytest.raises(ValueError, match="a multiple of"):
        exponentiator.codec.encode({"base": 1, "exponent": 1, "modulus": m})


def test_two_slots_are_for_a_window(store):
    with pytest.raises(ParameterError, match="wait for each other"):
        made("modexp/rns-hbe-runtime-ladder", store, bits=512, **PAIRED)


@pytest.mark.parametrize(
    ("name", "target", "options", "cycles"),
    [
        ("kbe", "xc7", {}, (31, 92, 1, 92)),
        ("hbe", "xc7", {}, (32, 70, 1, 70)),
        ("hbe", "xc7", PAIRED, (32, 63, 16, 75)),
        ("kbe", "ecp5", {}, (31, 106, 1, 106)),
        ("hbe", "ecp5", {}, (32, 84, 1, 84)),
        ("hbe", "ecp5", PAIRED, (32, 77, 18, 87)),
    ],
)
def test_cycles_of_a_product_of_512_bits(name, target, options, cycles, store):
    """Moduli, latency, distance of a pair, and interval: the table of the README."""
    one = made(f"modmul/rns-{name}-runtime", store, target, bits=512, **options)
    s = one.schedule
    assert (one.parameters.n, s.latency, s.burst_distance, s.interval) == cycles


@pytest.mark.parametrize(
    ("name", "target", "options", "cycles"),
    [
        ("hbe-runtime-window", "ecp5", PAIRED, (56_762, 56_780)),
        ("hbe-runtime-window", "xc7", PAIRED, (48_996, 49_012)),
        ("hbe-runtime-window", "ecp5", {}, (56_395, 112_791)),
        ("hbe-runtime-ladder", "ecp5", {}, (89_323, 178_647)),
    ],
)
def test_cycles_of_the_halves_of_rsa_1024(name, target, options, cycles, store):
    """One exponentiation, and two that follow each other without a pause."""
    s = made(f"modexp/rns-{name}", store, target, bits=512, **options).schedule
    both = s.latency + (s.burst_distance if s.burst > 1 else s.interval)
    assert (s.latency, both) == cycles


def test_a_half_of_rsa_1024_from_a_key_file(store):
    """The model, with conversions, by one prime of a real key; the RTL does the whole operation as a campaign."""
    key = read_private_key(KEYS / "rsa1024.pem")
    one = made("modexp/rns-hbe-runtime-window", store, "ecp5", bits=512, **PAIRED)
    base = random.Random(3).getrandbits(512)
    outcome = one.model.run(one.codec.encode({"base": base, "exponent": key.dp, "modulus": key.p}))
    assert outcome.payload == {"z": pow(base, key.dp, key.p), "error": 0}
    assert outcome.cycles == one.schedule.latency


def test_every_power_modulo_small_moduli(store):
    """Every odd modulus of 4 bits from 3 on, every base and exponent of 4 bits: 7·16·16 = 1792 of 1792."""
    one, count = made("modexp/rns-kbe-runtime-window", store, bits=4, width=9, exponent_bits=4, window=2), 0
    for m in range(3, 16, 2):
        constants = one.codec.encode({"base": 0, "exponent": 0, "modulus": m})
        for base in range(16):
            for exponent in range(16):
                outcome = one.model.run({**constants, "base": base, "exponent": exponent})
                assert outcome.payload == {"z": pow(base, exponent, m), "error": 0}
                count += 1
    assert count == 1792
