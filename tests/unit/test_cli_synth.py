# SPDX-License-Identifier: Apache-2.0
"""The commands synth, synth-rtl and vivado."""

import json
import shutil

import pytest

from modwright.cli.former import of_today
from modwright.synthesize import (
    foreign,
    vivado,
)

from .measured_designs import DATA, PEER, SMALL
from .measured_designs import library as library

TOY = "modmul/toy"


def test_synth_of_third_party_verilog(run, toy_only):
    (toy_only / "peer.v").write_text(PEER)
    words = ("peer.v", "--top", "peer", "--clock", "clock")
    assert run("synth-rtl", *words, "--cycles", 3, "--place", "--json") == 0
    found = run.json
    assert (found["rtl"], found["ff"], found["cycles"]) == ("peer", 8, 3)
    assert found["cycles_source"] == "stated by the user, not checked"
    assert found["latency_ns"] == round(3e3 / found["fmax_mhz"], 3)
    assert found["place_and_route"]["router"] == "router1"
    assert run("synth-rtl", *words) == 0
    assert "stated" not in run.out
    assert "--top" in run.fails(2, "synth-rtl", "peer.v")
    assert "FILE" in run.fails(2, "synth-rtl", "--top", "peer")


def test_third_party_verilog_in_cells(run, toy_only, library):
    (toy_only / "peer.v").write_text(PEER)
    words = ("synth-rtl", "peer.v", "--top", "peer", "--clock", "clock")
    assert run(*words, "-t", "asic", "--liberty", library.paths[0], "--json") == 0
    assert run.json["nand2"] > 0
    assert run.json["rules"]["nand2"].endswith(library.nand2.name)
    assert "for target asic" in run.fails(2, *words, "--liberty", library.paths[0])


def test_synth_with_a_library(run, library):
    assert run("synth", TOY, "-m", 97, "--target", "asic", "--liberty", "osu018", "--json") == 0
    assert run.json["nand2"] > 0 and run.json["fmax_mhz"] > 0
    assert run.json["rules"]["nand2"].endswith(library.nand2.name)
    assert "asic" in run.fails(2, "synth", TOY, "-m", 97, "--liberty", SMALL)
    assert "no Liberty file" in run.fails(2, "synth", TOY, "-m", 97, "--target", "asic", "--liberty", "none.lib")


def test_a_project_for_vivado_and_back(run, toy_only):
    export = ("vivado", "export", TOY, "-m", 97)
    assert run(*export, "--target", "xc7", "-o", "project", "--freq", 200) == 0
    assert "project/run.tcl" in run.out
    for name in (vivado.UTILISATION, vivado.TIMING):
        shutil.copyfile(DATA / "vivado" / name, toy_only / "project" / name)
    assert run("vivado", "import", "project", "--json") == 0
    assert (run.json["core"], run.json["dsp"], run.json["fmax_mhz"]) == (TOY, 7, 181.82)
    assert run.json["latency_ns"] == round(3 * 5.5, 3)
    assert run("vivado", "import", "project", "--record", "one.json") == 0
    assert "imported" in run.out and json.loads((toy_only / "one.json").read_text())["request"]["core"] == TOY
    assert run("vivado", "import", "project", "--freq", 190) == 5
    assert "--target xc7" in run.fails(2, *export, "-o", "other")
    assert "nowhere holds no modwright.json" in run.fails(2, "vivado", "import", "nowhere")


OF_A_CORE = ("synth", TOY, "-m", 97)
OF_RTL = ("synth-rtl", "peer.v", "--top", "peer", "--clock", "clock")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((*OF_RTL, "--liberty", "osu018"), "--liberty is for target asic"),
        ((*OF_RTL, "--channel"), "--channel"),
        ((*OF_RTL, "--field", "secp256k1"), "--field"),
        ((*OF_RTL, "--freq", 100), "add --place"),
        ((*OF_RTL, "--seeds", "1,2"), "add --place"),
        ((*OF_RTL, "--router", "router1"), "add --place"),
        ((*OF_RTL, "--timeout", "9"), "add --place"),
        ((*OF_RTL, "--timing-weight", "9"), "add --place"),
        ((*OF_RTL, "--place", "--timing-weight", "1001"), "from 0 to 1000, not 1001"),
        ((*OF_RTL, "-t", "asic", "--clock-gates"), "--clock-gates needs the cells of a library"),
        ((*OF_A_CORE, "-t", "asic", "--booth"), "--booth needs the cells of a library"),
        ((*OF_RTL, "-t", "asic", "--latches"), "--latches needs the cells of a library"),
        ((*OF_A_CORE, "-t", "asic", "--choices"), "--choices needs the cells of a library"),
        ((*OF_RTL, "-t", "asic", "--area"), "--area needs the cells of a library"),
        ((*OF_RTL, "-t", "asic", "--liberty", SMALL, "--area", "--choices"), "with choices or for area, not both"),
        ((*OF_RTL, "--place", "--router", "r9"), "unknown router 'r9'"),
        ((*OF_RTL, "--place", "--seeds", "1,1"), "different integers from 1 on, not '1,1'"),
        ((*OF_RTL, "--place", "--target", "asic"), "place and route is for"),
        ((*OF_A_CORE, "--device", "nope"), "add --place or --channel"),
        ((*OF_A_CORE, "--place", "--device", "nope"), "unknown device 'nope'"),
        ((*OF_A_CORE, "--seeds", "1,1"), "add --place or --channel"),
        ((*OF_A_CORE, "--place", "--seeds", "0"), "different integers from 1 on, not '0'"),
        ((*OF_A_CORE, "--cycles", 3), "--cycles"),
        ((*OF_A_CORE, "--part", "xc7a200t"), "--part"),
        (("vivado", "import", "project", "--target", "xc7"), "--target"),
    ],
)
def test_options_that_would_do_nothing_are_refused(run, toy_only, monkeypatch, words, says):
    def fail(*_, **__):
        raise AssertionError("nothing is made before the options are checked")

    monkeypatch.setattr(foreign, "run_yosys", fail)
    (toy_only / "peer.v").write_text(PEER)
    assert says in run.fails(2, *words)


@pytest.mark.parametrize(
    ("former", "today"),
    [
        ("synth --rtl a.v --rtl=b.v --top m --clock ck", "synth-rtl a.v b.v --top m --clock ck"),
        ("synth --top m --cycles 3 --rtl a.v --place", "synth-rtl --top m --cycles 3 a.v --place"),
        ("synth --import project --json", "vivado import project --json"),
        ("synth --import=project", "vivado import project"),
        ("synth x -t xc7 --vivado out --part p", "vivado export x -t xc7 --output out --part p"),
        ("synth x --vivado=out", "vivado export x --output=out"),
        ("synth x --place", "synth x --place"),
        ("simulate x --engine pure", "simulate x --simulator pure"),
        ("rsa --engine=pure", "rsa --simulator=pure"),
        ("compare --rtl a.json", "compare --rtl a.json"),
        ("", ""),
    ],
)
def test_command_lines_of_earlier_versions(former, today):
    assert of_today(former.split()) == today.split()


def test_earlier_forms_of_synth_still_work(run, toy_only):
    (toy_only / "peer.v").write_text(PEER)
    assert run("synth", "--rtl", "peer.v", "--top", "peer", "--clock", "clock", "--json") == 0
    assert (run.json["rtl"], run.json["ff"]) == ("peer", 8)
    assert run("synth", TOY, "-m", 97, "--target", "xc7", "--vivado", "project") == 0
    for name in (vivado.UTILISATION, vivado.TIMING):
        shutil.copyfile(DATA / "vivado" / name, toy_only / "project" / name)
    assert run("synth", "--import", "project", "--json") == 0
    assert run.json["fmax_mhz"] > 0
    assert run("synth", "--help") == 0
    assert not any(word in run.out for word in ("--rtl", "--import", "--vivado"))
    run.fails(2, "synth")
    run.fails(2, "synth", "--rtl")
    run.fails(2, "synth", TOY, "-m", 97, "--rtl", "peer.v", "--top", "peer")


def test_synth_on_gowin(run):
    assert run("synth", TOY, "-m", 97, "--target", "gowin", "--place", "--json") == 0
    assert (run.json["target"], run.json["timing"]) == ("gowin", "core")
    assert json.dumps(run.json["place_and_route"]).count("GW2A")
