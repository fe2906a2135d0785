# SPDX-License-Identifier: Apache-2.0
"""Options that would do nothing, or that exclude each other, are refused before any work."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from modwright import pipeline, synthesize
from modwright.base.errors import UsageError
from modwright.base.store import check_writable
from modwright.cli import main
from modwright.emulate.server import listen
from modwright.functions.vectors import load

COMPARE = ("compare", "--function", "modmul", "-m", 13)
EXPLORE = ("explore", "--function", "modmul", "-m", 13, "--points", 1)
CAMPAIGN = ("campaign", "modmul/vlm3", "-O", "bits=16", "-n", 10)
MUTATE = ("mutate", "modmul/blakley", "-m", 13, "--mutants", 2)
SYNTH = ("synth", "modmul/csa", "-O", "bits=16")
BUILD = ("build", "modmul/csa", "-O", "bits=16")
RSA = ("rsa", Path(__file__).parents[1] / "data" / "rsa" / "rsa1024.pem")
VIVADO = ("vivado", "export", "modmul/csa", "-O", "bits=16", "-o", "p")

REFUSED = [
    *(((*COMPARE, f"--{name}", value), f"--{name} has no effect alone") for name, value in
      (("seeds", "3"), ("router", "router2"), ("timeout", 7), ("freq", 12))),
    ((*COMPARE, "-t", "asic", "--measure", "--seeds", "3"), "--seeds is for place and route"),
    *(((*EXPLORE, f"--{name}", value), f"--{name} has no effect alone") for name, value in
      (("seeds", "3"), ("router", "router2"), ("timeout", 7))),
    *(((*words, "--array", 3), "--array has no effect alone") for words in (CAMPAIGN, EXPLORE, MUTATE)),
    ((*SYNTH, "--place", "--array", 3), "--array has no effect alone"),
    *(((*words, "--dry-run", "--submit", "folder"), "--dry-run submits nothing") for words in (CAMPAIGN, MUTATE)),
    *(((*words, "--workers", 2, "--scheduler", "tcp://127.0.0.1:1"), "--workers is the number") for words in
      (CAMPAIGN, MUTATE)),
    ((*EXPLORE, "--jobs", 2, "--scheduler", "tcp://127.0.0.1:1"), "--jobs is the number"),
    ((*CAMPAIGN, "--force"), "--force has no effect alone"),
    ((*SYNTH, "--place", "--floorplan", "fold", "-t", "gowin"), "a floorplan is for ecp5, and the target is gowin"),
    (VIVADO, "Vivado is for xc7 and xcup, and the target is ecp5"),
    *(((*VIVADO, "-t", target, "--part", part),
       f"'{part}' is not a part of target {target}") for target, part in
      (("xcup", "xc7a100tcsg324-1"), ("xc7", "xcku5p-ffvb676-1-e"), ("xc7", "bogus"))),
    (("explain", "request.yaml"), "unknown target 'bogus'"),
    ((*SYNTH, "-t", "bogus"), "one of ecp5, xc7, xcup, gowin, nexus, asic"),
    ((*COMPARE, "--csv", "same", "--svg", "same"), "is named for two outputs"),
    *(((*COMPARE, "-t", target, "--sort", column), f"--sort {column}: no core has this figure") for target, column in
      (("ecp5", "nand2"), ("asic", "lut"), ("asic", "dsp"), ("asic", "lut_ns"), ("asic", "dsp_ns"))),
    *(((*words, option, value, option, value), f"{option} '{value}' is given twice") for words, option, value in
      ((COMPARE, "--rtl", "a.json"), (EXPLORE, "--architecture", "csa"),
       (("generate", "modmul/csa", "-O", "bits=16", "-o", "p"), "--wiring", "axi-names"))),
    ((*COMPARE, "--rtl", "a=one.json", "--rtl", "a=two.json"), "the name of --rtl 'a' is given twice"),
    *(((*words, "--dry-run", *more), "--dry-run has no results") for words, more in
      ((CAMPAIGN, ("-o", "p")), (CAMPAIGN, ("--json",)), (MUTATE, ("--json",)), (MUTATE, ("--least", 0)),
       (EXPLORE, ("--csv", "p")), (EXPLORE, ("--html", "p")), ((*SYNTH, "--place"), ("--json",)))),
    ((*SYNTH, "-t", "asic", "--freq", 100), "--liberty for gates"),
    *(((*BUILD, "-t", target, "--router", "router2"), "no --router") for target in ("asic", "xc7")),
    ((*BUILD, "--router", "router2"), "modmul/csa has no channel that is placed"),
    ((*BUILD, "--place", "--floorplan", "fold"), "modmul_csa has no row of multiplier blocks"),
    (("simulate", "modmul/csa", "-O", "bits=16", "--random", 3, "--pattern", "free", "--stalls", 10),
     "--stalls has no effect with --pattern free"),
    (("simulate", "modmul/csa", "-O", "bits=16", "-v", "vectors.json", "--chain"), "--chain gives each operation"),
    *(((*words, "-m", 17), "--modulus is given twice") for words in (COMPARE, EXPLORE, MUTATE)),
    ((*BUILD, "-o", ""), "--output is an empty name"),
    ((*VIVADO[:-1], ""), "--output is an empty name"),
    ((*VIVADO, "-t", "xc7", "--part", ""), "'' is not a name of a part"),
    (("worker", ""), "DIR is an empty name"),
    (("synth-rtl", "", "--top", "t"), "FILE is an empty name"),
    ((*COMPARE, "--rtl", "x="), "--rtl 'x=' names no file"),
    ((*COMPARE, "--rtl", "x=no-record.json"), "no-record.json is not a record of third-party Verilog"),
    ((*SYNTH, "-t", "asic", "--liberty", ""), "no Liberty file of an empty name"),
    ((*EXPLORE, "--database", "same", "--csv", "same"), "is named for two outputs"),
    (("compare", "--function", "ecpm", "-m", 15), "ecpm is over the field of a prime, and 15 is not one"),
    *((("explain", core, "--operands", operands), f"{core} promises no result for") for core, operands in
      (("ecpm/ladder", "order=16,k=3"), ("xmul/montgomery-ladder", "a24=0"), ("ecdsa/joint", "order=9"))),
    *(((*words, "--function", function, "-c", curve, *more), f"{function} is on curves of the {form} form")
      for words, more in ((("compare",), ()), (("explore",), ("--points", 1)), (("choose",), ("--smallest",)))
      for function, curve, form in
      (("ecpm", "ed25519", "weierstrass"), ("xmul", "P-256", "montgomery"), ("edmul", "secp256k1", "edwards"))),
    (("wave", "modmul/orup-dsp", "-m", 65521, "-o", "w"), "--target generic, or `simulate` with"),
    (("prove", "modmul/blakley", "-m", 13, "--verilog", "bad.v"), "Yosys does not read the Verilog: line 1: ERROR"),
    (("synth-rtl", "folder.v", "--top", "t"), "folder.v is not a file"),
    ((*SYNTH, "-t", "asic", "--liberty", "folder.v"), "folder.v is not a file"),
    (("campaign", "rns/processor", "-f", "P-256", "-n", 10), "a core with a count, such as modmul/vlm3"),
    *(((*RSA, *words), says) for words, says in
      ((("--sign", "letter", "--count", 2), "--count is for the self-test, and has no effect with --sign"),
       (("--raw", "1", "--hash", "sha1"), "--hash has no effect with --raw"),
       (("--raw", "0", "--salt", 3), "--salt has no effect with --raw"),
       (("--decrypt", "c", "-o", "m", "--padding", "pss"), "--padding has no effect with --decrypt"),
       (("--padding", "pkcs1v15", "--salt", 3), "--salt has no effect with --padding pkcs1v15"))),
    (("fields", "nosuch", "--json"), "no field whose name contains 'nosuch'"),
    (("curves", "--bits", 3, "--json"), "no curve of 3 bits"),
]  # fmt: skip


def _id(words):
    """The command without the folder of a file."""
    return " ".join(word.name if isinstance(word, Path) else str(word) for word in words)


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)

    def run(*words):
        return main([str(word) for word in words]), *capsys.readouterr()

    return run


@pytest.fixture
def without_work(monkeypatch):
    def synthesise(*_, **__):
        raise AssertionError("something was synthesised")

    monkeypatch.setattr(synthesize, "resources", synthesise)
    monkeypatch.setattr(synthesize, "timing", synthesise)


@pytest.mark.parametrize(("words", "says"), REFUSED, ids=[_id(words) for words, _ in REFUSED])
def test_what_would_do_nothing_is_refused(command, without_work, words, says):
    Path("request.yaml").write_text("core: modmul/csa\ntarget: bogus\noptions: {bits: 8}\n")
    Path("bad.v").write_text("module broken(")
    Path("no-record.json").write_text("{}")
    Path("folder.v").mkdir()
    code, printed, said = command(*words)
    assert (code, printed) == (2, "")
    assert says in " ".join(said.split())


def test_a_file_that_stdout_goes_to_is_no_output(tmp_path):
    """By its own name, and by that of the stream: the file would be another one afterwards."""
    table = tmp_path / "table.csv"
    for name in (table, "/dev/stdout"):
        words = [sys.executable, "-m", "modwright", "compare", "--function", "modmul", "-m", "13", "--csv", str(name)]
        with table.open("w") as stdout:
            done = subprocess.run(words, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2
        assert "a stream of this process goes there" in done.stderr
        assert table.read_text() == ""


def test_keys_of_a_case_that_nobody_reads_are_named(command):
    case = {"x": "0x3", "y": "0x5", "z": "0xf"}
    Path("v.json").write_text(json.dumps({"modulus": "0x61", "cases": [case | {"modulos": "0x3"}], "by": "hand"}))
    code, _, said = command("simulate", "modmul/csa", "-O", "bits=8", "-v", "v.json", "--simulator", "pure")
    assert code == 0
    assert "v.json: keys of cases that are not read: modulos" in said.splitlines()


def test_keys_of_another_operation_are_not_read(tmp_path):
    case = {"op": "keygen", "d": "0x2", "qx": "0x1", "qy": "0x2", "e": "0x5", "order": "0x7"}
    path = tmp_path / "v.json"
    path.write_text(json.dumps({"curve": "P-256", "cases": [case]}))
    assert load(path).unread == ("e", "order")


def test_options_given_twice_do_not_matter_for_help(command):
    code, printed, said = command("compare", "-m", 13, "-m", 17, "--csv", "", "--help")
    assert (code, said) == (0, "")
    assert printed.startswith("Usage: modwright compare")


def test_an_operand_that_a_unit_lacks(command):
    """It is a mistake in the file, and no failure of the hardware."""
    case = {"x": "0x3", "y": "0x2", "t": "0x5", "z": "0xb"}
    Path("v.json").write_text(json.dumps({"modulus": "0xd", "cases": [case]}))
    code, printed, said = command("simulate", "unit/adder", "-m", 13, "-v", "v.json", "--simulator", "pure")
    assert (code, printed) == (2, "")
    assert "it has no y, and computes with 1 in its place, not 0x2" in said


def test_a_dry_run_without_anything_missing_has_no_result(command):
    words = ("campaign", "modmul/vlm3", "-O", "bits=16", "-n", 10)
    assert command(*words)[0] == 0
    assert command(*words, "--dry-run") == (0, "", "nothing is missing\n")


def test_no_lemma_is_proved_for_a_log_that_there_is_not(command, monkeypatch):
    """The theorem is tried first: without a proof of it, nothing else is."""

    def prove_lemmas(_):
        raise AssertionError("lemmas were proved")

    monkeypatch.setattr(pipeline, "proofs_of", prove_lemmas)
    code, printed, said = command("prove", "modmul/vlm3", "-O", "bits=6", "--log", "log.json")
    assert (code, printed) == (2, "")
    assert "no log" in said
    assert not Path("log.json").exists()


def test_two_names_of_one_output(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with pytest.raises(UsageError, match="is named for two outputs"):
        check_writable(tmp_path / "file", None, tmp_path / "link")
    check_writable(tmp_path / "file", None, None, tmp_path / "other")


@pytest.mark.parametrize("port", ["99999", "abc", "", "-1"])
def test_the_rule_of_a_port_is_named(port):
    with pytest.raises(UsageError) as told, listen(f"tcp:127.0.0.1:{port}"):
        pytest.fail("it listens")
    assert told.value.hint == "a port is a number from 0 to 65535"
