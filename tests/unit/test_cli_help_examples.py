# SPDX-License-Identifier: Apache-2.0
"""The examples in every help: each command has one that every test run runs; those that take long are campaigns."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from typer.core import TyperGroup
from typer.testing import CliRunner

from modwright import cli, protocols
from modwright.base.json import plain
from modwright.cli.common import select
from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.protocols import read_private_key

from ..tools import require
from .conftest import CommandLine
from .test_cli_rsa import FakeCore

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
APP = typer.main.get_command(cli.app)


def commands(group, path=()):
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield (*path, name), command
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = {" ".join(path): command for path, command in commands(APP)}
EXAMPLES = [
    (name, line.strip())
    for name, command in COMMANDS.items()
    for line in (command.help or "").splitlines()
    if line.strip().startswith("modwright ")
]
"""Name of the command, and the example."""
LONG = (
    "modwright generate modmul/sor-1m-p",
    "modwright generate ecpm/ladder",
    "modwright simulate modmul/sor-1m-p",
    "modwright prove modmul/r64",
    "modwright synth modmul/sor-1m-p",
    "modwright synth modmul/csa -O bits=64 --place --seeds 1,2,3",
    "modwright synth-rtl a.v b.v --top mult --clock ck --place",
    "modwright build examples/secp256k1-sor.yaml",
    "modwright build modmul/sor-1m-p",
    "modwright emulate modexp/",
    "modwright mutate modmul/sor-1m-p",
    "modwright campaign modmul/vlm3 -O bits=1024",
    "modwright choose --function modmul --modulus bls12-381",
    "modwright choose --function modexp",
    "modwright compare --function modexp",
    "modwright explore --function modmul --field secp256k1",
    "modwright explore --function modmul --bits 256",
    "modwright paper all",
    "modwright doctor --prepare",
)
"""Beginnings of the examples that take more than a few seconds."""
HOURS = ("modwright explore --function modmul --bits 256", "modwright explore --function modmul --field secp256k1")
"""Examples that take hours: they are parsed, and smaller ones of the same command run."""
NEEDS = {"--liberty osu018": "osu018"}
"""Tools of examples that are not there on every machine."""
WRITES = re.compile(r" (?:-o|--html|--csv|--log|--submit) (\S+)")
PARTS = {
    "a.v": "module half(input [7:0] x, y, output [7:0] z); assign z = x ^ y; endmodule\n",
    "b.v": "module mult(input ck, input [7:0] x, y, output reg [7:0] z); wire [7:0] s;\n"
    "half part(x, y, s); reg [7:0] r; always @(posedge ck) begin r <= s; z <= r + x; end endmodule\n",
    "mult.sv": "module mult(input logic clk, input logic [3:0] x, output logic [3:0] z);\n"
    "logic [3:0] r; always_ff @(posedge clk) begin r <= x; z <= r * r; end endmodule\n",
    "letter.txt": "a letter\n",
}


def marked(name, example):
    """An example as a parameter of a test, a campaign where it takes long."""
    return pytest.param(name, example, id=example, marks=[pytest.mark.campaign] if example.startswith(LONG) else [])


def test_every_command_has_one_that_is_run():
    run = {name for name, example in EXAMPLES if not example.startswith(LONG)}
    groups = {name for name, command in COMMANDS.items() if isinstance(command, TyperGroup)}
    assert set(COMMANDS) - groups == run - groups
    assert groups <= {name for name, _ in EXAMPLES}
    assert all(any(example.startswith(start) for _, example in EXAMPLES) for start in (*LONG, *HOURS))


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_a_help_fits_80_columns(name):
    text = CliRunner().invoke(cli.app, [*name.split(), "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}).output
    assert "Usage: modwright" in text
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert "\b" not in text and "\\b" not in text
    assert "..." not in text.partition("\nCommands:")[2]  # each fits the line of a list
    assert all(example in text for command, example in EXAMPLES if command == name)


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_an_example_is_taken(name, example, monkeypatch, tmp_path):
    """It is parsed as a whole, by the command whose help has it; the core that it names has parameters."""
    words = shlex.split(example)[1:]
    while isinstance(COMMANDS.get(words[0]), TyperGroup):
        words[:2] = [" ".join(words[:2])]
    assert words[0] == name or isinstance(COMMANDS[name], TyperGroup)
    monkeypatch.chdir(tmp_path)
    context = COMMANDS[words[0]].make_context(words[0], words[1:])
    given = context.params
    if not given.get("core") or str(given["core"]).endswith(".yaml"):
        return
    if example.startswith(LONG):  # the others run
        selected = (given.get(key) for key in ("field", "modulus", "curve", "target", "option"))
        core, request = select(given["core"], *selected)
        assert core.derive(request).certificate.failing is None
    else:
        find(given["core"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with the files that examples read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for name, text in PARTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    shutil.copy(DATA / "rsa" / "rsa1024.pem", tmp_path / "key.pem")
    public = read_private_key(tmp_path / "key.pem").public_key()
    oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
    (tmp_path / "secret.bin").write_bytes(public.encrypt(b"a secret", oaep))
    return tmp_path


def prepare_files(example, folder, run):
    """Files that only some of the examples need."""
    if "vectors.json" in example:
        cases = [{"x": "0x1234", "y": "0xffee", "z": hex(0x1234 * 0xFFEE % 0xFFF1)}]
        (folder / "vectors.json").write_text(json.dumps({"modulus": "0xfff1", "cases": cases}))
    if "changed.v" in example:
        core = find("modmul/blakley")
        text = core_verilog(prepare(core, Request.make(core, modulus="13")))
        (folder / "changed.v").write_text(text, encoding="utf-8")
    if "peer.json" in example:
        assert run("synth-rtl", "a.v", "b.v", "--top", "mult", "--clock", "ck", "--cycles", 2, "--json") == 0
        (folder / "peer.json").write_text(run.out)
    if "vivado import" in example:
        assert run("vivado", "export", "modmul/binary", "-m", "97", "-t", "xc7", "-o", "project") == 0
        for report in ("utilization.rpt", "timing.rpt"):
            text = (DATA / "vivado" / report).read_text(encoding="utf-8")
            (folder / "project" / report).write_text(text.replace("modmul_toy", "modmul_binary"), encoding="utf-8")
    if "worker" in example:
        assert run("campaign", "modmul/vlm3", "-O", "bits=64", "-n", 1000, "--seed", 7, "--submit", "sweep") == 0


@pytest.mark.parametrize(
    ("name", "example"),
    [marked(*one) for one in EXAMPLES if not one[1].startswith(HOURS) and one[0] != "emulate"],
)
def test_an_example_runs(name, example, folder, monkeypatch, capsys):
    """In this process; RSA on plain powers, as cores for it are compiled by another test."""
    for words, tool in NEEDS.items():
        if words in example:
            require(tool)
    if name == "rsa":
        monkeypatch.setattr(protocols, "SimulatedExponentiator", FakeCore)
    run = CommandLine(capsys)
    prepare_files(example, folder, run)
    assert run(*shlex.split(example)[1:]) == 0, run.err
    written = WRITES.findall(example)
    assert run.out or written or name == "worker" or "--dry-run" in example
    assert all((folder / path).exists() for path in written)
    if example.endswith("--json"):
        assert plain(run.json)
    if name == "worker":
        assert "1 point done here" in run.err


@pytest.mark.parametrize(("name", "example"), [marked(*one) for one in EXAMPLES if one[0] == "emulate"])
def test_an_example_that_serves_runs(name, example, folder):
    """Until it is interrupted."""
    require("compiled-simulator")
    process = subprocess.Popen(
        [sys.executable, "-m", *shlex.split(example)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where a shell runs in the background
    )  # fmt: skip
    try:
        assert process.stdout.readline() == "listening at unix:device\n"
        assert (folder / "device").is_socket()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130


def float_options():
    """Every option of a command that takes a number with a fraction: the command, and its longest name."""
    for name, command in COMMANDS.items():
        yield from ((name, command, max(p.opts, key=len)) for p in command.params if p.type.name.startswith("float"))


def test_a_number_that_is_none_or_has_no_end_is_refused():
    """By every option that takes a number with a fraction, of which there are 10 at least."""
    options = list(float_options())
    assert len(options) >= 10
    for name, command, option in options:
        for value in ("nan", "inf"):
            with pytest.raises(typer.BadParameter, match=r"not a finite number|not in the range"):
                command.make_context(name, [option, value])
