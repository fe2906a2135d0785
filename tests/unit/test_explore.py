# SPDX-License-Identifier: Apache-2.0
"""Explorations: points, estimates, the shared database, workers that die, a Dask cluster, and what is kept."""

import csv
import json
import re
import time

import pytest

from modwright.base import farm
from modwright.base.errors import UsageError
from modwright.base.store import Store
from modwright.compare import Work
from modwright.explore import Constraints, Database, Study, batch, explore, points, read_sweep
from modwright.explore.estimate import count
from modwright.explore.stages import Progress
from modwright.explore.study import SLACK, SLACK_OF, Result, _checked, _marked
from modwright.explore.worker import ESTIMATE
from modwright.explore.worker import run as run_point
from modwright.measurement import bench_folder
from modwright.prepared.batch import Queue, SubmittedError

from ..tools import require, require_module

WORK = ("modmul", "ecp5")
ARCHITECTURES = ("binary", "csa")


def word(kind, a=0, b=0, y=0, width=0, **connections):
    """A word-level cell as Yosys' JSON has it."""
    sizes = {"A_WIDTH": a, "B_WIDTH": b, "Y_WIDTH": y, "WIDTH": width}
    ports = {name.upper(): bits for name, bits in connections.items()}
    return {
        "type": kind,
        "parameters": {name: bin(value)[2:] for name, value in sizes.items() if value},
        "port_directions": {name: "output" if name in ("Y", "Q", "P") else "input" for name in ports},
        "connections": ports,
    }


class Here:
    """Runs tasks in this process, and counts them; may stop in the middle."""

    batch = 4

    def __init__(self, outcome, stop_after=None):
        self.outcome, self.ran, self.stop_after = outcome, [], stop_after

    def results(self, tasks, beat):
        for task in tasks:
            if self.stop_after is not None and len(self.ran) == self.stop_after:
                raise KeyboardInterrupt
            beat()
            self.ran.append(task[0])
            yield task[0], self.outcome(*task[1:])

    def close(self):
        pass


def outcome(stage, request, target, settings):
    """Figures that follow from the options, without a tool."""
    clocks = 10 + len(str(request["options"]))
    if stage == "estimate":
        guess = {"lut": 1000, "ff": 10, "dsp": 1, "period_ns": 5.0}
        return {"estimate": guess, "clocks": clocks, "interval": 1.0, "constant_time": True}
    return {"record": {"resources": {"lut": 900, "ff": 9, "dsp": 1, "bram": 0}, "timing": "not run"}}


@pytest.fixture
def study():
    work = Work.make(*WORK, modulus="61")
    return Study(work, points(work, {}, ARCHITECTURES, 6))


@pytest.fixture
def database(tmp_path):
    opened = Database(tmp_path / "points.sqlite")
    yield opened
    opened.close()


# --- points


def test_points_are_shared_evenly_and_always_the_same():
    work = Work.make(*WORK, field="secp256k1")
    found = points(work, {}, (), 60)
    assert len(found) == 60 == len({point.request.digest for point in found})
    assert [p.request for p in found] == [p.request for p in points(work, {}, (), 60)]
    first = {}
    for point in found:
        first.setdefault(point.request.core, point)
    cores = {core.name for core in work.cores}
    assert set(first) == cores
    for name, point in first.items():
        assert point.request == work.request(next(c for c in work.cores if c.name == name)), "the defaults come first"


def test_a_sweep_replaces_values():
    work = Work.make(*WORK, field="secp256k1")
    found = points(work, read_sweep(["latency=3,4"]), ("sor-1m-p",), 500)
    assert {point.request.options["latency"] for point in found} == {3, 4}
    with pytest.raises(UsageError, match="no modmul is called x"):
        points(work, {}, ("x",), 5)
    with pytest.raises(UsageError, match="no architecture has an option depth") as refused:
        points(work, {"depth": ("1",)}, (), 5)
    assert "latency" in str(refused.value.hint)
    with pytest.raises(UsageError, match="name=value,value"):
        read_sweep(["latency"])
    with pytest.raises(UsageError, match=r"no architecture takes latency=few: .* is an integer, not 'few'"):
        points(work, {"latency": ("3", "few")}, (), 5)
    with pytest.raises(UsageError, match=r"no point of the sweep can be built: .* and only a width is given"):
        points(Work.make(*WORK, bits=16), {}, ("sor-1m-p",), 5)
    assert read_sweep(["latency=3,4", "latency=4,5"]) == {"latency": ("3", "4", "5")}


# --- estimates


def test_an_estimate_counts_operators():
    cells = {
        "r": word("$dff", width=8, d=[20], q=[1]),
        "add": word("$add", a=8, b=8, y=8),
        "m": word("$mul", a=36, b=20, y=56),
        "b": word("MULT18X18D"),
    }
    found = count(cells, "ecp5")
    assert (found.lut, found.ff, found.dsp) == (8, 8, 2 * 2 + 1)
    assert count(cells, "xc7").dsp == 2 * 2 + 1


def test_the_longest_path_ends_at_registers_and_survives_loops():
    def chain(length, loop=False):
        cells = {"r": word("$dff", width=1, d=[length + 1], q=[1])}
        for n in range(length):
            reads = [n + 1, length] if loop and n == 0 else [n + 1]
            cells[f"x{n}"] = word("$reduce_xor", a=2, y=1) | {
                "port_directions": {"A": "input", "Y": "output"},
                "connections": {"A": reads, "Y": [n + 2]},
            }
        return count(cells, "ecp5").period_ns

    steps = [chain(n) for n in (1, 2, 3)]
    assert steps[1] - steps[0] == pytest.approx(steps[2] - steps[1])
    assert steps[0] < steps[1] < steps[2] <= chain(3, loop=True) + 1e-9


# --- what is left out


def result(ns, lut, dsp, **known):
    guess = {"lut": lut, "ff": 1, "dsp": dsp, "period_ns": 1.0}
    point = type("P", (), {"label": f"{ns}/{lut}/{dsp}"})()
    return Result(point, {"estimate": guess, "clocks": ns, "constant_time": True} | known)


def test_a_clearly_beaten_point_is_left_out():
    def costs(r):
        return r.estimate["clocks"], r.estimate["estimate"]["lut"], r.estimate["estimate"]["dsp"]

    given = [result(10, 100, 0), result(11, 110, 0), result(20, 200, 0), result(5, 100, 9)]
    marked = _marked(given, costs, 0.25)
    assert [r.front for r in marked] == [True, False, False, True]
    assert [bool(r.left_out) for r in marked] == [False, False, True, False], "a near miss is taken further"
    assert marked[2].left_out == "beaten by 10/100/0"


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"max_dsp": 3}, "4 DSP of at most 3"),
        ({"max_lut": 100}, "of at most 100"),
        ({"constant_latency": True}, "no constant latency"),
        ({"max_dsp": 4, "max_lut": 1000}, ""),
    ],
)
def test_constraints(study, limits, says):
    given = result(10, 1000, 4, constant_time=False)
    checked = _checked(given, Study(study.work, study.points, Constraints(**limits)))
    assert says in checked.left_out and bool(checked.left_out) == bool(says)


# --- the database


def test_two_processes_share_a_database(tmp_path):
    one, other = (Database(tmp_path / "p.sqlite") for _ in range(2))
    assert one.claim("k", "estimate", "r") and not other.claim("k", "estimate", "r")
    one.put("k", {"x": 1})
    assert other.result("k") == {"x": 1} and not other.claim("k", "estimate", "r")
    assert one.claim("m", "estimate", "r")
    one.release()
    assert other.claim("m", "estimate", "r"), "what is given back can be taken"


def test_a_claim_runs_out(tmp_path, monkeypatch):
    one, other = (Database(tmp_path / "p.sqlite") for _ in range(2))
    now = time.time()
    assert one.claim("k", "estimate", "r")
    monkeypatch.setattr(time, "time", lambda: now + 61)
    assert other.claim("k", "estimate", "r"), "a process that died holds nothing back"


def test_a_database_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot open"):
        Database(tmp_path / "file" / "p.sqlite")
    (tmp_path / "p.sqlite").write_text("no database, but a text that is long enough to be read as one" * 20)
    with pytest.raises(UsageError, match="cannot open"):
        Database(tmp_path / "p.sqlite")


# --- a study


def test_a_second_run_runs_nothing(study, database, tmp_path):
    store, first, again = Store(tmp_path / "s"), Here(outcome), Here(outcome)
    found = explore(study, database, first, store)
    assert len(found) == 6 and any(r.front for r in found)
    start = time.monotonic()
    assert explore(study, database, again, store) == found
    assert again.ran == [] and time.monotonic() - start < 10


def test_an_interruption_keeps_what_is_done(study, database, tmp_path):
    store, first, rest = Store(tmp_path / "s"), Here(outcome, stop_after=3), Here(outcome)
    with pytest.raises(KeyboardInterrupt):
        explore(study, database, first, store)
    explore(study, database, rest, store)
    assert len(first.ran) == 3 and not set(first.ran) & set(rest.ran)


def test_a_failure_that_may_pass_is_tried_again(study, database, tmp_path):
    def full(*task):
        return {"error": "OSError: [Errno 28] No space left on device", "passing": True}

    found = explore(study, database, Here(full), Store(tmp_path))
    assert all("No space left" in r.left_out for r in found)
    again = Here(outcome)
    explore(study, database, again, Store(tmp_path))
    assert len(again.ran) >= 6


# --- the command


def test_explore_on_the_command_line(run, monkeypatch, toy_only):
    monkeypatch.setattr("modwright.cli.exploring._executor", lambda scheduler, jobs: Here(real))
    words = ("explore", "--function", "modmul", "--modulus", 61, "--sweep", "latency=2,4")
    assert run(*words, "--csv", "points.csv", "--svg", "points.svg", "--html", "points.html", "--json") == 0
    picture = (toy_only / "points.svg").read_text()
    assert "ns of one operation, estimated" in picture and "on the front" in picture
    assert all(point["label"] in picture for point in run.json["points"] if point["front"] and point["lut"])
    assert {point["options"]["latency"] for point in run.json["points"]} == {2, 4}
    assert any(point["front"] and point["lut"] for point in run.json["points"])
    page = (toy_only / "points.html").read_text()
    assert page.count("<tr data-key=") == len(run.json["points"])
    assert all(f">{point['label']}</span></th>" in page for point in run.json["points"])
    assert "ns, estimated" in page and "Fmax, MHz" not in page, "nothing was placed"
    rows = list(csv.DictReader((toy_only / "points.csv").read_text().splitlines()))
    assert len(rows) == len(run.json["points"])
    assert "estimated_ns" in rows[0] and rows[0]["fmax_mhz"] == ""
    assert run(*words) == 0
    assert "by the estimated time" in run.out
    assert "_" not in run.out.partition("\n")[0], "headings are words"
    assert "ns, estimated" in run.out and "interval, cycles" in run.out
    assert "--place" in run.fails(2, *words, "--min-fmax", 50)
    assert "asic" in run.fails(2, *words, "--target", "asic")
    assert run(*words, "--max-lut", 1) == 0
    assert "LUT at least" in run.out, "when nothing is left, the table says why"


@pytest.mark.parametrize("option", ["--csv", "--svg", "--html", "--parquet"])
def test_a_file_that_cannot_be_written_is_found_before_the_work(run, monkeypatch, toy_only, option):
    if option == "--parquet":
        require("pyarrow")
    monkeypatch.setattr("modwright.cli.exploring._executor", lambda scheduler, jobs: pytest.fail("it began"))
    (toy_only / "file").write_text("")
    words = ("explore", "--function", "modmul", "--modulus", 61, option)
    assert "not a regular file" in run.fails(2, *words, toy_only)
    assert "is not a folder" in run.fails(2, *words, toy_only / "file" / "points")
    monkeypatch.setattr(
        "tempfile.TemporaryFile", lambda **_: (_ for _ in ()).throw(OSError(30, "Read-only file system"))
    )
    assert "Read-only" in run.fails(2, *words, toy_only / "points")


def real(*task):
    from modwright.explore.worker import run as work

    return work(*task)


def test_parquet(run, monkeypatch, toy_only):
    parquet = require_module("pyarrow.parquet")
    monkeypatch.setattr("modwright.cli.exploring._executor", lambda scheduler, jobs: Here(outcome))
    assert run("explore", "--function", "modmul", "--modulus", 61, "--parquet", "p.parquet", "--json") == 0
    table = parquet.read_table(toy_only / "p.parquet").to_pylist()
    assert [row["label"] for row in table] == [point["label"] for point in run.json["points"]]


# --- on a batch system


@pytest.mark.parametrize("dry", [False, True])
def test_a_stage_is_submitted_worked_on_and_collected(dry, study, database, tmp_path):
    """The points of a stage go into a folder, a worker does them, and the study goes on with what it collected."""
    folder, said, store = tmp_path / "batch", [], Store(tmp_path / "store")
    with pytest.raises(SubmittedError):
        explore(study, database, batch.Submit(Queue(folder, 3, dry, said.append)), store)
    if dry:
        assert not folder.exists()
        assert re.search(rf"estimate: {len(study.points)} points, about [\d.]+ hours .* MiB each", said[-1])
        return
    assert f"{len(study.points)} points" in said[0]
    assert farm.Worker(folder, run_point).work() == len(study.points)
    assert batch.collect(folder, database) == farm.State(len(study.points), len(study.points), 0)
    with pytest.raises(SubmittedError):  # the next stage
        explore(study, database, batch.Submit(Queue(tmp_path / "next", 3, False, said.append)), store)
    assert farm.read_plan(tmp_path / "next")["stage"] == "synthesis"


def test_a_folder_of_other_work_is_refused(tmp_path, database):
    farm.submit(tmp_path / "other", {"kind": "other"}, [], 1, {})
    farm.submit(tmp_path / "old", {"kind": batch.KIND, "source": "0"}, [], 1, {})
    for name, message in (("other", "another kind"), ("old", "another version of Modwright")):
        with pytest.raises(UsageError, match=message):
            batch.collect(tmp_path / name, database)


def test_a_point_that_no_parameters_satisfy_is_refused_and_has_not_failed():
    said = []
    request = {"core": "modmul/limb-scan", "options": {"bits": 64, "limb": 32, "macs": 4}}
    found = run_point(ESTIMATE, request, "ecp5", {})
    assert found["refused"] and "more multipliers than can work at once" in found["error"]
    progress = Progress(ESTIMATE, 3, said.append)
    for one in (found, {"error": "OSError: no space", "passing": True}, {"estimate": {}}):
        progress.step(one)
    progress.known(3)
    assert said == ["estimate: 3 of 3, 1 refused, 1 failed"]


def test_results_are_collected_into_a_database_that_claimed_nothing(tmp_path):
    new = Database(tmp_path / "new.sqlite")
    new.put("key", {"n": 1})
    new.put("key", {"n": 2})
    assert new.result("key") == {"n": 1}


def test_auto_is_a_value_where_an_option_has_it_and_the_choice_of_the_core_elsewhere():
    work = Work.make(*WORK, field="secp256k1")
    assert {p.request.options["kappa"] for p in points(work, {"kappa": ("auto",)}, ("sor-1m-p",), 500)} == {"auto"}
    assert {p.request.options["karatsuba"] for p in points(work, {"karatsuba": ("auto",)}, ("binary",), 500)} == {None}


def test_points_of_one_core_have_labels_of_their_own():
    work = Work.make(*WORK, field="secp256k1")
    sweep = read_sweep(["output=class,exact", "latency=4", "width=36"])
    found = [point.label for point in points(work, sweep, ("sor-1m-p",), 500)]
    assert len(found) == 2 == len(set(found))


def test_no_record_is_smaller_than_its_estimate_by_more_than_the_slack():
    known = json.loads((bench_folder() / "estimates.json").read_text(encoding="utf-8"))["records"]
    measured = {name: json.loads((bench_folder() / "results" / name).read_text(encoding="utf-8")) for name in known}
    for target in ("ecp5", "xc7", "generic"):
        own = {name: each["lut"] for name, each in known.items() if measured[name]["request"]["target"] == target}
        ratios = [lut / measured[name]["resources"]["lut"] for name, lut in own.items()]
        assert ratios and max(ratios) <= SLACK_OF.get(target, SLACK)
