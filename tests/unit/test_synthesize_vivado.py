# SPDX-License-Identifier: Apache-2.0
"""Projects and reports of Vivado."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from modwright.base.errors import UsageError
from modwright.synthesize import (
    vivado,
)

from .measured_designs import DATA


@pytest.fixture
def project(tmp_path):
    """A project folder with the sample reports."""
    files = vivado.project_files("module modmul_toy; endmodule", "modmul_toy", "xc7a200tfbg676-1", 200, {"cycles": 8})
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for name in (vivado.UTILISATION, vivado.TIMING):
        shutil.copyfile(DATA / "vivado" / name, tmp_path / name)
    return tmp_path


def test_a_vivado_project(project):
    assert "create_clock -name clk -period 5.000 [get_ports clk]" in (project / "constraints.xdc").read_text()
    script = (project / "run.tcl").read_text()
    for step in (
        "-part xc7a200tfbg676-1",
        "read_verilog modmul_toy.v",
        "synth_design -mode out_of_context",
        "route_design",
    ):
        assert step in script
    assert f"report_utilization -file {vivado.UTILISATION}" in script


def test_reports_of_vivado(project):
    found = vivado.read_reports(project)
    assert {name: found[name] for name in ("lut", "ff", "dsp", "lutram", "bram")} == {
        "lut": 321,
        "ff": 654,
        "dsp": 7,
        "lutram": 16,
        "bram": 5,
    }
    assert (found["slack_ns"], found["fmax_mhz"]) == (-0.5, round(1e3 / 5.5, 2))
    assert found["manifest"]["cycles"] == 8 and found["tool"].startswith("Vivado v.2023.2")


def slack(value):
    """A change of the worst slack in a timing report."""
    return lambda text: re.sub(r"-0\.500", value, text)


def test_reports_of_ultrascale(project):
    path = project / vivado.UTILISATION
    text = path.read_text().replace("Slice LUTs     ", "CLB LUTs*      ").replace("Slice Registers", "CLB Registers  ")
    path.write_text(text)
    assert vivado.read_reports(project)["lut"] == 321


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        (vivado.TIMING, lambda text: text.replace("WNS(ns)", "TNS(ns)"), "no worst negative slack"),
        (vivado.UTILISATION, lambda text: text.replace("| DSPs", "| Else"), "no row DSPs"),
        (vivado.UTILISATION, lambda text: text.replace("modmul_toy", "other"), "of design other"),
        (vivado.MANIFEST, lambda text: "{}", "was not written by"),
        (vivado.TIMING, slack("5.000"), "slack of 5 ns, which has to be below the period of 5 ns"),
        (vivado.TIMING, slack("6.250"), "slack of 6.25 ns, which has to be below the period of 5 ns"),
        (vivado.MANIFEST, lambda text: text.replace('"cycles": 8', '"cycles": "x"'), "cycles is 'x', and has to be"),
        (vivado.MANIFEST, lambda text: text.replace('"cycles": 8', '"cycles": -8'), "cycles is -8"),
        (vivado.MANIFEST, lambda text: text.replace('"cycles": 8', '"interval": true'), "interval is True"),
        (vivado.MANIFEST, lambda text: text.replace("5.0,", "NaN,"), "period_ns is nan"),
        (vivado.MANIFEST, lambda text: text.replace("5.0,", "-5.0,"), "period_ns is -5.0"),
        (vivado.MANIFEST, lambda text: text.replace("5.0,", '"5",'), "period_ns is '5'"),
    ],
)
def test_reports_that_cannot_be_read(project, name, change, says):
    path = project / name
    path.write_text(change(path.read_text()))
    with pytest.raises(UsageError, match=says):
        vivado.read_reports(project)


def test_reports_that_are_not_there(project):
    (project / vivado.TIMING).unlink()
    with pytest.raises(UsageError, match=r"(?s)cannot read .*run `vivado"):
        vivado.read_reports(project)


def test_a_kind_of_interval_that_there_is_not(project):
    path = project / vivado.MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), "interval_kind": []}))
    with pytest.raises(UsageError, match="interval_kind is none of fixed, mean, most"):
        vivado.read_reports(project)


@pytest.mark.parametrize(("redirect", "code", "says"), [("> /dev/full", 2, "cannot write to stdout"), ("", 141, "")])
def test_a_missed_target_whose_figures_nobody_takes(project, redirect, code, says):
    """The exit code is that of stdout, whose buffer is written at the end; without a redirection its reader is gone."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    reader, writer = os.pipe()
    os.close(reader)
    words = f"{sys.executable} -m modwright vivado import {project} --freq 1000 {redirect}"
    done = subprocess.run(words, shell=True, env=environment, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert "1000 MHz were requested, and it reaches 181.82 MHz" in done.stderr
    assert (done.returncode, "Exception" in done.stderr) == (code, False) and says in done.stderr
