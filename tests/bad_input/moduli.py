# SPDX-License-Identifier: Apache-2.0
"""Moduli, fields and curves: texts that are no number, numbers that are no modulus, names and keys of nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .case import Case

DATA = Path(__file__).parents[1] / "data" / "rsa"

NO_MODULI = {
    "empty": "",
    "a space": " ",
    "zero": "0",
    "one": "1",
    "two": "2",
    "negative": "-7",
    "even": "98",
    "an even power": "2^64",
    "2^16385": "2^16385",
    "a tower": "2^2^2^2^2^2",
    "a product that is too large": "2^16384*2^16384*3",
    "5000 digits even": "8" * 4800,
    "9866 digits": "9" * 9866,
    "a million digits": "9" * 1_000_000,
    "20000 zeros": "0" * 20_000,
    "a long hexadecimal": "0x" + "f" * 5000,
    "scientific": "1e5",
    "0x": "0x",
    "0xg": "0xg",
    "octal": "0o7",
    "a fraction": "97.0",
    "a comma": "1,000",
    "two underscores": "1__0",
    "fullwidth digits": "１２３",
    "a superscript": "²",
    "a vulgar fraction": "½",
    "an operator too many": "2^",
    "an operator first": "^2",
    "a negative exponent": "2^-1",
    "a division": "99/3",
    "a floor division": "99//3",
    "a remainder": "99%100",
    "a shift": "1<<7",
    "a function": "pow(2,5)",
    "code": "__import__('os')",
    "two statements": "97;97",
    "150 parentheses": "(" * 150 + "97" + ")" * 150,
    "an open parenthesis": "(97",
    "101 sums": "1+" * 101 + "96",
    "10000 signs": "-" * 10_000 + "97",
    "None": "None",
    "nan": "nan",
    "infinite": "inf",
    "a letter": "a",
    "nothing near": "zzz",
    "a protocol": "ecdsa",
    "a long name": "n" * 300,
    "a name of 100000": "n" * 100_000,
    "no UTF-8": "\udcff",
    "an emoji": "🔑",
    "right to left": "\u202e97",
    "the null device": "/dev/null",
    "zeros without end": "/dev/zero",
    "a folder": "folder.pem",
    "a file that is missing": "missing.pem",
    "a file in no folder": "no/such/key.pem",
    "a long path": "a/" * 3000 + "key.pem",
    "an empty key": "empty.pem",
    "half a key": "half.pem",
    "garbage in PEM": "garbage.pem",
    "garbage in DER": "garbage.der",
    "text": "./text",
    "curve parameters only": "parameters.pem",
    "an encrypted key": "encrypted.pem",
    "a key of two megabytes": "large.pem",
    "a link to itself": "loop.pem",
}

NO_CURVES = (
    "empty", "a space", "nothing near", "a protocol", "a long name", "a name of 100000", "no UTF-8", "an emoji",
    "the null device", "zeros without end", "a folder", "a file that is missing", "an empty key", "half a key",
    "garbage in DER", "text", "a link to itself", "one",
)  # fmt: skip

REFUSED: dict[str, tuple[tuple[str, ...], int]] = {
    "an inversion modulo 3 by residues": (("modinv/rns-btmi", "-m", "3"), 4),
    "an inversion modulo a composite by Fermat": (("modinv/rns-flt", "-m", "2^64+1"), 4),
    "points of a Montgomery curve": (("ecpm/ladder", "-c", "curve25519"), 2),
    "points of an Edwards curve": (("ecpm/ladder", "-c", "ed25519"), 2),
    "no modulus": (("modmul/binary",), 2),
    "a curve of an RSA key": (("modmul/binary", "-c", str(DATA / "rsa1024.pem")), 2),
    "a decimal of 4900 digits": (("modmul/binary", "-m", "9" * 4900), 4),
    "a runtime width of 8194": (("modmul/csa", "-O", "bits=8193"), 2),
    "residues of 8 bits": (("modmul/rns-hpr", "-m", "97"), 4),
}

LARGE: dict[str, tuple[str, ...]] = {
    "params of 4096 bits in residues": ("params", "modmul/sor-lean", "-m", "2^4096-1"),
    "params of 4096 bits in residues, JSON": ("params", "modmul/sor-lean", "-m", "2^4096-1", "--json"),
    "params of 8192 bits at run time": ("params", "modmul/csa", "-m", "2^8192-1"),
    "params of 8192 bits at run time, JSON": ("params", "modmul/csa", "-m", "2^8192-1", "--json"),
    "params of a decimal of 2400 digits": ("params", "modmul/csa", "-m", "9" * 2400),
}
"""What is large and right."""


def _write(folder: Path) -> None:
    """The files that the texts name."""
    pem = (DATA / "rsa1024.pem").read_bytes()
    (folder / "folder.pem").mkdir()
    (folder / "empty.pem").write_bytes(b"")
    (folder / "half.pem").write_bytes(pem[: len(pem) // 2])
    (folder / "garbage.pem").write_bytes(b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")
    (folder / "garbage.der").write_bytes(bytes(range(256)))
    (folder / "text").write_text("97")
    (folder / "parameters.pem").write_bytes(
        b"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
    )
    (folder / "encrypted.pem").write_bytes((DATA / "rsa1024-encrypted.pem").read_bytes())
    (folder / "large.pem").write_bytes(pem * 2000)
    (folder / "loop.pem").symlink_to("loop.pem")


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for name, text in NO_MODULI.items():
        yield Case(f"modulus: {name}", ("params", "modmul/binary", f"--modulus={text}"), before=_write)
    for name in ("empty", "even", "a million digits", "nothing near", "no UTF-8", "a folder", "zeros without end"):
        words = ("compare", "--function", "modmul", f"--modulus={NO_MODULI[name]}")
        yield Case(f"modulus of a comparison: {name}", words, before=_write)
    for name in NO_CURVES:
        yield Case(f"curve: {name}", ("params", "ecpm/ladder", f"--curve={NO_MODULI[name]}"), before=_write)
        yield Case(f"field: {name}", ("params", "modmul/binary", f"--field={NO_MODULI[name]}"), before=_write)
    for name, (words, code) in REFUSED.items():
        yield Case(name, ("params", *words), code)
    for name, words in LARGE.items():
        yield Case(name, words, 0, seconds=150, quick=False)
