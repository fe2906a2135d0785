# SPDX-License-Identifier: Apache-2.0
"""Workers of an exploration: their end, their death, and a cluster."""

import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from modwright.base.errors import UsageError
from modwright.base.signals import Terminated
from modwright.explore.executors import Cluster, Processes
from modwright.synthesize.nextpnr import stream

from ..tools import require, require_module
from .explore_cases import tasks


def deadly(stage, request, target, settings):
    """Its process is killed, the first time that it runs."""
    try:
        os.close(os.open(request["mark"], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return {"ran": request["n"]}
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def always_deadly(stage, request, target, settings):
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def gathered(executor, given):
    try:
        return dict(executor.results(given, lambda: None))
    finally:
        executor.close()


def endless(stage, request, target, settings):
    """Starts a tool that does not end by itself, and tells its number."""
    tool = ["sh", "-c", f"echo $$ > {request['folder']}/{request['n']}; exec sleep 600"]
    stream(tool, Path(request["folder"]), lambda line: None, None)
    return {}


def test_the_end_of_the_process_ends_workers_and_tools(monkeypatch, tmp_path):
    monkeypatch.setattr("modwright.explore.executors.run", endless)
    monkeypatch.setattr("modwright.explore.executors._BEAT_SECONDS", 0.1)

    def beat():
        if len([path for path in tmp_path.iterdir() if path.read_text()]) == 2:
            raise Terminated

    executor, start = Processes(2), time.monotonic()
    with pytest.raises(Terminated):
        dict(executor.results(tasks(3, folder=str(tmp_path)), beat))
    executor.close()
    tools = [int(path.read_text()) for path in tmp_path.iterdir()]
    while (multiprocessing.active_children() or any(map(runs, tools))) and time.monotonic() - start < 60:
        time.sleep(0.1)
    assert not multiprocessing.active_children()
    assert len(tools) == 2 and not any(map(runs, tools))


def runs(number):
    """Whether there is such a process, and not only what is left until its parent asks."""
    try:
        status = Path(f"/proc/{number}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_killed_process_loses_no_result(monkeypatch, tmp_path):
    monkeypatch.setattr("modwright.explore.executors.run", deadly)
    found = gathered(Processes(1), tasks(3, mark=str(tmp_path / "mark")))
    assert found == {f"key-{n}": {"ran": n} for n in range(3)}


def test_a_task_that_kills_its_process_twice_is_given_up(monkeypatch):
    monkeypatch.setattr("modwright.explore.executors.run", always_deadly)
    found = gathered(Processes(1), tasks(1))
    assert "died 2 times" in found["key-0"]["error"] and found["key-0"]["passing"]


def test_a_cluster_of_two_workers_and_the_loss_of_one(monkeypatch):
    distributed = require_module("distributed")
    cloudpickle = importlib.import_module("cloudpickle")  # distributed needs it
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have the tests
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as started:
        executor = Cluster(started.scheduler_address)
        monkeypatch.setattr("modwright.explore.executors.run", slow)
        results = executor.results(tasks(8), lambda: None)
        found = dict([next(results)])
        os.kill(next(iter(started.workers.values())).pid, signal.SIGKILL)
        found |= dict(results)
        executor.close()
    assert found == {f"key-{n}": {"ran": n} for n in range(8)}


def slow(stage, request, target, settings):
    time.sleep(0.3)
    return {"ran": request["n"]}


def test_no_scheduler():
    require("distributed")
    with pytest.raises(UsageError, match="no Dask scheduler answers at"):
        Cluster("tcp://127.0.0.1:9")


ORPHAN = """
import os, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from modwright.prepared.spread import own_group

pool = ProcessPoolExecutor(1, get_context("spawn"), own_group)
print(pool.submit(os.getpid).result(), flush=True)
pool.submit(time.sleep, 600)
time.sleep(600)
"""


def test_workers_end_with_a_process_that_is_killed():
    """SIGKILL leaves a process no time to end its workers."""
    with subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        os.kill(worker, 0)
        process.kill()
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker goes on")


def kills_once(stage, request, target, settings):
    """The first task kills its process; the others are done."""
    if request["n"] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"ran": request["n"]}


def test_a_task_that_kills_its_process_fails_alone(monkeypatch):
    monkeypatch.setattr("modwright.explore.executors.run", kills_once)
    found = gathered(Processes(2), tasks(4))
    assert "died 2 times" in found.pop("key-0")["error"]
    assert found == {f"key-{n}": {"ran": n} for n in range(1, 4)}


def processes(stage, request, target, settings):
    time.sleep(0.5)
    return {"process": os.getpid()}


def test_more_tasks_have_more_workers(monkeypatch):
    monkeypatch.setattr("modwright.explore.executors.run", processes)
    executor = Processes(2)
    dict(executor.results(tasks(1), lambda: None))
    found = gathered(executor, tasks(4))
    assert len({each["process"] for each in found.values()}) == 2
