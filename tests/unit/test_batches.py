# SPDX-License-Identifier: Apache-2.0
"""Campaigns, mutants and seeds on a batch system: submitted, worked on by processes that are killed, and collected."""

import json
import os
import re
import subprocess
import sys
import time

import pytest

from modwright.base import farm
from modwright.base.store import Store
from modwright.cli import main
from modwright.prepared import batch

from .test_farm import SBATCH

PATIENCE = 4.0
"""Seconds without a sign after which a worker is given up here."""
WORKER = """
import os, sys
from modwright.base import farm

class Logged(farm.Worker):
    def __init__(self, folder, run):
        super().__init__(folder, run, float(os.environ["TEST_PATIENCE"]))

    def _put(self, key, result):
        super()._put(key, result)
        with open(os.environ["TEST_LOG"], "a") as file:  # O_APPEND: a line as a whole
            file.write(key + "\\n")

farm.Worker = Logged
from modwright.cli import main
sys.exit(main(sys.argv[1:]))
"""
WORK = {
    "campaign": ["campaign", "modmul/vlm3", "-O", "bits=32", "--samples", "20000", "--seed", "7"],
    "mutate": ["mutate", "modmul/blakley", "-m", "13", "-t", "generic", "--mutants", "75", "--random", "50"],
    "synth": ["synth", "modmul/blakley", "-m", "13", "-t", "ecp5", "--place", "--seeds", "1,2,3,4"],
}


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Runs a command with a store of its own; code, what it printed and what it said."""

    def run(*words, store="mine"):
        monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path / store))
        return main([str(word) for word in words]), *capsys.readouterr()

    return run


def start_workers(folder, tmp_path, number):
    """Start an array job by the script, on a machine with a store of its own; the pids."""
    (tmp_path / "worker.py").write_text(WORKER)
    (tmp_path / "modwright").write_text(f'#!/bin/sh\nexec {sys.executable} {tmp_path / "worker.py"} "$@"\n')
    (tmp_path / "modwright").chmod(0o755)
    (tmp_path / "sbatch").write_text(SBATCH)
    (tmp_path / "out").mkdir()
    settings = {"MODWRIGHT": str(tmp_path / "modwright"), "MODWRIGHT_CACHE": str(tmp_path / "theirs")}
    settings |= {"TEST_LOG": str(tmp_path / "log"), "TEST_PATIENCE": str(PATIENCE)}
    started = subprocess.run(
        ["sh", tmp_path / "sbatch", folder / "slurm.sh", tmp_path / "out"],
        env={**os.environ, **settings}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    pids = [int(word) for word in started.stdout.split()]
    assert len(pids) == number
    return pids


def until(condition):
    while not condition():
        time.sleep(0.02)


@pytest.mark.parametrize(
    "kind", ["campaign", *(pytest.param(kind, marks=pytest.mark.campaign) for kind in ("mutate", "synth"))]
)
def test_what_killed_workers_did_is_what_one_process_does(kind, command, tmp_path):
    """Three workers, one of them killed with -9: no point is lost or done twice, and the record is the same."""
    folder, log = tmp_path / "batch", tmp_path / "log"
    code, printed, said = command(*WORK[kind], "--submit", folder, "--array", 3, "--json")
    assert (code, printed) == (0, "")
    assert "sbatch" in said
    points = farm.state(folder).points
    pids = start_workers(folder, tmp_path, 3)
    until(lambda: log.exists() or not any(alive(pid) for pid in pids))
    victim = next((pid for pid in pids if alive(pid)), None)
    if victim is not None:
        os.kill(victim, 9)
    until(lambda: not any(alive(pid) for pid in pids))
    assert farm.state(folder) == farm.State(points, points, 0)
    keys = log.read_text().split()
    assert len(set(keys)) >= points - 1  # of a result that was put, the line may be missing
    assert len(keys) == len(set(keys))
    code, collected, said = command(*WORK[kind], "--collect", folder, "--json")
    assert code == 0
    assert f"{points} of {points} points, 0 with a worker" in said
    code, alone, _ = command(*WORK[kind], "--json", store="alone")
    assert code == 0
    assert json.loads(collected) == json.loads(alone)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("kind", WORK)
def test_a_dry_run_says_points_hours_and_memory(kind, command, tmp_path):
    """Nothing is written but what the points that were tried leave in the store."""
    if kind == "synth":
        from modwright.measurement import seeds as module
    elif kind == "mutate":
        from modwright.mutate import batch as module
    else:
        from modwright.statistics import batch as module
    with pytest.MonkeyPatch.context() as patch:
        tried = []
        patch.setattr(module, "run_point", lambda *arguments: tried.append(arguments) or {})
        code, printed, said = command(*WORK[kind], "--dry-run")
    assert (code, printed, len(tried)) == (0, "", batch.SAMPLES)
    points = {"campaign": r"\d+", "mutate": "3", "synth": "4"}[kind]
    assert re.search(rf"{points} points, about [\d.]+ hours .* on 20 workers, \d+ MiB each", said)
    assert not (tmp_path / "batch").exists()


def test_what_is_kept_is_not_submitted(command, tmp_path):
    """A campaign that was counted: nothing is left, and the command shows it."""
    assert command(*WORK["campaign"])[0] == 0
    code, printed, _ = command(*WORK["campaign"], "--submit", tmp_path / "batch", "--json")
    assert code == 0
    assert json.loads(printed)["samples"] == 20000
    assert not (tmp_path / "batch").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--collect", "nowhere"], "nowhere holds no plan.json"),
        (["--collect", "other"], "points of another kind"),
        (["--collect", "old"], "another version of Modwright"),
        (["--submit", "other"], "exists and is not empty"),
    ],
)
def test_folders_that_are_refused(words, says, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    farm.submit(tmp_path / "other", {"kind": "explore"}, [], 1, {})
    farm.submit(tmp_path / "old", {"kind": "campaign", "source": "0"}, [], 1, {})
    code, _, said = command(*WORK["campaign"], *words)
    assert code == 2
    assert says in said


def test_seeds_are_placed(command, tmp_path):
    code, _, said = command(*WORK["synth"][:6], "--submit", tmp_path / "batch")
    assert code == 2
    assert "--place" in said


def test_work_of_an_unknown_kind(command, tmp_path):
    farm.submit(tmp_path / "batch", {"kind": "other"}, [], 1, {})
    code, _, said = command("worker", tmp_path / "batch")
    assert code == 2
    assert "unknown kind" in said


def test_a_point_that_fails_is_told(tmp_path):
    """Its error is the result, so that no other worker fails by it; what is collected leaves it out."""
    from modwright.base.errors import UsageError
    from modwright.base.store import source_digest

    def fails():
        raise UsageError("too large")

    store, said = Store(tmp_path / "store"), []
    outcome = batch.carry(store, fails)
    assert outcome == {"error": "too large"}
    folder = tmp_path / "batch"
    farm.submit(folder, {"kind": "synth", "source": source_digest()}, [farm.Point("seed-1", [])], 1, {})
    assert farm.Worker(folder, lambda: outcome).work() == 1
    batch.store_results(folder, "synth", store, said.append)
    assert said == [f"{folder}: seed-1: too large", f"{folder}: 1 of 1 points, 0 with a worker"]
