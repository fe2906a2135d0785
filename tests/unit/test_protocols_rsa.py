# SPDX-License-Identifier: Apache-2.0
"""RSA private-key operations: keys, encodings, faults, and the logic around the exponentiator."""

import dataclasses
import hashlib
import json
import random
from math import gcd, isqrt

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from cryptography.hazmat.primitives.serialization import (
    load_der_private_key,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from modwright.base.errors import FaultError, UsageError, VerificationError
from modwright.protocols import DecryptionError, Rsa, RsaPrivateKey, Scheme, verify_signature
from modwright.protocols.encoding import (
    DIGEST_INFO,
    OAEP_HASHES,
    SIGNATURE_HASHES,
    digest_size,
    emsa_pkcs1_v1_5,
    emsa_pss,
    mgf1,
    oaep_decode,
)

from ..powers import CYCLES, FaultyExponentiator, PlainExponentiator
from .rsa_cases import DATA, key, made_of, private_by_openssl

ALGORITHMS = {"sha1": hashes.SHA1(), "sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}
SCHEMES = [Scheme(p, h) for p in ("pss", "pkcs1v15") for h in SIGNATURE_HASHES]


def plain(name="rsa1024", **options):
    return Rsa(key(name), PlainExponentiator(), **options)


def encrypt(name, message, hash_name, label=None):
    algorithm = ALGORITHMS[hash_name]
    return key(name).public_key().encrypt(message, padding.OAEP(padding.MGF1(algorithm), algorithm, label))


# --- encodings


@given(st.binary(max_size=300), st.sampled_from(SIGNATURE_HASHES))
def test_emsa_pkcs1_v1_5_is_what_openssl_signs(message, hash_name):
    """Its signatures are unique, so the encodings are equal."""
    signature = private_by_openssl().sign(message, padding.PKCS1v15(), ALGORITHMS[hash_name])
    encoded = pow(int.from_bytes(signature, "big"), key().e, key().n)
    assert emsa_pkcs1_v1_5(message, 128, hash_name) == encoded.to_bytes(128, "big")


@pytest.mark.parametrize("hash_name", SIGNATURE_HASHES)
def test_the_shortest_modulus_of_pkcs1_v1_5(hash_name):
    """RFC 8017, section 9.2, step 3: tLen + 11 bytes."""
    least = len(DIGEST_INFO[hash_name]) + digest_size(hash_name) + 11
    assert emsa_pkcs1_v1_5(b"", least, hash_name).count(b"\xff" * 8 + b"\0") == 1
    with pytest.raises(UsageError, match=f"{least} bytes, not {least - 1}"):
        emsa_pkcs1_v1_5(b"", least - 1, hash_name)


@given(st.binary(max_size=300), st.sampled_from(SIGNATURE_HASHES), st.sampled_from(["rsa1024", "rsa1025"]), st.data())
def test_emsa_pss_is_verified_by_openssl(message, hash_name, name, data):
    """Salts of every length that fits; with 1025 bits the encoding is a byte shorter than the signature."""
    k, algorithm = key(name), ALGORITHMS[hash_name]
    room = -(-(k.bits - 1) // 8) - digest_size(hash_name) - 2
    salt = data.draw(st.binary(max_size=room))
    encoded = emsa_pss(message, k.bits - 1, hash_name, salt)
    signature = power(k, encoded)
    k.public_key().verify(signature, message, padding.PSS(padding.MGF1(algorithm), len(salt)), algorithm)


def test_a_salt_that_does_not_fit():
    assert len(emsa_pss(b"", 1023, "sha512", bytes(62))) == 128
    with pytest.raises(UsageError, match="at most 62 bytes"):
        emsa_pss(b"", 1023, "sha512", bytes(63))
    with pytest.raises(UsageError, match="shorter hash"):
        emsa_pss(b"", 8 * 65, "sha512", b"")


@given(st.sampled_from(OAEP_HASHES), st.binary(max_size=20), st.data())
def test_oaep_decodes_what_openssl_encrypts(hash_name, label, data):
    k = key("rsa2048")
    message = data.draw(st.binary(max_size=k.length - 2 * digest_size(hash_name) - 2))
    ciphertext = encrypt("rsa2048", message, hash_name, label)
    encoded = power(k, ciphertext)
    assert oaep_decode(encoded, hash_name, label) == message


def power(k, text):
    """The number of a text to the power d modulo n, as bytes; modulo the primes, in a quarter of the time."""
    x = int.from_bytes(text, "big")
    of_p, of_q = (pow(x, k.d % (prime - 1), prime) for prime in (k.p, k.q))
    return (of_q + (of_p - of_q) * pow(k.q, -1, k.p) % k.p * k.q).to_bytes(k.length, "big")


def oaep_encode(db, first=0, seed=bytes(range(32))):
    """EM of any DB, with SHA-256."""
    masked = bytes(a ^ b for a, b in zip(db, mgf1(seed, len(db), "sha256"), strict=True))
    mask = mgf1(masked, 32, "sha256")
    return bytes([first]) + bytes(a ^ b for a, b in zip(seed, mask, strict=True)) + masked


EMPTY_LABEL = hashlib.sha256(b"").digest()


def test_every_broken_oaep_encoding_gives_the_same_error():
    """DB of 95 bytes: each bit of the label's hash, each non-zero first byte, each byte in place of 01."""
    good = EMPTY_LABEL + bytes(50) + b"\1" + b"message 1234"
    assert oaep_decode(oaep_encode(good), "sha256") == b"message 1234"
    broken = [oaep_encode(good, first) for first in range(1, 256)]
    broken += [
        oaep_encode(bytes(b ^ (1 << k % 8 if at == k // 8 else 0) for at, b in enumerate(good))) for k in range(256)
    ]
    broken += [oaep_encode(good[:82] + bytes([b]) + good[83:]) for b in range(2, 256)]
    broken += [oaep_encode(EMPTY_LABEL + bytes(63)), oaep_encode(EMPTY_LABEL + b"\2" + bytes(61) + b"\1")]
    broken += [oaep_encode(good, 1, bytes(32)), bytes(128), b"\xff" * 128]
    messages = set()
    for encoded in broken:
        with pytest.raises(DecryptionError) as caught:
            oaep_decode(encoded, "sha256")
        messages.add(str(caught.value))
    with pytest.raises(DecryptionError) as caught:
        oaep_decode(oaep_encode(good), "sha256", b"another label")
    assert messages == {str(caught.value)}


@given(st.binary(max_size=63), st.booleans())
def test_oaep_messages_of_zeros_and_ones(tail, one):
    """The first 01 ends the padding, whatever follows."""
    db = EMPTY_LABEL + bytes(62 - len(tail[:62])) + b"\1" + tail[:62]
    assert oaep_decode(oaep_encode(db, seed=bytes([one]) * 32), "sha256") == tail[:62]


def wycheproof():
    document = json.loads((DATA / "wycheproof" / "rsa_oaep_2048_sha256_mgf1sha256_part.json").read_text())
    numbers = load_der_private_key(bytes.fromhex(document["privateKeyPkcs8"]), None).private_numbers()
    public = numbers.public_numbers
    k = RsaPrivateKey(public.n, public.e, numbers.d, numbers.p, numbers.q, numbers.dmp1, numbers.dmq1, numbers.iqmp)
    return k, document["tests"]


def test_oaep_of_wycheproof():
    """11 cases of 37 in the file."""
    k, cases = wycheproof()
    protocol = Rsa(k, PlainExponentiator())
    assert [case["result"] for case in cases].count("valid") == 4
    for case in cases:
        ciphertext, label = bytes.fromhex(case["ct"]), bytes.fromhex(case["label"])
        if case["result"] == "valid":
            assert protocol.decrypt(ciphertext, "sha256", label)[0] == bytes.fromhex(case["msg"])
        elif int(case["ct"], 16) >= k.n:
            with pytest.raises(UsageError, match="not below the modulus"):
                protocol.decrypt(ciphertext, "sha256", label)
        else:
            with pytest.raises(DecryptionError):
                protocol.decrypt(ciphertext, "sha256", label)


# --- the private-key operation


@pytest.mark.parametrize("name", ["rsa1024", "rsa1025", "rsa2048"])
@pytest.mark.parametrize("options", [{}, {"blinding": False}, {"exponent_blinding": 64}])
def test_private_operation(name, options):
    """12 random operands and 8 edges."""
    k, rng = key(name), random.Random(1)
    edges = [0, 1, 2, k.n - 1, k.n - 2, k.p, k.q * 5, k.e]
    protocol = plain(name, **options)
    for c in edges + [rng.randrange(k.n) for _ in range(12)]:
        m, cycles = protocol.private(c)
        assert m == pow(c, k.d, k.n)
        assert (cycles.p, cycles.q, cycles.both) == (CYCLES, CYCLES, CYCLES)


@pytest.mark.parametrize("swapped", [False, True])
def test_primes_in_either_order(swapped):
    k = key()
    p, q = sorted((k.p, k.q), reverse=swapped)
    protocol = Rsa(made_of(p, q), PlainExponentiator())
    assert protocol.private(12345)[0] == pow(12345, k.d, k.n)


@pytest.mark.parametrize("c", [-1, 0, 1])
def test_operands_out_of_range(c):
    protocol = plain()
    with pytest.raises(UsageError, match="not below the modulus"):
        protocol.private(c if c < 0 else key().n + c)
    assert protocol.exponentiator.jobs == []


def test_halves_without_blinding_are_those_of_the_key():
    k, protocol = key(), plain(blinding=False)
    protocol.private(99)
    assert protocol.exponentiator.jobs == [(99, k.dp, k.p), (99, k.dq, k.q)]


def test_blinding_hides_the_operand_anew_each_time():
    """20 operations on one operand: every base is another one, and the exponents are those of the key."""
    k, protocol = key(), plain()
    for _ in range(20):
        protocol.private(99)
    jobs = protocol.exponentiator.jobs
    assert {(job.exponent, job.modulus) for job in jobs} == {(k.dp, k.p), (k.dq, k.q)}
    assert len({job.base for job in jobs}) == 40


def test_exponent_blinding_adds_multiples_anew_each_time():
    k, protocol = key(), plain(exponent_blinding=32)
    for _ in range(10):
        protocol.private(99)
    jobs = protocol.exponentiator.jobs
    assert len({job.exponent for job in jobs}) == 20
    for job in jobs:
        exponent = {k.p: k.dp, k.q: k.dq}[job.modulus]
        multiple, rest = divmod(job.exponent - exponent, job.modulus - 1)
        assert rest == 0
        assert 0 <= multiple < 2**32
        assert job.exponent.bit_length() <= k.half_bits + 32


@given(st.integers(0, 1), st.integers(0, 511), st.integers(1), st.booleans())
def test_a_flipped_bit_is_never_released(at, bit, seed, blinding):
    protocol = Rsa(key(), FaultyExponentiator(at, bit), blinding=blinding)
    with pytest.raises(FaultError, match="not released"):
        protocol.private(random.Random(seed).randrange(key().n))


def test_what_the_check_keeps_in():
    """The attack of Boneh, DeMillo and Lipton on a faulty result gives a prime of the key."""
    k, c = key(), 0x1234567
    m1, m2 = pow(c, k.dp, k.p) ^ 1, pow(c, k.dq, k.q)
    faulty = m2 + k.q * (k.qinv * (m1 - m2) % k.p)
    assert gcd(pow(faulty, k.e, k.n) - c, k.n) == k.q


def test_faults_release_neither_signature_nor_message():
    faulty = Rsa(key(), FaultyExponentiator(1, 7))
    for scheme in SCHEMES[:1] + SCHEMES[3:4]:
        with pytest.raises(FaultError):
            faulty.sign(b"message", scheme)
    with pytest.raises(FaultError):
        faulty.decrypt(encrypt("rsa1024", b"message", "sha256"))


# --- signing and decryption


@settings(max_examples=20)
@given(st.binary(max_size=200), st.sampled_from(SCHEMES))
def test_signatures_are_verified_by_openssl(message, scheme):
    if (scheme.padding, scheme.hash) == ("pss", "sha512"):
        scheme = dataclasses.replace(scheme, salt=isqrt(len(message)))
    signature, _ = plain().sign(message, scheme)
    assert len(signature) == 128
    verify_signature(key(), message, signature, scheme)
    with pytest.raises(VerificationError, match="not released"):
        verify_signature(key(), message + b"!", signature, scheme)
    algorithm = ALGORITHMS[scheme.hash]
    if scheme.padding == "pkcs1v15":
        assert private_by_openssl().sign(message, padding.PKCS1v15(), algorithm) == signature


def test_the_salt_is_fresh_and_as_long_as_requested():
    protocol = plain()
    assert protocol.sign(b"m", Scheme("pss"))[0] != protocol.sign(b"m", Scheme("pss"))[0]
    assert protocol.sign(b"m", Scheme("pss", salt=0))[0] == protocol.sign(b"m", Scheme("pss", salt=0))[0]
    public = RSAPublicNumbers(key().e, key().n).public_key()
    for salt, length in ((0, 0), (94, 94), (None, 32)):
        signature, _ = protocol.sign(b"m", Scheme("pss", salt=salt))
        public.verify(signature, b"m", padding.PSS(padding.MGF1(hashes.SHA256()), length), hashes.SHA256())
        with pytest.raises(InvalidSignature):
            public.verify(signature, b"m", padding.PSS(padding.MGF1(hashes.SHA256()), length + 1), hashes.SHA256())


@settings(max_examples=20)
@given(st.sampled_from(OAEP_HASHES), st.binary(max_size=30), st.data())
def test_messages_that_openssl_encrypted(hash_name, label, data):
    message = data.draw(st.binary(max_size=256 - 2 * digest_size(hash_name) - 2))
    assert plain("rsa2048").decrypt(encrypt("rsa2048", message, hash_name, label), hash_name, label)[0] == message


def test_ciphertexts_that_are_none():
    protocol, good = plain(), encrypt("rsa1024", b"message", "sha256")
    assert protocol.decrypt(good)[0] == b"message"
    for bad, message in ((good[:-1], "128 bytes, not 127"), (good + b"\0", "not 129"), (b"\xff" * 128, "not below")):
        with pytest.raises(UsageError, match=message):
            protocol.decrypt(bad)
    with pytest.raises(DecryptionError):
        protocol.decrypt(good, label=b"?")
    with pytest.raises(DecryptionError):
        protocol.decrypt(bytes([good[0] ^ 1]) + good[1:])
    with pytest.raises(UsageError, match="130 bytes, not 128"):
        protocol.decrypt(good, "sha512")
