# SPDX-License-Identifier: Apache-2.0
"""Private keys of RSA: containers, passphrases, rules, and files without one."""

import base64
import dataclasses

import gmpy2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from modwright.base.errors import UsageError
from modwright.protocols import read_private_key

from .rsa_cases import RSA, key, made_of, private_by_openssl


@pytest.mark.parametrize("name", ["rsa1024", "rsa1024-pkcs1", "rsa1024-encrypted", "rsa1024-pkcs1-encrypted"])
def test_containers(name):
    numbers = private_by_openssl().private_numbers()
    read = key(name)
    assert (read.n, read.e, read.d) == (numbers.public_numbers.n, numbers.public_numbers.e, numbers.d)
    assert (read.p, read.q, read.dp, read.dq) == (numbers.p, numbers.q, numbers.dmp1, numbers.dmq1)
    assert read.qinv == numbers.iqmp
    assert (read.bits, read.half_bits, read.length) == (1024, 512, 128)


def test_der(tmp_path):
    for kind in (PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL):
        (tmp_path / "key").write_bytes(private_by_openssl().private_bytes(Encoding.DER, kind, NoEncryption()))
        assert read_private_key(tmp_path / "key") == key()


def test_the_private_key_of_a_file_with_more(tmp_path):
    public = key().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "both.pem").write_bytes(public + (RSA / "rsa1024.pem").read_bytes())
    assert read_private_key(tmp_path / "both.pem") == key()


def test_a_key_is_not_shown():
    assert f"{key().n:#x}" in repr(key())
    for name in ("d", "p", "q", "dp", "dq", "qinv"):
        value = getattr(key(), name)
        assert str(value) not in repr(key()) and f"{value:x}" not in repr(key())


@pytest.mark.parametrize("passphrase", [None, b"", b"Modwright", b"modwright "])
@pytest.mark.parametrize("name", ["rsa1024-encrypted", "rsa1024-pkcs1-encrypted"])
def test_wrong_passphrases(name, passphrase):
    with pytest.raises(UsageError, match="no passphrase is given" if not passphrase else "can be read"):
        read_private_key(RSA / f"{name}.pem", passphrase)


@pytest.mark.parametrize("name", ["three-primes", "three-primes-pkcs1"])
def test_more_than_two_primes(name, tmp_path):
    with pytest.raises(UsageError, match="more than two primes"):
        read_private_key(RSA / f"{name}.pem")
    lines = (RSA / f"{name}.pem").read_bytes().splitlines()
    (tmp_path / "key.der").write_bytes(base64.b64decode(b"".join(lines[1:-1])))
    with pytest.raises(UsageError, match="more than two primes"):
        read_private_key(tmp_path / "key.der")


def test_files_without_an_rsa_private_key(tmp_path):
    pem = (RSA / "rsa1024.pem").read_bytes()
    body = pem.splitlines()[1]
    other = ec.generate_private_key(ec.SECP256R1())
    files = {
        "public": (key().public_key().public_bytes(Encoding.PEM, PublicFormat.PKCS1), "no private key in PKCS#1"),
        "openssh": (
            private_by_openssl().private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()),
            "no private key in PKCS#1",
        ),
        "ec": (other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), "no RSA key"),
        "empty": (b"", "can be read"),
        "text": (b"hello", "can be read"),
        "cut": (pem.replace(body, body[:-8]), "can be read"),
        "no base64": (pem.replace(body, b"?" * len(body)), "can be read"),
        "short": (b"0", "can be read"),
    }
    for name, (content, message) in files.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UsageError, match=message):
            read_private_key(tmp_path / name)
    with pytest.raises(UsageError, match="cannot read"):
        read_private_key(tmp_path / "absent.pem")


def changed(**values):
    return dataclasses.replace(key(), **values)


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        (lambda k: {"n": k.n + 1}, "n odd"),
        (lambda k: {"n": k.n + 2}, "p·q = n"),
        (lambda k: {"n": k.n >> 1 | 1}, "1024 to 4096 bits, not 1023"),
        (lambda k: {"n": k.n**4 * 2 + 1}, "1024 to 4096 bits"),
        (lambda k: {"e": k.e + 1}, "e odd"),
        (lambda k: {"e": 1}, "e odd, 3 <= e < n"),
        (lambda k: {"e": k.n + 2}, "e odd, 3 <= e < n"),
        (lambda k: {"e": 3}, "e·d = 1"),
        (lambda k: {"p": -k.p, "q": -k.q}, "positive"),
        (lambda k: {"p": 1, "q": k.n}, "third"),
        (lambda k: {"d": k.d + 1}, "e·d = 1"),
        (lambda k: {"d": k.d + k.n}, "1 < d < n"),
        (lambda k: {"d": 0}, "1 < d < n"),
        (lambda k: {"dp": k.dp + k.p - 1}, "dP = d mod"),
        (lambda k: {"dq": 0}, "dQ = d mod"),
        (lambda k: {"qinv": k.qinv + 1}, "qInv·q = 1"),
        (lambda k: {"qinv": k.qinv + k.p}, "0 < qInv < p"),
        (lambda k: {"p": k.q, "q": k.p}, "dP = d mod"),
    ],
)
def test_rules_of_a_key(values, rule):
    with pytest.raises(UsageError) as caught:
        changed(**values(key()))
    assert rule in str(caught.value)
    assert f"{key().p:x}" not in str(caught.value) and str(key().p) not in str(caught.value)


def test_primes_that_are_none():
    prime = key().p
    composite = 3 * int(gmpy2.next_prime(prime // 3))
    assert made_of(prime, int(gmpy2.next_prime(2**512 - 2**508))).bits == 1024
    for p, q, name in ((composite, prime, "p prime"), (prime, composite, "q prime")):
        with pytest.raises(UsageError, match=name):
            made_of(p, q, 65539)
    with pytest.raises(UsageError, match="not equal"):
        made_of(prime, prime)
    small = int(gmpy2.next_prime(2**340))
    with pytest.raises(UsageError, match="third"):
        made_of(small, int(gmpy2.next_prime(2**684)))


def test_a_broken_rule_is_named_with_the_file(tmp_path):
    """The loader's own check is left out, so that this one names the rule."""
    data = private_by_openssl().private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    qinv = key().qinv.to_bytes(64, "big")
    (tmp_path / "bad.der").write_bytes(data.replace(qinv, (key().qinv ^ 1).to_bytes(64, "big")))
    with pytest.raises(UsageError, match=r"bad\.der: .*qInv"):
        read_private_key(tmp_path / "bad.der")
