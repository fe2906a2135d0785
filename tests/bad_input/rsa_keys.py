# SPDX-License-Identifier: Apache-2.0
"""RSA keys that break a rule, files that are no key, passphrases, and options that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519

from .case import Case

DATA = Path(__file__).parents[1] / "data" / "rsa"
KEY = str(DATA / "rsa1024.pem")
ENCRYPTED = str(DATA / "rsa1024-encrypted.pem")
SECRET = "MODWRIGHT_PASSPHRASE"


def _length(size: int) -> bytes:
    if size < 0x80:
        return bytes([size])
    content = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(content)]) + content


def _integer(value: int) -> bytes:
    content = value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True)
    return b"\x02" + _length(len(content)) + content


def pkcs1(**changed: int) -> bytes:
    """The key of the tests in DER of PKCS#1 (RFC 8017, appendix A.1.2), with some numbers changed."""
    key = serialization.load_pem_private_key(Path(KEY).read_bytes(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    own = key.private_numbers()
    numbers = {"version": 0, "n": own.public_numbers.n, "e": own.public_numbers.e, "d": own.d, "p": own.p, "q": own.q}
    numbers |= {"dp": own.dmp1, "dq": own.dmq1, "qinv": own.iqmp}
    body = b"".join(_integer(value) for value in (numbers | changed).values())
    return b"\x30" + _length(len(body)) + body


def _numbers() -> rsa.RSAPrivateNumbers:
    key = serialization.load_pem_private_key(Path(KEY).read_bytes(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key.private_numbers()


def broken() -> Iterator[tuple[str, bytes]]:
    """Keys that break a rule, by name."""
    own = _numbers()
    n, e, p, q = own.public_numbers.n, own.public_numbers.e, own.p, own.q
    changes: dict[str, dict[str, int]] = {
        "e of 0": {"e": 0}, "e of 1": {"e": 1}, "e of 2": {"e": 2}, "e of n": {"e": n}, "e that is negative": {"e": -3},
        "an e that is another": {"e": e + 2}, "d of 0": {"d": 0}, "a d that is another": {"d": own.d + 2},
        "a d that is negative": {"d": -own.d}, "p of q": {"p": q}, "p of 0": {"p": 0}, "p of 1": {"p": 1},
        "p that is negative": {"p": -p}, "p that is composite": {"p": p + 2}, "p that is even": {"p": p + 1},
        "q of 1": {"q": 1}, "q of p": {"q": p}, "p and q of 3 and 5": {"p": 3, "q": 5},
        "n of 0": {"n": 0}, "n of 1": {"n": 1}, "n that is another": {"n": n + 2}, "n that is even": {"n": n + 1},
        "n of 40000 bits": {"n": 1 << 40_000 | 1}, "another dP": {"dp": own.dmp1 + 2}, "dP of 0": {"dp": 0},
        "another dQ": {"dq": own.dmq1 + 2}, "another qInv": {"qinv": own.iqmp + 1}, "qInv of 0": {"qinv": 0},
        "version 1": {"version": 1}, "version 9": {"version": 9},
    }  # fmt: skip
    for name, changed in changes.items():
        yield name, pkcs1(**changed)


def others() -> Iterator[tuple[str, bytes]]:
    """Files that hold no RSA private key, by name."""
    pem = Path(KEY).read_bytes()
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    own = _numbers()
    yield "empty", b""
    yield "half a key", pem[: len(pem) // 2]
    yield "a key with a letter too many", pem.replace(b"\n", b"\n!", 3)
    yield "half of DER", pkcs1()[:100]
    yield "more than DER", pkcs1() + b"more"
    yield "zeros", bytes(1000)
    yield "a long length", b"\x30\x84\xff\xff\xff\xff" + bytes(100)
    yield "two megabytes", pem * 2000
    yield (
        "a public key",
        own.public_numbers.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        ),
    )
    yield "a key of a curve", ec.generate_private_key(ec.SECP256R1()).private_bytes(*form)
    yield "a key of Ed25519", ed25519.Ed25519PrivateKey.generate().private_bytes(*form)
    yield "a key of X25519", x25519.X25519PrivateKey.generate().private_bytes(*form)
    yield "three primes", (DATA / "three-primes.pem").read_bytes()
    yield "three primes in PKCS#1", (DATA / "three-primes-pkcs1.pem").read_bytes()


OPTIONS: dict[str, tuple[str, ...]] = {
    "two actions": ("--sign", "file", "--raw", "5"),
    "interleaved units": ("--interleave", "--units", "2"),
    "no units": ("--units", "0"),
    "three units": ("--units", "3"),
    "a core of nothing near": ("--core", "zzz"),
    "a long core": ("--core", "c" * 5000),
    "a core that is no multiplier": ("--core", "../x"),
    "no method": ("--method", "guess"),
    "no padding": ("--padding", "zero"),
    "no hash": ("--hash", "md5"),
    "sha1 of a signature": ("--hash", "sha1"),
    "a salt that is too long": ("--salt", "1000"),
    "a salt of 40 digits": ("--salt", "9" * 40),
    "a salt that is negative": ("--salt", "-1"),
    "no signatures": ("--count", "0"),
    "too many signatures": ("--count", "9" * 40),
    "a signature of no file": ("--sign", "missing"),
    "a signature of a folder": ("--sign", "folder"),
    "a long name to sign": ("--sign", "s" * 300),
    "a message without a place": ("--decrypt", "file"),
    "a ciphertext that is short": ("--decrypt", "file", "-o", "out"),
    "a ciphertext that is missing": ("--decrypt", "missing", "-o", "out"),
    "a number that is none": ("--raw", "0xg"),
    "a number of no digit": ("--raw", ""),
    "a number above the modulus": ("--raw", "f" * 300),
    "a number of a megabyte": ("--raw", "f" * 1_000_000),
    "a number that is negative": ("--raw=-5",),
    "a width that follows": ("-O", "bits=512"),
    "an option of nobody": ("-O", "speed=1"),
    "exponents blinded by 129 bits": ("--exponent-blinding", "129"),
    "exponents blinded by -1 bits": ("--exponent-blinding", "-1"),
    "a core of variable time": ("--method", "l2r"),
    "no target": ("-t", "vax"),
    "no simulator": ("--simulator", "fast"),
}

PASSPHRASES: dict[str, tuple[tuple[str, ...], dict[str, str | None]]] = {
    "none": ((), {SECRET: None}),
    "empty": ((), {SECRET: ""}),
    "wrong": ((), {SECRET: "wrong"}),
    "long": ((), {SECRET: "p" * 100_000}),
    "no UTF-8": ((), {SECRET: "\udcff\udcfe"}),
    "of a file that is missing": (("--passphrase-file", "missing"), {SECRET: None}),
    "of a folder": (("--passphrase-file", "folder"), {SECRET: None}),
    "of an empty file": (("--passphrase-file", "empty"), {SECRET: None}),
    "of an empty line": (("--passphrase-file", "line"), {SECRET: None}),
    "of bytes that are no UTF-8": (("--passphrase-file", "bytes"), {SECRET: None}),
    "of a long name": (("--passphrase-file", "n" * 300), {SECRET: None}),
}


def _write(folder: Path) -> None:
    (folder / "folder").mkdir()
    (folder / "file").write_bytes(b"short")
    (folder / "empty").write_bytes(b"")
    (folder / "line").write_bytes(b"\nsecret\n")
    (folder / "bytes").write_bytes(b"\xff\xfe\xfd")


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for name, content in broken():
        yield Case(f"a key with {name}", ("rsa", "key"), files={"key": content})
    for name, content in others():
        yield Case(f"a key: {name}", ("rsa", "key"), files={"key": content})
    for name, words in OPTIONS.items():
        yield Case(f"options: {name}", ("rsa", KEY, *words), before=_write)
    for name, (words, environment) in PASSPHRASES.items():
        yield Case(f"a passphrase: {name}", ("rsa", ENCRYPTED, *words), before=_write, environment=environment)
    for name, path in (("missing", "missing"), ("a folder", "folder"), ("long", "k" * 300), ("endless", "/dev/zero")):
        yield Case(f"a key file: {name}", ("rsa", path), before=_write)
