# SPDX-License-Identifier: Apache-2.0
"""RSA on exponentiators over residues with a runtime modulus, through their RTL."""

import random
from math import lcm
from pathlib import Path

import pytest

from modwright.protocols import Rsa, RsaPrivateKey, Scheme, SimulatedExponentiator, read_private_key, verify_signature
from modwright.tables.rsa import rsa_table

from ..tools import needs

KEYS = Path(__file__).parents[1] / "data" / "rsa"
pytestmark = needs("compiled-simulator", why="thousands of cycles")
SHORT = 64
"""Bits of the shortest key here. Those of files have 1024 or more."""
PRIMES = [(0xFFFFFFFB, 0xFFFFFFEF), (0x8000000B, 0xFFFFFFFB), (0xC0000007, 0xFFFFFF47)]


def key_of(p, q, e=65537):
    """A key of two primes."""
    d = pow(e, -1, lcm(p - 1, q - 1))
    return RsaPrivateKey(p * q, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p))


def test_keys_of_64_bits(store, monkeypatch):
    """Halves of 32 bits in turn on one core, blinded: every power, and every cycle as scheduled."""
    monkeypatch.setattr("modwright.protocols.keys.SHORTEST", SHORT)
    options = {"width": 12, "c": 2, "window": 2}
    name, rng = "modexp/rns-hbe-runtime-window", random.Random(64)
    with SimulatedExponentiator(name, 32, 32, interleave=True, options=options, store=store) as core:
        schedule = core.prepared.schedule
        assert (schedule.burst, core.constant_time) == (2, True)
        for p, q in PRIMES:
            key = key_of(p, q)
            for operand in (0, 1, key.n - 1, p, q, rng.randrange(key.n), rng.randrange(key.n)):
                m, cycles = Rsa(key, core).private(operand)
                assert m == pow(operand, key.d, key.n)
                assert (cycles.p, cycles.q) == (schedule.latency, schedule.latency)
                assert cycles.both == schedule.latency + schedule.burst_distance


def test_the_table_of_exponentiators():
    """Halves of RSA-1024 in turn stay below 30,000 cycles each, over blocks as over residues."""
    table = rsa_table()
    both, half = (table.headings.index(f"RSA-1024, {what}") for what in ("both halves", "core cycles a half"))
    rows = {row[0]: (int(row[both].replace(",", "")), int(row[half].replace(",", ""))) for row in table.rows}
    assert rows["`rns-hbe-runtime` `slots=2` `width=18` `c=4`"] == (56_780, 28_390)
    assert rows["`orup-interleaved` `slots=2`"][1] < 30_000 < rows["`booth8-csa`"][1]


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("bits", "options", "most"), [(1024, {"width": 18, "c": 4}, 60_000), (2048, {"width": 18, "c": 4}, 195_000)]
)
def test_signatures_of_real_keys(bits, options, most, store):
    """Both halves in turn: signatures accepted by `cryptography`, in the cycles of the schedule and below a goal."""
    key = read_private_key(KEYS / f"rsa{bits}.pem")
    name, half = "modexp/rns-hbe-runtime-window", bits // 2
    with SimulatedExponentiator(name, half, half, interleave=True, options=options, store=store) as core:
        schedule = core.prepared.schedule
        for message, scheme in ((b"", Scheme("pss")), (b"a letter", Scheme("pkcs1v15"))):
            signature, cycles = Rsa(key, core).sign(message, scheme)
            verify_signature(key, message, signature, scheme)
            assert cycles.both == schedule.latency + schedule.burst_distance <= most
