# SPDX-License-Identifier: Apache-2.0
"""Numbers and nonces of the driver in C, for every curve of the catalog that ECDSA is for."""

import ctypes
import hashlib
import hmac
import random
import subprocess

import pytest

from modwright.catalog import curves, resolve_curve
from modwright.driver import FOLDER
from modwright.protocols.ecdsa import nonces

from .devices import STRICT

E_RANGE, E_MODULUS, E_RANDOM = -5, -6, -9
SIGNING = [curve.name for curve in curves() if curve.form == "weierstrass" and curve.cofactor == 1]
HASHES = ("sha1", "sha224", "sha256", "sha384", "sha512")
WORD = 32

Words = ctypes.POINTER(ctypes.c_uint32)
Mac = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_uint8),
    ctypes.POINTER(ctypes.c_uint8),
    ctypes.POINTER(ctypes.c_uint8),
    ctypes.c_size_t,
)


class Group(ctypes.Structure):
    _fields_ = [*((name, Words) for name in ("p", "a", "b", "order", "gx", "gy")), ("words", ctypes.c_size_t)]


class Edwards(ctypes.Structure):
    _fields_ = [*((name, Words) for name in ("p", "a", "d", "order", "gx", "gy")), ("words", ctypes.c_size_t)]


class Hmac(ctypes.Structure):
    _fields_ = [("context", ctypes.c_void_p), ("size", ctypes.c_size_t), ("mac", Mac)]


def words_of(value, count):
    return (ctypes.c_uint32 * count)(*(value >> WORD * k & 0xFFFFFFFF for k in range(count)))


def value_of(words):
    return sum(word << WORD * k for k, word in enumerate(words))


def hmac_of(name, fails=False):
    size = hashlib.new(name).digest_size

    def mac(_, out, key, data, count):
        if fails:
            return 1
        made = hmac.digest(bytes(key[:size]), bytes(data[:count]), name)
        ctypes.memmove(out, made, size)
        return 0

    return Hmac(None, size, Mac(mac))


@pytest.fixture(scope="module")
def driver(tmp_path_factory, c_compiler):
    target = tmp_path_factory.mktemp("nonce") / "driver.so"
    sources = [FOLDER / f"modwright_{name}.c" for name in ("nonce", "signatures", "bytes")] + [FOLDER / "modwright.c"]
    subprocess.run([*c_compiler, *STRICT, "-O1", "-shared", "-fPIC", *sources, "-o", target], check=True)
    return ctypes.CDLL(str(target))


def group_of(order, bits):
    """A group of which only the order matters, in as many words as that and the prime need."""
    return Group(order=words_of(order, -(-bits // WORD)), words=-(-bits // WORD))


def nonce(driver, curve, d, hashed, name, skip=0, fails=False):
    group = group_of(curve.order, max(curve.p, curve.order).bit_length())
    found = (ctypes.c_uint32 * group.words)()
    mac = hmac_of(name, fails)
    key = words_of(d, group.words)
    status = driver.mw_ecdsa_nonce(
        found, key, hashed, ctypes.c_size_t(len(hashed)), ctypes.c_uint32(skip), ctypes.byref(group), ctypes.byref(mac)
    )
    return status, value_of(found)


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("curve", SIGNING)
def test_a_nonce_is_that_of_rfc_6979(curve, name, driver):
    """The first three candidates, for keys at both ends and one at random."""
    curve, rng = resolve_curve(curve), random.Random(name)
    for d in (1, curve.order - 1, rng.randrange(1, curve.order)):
        hashed = hashlib.new(name, d.to_bytes(80, "big")).digest()
        wanted = nonces(d, hashed, curve.order, name)
        for skip in range(3):
            assert nonce(driver, curve, d, hashed, name, skip) == (0, next(wanted))


def test_a_nonce_of_the_standard(driver):
    """RFC 6979, section A.2.5: P-256 with SHA-256, "sample"."""
    d = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
    k = 0xA6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60
    hashed = hashlib.sha256(b"sample").digest()
    assert nonce(driver, resolve_curve("secp256r1"), d, hashed, "sha256") == (0, k)


def test_no_nonce_without_a_mac_or_for_a_key_out_of_range(driver):
    curve = resolve_curve("secp256r1")
    assert nonce(driver, curve, 1, b"hash", "sha256", fails=True) == (E_RANDOM, 0)
    for d in (curve.order, (1 << 256) - 1):
        assert nonce(driver, curve, d, b"hash", "sha256")[0] == E_RANGE


@pytest.mark.parametrize("bits", [8, 13, 31, 32, 33, 160, 255, 256, 521])
def test_the_number_of_a_hash_is_its_leftmost_bits(bits, driver):
    rng = random.Random(bits)
    for length in (1, 4, 20, 32, 33, 64, 66, 70):
        order, hashed = rng.getrandbits(bits) | 1 << bits - 1 | 1, rng.randbytes(length)
        group = group_of(order, bits)
        found = (ctypes.c_uint32 * group.words)()
        assert driver.mw_ecdsa_number(found, hashed, ctypes.c_size_t(length), ctypes.byref(group)) == 0
        assert value_of(found) == int.from_bytes(hashed, "big") >> max(0, 8 * length - bits)


@pytest.mark.parametrize("order", [3, 7, (1 << 252) + 27742317777372353535851937790883648493, (1 << 446) - 3])
def test_a_hash_modulo_the_order(order, driver):
    count = -(-order.bit_length() // WORD)
    group = Edwards(order=words_of(order, count), words=count)
    for length in (1, 32, 64, 114):
        for hashed in (random.Random(length).randbytes(length), b"\xff" * length, bytes(length)):
            found = (ctypes.c_uint32 * count)()
            assert driver.mw_eddsa_number(found, hashed, ctypes.c_size_t(length), ctypes.byref(group)) == 0
            assert value_of(found) == int.from_bytes(hashed, "little") % order


@pytest.mark.parametrize("order", [0, 1, 8])
def test_no_hash_modulo_what_is_no_odd_order(order, driver):
    group = Edwards(order=words_of(order, 1), words=1)
    found = (ctypes.c_uint32 * 1)()
    assert driver.mw_eddsa_number(found, b"hash", ctypes.c_size_t(4), ctypes.byref(group)) == E_MODULUS
