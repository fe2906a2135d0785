# SPDX-License-Identifier: Apache-2.0
"""The command line as a user meets it: what it prints, where, and how it ends."""

import os
import subprocess
import sys

import pytest
import yaml

from modwright import __version__, cli
from modwright.base.errors import ModwrightError, ToolMissingError, UsageError
from modwright.base.signals import Terminated
from modwright.cli.common import parse_options, short_integer
from modwright.prepared import registry

TOY = "modmul/toy"


# --- looking


def test_list(run):
    assert run("list") == 0
    assert TOY in run.out
    assert run("list", "--json") == 0
    assert [row["name"] for row in run.json] == [TOY]
    assert run.json[0]["function"] == "modmul"


def test_show(run):
    assert run("show", TOY) == 0
    for word in ("latency", "1..20", "true, false", "tests"):
        assert word in run.out
    assert run("show", TOY, "--json") == 0
    latency = next(o for o in run.json["options"] if o["name"] == "latency")
    assert latency == {
        "name": "latency",
        "kind": "int",
        "default": 3,
        "choices": [],
        "minimum": 1,
        "maximum": 20,
        "help": "cycles",
    }


def test_params(run):
    assert run("params", TOY, "-m", 97, "-O", "latency=5") == 0
    for word in ("5 cycles", "p < 2^8", "159", "constant latency  yes"):
        assert word in run.out
    assert max(map(len, run.out.splitlines())) <= 80
    assert run("params", TOY, "-m", 97, "-O", "latency=5", "--json") == 0
    assert run.json["parameters"]["modulus"] == 97
    assert run.json["certificate"][0]["slack"] == "159"
    assert run.json["schedule"]["latency"] == 5


def test_a_request_file_and_what_replaces_it(run, toy_only):
    (toy_only / "r.yaml").write_text(yaml.safe_dump({"core": TOY, "modulus": 97, "options": {"latency": 7}}))
    assert run("params", "r.yaml", "--json") == 0
    assert run.json["request"] == {
        "core": TOY,
        "modulus": "0x61",
        "target": "ecp5",
        "options": {"latency": 7, "interval": 2, "faulty": False},
    }
    assert run("params", "r.yaml", "-m", "101", "-t", "xc7", "-O", "interval=4", "--json") == 0
    assert run.json["request"] == {
        "core": TOY,
        "modulus": "0x65",
        "target": "xc7",
        "options": {"latency": 7, "interval": 4, "faulty": False},
    }


def test_a_modulus_replaces_the_field_of_a_request_file(run, toy_only):
    (toy_only / "r.yaml").write_text(yaml.safe_dump({"core": TOY, "field": "secp256k1"}))
    assert run("params", "r.yaml", "-m", "101", "--json") == 0
    assert run.json["request"]["modulus"] == "0x65"


def test_version_and_help(run):
    assert run("--version") == 0
    assert run.out == f"modwright {__version__}\n"
    for command in ("list", "show", "params", "generate", "simulate", "prove", "synth", "build", "wave", "doctor"):
        assert run(command, "--help") == 0
        assert "Example" in run.out
        assert f"modwright {command}" in run.out
        assert max(map(len, run.out.splitlines())) <= 80


# --- what goes wrong


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["params"], 2, "CORE"),
        (["parms"], 2, "params"),
        (["params", TOY, "--fild", "x"], 2, "--fild"),
        (["params", "modmul/tpy", "-m", "97"], 2, TOY),
        (["params", TOY], 2, "--modulus"),
        (["params", TOY, "-m", "98"], 2, "odd"),
        (["params", TOY, "-m", "ninety"], 2, "ninety"),
        (["params", TOY, "-m", "97", "-f", "P-256"], 2, "only one"),
        (["params", TOY, "-m", "97", "-t", "vax"], 2, "ecp5"),
        (["params", TOY, "-m", "97", "-O", "latency"], 2, "name=value"),
        (["params", TOY, "-m", "97", "-O", "latency=soon"], 2, "integer"),
        (["params", TOY, "-m", "97", "-O", "latency=21"], 2, "at most 20"),
        (["params", TOY, "-m", "97", "-O", "speed=1"], 2, "latency, interval"),
        (["params", TOY, "-m", "97", "-O", "latency=1", "-O", "latency=2"], 2, "twice"),
        (["params", TOY, "-m", "257"], 4, "p < 2^8"),
        (["params", "missing.yaml"], 2, "missing.yaml"),
        (["params", "folder.yaml"], 2, "folder.yaml"),
        (["params", "broken.yaml"], 2, "not YAML"),
        (["params", "list.yaml"], 2, "mapping"),
        (["params", "extra.yaml"], 2, "colour"),
        (["generate", TOY, "-m", "97"], 2, "--output"),
        (["generate", TOY, "-m", "97", "-o", "list.yaml"], 2, "is a file"),
        (["generate", TOY, "-m", "97", "-o", "list.yaml/sub"], 2, "is a file"),
        (["build", TOY, "-m", "97", "-o", "list.yaml"], 2, "is a file"),
        (["wave", TOY, "-m", "97", "-o", "list.yaml"], 2, "is a file"),
        (["synth", TOY, "-m", "97", "-t", "generic"], 2, "generic"),
        (["synth", TOY, "-m", "97", "-t", "xc7", "--place"], 2, "ecp5"),
        (["build", TOY, "-m", "97", "-t", "asic", "--place"], 2, "ecp5"),
        (["synth", TOY, "-m", "97", "--place", "--channel"], 2, "exclude"),
        (["synth", TOY, "-m", "97", "--freq", "100"], 2, "--place"),
        (["synth", TOY, "-m", "97", "--place", "--seeds", "1,x"], 2, "1,x"),
    ],
)
def test_errors_say_what_is_wrong(run, toy_only, words, code, message):
    (toy_only / "folder.yaml").mkdir()
    (toy_only / "broken.yaml").write_text("core: [")
    (toy_only / "list.yaml").write_text("- core")
    (toy_only / "extra.yaml").write_text(f"core: {TOY}\ncolour: red\n")
    before = sorted(toy_only.iterdir())
    assert message in run.fails(code, *words)
    assert sorted(toy_only.iterdir()) == before


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ToolMissingError("no compiler", "ziglang"), 3, "error: no compiler\n  try: ziglang\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (Terminated(), 143, "terminated\n"),
        (ZeroDivisionError("by zero"), 70, "internal error: ZeroDivisionError: by zero"),
    ],
)
def test_exceptions_become_exit_codes(run, monkeypatch, error, code, message):
    def fail():
        raise error

    monkeypatch.delenv("MODWRIGHT_DEBUG", raising=False)
    monkeypatch.setattr(registry, "entries", fail)
    assert run("list") == code
    assert message in run.err
    assert "Traceback" not in run.err


def test_a_traceback_only_on_request(run, monkeypatch):
    monkeypatch.setenv("MODWRIGHT_DEBUG", "1")
    monkeypatch.setattr(registry, "entries", lambda: 1 // 0)
    assert run("list") == cli.INTERNAL_ERROR
    assert "Traceback" in run.err


def test_every_error_class_has_its_own_code():
    assert sorted(kind.exit_code for kind in ModwrightError.__subclasses__()) == [1, 2, 3, 4, 5, 70]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["list --json", "list", "fields", "-h", "--version"])
def test_a_closed_pipe_is_no_error(words, unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "modwright", *words.split()],
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (cli.PIPE_CLOSED, "")


def test_help_imports_no_hardware():
    program = "import sys; from modwright.cli import main; main(['--help']); sys.exit('amaranth' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=False).returncode == 0


# --- small parts


def test_parse_options():
    assert parse_options(["a=1", "b=x=y", "c="]) == {"a": "1", "b": "x=y", "c": ""}
    for bad in (["a"], ["=1"], ["a=1", "a=2"]):
        with pytest.raises(UsageError):
            parse_options(bad)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-5, "-5"), (123456789012, "123456789012"), (1 << 100, "2^100.."), (-(1 << 100) - 1, "-2^100..")],
)
def test_short_integer(value, text):
    assert short_integer(value) == text


def test_a_value_out_of_range_names_the_rule(run):
    assert "'--mutants' / '-n': 0 is not in the range 1<=x<=100000" in run.fails(2, "mutate", TOY, "-n", 0)
    error = run.fails(2, "simulate", TOY, "-m", 97, "--random", 5, "--pattern", "foo")
    assert "'--pattern': 'foo' is not one of 'free'" in error
