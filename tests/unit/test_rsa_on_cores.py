# SPDX-License-Identifier: Apache-2.0
"""RSA with real keys through the RTL of exponentiators, in compiled simulation; verified by `cryptography`."""

import json
import random
import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from modwright.cli import main
from modwright.protocols import Rsa, Scheme, SimulatedExponentiator, read_private_key, verify_signature

from ..tools import needs

KEYS = Path(__file__).parents[1] / "data" / "rsa"
pytestmark = needs("compiled-simulator", why="hundreds of thousands of cycles")
SCHEMES = [Scheme("pss"), Scheme("pkcs1v15"), Scheme("pss", "sha384", 20), Scheme("pkcs1v15", "sha512")]


def core(store, key, name, **options):
    return SimulatedExponentiator(
        f"modexp/{name}", key.half_bits, key.half_bits, simulator="compiled", store=store, **options
    )


def sign_and_verify(key, exponentiator, count):
    """Cycles of each half and of both together, of every signature."""
    protocol, rng, cycles = Rsa(key, exponentiator), random.Random(count), []
    for number in range(count):
        message, scheme = rng.randbytes(rng.randrange(200)), SCHEMES[number % len(SCHEMES)]
        signature, taken = protocol.sign(message, scheme)
        verify_signature(key, message, signature, scheme)
        cycles.append((taken.p, taken.q, taken.both))
    return cycles


def test_rsa_1024_signs_and_decrypts(store):
    """4 signatures and 2 decryptions, one after another and counted as on two cores."""
    key = read_private_key(KEYS / "rsa1024.pem")
    oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
    with core(store, key, "booth8-csa-window") as one:
        half = one.prepared.schedule.latency
        assert one.constant_time
        for p, q, both in sign_and_verify(key, one, 4):
            assert p == q == half
            assert 2 * half <= both
        for message in (b"", b"attack at dawn"):
            assert Rsa(key, one).decrypt(key.public_key().encrypt(message, oaep))[0] == message
    with core(store, key, "booth8-csa-window", units=2) as two:
        assert sign_and_verify(key, two, 1) == [(half, half, half)]


def test_the_command_on_a_core(store, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("MODWRIGHT_CACHE", str(store.root))
    (tmp_path / "letter").write_bytes(b"a letter")
    key, out = KEYS / "rsa1024.pem", tmp_path / "signature"
    assert main(["rsa", str(key), "--sign", str(tmp_path / "letter"), "-o", str(out), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    verify_signature(read_private_key(key), b"a letter", out.read_bytes(), Scheme())
    assert (record["core"], record["constant_time"]) == ("modexp/booth8-csa-window", True)
    assert (
        record["operations"][0]["clocks_p"] == record["operations"][0]["clocks_q"] == record["operations"][0]["clocks"]
    )
    assert record["options"]["bits"] == record["options"]["exponent_bits"] == 512


def test_the_cycles_on_the_page_are_those_of_the_schedules(store):
    """Derived, not simulated: RSA-2048, a half on each of two cores, or both halves on one."""
    page, key = (
        (KEYS.parents[2] / "docs" / "protocols.md").read_text(encoding="utf-8"),
        read_private_key(KEYS / "rsa2048.pem"),
    )
    booth, orup = (core(store, key, f"{name}-window").prepared.schedule.latency for name in ("booth8-csa", "orup-dsp"))
    both, slots = (
        core(store, key, f"{name}-window", interleave=True).prepared.schedule
        for name in ("booth8-csa", "orup-interleaved")
    )
    stream = {"constants": "stream"}
    in_turn = core(store, key, "orup-interleaved-window", interleave=True, options=stream).prepared.schedule
    options, short = {"width": 18, "c": 4}, read_private_key(KEYS / "rsa1024.pem")
    residues = [
        core(store, one, "rns-hbe-runtime-window", interleave=True, options=options).prepared.schedule
        for one in (short, key)
    ]
    together = [f"{one.latency + one.burst_distance:,}" for one in (both, slots, in_turn, *residues)]
    before, _, table = page.partition("<!-- table: rsa -->")
    assert before.count(f"{booth:,}") >= 4, "in the transcript"
    assert {f"{booth:,}", f"{orup:,}", *together} <= set(re.findall(r"[\d,]{6,}", table))


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["booth8-csa-window", "orup-dsp-window"])
def test_rsa_2048_signs_20_messages(store, name):
    """Two cores: a half in the cycles of the schedule, always."""
    key = read_private_key(KEYS / "rsa2048.pem")
    with core(store, key, name, units=2) as exponentiator:
        cycles = sign_and_verify(key, exponentiator, 20)
    assert len(cycles) == 20
    assert {count for each in cycles for count in each} == {exponentiator.prepared.schedule.latency}


@pytest.mark.campaign
def test_rsa_2048_on_one_interleaved_core(store):
    """Both halves at once, a cycle apart."""
    key = read_private_key(KEYS / "rsa2048.pem")
    with core(store, key, "booth8-csa-window", interleave=True) as exponentiator:
        latency = exponentiator.prepared.schedule.latency
        assert set(sign_and_verify(key, exponentiator, 4)) == {(latency, latency, latency + 1)}


@pytest.mark.campaign
@pytest.mark.parametrize("constants", ["stream", "hardware"])
def test_rsa_1024_in_two_slots(store, constants):
    """Both halves in turn on one row of blocks, with common registers and with two sets of them."""
    key = read_private_key(KEYS / "rsa1024.pem")
    options = {"constants": constants}
    with core(store, key, "orup-interleaved-window", interleave=True, options=options) as exponentiator:
        assert (exponentiator.prepared.parameters.in_turn is not None) == (constants == "stream")
        schedule = exponentiator.prepared.schedule
        expected = (schedule.latency, schedule.latency, schedule.latency + schedule.burst_distance)
        assert set(sign_and_verify(key, exponentiator, 3)) == {expected}


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["booth8-csa-window", "booth8-csa-ladder", "orup-dsp-window"])
@pytest.mark.parametrize("bits", [3072, 4096])
def test_rsa_3072_and_4096(store, name, bits):
    key = read_private_key(KEYS / f"rsa{bits}.pem")
    with core(store, key, name, units=2) as exponentiator:
        (cycles,) = sign_and_verify(key, exponentiator, 1)
    assert set(cycles) == {exponentiator.prepared.schedule.latency}


@pytest.mark.campaign
@pytest.mark.parametrize("method", ["window", "ladder", "l2r", "r2l"])
@pytest.mark.parametrize(
    "multiplier", ["radix2", "csa", "csa-high-radix", "vlm3", "booth4-csa", "booth8-csa", "orup-dsp"]
)
def test_rsa_1024_on_every_core(store, multiplier, method):
    """All halves of constant-latency cores take the same cycles, and so do those of a key of other primes."""
    cycles = set()
    for name in ("rsa1024", "rsa1024-other"):
        key = read_private_key(KEYS / f"{name}.pem")
        with core(store, key, f"{multiplier}-{method}") as exponentiator:
            cycles |= {taken for row in sign_and_verify(key, exponentiator, 2) for taken in row[:2]}
            constant = exponentiator.constant_time
    assert constant == (multiplier != "vlm3" and method in ("window", "ladder"))
    assert (len(cycles) == 1) == constant
