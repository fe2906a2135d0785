# SPDX-License-Identifier: Apache-2.0
"""The command `rsa`: what it prints, what it writes, and how it ends; on plain powers but for one signature."""

import stat
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from modwright import protocols
from modwright.base.errors import ToolMissingError
from modwright.cli.rsa import PASSPHRASE
from modwright.protocols import Scheme, read_private_key, verify_signature

from ..powers import CYCLES, FaultyExponentiator, PlainExponentiator
from .conftest import CommandLine

KEYS = Path(__file__).parents[1] / "data" / "rsa"
KEY = KEYS / "rsa1024.pem"
PRIVATE = read_private_key(KEY)
MESSAGE = b"a message of some bytes"


class FakeCore:
    """In the place of SimulatedExponentiator: the same arguments, plain powers, no core."""

    constant_time = True
    powers_of: ClassVar = PlainExponentiator
    made: ClassVar = []

    def __init__(self, name, bits, exponent_bits, *, units, interleave, target, options, simulator):
        self.name, self.bits, self.exponent_bits = name, bits, exponent_bits
        self.units, self.interleave, self.simulator = units, interleave, simulator
        request = SimpleNamespace(core=name, target=target, options=options)
        self.prepared = SimpleNamespace(core=SimpleNamespace(name=name), request=request)
        self.powers = self.powers_of()
        self.opened = False
        self.made.append(self)

    def __enter__(self):
        self.opened = True
        return self

    def __exit__(self, *error):
        return None

    def power(self, jobs):
        return self.powers.power(jobs)


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """The command line in a folder of its own with a message and its ciphertext."""
    monkeypatch.setattr(protocols, "SimulatedExponentiator", FakeCore)
    monkeypatch.setattr(FakeCore, "made", [])
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv(PASSPHRASE, raising=False)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    Path("letter").write_bytes(MESSAGE)
    oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
    Path("secret").write_bytes(PRIVATE.public_key().encrypt(MESSAGE, oaep))
    return CommandLine(capsys)


def names():
    return sorted(p.name for p in Path().iterdir())


# --- what it does


def test_self_test(run):
    assert run("rsa", KEY, "--count", 3) == 0
    assert run.out.count("cryptography") == 3
    assert "constant latency, blinded" in run.out
    assert "modexp/booth8-csa-window" in run.out
    assert max(map(len, run.out.splitlines())) <= 80
    assert run("rsa", KEY, "--json") == 0
    (operation,) = run.json["operations"]
    assert operation == {
        "operation": "sign",
        "clocks_p": CYCLES,
        "clocks_q": CYCLES,
        "clocks": CYCLES,
        "thousand_clocks_a_half": 1.0,
        "verified": True,
        "verified_by": "cryptography",
    }
    assert (run.json["key_bits"], run.json["units"], run.json["blinding"]) == (1024, 2, True)
    assert names() == ["letter", "secret"]


@pytest.mark.parametrize("words", [(), ("--padding", "pkcs1v15"), ("--hash", "sha512", "--salt", "9")])
def test_sign(run, words):
    assert run("rsa", KEY, "--sign", "letter", "-o", "letter.sig", *words, "--json") == 0
    given = dict(zip(words[::2], words[1::2], strict=True))
    salt = int(given["--salt"]) if "--salt" in given else None
    scheme = Scheme(given.get("--padding", "pss"), given.get("--hash", "sha256"), salt)
    signature = Path("letter.sig").read_bytes()
    verify_signature(PRIVATE, MESSAGE, signature, scheme)
    assert run.json["signature"] == signature.hex()
    assert run.json["output"] == "letter.sig"
    assert names() == ["letter", "letter.sig", "secret"]


def test_a_signature_on_the_terminal(run):
    assert run("rsa", KEY, "--sign", "letter", "--padding", "pkcs1v15") == 0
    signature = bytes.fromhex(run.out.rpartition("signature")[2].strip())
    verify_signature(PRIVATE, MESSAGE, signature, Scheme("pkcs1v15"))


def test_decrypt(run):
    Path("plain").write_text("what was there before")
    assert run("rsa", KEY, "--decrypt", "secret", "-o", "plain", "--json") == 0
    assert Path("plain").read_bytes() == MESSAGE
    assert stat.S_IMODE(Path("plain").stat().st_mode) == 0o600
    assert run.json["bytes"] == len(MESSAGE)
    assert MESSAGE.hex() not in run.out
    assert names() == ["letter", "plain", "secret"]


@pytest.mark.parametrize("text", ["0", "1", "0x2a", "2A", hex(PRIVATE.n - 1)])
def test_raw(run, text):
    assert run("rsa", KEY, "--raw", text, "--json") == 0
    expected = hex(pow(int(text, 16), PRIVATE.d, PRIVATE.n))
    assert run.json["result"] == expected
    assert run("rsa", KEY, "--raw", text) == 0
    assert run.out.rstrip().endswith(expected)


def test_the_core_that_is_taken(run):
    words = ("--core", "orup-dsp", "--method", "ladder", "-t", "xc7", "-O", "limb=32", "--simulator", "pure")
    assert run("rsa", KEY, *words, "--interleave", "--exponent-blinding", 64, "--no-blinding", "--json") == 0
    (core,) = FakeCore.made
    assert (core.name, core.bits, core.exponent_bits) == ("modexp/orup-dsp-ladder", 512, 576)
    assert (core.units, core.interleave, core.simulator) == (1, True, "pure")
    assert core.prepared.request.target == "xc7"
    assert core.prepared.request.options == {"limb": "32"}
    assert {job.exponent.bit_length() > 512 for job in core.powers.jobs} == {True}
    assert run.json["blinding"] is False
    assert run("rsa", KEY, "--units", 1) == 0
    assert FakeCore.made[1].units == 1


@pytest.mark.parametrize("name", ["rsa1024-encrypted.pem", "rsa1024-pkcs1-encrypted.pem"])
def test_passphrases(run, monkeypatch, name):
    assert "no passphrase" in run.fails(2, "rsa", KEYS / name)
    Path("phrase").write_text("modwright\nthe second line\n")
    assert run("rsa", KEYS / name, "--passphrase-file", "phrase") == 0
    monkeypatch.setenv(PASSPHRASE, "modwright")
    assert run("rsa", KEYS / name) == 0
    assert run("rsa", KEY) == 0
    monkeypatch.setenv(PASSPHRASE, "wrong")
    assert "can be read" in run.fails(2, "rsa", KEYS / name)
    Path("phrase").write_text("\nmodwright\n")
    assert "first line" in run.fails(2, "rsa", KEYS / name, "--passphrase-file", "phrase")
    assert "cannot read absent" in run.fails(2, "rsa", KEYS / name, "--passphrase-file", "absent")


# --- what goes wrong


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "KEY"),
        (("absent.pem",), "cannot read absent.pem"),
        (("letter",), "no private key"),
        ((KEYS / "three-primes.pem",), "more than two primes"),
        ((KEY, "--sign", "letter", "--raw", "1"), "exclude each other"),
        ((KEY, "--interleave", "--units", "1"), "exclude each other"),
        ((KEY, "--units", "3"), "--units"),
        ((KEY, "--method", "slow"), "window"),
        ((KEY, "--decrypt", "secret"), "-o FILE"),
        ((KEY, "-o", "out"), "--sign and --decrypt"),
        ((KEY, "--raw", "1", "-o", "out"), "--sign and --decrypt"),
        ((KEY, "--sign", "letter", "-o", "letter"), "is an input"),
        ((KEY, "--sign", "letter", "-o", KEY), "is an input"),
        ((KEY, "--sign", "letter", "-o", "."), "not a name of a file"),
        ((KEY, "--sign", "letter", "-o", "/dev/null"), "not a regular file"),
        ((KEY, "--sign", "letter", "-o", "letter/signature"), "cannot write"),
        ((KEY, "--sign", "absent"), "cannot read absent"),
        ((KEY, "--sign", "letter", "--hash", "sha1"), "not for signatures"),
        ((KEY, "--hash", "sha512"), "at most 62 bytes"),
        ((KEY, "--sign", "letter", "--salt", "95"), "at most 94 bytes"),
        ((KEY, "--decrypt", "letter", "-o", "out"), "128 bytes, not 23"),
        ((KEY, "--decrypt", "secret", "-o", "out", "--hash", "sha384"), "decryption error"),
        ((KEY, "--decrypt", "secret", "-o", "out", "--hash", "sha512"), "130 bytes"),
        ((KEYS / "rsa1025.pem", "--decrypt", "secret", "-o", "out"), "129 bytes, not 128"),
        ((KEY, "--raw", "-1"), "-1"),
        ((KEY, "--raw", "0xyz"), "hexadecimal"),
        ((KEY, "--raw", ""), "hexadecimal"),
        ((KEY, "--raw", hex(PRIVATE.n)), "below the modulus"),
        ((KEY, "-O", "limb"), "name=value"),
    ],
)
def test_usage_errors(run, words, message):
    before = names()
    assert message in run.fails(2, "rsa", *words)
    assert names() == before
    assert any(core.opened for core in FakeCore.made) == (message == "decryption error")


def test_a_core_with_variable_time_needs_a_word(run, monkeypatch):
    monkeypatch.setattr(FakeCore, "constant_time", False)
    assert "--variable-latency" in run.fails(2, "rsa", KEY, "--method", "l2r")
    assert FakeCore.made[0].powers.jobs == []
    assert run("rsa", KEY, "--method", "l2r", "--variable-time") == 0
    assert "VARIABLE LATENCY" in run.out


def test_no_blinding_is_shown(run):
    assert run("rsa", KEY, "--no-blinding") == 0
    assert "NOT BLINDED" in run.out


@pytest.mark.parametrize(
    "words", [("--sign", "letter", "-o", "out"), ("--decrypt", "secret", "-o", "out"), ("--raw", 5), ()]
)
def test_a_fault_releases_nothing(run, monkeypatch, words):
    monkeypatch.setattr(FakeCore, "powers_of", lambda self: FaultyExponentiator(0, 3))
    before = names()
    error = run.fails(1, "rsa", KEY, *words, "--json")
    assert "not released" in error
    assert names() == before


def test_a_signature_that_is_not_verified_is_not_released(run, monkeypatch):
    monkeypatch.setattr(Scheme, "encode", lambda self, message, bits: 12345)
    before = names()
    assert "does not accept" in run.fails(1, "rsa", KEY, "--sign", "letter", "-o", "out")
    assert names() == before


def test_a_missing_tool(run, monkeypatch):
    def missing(self):
        raise ToolMissingError("no compiler", "ziglang")

    monkeypatch.setattr(FakeCore, "__enter__", missing)
    assert "no compiler" in run.fails(3, "rsa", KEY)


def test_an_unknown_core(run, monkeypatch):
    monkeypatch.undo()
    assert "no multiplier is called 'booth9-csa'" in run.fails(2, "rsa", KEY, "--core", "booth9-csa")


def test_help(run):
    assert run("rsa", "--help") == 0
    assert "Example" in run.out and "modwright rsa" in run.out
    assert max(map(len, run.out.splitlines())) <= 80
    assert PASSPHRASE in run.out
