# SPDX-License-Identifier: Apache-2.0
"""Figures of cores, of third-party Verilog and of Vivado's reports, as Python users get them."""

import hashlib
import shutil
from pathlib import Path

import pytest

from modwright.base.errors import UsageError
from modwright.base.store import Store
from modwright.contract.request import Request
from modwright.measurement import (
    Design,
    Settings,
    contribution,
    core_figures,
    design_figures,
    export_project,
    imported_figures,
    user_records,
)
from modwright.measurement.vivado import Contributed
from modwright.prepared import prepare
from modwright.synthesize import vivado
from modwright.tables import Sources, region

from ..toy import TOY

DATA = Path(__file__).parents[1] / "data" / "vivado"
PEER = "module peer(input clk, input [7:0] a, output reg [7:0] z); always @(posedge clk) z <= z + a; endmodule\n"


@pytest.fixture
def prepared(own_store):
    return prepare(TOY, Request.make(TOY, modulus=97), own_store)


def test_figures_of_a_core_are_those_of_the_command(prepared, run):
    figures = core_figures(prepared, Settings())
    assert (figures["core"], figures["target"], figures["cycles"], figures["dsp"]) == (TOY.name, "ecp5", 3, 1)
    assert (figures["timing"], figures["limit"], figures["fmax_mhz"]) == ("not run", "", None)
    assert len(user_records(prepared.store)) == 1, "the record of a whole core is kept"
    assert run("synth", TOY.name, "-m", 97, "--json") == 0
    assert run.json == figures
    with pytest.raises(UsageError, match="no channel"):
        core_figures(prepared, Settings(), channel=True)
    assert len(user_records(prepared.store)) == 1


def test_figures_of_third_party_verilog(tmp_path):
    (tmp_path / "peer.v").write_text(PEER)
    design = Design([tmp_path / "peer.v"], "peer", cycles=2, interval=1)
    figures = design_figures(design, Settings(), store=Store(tmp_path / "store"))
    assert (figures["rtl"], figures["files"], figures["ff"], figures["cycles"]) == ("peer", ["peer.v"], 8, 2)
    assert figures["place_and_route"] == "not run"
    with pytest.raises(UsageError, match="unknown target 'vax'"):
        design_figures(design, Settings(), target="vax")


def test_a_vivado_project_and_its_reports(prepared, tmp_path):
    files = export_project(prepared, tmp_path / "project", target="xc7", frequency=200)
    assert {path.name for path in files} >= {"run.tcl", "constraints.xdc", vivado.MANIFEST}
    for name in (vivado.UTILISATION, vivado.TIMING):
        shutil.copyfile(DATA / name, tmp_path / "project" / name)
    assert imported_figures(tmp_path / "project")["fmax_mhz"] == 181.82
    with pytest.raises(UsageError, match="the target is ecp5"):
        export_project(prepared, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_contributed_record_has_a_row_of_its_own(prepared, tmp_path):
    project = tmp_path / "project"
    export_project(prepared, project, target="xc7", frequency=200)
    for name in (vivado.UTILISATION, vivado.TIMING):
        shutil.copyfile(DATA / name, project / name)
    report = project / vivado.UTILISATION
    report.write_text(report.read_text().replace("| Command", "| Date : Tue Jan 2 03:04:05 2024\n| Command", 1))
    found = contribution(project)
    assert found["request"] == prepared.request.to_mapping()
    assert found["reports"][vivado.UTILISATION] == hashlib.sha256(report.read_bytes()).hexdigest()
    assert found["verilog"] == hashlib.sha256(prepared.verilog().encode()).hexdigest()
    named: Contributed = {
        **found,
        "request": {"core": "modmul/blakley", "field": "secp256k1", "target": "xc7", "options": {}},
    }
    text = region(Sources(contributed={"one.json": named}), "contributed")
    for cell in ("secp256k1", "`blakley`", "xc7a200tfbg676-1", "Vivado v.2023.2", "Tue Jan 2 03:04:05 2024", "181.8"):
        assert f"| {cell} |" in text
    assert region(Sources(), "contributed") == "none yet\n"
    (project / f"{prepared.top}.v").unlink()
    with pytest.raises(UsageError, match="lacks its request"):
        contribution(project)
