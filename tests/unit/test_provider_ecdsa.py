# SPDX-License-Identifier: Apache-2.0
"""ECDSA whole on devices of the provider: keys, signatures and verification on each curve of prime order that OpenSSL
names; registers are played by Python, and those of a core in the campaign."""

import json
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from modwright.base.errors import UsageError
from modwright.cores.ecdsa.joint.parameters import ZERO
from modwright.emulate import Device
from modwright.functions.ecdsa import KEYGEN, VERIFY
from modwright.provider import provider_files

from ..tools import needs
from .devices import core, served
from .provider_devices import Site, openssl
from .test_ecdsa import rfc_6979
from .tls import python_client, stock_client, tls_server

pytestmark = needs("openssl", "libssl-dev", "make")

CORES = {
    "ec": ("ecpm/ladder", {"curve": "P-256"}),
    "ecdsa": ("ecdsa/joint", {"options": {"bits": 521}}),
}
WYCHEPROOF = Path(__file__).parents[1] / "data" / "wycheproof"
CURVES = ("prime256v1", "secp521r1", "secp160r1")
"""The usual curve, which is that of every run, the widest, and one whose order is longer than its prime."""
OTHER_CURVES = (
    *("secp112r1", "secp128r1", "secp160k1", "secp160r2", "prime192v1", "prime192v2", "prime192v3", "secp192k1"),
    *("secp224r1", "secp224k1", "prime239v1", "prime239v2", "prime239v3", "secp256k1", "secp384r1"),
    *(f"brainpoolP{bits}{kind}1" for bits in (160, 192, 224, 256, 320, 384, 512) for kind in "rt"),
)
NOT_TAKEN = ("secp112r2", "sect283k1")
"""A curve of cofactor 4, and one over a binary field."""


@pytest.fixture(scope="module")
def site(store, tmp_path_factory):
    return Site(tmp_path_factory.mktemp("site"), store, CORES)


@pytest.fixture
def devices(site):
    """A device of each kind, served."""
    with site.played() as played:
        yield played


def sign(site, key, message, made, *more, fails=False):
    words = ["pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", message, "-out", made, *more]
    return openssl(*words, settings=site.settings, fails=fails)


def verify(key, message, made, settings=None, fails=False):
    words = ["pkeyutl", "-verify", "-rawin", "-inkey", key, "-in", message, "-sigfile", made]
    return openssl(*words, settings=settings, fails=fails)


@contextmanager
def changed(device, change):
    """Change the results of every operation after it."""
    operate = device.operate

    def wrong():
        operate()
        change()

    device.operate = wrong
    try:
        yield
    finally:
        device.operate = operate


# --- keys, signatures, verification


@pytest.mark.parametrize("curve", [*CURVES, *(pytest.param(name, marks=pytest.mark.campaign) for name in OTHER_CURVES)])
def test_a_curve(curve, site, devices, tmp_path):
    """3 of 32 curves; a key, a signature and its verification on the device, and what stock OpenSSL says of each."""
    device, key, made, other = devices["ecdsa"], tmp_path / "key", tmp_path / "made", tmp_path / "other"
    openssl(
        "genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}", "-out", key, settings=site.settings
    )
    assert device.operations == 2  # a signature of a new key is made and verified
    openssl("pkey", "-in", key, "-noout", "-check")
    sign(site, key, key, made)
    assert device.operations == 3
    assert b"Verified Successfully" in verify(key, key, made)
    assert b"Verified Successfully" in verify(key, key, made, site.settings)
    other.write_bytes(b"another")
    assert b"Signature Verification Failure" in verify(key, other, made, site.settings, fails=True)
    assert (device.operations, devices["ec"].operations) == (5, 0)


def test_every_curve_of_openssl_is_named():
    """Those over prime fields that this OpenSSL has under more than one name, or of a cofactor, are in the list."""
    listed = openssl("ecparam", "-list_curves").decode().replace(":\n", ":").splitlines()
    names = {line.split(":")[0].strip() for line in listed if "prime field" in line}
    again = {f"wap-wsg-idm-ecid-wtls{n}" for n in (6, 7, 8, 9, 12)}
    assert names - again - {"SM2", "secp112r2", "secp128r2"} <= {*CURVES, *OTHER_CURVES}


def test_signatures_of_rfc_6979(site, devices, tmp_path):
    key, message, made = tmp_path / "key", tmp_path / "message", tmp_path / "made"
    made_key, *rows = (row for row in rfc_6979() if row["op"] != VERIFY)
    private = ec.derive_private_key(made_key["d"], ec.SECP256R1())
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    for text, row in zip((b"sample", b"test"), rows, strict=True):
        message.write_bytes(text)
        sign(site, key, message, made)
        assert decode_dss_signature(made.read_bytes()) == (row["first"], row["second"])
    assert devices["ecdsa"].operations == 2


def test_a_digest_that_comes_ready(site, devices, tmp_path):
    """The hash of the nonce is the one that is named; a digest of another length is refused."""
    digest, made = tmp_path / "digest", tmp_path / "made"
    digest.write_bytes(bytes(range(32)))
    words = ["pkeyutl", "-inkey", site.key("ec"), "-in", digest, "-pkeyopt"]
    openssl(*words, "digest:sha256", "-sign", "-out", made, settings=site.settings)
    check = [*words, "digest:sha256", "-verify", "-sigfile", made]
    assert b"Verified Successfully" in openssl(*check, settings=site.settings)
    assert b"Verified Successfully" in openssl(*check)
    assert devices["ecdsa"].operations == 2
    said = openssl(*words, "digest:sha384", "-sign", "-out", made, settings=site.settings, fails=True)
    assert b"length" in said
    assert devices["ecdsa"].operations == 2


def test_the_first_nonce_that_gives_zero_is_not_used(site, devices, tmp_path):
    """The core's error for r or s = 0 leads to the next nonce of RFC 6979, and to another valid signature."""
    device, first, second = devices["ecdsa"], tmp_path / "first", tmp_path / "second"
    sign(site, site.key("ec"), site.key("ec"), first)

    def zero_once():
        device.error = ZERO if device.operations == 2 else device.error

    with changed(device, zero_once):
        sign(site, site.key("ec"), site.key("ec"), second)
    assert device.operations == 3
    assert first.read_bytes() != second.read_bytes()
    verify(site.key("ec"), site.key("ec"), second)


# --- faults


def test_a_wrong_signature_is_not_released(site, devices, tmp_path):
    """One bit of each word of r and of s at a time, as many words as the curve has: no file is made."""
    device, made, key = devices["ecdsa"], tmp_path / "made", site.key("ec")
    for window in device.map.results[:2]:
        for offset, _, _ in list(window.slices())[:8]:

            def flip(at=offset):
                device.results[at] ^= 1

            with changed(device, flip):
                assert b"wrong result" in sign(site, key, key, made, fails=True)
            assert not made.exists() or made.read_bytes() == b""


def test_a_wrong_key_is_not_released(site, devices, tmp_path):
    """A point off the curve; and that of another number, which no signature fits."""
    device, made = devices["ecdsa"], tmp_path / "made"
    words = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", made]

    def flip():
        device.results[device.map.results[0].offset] ^= 1

    with changed(device, flip):
        assert b"not on the curve" in openssl(*words, settings=site.settings, fails=True)
    operate, op, d = device.operate, device.map.window("I_OP").offset, device.map.window("I_D").offset

    def of_another_number():
        device.operands[d] ^= device.operands[op] == KEYGEN
        operate()

    device.operate = of_another_number
    assert b"wrong result" in openssl(*words, settings=site.settings, fails=True)
    assert not made.exists() or made.read_bytes() == b""


def test_an_error_of_the_core_is_one_of_openssl(site, devices, tmp_path):
    """In signing, verifying and making a key; nothing is done in software instead."""
    device, made, key = devices["ecdsa"], tmp_path / "made", site.key("ec")
    sign(site, key, key, made)
    right = made.read_bytes()

    def refuse():
        device.error = 2

    with changed(device, refuse):
        assert b"failed, and nothing of it was used" in verify(key, key, made, site.settings, fails=True)
        assert b"failed, and nothing of it was used" in sign(site, key, key, made, fails=True)
        assert made.read_bytes() in (b"", right)
        words = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", tmp_path / "new"]
        assert b"failed, and nothing of it was used" in openssl(*words, settings=site.settings, fails=True)


@pytest.mark.parametrize("curve", NOT_TAKEN)
def test_a_key_that_no_device_takes_is_in_software(curve, site, devices, tmp_path):
    key, made = tmp_path / "key", tmp_path / "made"
    openssl("ecparam", "-name", curve, "-genkey", "-noout", "-out", key)
    sign(site, key, key, made)
    verify(key, key, made, site.settings)
    assert devices["ecdsa"].operations == devices["ec"].operations == 0


@pytest.mark.parametrize(
    "path",
    ["ecdsa_secp256k1_sha256_test.json", pytest.param("ecdsa_secp384r1_sha384_test.json", marks=pytest.mark.campaign)],
)
@pytest.mark.parametrize("part", ["kinds", pytest.param("all", marks=pytest.mark.campaign)])
def test_verifications_of_wycheproof(path, part, site, devices, tmp_path):
    """5 of 956 cases, one with each of five flags; what is not DER, or out of range, does not reach the device."""
    public, message, made = tmp_path / "public", tmp_path / "message", tmp_path / "made"
    chosen = {"ValidSignature", "BerEncodedSignature", "InvalidEncoding", "RangeCheck", "ModifiedSignature"}
    for group in json.loads((WYCHEPROOF / path).read_text())["testGroups"]:
        public.write_text(group["publicKeyPem"])
        for case in group["tests"]:
            if part == "kinds" and not chosen.intersection(case["flags"]):
                continue
            chosen.difference_update(case["flags"])
            message.write_bytes(bytes.fromhex(case["msg"]))
            made.write_bytes(bytes.fromhex(case["sig"]))
            words = [
                "dgst",
                f"-{group['sha'].replace('-', '').lower()}",
                "-verify",
                public,
                "-signature",
                made,
                message,
            ]
            valid = case["result"] == "valid"
            said = openssl(*words, settings=site.settings, fails=not valid)
            refused = b"Verification failure" if case["sig"] else b"Error reading signature file"
            assert (b"Verified OK" if valid else refused) in said, case
    assert devices["ecdsa"].operations > 0
    assert not chosen


# --- with ECDH


def test_both_kinds_of_devices(site, devices, tmp_path):
    """A secret on P-256 is of the device for points; on another curve, which only those for ECDSA take, of software."""
    for curve, on_device in (("P-256", 1), ("P-384", 0)):
        key, public = tmp_path / "key", tmp_path / "public"
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}", "-out", key)
        public.write_bytes(openssl("ec", "-in", key, "-pubout"))
        words = ["pkeyutl", "-derive", "-inkey", key, "-peerkey", public]
        before = devices["ec"].operations
        assert openssl(*words, settings=site.settings) == openssl(*words)
        assert devices["ec"].operations - before == on_device
    assert devices["ecdsa"].operations == 0


@contextmanager
def ecdsa_alone(site):
    usual = site.settings.read_text()
    site.settings.write_text("".join(row for row in usual.splitlines(keepends=True) if not row.startswith("ec_device")))
    try:
        yield
    finally:
        site.settings.write_text(usual)


def test_handshakes(site, devices):
    """TLS 1.3 with the certificate's key on the device, and stock clients: one signature each; the secret by X25519, or
    on P-384 with a key of the device."""
    device = devices["ecdsa"]
    for groups, operations in (("X25519", 1), ("P-384", 3)):
        with ecdsa_alone(site), tls_server(site, "ec", "-groups", groups) as (port, _):
            before = device.operations
            stock_client(site, "ec", port)
            assert python_client(site, "ec", port) == "TLSv1.3"
            assert device.operations - before == 2 * operations
    assert devices["ec"].operations == 0


def test_certificates(site, devices, tmp_path):
    """A certificate signed and verified by the device, and by stock OpenSSL."""
    made = tmp_path / "made"
    (tmp_path / "plain.cnf").write_text("[req]\ndistinguished_name = name\n[name]\n")
    plain = ["-config", tmp_path / "plain.cnf", "-subj", "/CN=device"]
    openssl("req", "-x509", "-new", "-key", site.key("ec"), *plain, "-out", made, settings=site.settings)
    assert b"ecdsa-with-SHA256" in openssl("x509", "-in", made, "-noout", "-text")
    before = devices["ecdsa"].operations
    for settings in (None, site.settings):
        check = ["verify", "-check_ss_sig", "-CAfile", made, made]
        assert b": OK" in openssl(*check, settings=settings)
    assert devices["ecdsa"].operations == before + 1


# --- cores


def test_a_core_that_is_too_narrow(store):
    with pytest.raises(UsageError, match="112"):
        provider_files({"ecdsa": core("ecdsa/joint", store, options={"bits": 111})})


@pytest.mark.campaign
@needs("compiled-simulator")
@pytest.mark.parametrize("check", [False, True])
def test_the_core_itself(check, store, tmp_path):
    """The core for P-256 in a simulator: a key, a signature, its verification, and handshakes of TLS 1.3."""
    site = Site(tmp_path, store, {"ecdsa": ("ecdsa/joint", {"curve": "P-256", "options": {"check": check}})})
    prepared, key, made = site.cores["ecdsa"], site.key("ec"), tmp_path / "made"
    site.settings.write_text(site.settings.read_text().replace("milliseconds = 10000", "milliseconds = 60000"))
    words = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key]
    with Device(prepared) as device, served(device, site.address("ecdsa")):
        openssl(*words, settings=site.settings)
        subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        openssl("req", "-x509", "-new", "-key", key, *subject, "-out", site.certificate("ec"), settings=site.settings)
        sign(site, key, key, made)
        verify(key, key, made)
        verify(key, key, made, site.settings)
        assert device.cycle >= 5 * prepared.schedule.latency
        with tls_server(site, "ec", "-groups", "X25519") as (port, _):
            for _ in range(2):
                before = device.cycle
                assert "X25519" in stock_client(site, "ec", port)
                assert python_client(site, "ec", port) == "TLSv1.3"
                assert device.cycle > before + 2 * prepared.schedule.latency
