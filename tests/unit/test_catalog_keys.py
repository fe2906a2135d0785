# SPDX-License-Identifier: Apache-2.0
"""Keys, certificates and signing requests in every container that `cryptography` writes."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import dh, dsa, ec, ed448, ed25519, rsa, x448, x25519
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from cryptography.x509.oid import NameOID

from modwright.base.errors import UsageError
from modwright.catalog import curves, keyfile, resolve_curve, resolve_modulus

NO_CURVE = "RSA"
MAKE = {
    NO_CURVE: lambda: rsa.generate_private_key(65537, 1024),
    "secp192r1": lambda: ec.generate_private_key(ec.SECP192R1()),
    "secp224r1": lambda: ec.generate_private_key(ec.SECP224R1()),
    "secp256r1": lambda: ec.generate_private_key(ec.SECP256R1()),
    "secp256k1": lambda: ec.generate_private_key(ec.SECP256K1()),
    "secp384r1": lambda: ec.generate_private_key(ec.SECP384R1()),
    "secp521r1": lambda: ec.generate_private_key(ec.SECP521R1()),
    "brainpoolP256r1": lambda: ec.generate_private_key(ec.BrainpoolP256R1()),
    "brainpoolP384r1": lambda: ec.generate_private_key(ec.BrainpoolP384R1()),
    "brainpoolP512r1": lambda: ec.generate_private_key(ec.BrainpoolP512R1()),
    "curve25519": x25519.X25519PrivateKey.generate,
    "ed25519": ed25519.Ed25519PrivateKey.generate,
    "curve448": x448.X448PrivateKey.generate,
    "ed448": ed448.Ed448PrivateKey.generate,
}
ENCODINGS = {"pem": Encoding.PEM, "der": Encoding.DER}


@cache
def key(name):
    return MAKE[name]()


def private(name, encoding, container=PrivateFormat.PKCS8, encryption=None):
    return key(name).private_bytes(encoding, container, encryption or NoEncryption())


def public(name, encoding, container=PublicFormat.SubjectPublicKeyInfo):
    return key(name).public_key().public_bytes(encoding, container)


@cache
def certificate(name):
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    builder = (
        x509.CertificateBuilder(subject, subject)
        .public_key(key(name).public_key())
        .serial_number(1)
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2040, 1, 1, tzinfo=UTC))
    )
    return builder.sign(key(signer(name)), digest(name))


def signing_request(name):
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    return x509.CertificateSigningRequestBuilder(subject).sign(key(name), digest(name))


def signer(name):
    """X25519 and X448 cannot sign, so another key signs their certificates."""
    return "secp256r1" if name in ("curve25519", "curve448") else name


def digest(name):
    return None if name.startswith("ed") else hashes.SHA256()


def check(path: Path, name: str):
    modulus = resolve_modulus(str(path))
    if name == NO_CURVE:
        assert modulus.value == key(name).public_key().public_numbers().n
        assert (modulus.prime, modulus.anonymous, modulus.source) == (False, True, "RSA key of 1024 bits")
        assert resolve_modulus(modulus.name) == modulus
        with pytest.raises(UsageError, match="an RSA key of 1024 bits, which has no curve"):
            resolve_curve(str(path))
    else:
        assert resolve_curve(str(path)).name == name
        assert modulus is resolve_curve(name).field


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("suffix", ENCODINGS)
def test_pkcs8_spki_and_x509(tmp_path, name, suffix):
    encoding = ENCODINGS[suffix]
    check(write(tmp_path, f"private.{suffix}", private(name, encoding)), name)
    check(write(tmp_path, f"public.{suffix}", public(name, encoding)), name)
    check(write(tmp_path, f"certificate.{suffix}", certificate(name).public_bytes(encoding)), name)


@pytest.mark.parametrize("suffix", ENCODINGS)
@pytest.mark.parametrize("name", [NO_CURVE, "secp256r1", "brainpoolP512r1"])
def test_pkcs1_and_sec1_private_keys(tmp_path, name, suffix):
    """`TraditionalOpenSSL` is PKCS#1 for RSA and SEC 1 for elliptic curves."""
    data = private(name, ENCODINGS[suffix], PrivateFormat.TraditionalOpenSSL)
    assert suffix == "der" or data.startswith(b"-----BEGIN " + (b"RSA" if name == NO_CURVE else b"EC"))
    check(write(tmp_path, f"key.{suffix}", data), name)


@pytest.mark.parametrize("suffix", ENCODINGS)
def test_pkcs1_public_key(tmp_path, suffix):
    check(write(tmp_path, "key", public(NO_CURVE, ENCODINGS[suffix], PublicFormat.PKCS1)), NO_CURVE)


@pytest.mark.parametrize("suffix", ENCODINGS)
@pytest.mark.parametrize("name", [NO_CURVE, "secp384r1", "ed25519"])
def test_signing_requests(tmp_path, name, suffix):
    check(write(tmp_path, "request.csr", signing_request(name).public_bytes(ENCODINGS[suffix])), name)


@pytest.mark.parametrize("name", [NO_CURVE, "secp256r1", "ed25519"])
def test_openssh_private_key(tmp_path, name):
    check(write(tmp_path, "id", private(name, Encoding.PEM, PrivateFormat.OpenSSH)), name)


def test_the_first_key_of_a_file_counts(tmp_path):
    """`openssl ecparam -genkey` writes EC PARAMETERS, here the OID of secp256k1, in front of the key."""
    parameters = b"-----BEGIN EC PARAMETERS-----\nBgUrgQQACg==\n-----END EC PARAMETERS-----\n"
    key_text = private("secp256k1", Encoding.PEM, PrivateFormat.TraditionalOpenSSL)
    check(write(tmp_path, "key.pem", b"text before\n" + parameters + key_text), "secp256k1")
    chain = certificate("secp521r1").public_bytes(Encoding.PEM) + public("secp256r1", Encoding.PEM)
    check(write(tmp_path, "chain.pem", chain), "secp521r1")
    with pytest.raises(UsageError, match="holds curve parameters but no key"):
        resolve_curve(str(write(tmp_path, "parameters.pem", parameters)))


def test_what_counts_as_a_path(tmp_path, monkeypatch):
    """A name means the same in every folder; a file needs a slash, a usual suffix, or a text of its own."""
    monkeypatch.chdir(tmp_path)
    for name in ("secp256k1", "65537", "my key", "2024key", "KEY.PEM"):
        write(tmp_path, name, public("ed25519", Encoding.PEM))
    assert resolve_modulus("secp256k1") is resolve_curve("secp256k1").field
    assert resolve_modulus("65537").value == 65537
    for text in ("./secp256k1", "./65537", "my key", "2024key", "KEY.PEM", f"{tmp_path}/my key"):
        assert resolve_modulus(text).value == 2**255 - 19
        assert resolve_curve(text).name == "ed25519"


def test_every_key_curve_of_the_catalog_is_tried():
    known = {c.name for c in curves()}
    assert set(MAKE) - {NO_CURVE} <= known
    theirs = {c.name for c in vars(ec).values() if isinstance(c, type) and isinstance(getattr(c, "name", 0), str)}
    assert {name for name in theirs if name in known} <= set(MAKE)


@pytest.mark.parametrize("suffix", ENCODINGS)
@pytest.mark.parametrize("name", [NO_CURVE, "secp256r1", "ed25519"])
def test_an_encrypted_private_key_is_named_as_such(tmp_path, name, suffix):
    data = private(name, ENCODINGS[suffix], encryption=BestAvailableEncryption(b"secret"))
    expect(write(tmp_path, "key", data), "is an encrypted private key")


def test_an_encrypted_key_of_openssl_s_old_form(tmp_path):
    data = private(NO_CURVE, Encoding.PEM, PrivateFormat.TraditionalOpenSSL, BestAvailableEncryption(b"secret"))
    assert b"Proc-Type: 4,ENCRYPTED" in data
    expect(write(tmp_path, "key", data), "is an encrypted private key")


def expect(path: Path, message: str):
    for resolve in (resolve_modulus, resolve_curve):
        with pytest.raises(UsageError, match=message) as caught:
            resolve(str(path))
        assert str(path) in caught.value.message


def test_a_key_of_another_kind(tmp_path):
    other = dsa.generate_parameters(1024).generate_private_key()
    data = other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    expect(write(tmp_path, "dsa.pem", data), "DSAPrivateKey, which has no modulus and no curve")


SECP160R1_SPKI = bytes.fromhex(
    "303e301006072a8648ce3d020106052b81040008032a0004"
    "4a96b5688ef573284664698968c38bb913cbfc8223a628553168947d59dcc912042351377ac5fb32"
)
"""The base point of secp160r1 as a public key, RFC 5480's form with the curve's OID 1.3.132.0.8."""


def test_a_curve_that_cryptography_does_not_read(tmp_path):
    """It names the identifier, and the catalog has the curve all the same."""
    path = write(tmp_path, "key.der", SECP160R1_SPKI)
    assert resolve_curve(str(path)).name == "secp160r1"
    assert resolve_modulus(str(path)) is resolve_curve("secp160r1").field
    other = SECP160R1_SPKI.replace(bytes.fromhex("2b81040008"), bytes.fromhex("2b81040006"))
    expect(write(tmp_path, "other.der", other), r"Curve 1\.3\.132\.0\.6 is not supported")


def test_every_short_weierstrass_curve_for_signatures_has_keys():
    """By `cryptography`, or by its identifier here."""
    theirs = {c.name for c in vars(ec).values() if isinstance(c, type) and isinstance(getattr(c, "name", 0), str)}
    named = {c.name for c in curves()} - {"curve25519", "ed25519", "curve448", "ed448", "bls12-381", "bn254"}
    assert named == (theirs | set(keyfile._OBJECTS.values())) & named
    assert set(keyfile._OBJECTS.values()) <= named


OAKLEY = int(
    "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd"
    "ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a63a3620ffffffffffffffff",
    16,
)
"""The prime of the first Oakley group, RFC 2409, 6.1."""


def test_a_key_of_a_kind_that_goes_has_no_warning(tmp_path, recwarn):
    numbers = dh.DHParameterNumbers(OAKLEY, 2)
    data = numbers.parameters().generate_private_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    recwarn.clear()
    expect(write(tmp_path, "dh.pem", data), "which has no modulus and no curve|holds no key")
    assert not list(recwarn)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "holds no key that can be read"),
        (b"\x30\x03\x02\x01\x05", "holds no key that can be read"),
        (b"no key at all", "holds no key that can be read"),
        (bytes(range(256)) * 8, "holds no key that can be read"),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "holds no key that can be read"),
        (b"-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n", "holds no key that can be read"),
        (b"x" * ((1 << 20) + 1), "is larger than 1048576 bytes"),
    ],
    ids=["empty", "short", "text", "binary", "certificate", "crl", "large"],
)
def test_files_without_a_key(tmp_path, data, message):
    expect(write(tmp_path, "file.pem", data), message)


def test_unreadable_files(tmp_path):
    expect(tmp_path / "missing.pem", "cannot read .*: No such file or directory")
    expect(tmp_path, "cannot read .*: Is a directory")
    expect(tmp_path / ("x" * 300), "cannot read .*: File name too long")
    with pytest.raises(UsageError, match="embedded null byte"):
        resolve_modulus("folder/a\0b")


def test_a_truncated_key_never_shows_a_traceback(tmp_path):
    data = private("secp256r1", Encoding.DER)
    for length in range(len(data)):
        expect(write(tmp_path, "cut.der", data[:length]), "holds no key that can be read")


def test_an_rsa_modulus_is_refused_where_a_prime_is_needed(tmp_path):
    path = write(tmp_path, "key.pem", public(NO_CURVE, Encoding.PEM))
    with pytest.raises(UsageError, match="is composite, and a prime is needed here: it has no factor below"):
        resolve_modulus(str(path), prime_needed=True)


def test_a_certificate_of_a_version_that_there_is_not(tmp_path):
    """Its version is the integer behind the first tag [0]."""
    data = certificate("secp256r1").public_bytes(Encoding.DER)
    strange = data.replace(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x05", 1)
    assert strange != data
    with pytest.raises(UsageError, match="holds no key that can be read"):
        resolve_modulus(str(write(tmp_path, "version.der", strange)))
