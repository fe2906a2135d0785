# SPDX-License-Identifier: Apache-2.0
"""One request from constants to datasheet: what is made, what is kept, what a failure leaves behind."""

import json
from contextlib import contextmanager

import pytest

from modwright import pipeline, prove, simulate, synthesize
from modwright.base.errors import UsageError, VerificationError
from modwright.base.store import Store
from modwright.contract.request import Request
from modwright.pipeline import Plan, build, default_folder, stamp_of
from modwright.prepared import prepare
from modwright.prepared.registry import find

from ..toy import TOY

PLAN = Plan(random=20)
MADE = {
    "blocks.svg",
    "certificate.json",
    "datasheet.html",
    "manifest.json",
    "modmul_toy.v",
    "operation.html",
    "report.json",
    "request.yaml",
    "schedule.json",
    "schedule.svg",
}


SIMULATED = ["free", "stalled", "bursts"]


def kind(stalls):
    """The pattern that has these stalls."""
    if stalls is None:
        return "free"
    return "bursts" if stalls.quiet else "stalled"


class Stages:
    """Records the stages, and interrupts the one it is told to."""

    def __init__(self, interrupted=""):
        self.names, self.interrupted = [], interrupted

    @contextmanager
    def __call__(self, name):
        self.names.append(name)
        yield
        if self.interrupted and name.startswith(self.interrupted):
            raise KeyboardInterrupt


@pytest.fixture
def tools(monkeypatch):
    """Simulation by the pure simulator; synthesis and proofs by stand-ins that count how often they run."""
    calls = []

    def resources(verilog, top, target, *, store, booth=False):
        calls.append(target)
        counts = dict.fromkeys(("lut", "ff", "dsp", "bram", "carry", "lutram"), 1)
        return synthesize.Resources(
            target=target, **counts, nand2=None, cells={"LUT4": 1}, rules={}, method="a stand-in", tool={}
        )

    def verify(prepared, cases, **how):
        calls.append(kind(how["stalls"]))
        return simulate.verify(prepared, cases, **how)

    def proofs(prepared):
        calls.append("proofs")
        return [prove.Proof("fold", "y = x mod m", "proved", "bitwuzla")]

    monkeypatch.setattr(simulate, "available_simulator", lambda: "pure")
    monkeypatch.setattr("modwright.simulate.runs.verify", verify)
    monkeypatch.setattr(synthesize, "resources", resources)
    monkeypatch.setattr(prove, "prove", proofs)
    return calls


@pytest.fixture
def make(tmp_path, tools):
    """Build the toy modulo 97 into `out`."""

    def run(plan=PLAN, stages=None, force=False, target="ecp5", modulus=97, **options):
        request = Request.make(TOY, modulus=modulus, target=target, options=options)
        store = Store(tmp_path / "store")
        return build(TOY, request, plan, tmp_path / "out", stages or Stages(), force=force, store=store)

    return run


def report(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_a_build_makes_everything(make, tools, tmp_path):
    built = make()
    assert built.fresh
    assert {p.name for p in built.folder.iterdir()} == MADE
    assert report(built.folder) == built.report
    runs = built.report["verification"]["runs"]
    assert [run["name"] for run in runs] == ["no stalls", "both streams stalled", "bursts that fill the core"]
    assert [run["initial_state"] for run in runs] == [f"random, seed {n}" for n in (1, 2, 3)]
    assert [run["resets"] for run in runs] == [8, 4, 4]
    assert all(run["lost"] >= 1 for run in runs)
    cases = built.report["verification"]["cases"]
    assert built.report["verification"]["passed"] == cases >= 2 * PLAN.random
    assert built.report["proofs"][0]["status"] == "proved"
    assert {built.report["resources"][t]["lut"] for t in ("ecp5", "xc7")} == {1}
    assert built.report["timing"] == {"core": "not run", "channel": "not run"}
    assert tools == [*SIMULATED, "proofs", "ecp5", "xc7"]


def test_nothing_is_done_twice(make, tools):
    first = make()
    tools.clear()
    stages = Stages()
    again = make(stages=stages)
    assert (again.fresh, again.report) == (False, first.report)
    assert tools == stages.names == []


def test_a_build_without_changes_derives_nothing(make, monkeypatch):
    make()
    monkeypatch.setattr(pipeline, "prepare", None)
    assert not make().fresh


@pytest.mark.parametrize("stage", ["Verilog", "simulation", "proofs", "resources on ecp5"])
def test_an_interrupted_build_goes_on(make, tools, tmp_path, stage):
    with pytest.raises(KeyboardInterrupt):
        make(stages=Stages(stage))
    assert not (tmp_path / "out").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["store"]
    simulated = [call for call in tools if call in SIMULATED]
    tools.clear()
    assert make().fresh
    assert not set(simulated) & set(tools)


def test_what_changed_is_made_anew(make, tmp_path):
    make()
    assert make(Plan(random=21)).fresh
    assert make(Plan(random=21), latency=5).report["schedule"]["latency"] == 5
    (tmp_path / "out" / "modmul_toy.v").unlink()
    assert make(Plan(random=21), latency=5).fresh


def test_a_wrong_core_leaves_no_folder(make, tools, tmp_path):
    with pytest.raises(VerificationError, match="first one") as caught:
        make(Plan(random=200), modulus=7, faulty=True)
    assert "expected z = 0x1" in str(caught.value)
    assert not (tmp_path / "out").exists()
    assert tools == ["free"]


def test_a_refuted_lemma_leaves_no_folder(make, monkeypatch, tmp_path):
    monkeypatch.setattr(prove, "prove", lambda p: [prove.Proof("fold", "y = x mod m", "refuted", "bitwuzla", "x = 9")])
    with pytest.raises(VerificationError, match="x = 9"):
        make()
    assert not (tmp_path / "out").exists()


def test_a_folder_in_use_is_refused_before_anything_is_made(make, tools, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"mine\.txt"):
        make()
    assert tools == []
    assert make(force=True).fresh
    assert {p.name for p in (tmp_path / "out").iterdir()} == MADE | {"mine.txt"}


@pytest.mark.parametrize(
    ("target", "measured"),
    [("ecp5", ["ecp5", "xc7"]), ("generic", ["ecp5", "xc7"]), ("xc7", ["xc7"]), ("asic", ["asic", "xc7"])],
)
def test_what_is_measured(make, tools, target, measured):
    make(target=target)
    assert [call for call in tools if call in ("ecp5", "xc7", "asic")] == measured


def test_the_same_request_gives_the_same_bytes(make, tmp_path):
    folder = make().folder
    first = {p.name: p.read_bytes() for p in folder.iterdir()}
    for name in first:
        (folder / name).unlink()
    folder.rmdir()
    for kind in (tmp_path / "store").iterdir():
        kind.rename(kind.with_name("before-" + kind.name))
    make()
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == first


def place(fmax):
    return synthesize.Timing(
        fmax_mhz=fmax,
        fmax_median=fmax,
        per_seed=(synthesize.SeedResult(1, fmax),),
        seed=1,
        device="LFE5U-85F",
        package="CABGA756",
        speed="6",
        frequency_mhz=150.0,
        router="router2",
        harness="out-of-context",
        method="a stand-in",
        utilisation={},
        critical_path={},
        tool={},
    )


def test_place_and_route_of_the_whole_core(make, monkeypatch):
    chosen = []

    def timing(verilog, top, settings, **_):
        chosen.append(settings.router)
        return place(100.0)

    monkeypatch.setattr(synthesize, "timing", timing)
    built = make(Plan(random=20, place=True, router="router2"))
    assert chosen == ["router2"]
    assert built.report["timing"]["core"]["fmax_mhz"] == 100.0
    assert built.report["timing"]["channel"] == "not run"
    assert built.report["latency_ns"] == 30.0


def test_a_plan_names_a_router_that_exists():
    with pytest.raises(UsageError, match="unknown router 'r9'"):
        Plan(router="r9")


def test_a_channel_stands_beside_the_core(make, monkeypatch):
    monkeypatch.setattr(synthesize, "timing", lambda *_, **__: place(200.0))
    monkeypatch.setattr("modwright.prepared.Prepared.channel_verilog", lambda self: "module c; endmodule")
    built = make()
    assert built.report["timing"]["channel"]["fmax_mhz"] == 200.0
    assert built.report["timing"]["core"] == "not run"
    assert built.report["latency_ns"] == "not run"


def test_the_stamp_covers_what_a_build_depends_on(monkeypatch):
    request = Request.make(TOY, modulus=97)
    stamps = {stamp_of(request, PLAN), stamp_of(request, Plan(random=20, place=True)), stamp_of(request, Plan(21))}
    stamps.add(stamp_of(Request.make(TOY, modulus=101), PLAN))
    monkeypatch.setattr(pipeline, "version_of", lambda name: "9")
    stamps.add(stamp_of(request, PLAN))
    monkeypatch.setattr(simulate, "available_simulator", lambda: "another")
    stamps.add(stamp_of(request, PLAN))
    assert len(stamps) == 6


@pytest.mark.parametrize(
    ("named", "name"),
    [
        ({"field": "secp256k1"}, "modmul_toy-secp256k1"),
        ({"curve": "P-256"}, "modmul_toy-secp256r1"),
        ({"modulus": 97}, "modmul_toy-7bit-"),
        ({}, "modmul_toy"),
    ],
)
def test_default_folder(named, name):
    folder = default_folder(Request.make(TOY, **named))
    assert folder.parent.name == "build"
    assert folder.name.startswith(name)
    assert len(folder.name) == len(name) + (8 if "modulus" in named else 0)


# --- the command


def test_the_build_command(run, tools, toy_only):
    assert run("build", "modmul/toy", "-m", 97, "--random", 5, "-o", "out") == 0
    assert run.out.splitlines()[-1] == "Built: open out/datasheet.html"
    stages = run.err.splitlines()
    assert stages[0].startswith("parameters: ")
    assert stages[-1].startswith("datasheet: ")
    assert run("build", "modmul/toy", "-m", 97, "--random", 5, "-o", "out") == 0
    assert "Nothing changed" in run.out
    assert run.err == ""


def test_the_build_command_fails(run, tools, toy_only):
    error = run.fails(1, "build", "modmul/toy", "-m", 7, "-O", "faulty=true", "--random", 200)
    assert "operations failed" in error
    assert not (toy_only / "build").exists()


@pytest.mark.parametrize(("modulus", "base"), [(9, [1048573]), (2**127 - 1, None)])
def test_the_operation_of_a_core_with_device_cells(modulus, base, store):
    """For ECP5 it has a schedule of its own, which Amaranth cannot simulate: shown for any device; of its smallest
    trial, where the modulus is wide."""
    core = find("modinv/rns-bmi")
    prepared = prepare(core, Request.make(core, modulus=modulus, target="ecp5"), store)
    shown = pipeline.small_operation(prepared)
    trial = core.trials[0].document["modulus"]
    assert shown["modulus"] == f"P = {modulus if base else trial}"
    assert not base or [row["moduli"] for row in shown["bases"]][:1] == [base]
