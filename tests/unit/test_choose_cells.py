# SPDX-License-Identifier: Apache-2.0
"""A choice in the cells of a library: from records of gates, of other widths where there is none of the width."""

import pytest

from modwright.choose.goals import Limits, Part
from modwright.measurement.gates import gate_libraries, gate_rows

from .conftest import CommandLine

SMALLEST = ("--function", "modmul", "--bits", "256", "--smallest")


def figures(library):
    """Gates and MHz of the multipliers of 256 bits with a runtime modulus, of the plain form."""
    rows = [row for row in gate_rows() if row.liberty == library and not row.form and row.bits == 256]
    rows = [row for row in rows if row.request["core"].startswith("modmul/") and "field" not in row.request]
    return {row.request["core"]: row for row in rows if "modulus" not in row.request}


@pytest.fixture(autouse=True)
def own_store(monkeypatch, tmp_path):
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path))


def ask(capsys, words):
    run = CommandLine(capsys)
    assert run("choose", *words.split(), "--json") == 0
    return run.json


@pytest.mark.parametrize("library", gate_libraries())
def test_the_smallest_and_the_fastest_are_those_of_the_records(library, capsys):
    """Forms that are mapped otherwise (Booth multipliers, clock gates) are not taken for the core."""
    rows = figures(library)
    smallest = min(rows, key=lambda name: rows[name].resources["nand2"])
    fastest = min(rows, key=lambda name: rows[name].schedule["latency_cycles"] / rows[name].clock_rate)
    answer = ask(capsys, f"--function modmul --bits 256 --device {library} --smallest")
    first = answer["best"][0]
    assert (first["core"], first["gates"]["value"]) == (smallest, rows[smallest].resources["nand2"])
    assert (answer["area_unit"], answer["cost"], first["gates"]["source"]) == ("gates", "gates", "measured")
    assert "lut" not in first
    assert ask(capsys, f"--function modmul --bits 256 --device {library} --fastest")["best"][0]["core"] == fastest


def test_another_width_is_scaled_and_says_so(capsys):
    first = ask(capsys, "--function modmul --bits 512 --device sky130 --smallest")["best"][0]
    assert first["core"] == "modmul/radix2"
    assert first["gates"]["source"] == "estimated"
    rows = {row.bits: row for row in gate_rows() if row.liberty == "sky130" and row.request["core"] == first["core"]}
    least, most = (rows[bits].resources["nand2"] for bits in (256, 1024))
    assert least < first["gates"]["value"] < most


def test_an_exponentiator_has_at_least_its_multipliers(capsys):
    answer = ask(capsys, "--function modexp --bits 1024 --device ihp-sg13g2 --throughput --constant-latency")
    assert all(each["gates"]["at_least"] and each["constant_latency"] for each in answer["best"])


def test_the_text_counts_gates_and_measures_in_the_library(capsys):
    run = CommandLine(capsys)
    assert run("choose", "--function", "ecpm", "--curve", "P-256", "--device", "asap7", "--smallest") == 0
    assert "LUT" not in run.out and "DSP" not in run.out
    assert "--curve secp256r1 --target asic --liberty asap7\n" in run.out
    assert "smallest NAND2" in run.out


def test_a_limit_is_in_gates(capsys):
    answer = ask(capsys, "--function modmul --bits 256 --device sky130 --fastest --max-gates 23000")
    assert all(each["gates"]["value"] <= 23000 for each in answer["best"])
    beyond = {each["core"]: each["reason"] for each in answer["left_out"]}
    assert "gates of at most 23,000" in beyond["modmul/orup-dsp"]
    error = CommandLine(capsys).fails(4, "choose", *SMALLEST, "--device", "sky130", "--max-gates", "9")
    assert error.endswith("try: a higher --max-gates\n")


@pytest.mark.parametrize(
    ("device", "limit", "own"),
    [
        ("sky130", "--max-lut", "--max-gates"),
        ("sky130", "--max-dsp", "--max-gates"),
        ("ecp5", "--max-gates", "--max-lut"),
    ],
)
def test_a_limit_in_another_unit_is_refused(device, limit, own, capsys):
    error = CommandLine(capsys).fails(2, "choose", *SMALLEST, "--device", device, limit, "5")
    assert f"{limit} limits another one" in error
    assert own in error.partition("try: ")[2]


def test_what_was_not_measured_is_said(capsys):
    words = ("--function", "modadd", "--modulus", "3329", "--device", "sky130", "--fastest")
    error = CommandLine(capsys).fails(4, "choose", *words)
    assert "was measured in the cells of sky130" in error
    words = "--function modadd --modulus 3329 --target asic --liberty sky130 --measure"
    assert error.endswith(f"try: modwright compare {words}\n")


def test_a_library_has_no_blocks():
    part = Part.of("asic", "sky130")
    assert (part.unit, part.lut_of_block, part.bounding) == ("gates", 0.0, False)
    Limits(max_gates=1).refuse_for(part)
