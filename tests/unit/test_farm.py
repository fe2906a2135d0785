# SPDX-License-Identifier: Apache-2.0
"""Work in a shared folder: workers of an array job, some of which are killed."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from modwright.base import farm
from modwright.base.errors import UsageError
from modwright.base.farm import Point, Worker
from modwright.prepared.batch import scripts

POINTS, WORKERS, KILLED = 1000, 20, 5
PATIENCE = 8.0
"""Seconds: more than a busy machine lets a worker wait for the processor, a quarter of which it gives signs in."""
WORKER = """
import json, os, sys, time
from pathlib import Path
from modwright.base.farm import Worker
folder, log, patience = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
inside = spent = 0.0

def point(number):
    global inside, spent
    start = time.process_time()
    time.sleep(0.1)
    with log.open("a") as file:  # O_APPEND: a line as a whole
        file.write(f"{number} {os.getpid()}\\n")
    spent += 0.1
    inside += time.process_time() - start
    return {"square": number * number, "by": os.getpid()}

before = time.process_time()
done = Worker(folder, point, patience).work()
print(json.dumps({"done": done, "overhead": time.process_time() - before - inside, "spent": spent}))
"""
SBATCH = """#!/bin/sh
# a stand-in: an array job of Slurm on this machine, each task in the background, with its number
for number in $(seq 1 $(sed -n 's/^#SBATCH --array=1-//p' "$1")); do
  SLURM_ARRAY_TASK_ID=$number sh "$1" > "$2/$number.out" 2>&1 &
  echo $!
done
"""


def points(count):
    return [Point(f"p{n}", [n]) for n in range(count)]


def test_one_worker_does_all(tmp_path):
    folder = tmp_path / "work"
    assert farm.submit(folder, {"kind": "test"}, points(25), 4, {"run.sh": "#!/bin/sh\n"}) == 7
    assert os.access(folder / "run.sh", os.X_OK)
    assert farm.state(folder) == farm.State(25, 0, 0)
    assert dict(farm.results(folder)) == {}
    assert Worker(folder, lambda n: {"square": n * n}, 0.1).work() == 25
    assert dict(farm.results(folder)) == {f"p{n}": {"square": n * n} for n in range(25)}
    assert farm.state(folder) == farm.State(25, 25, 0)
    assert Worker(folder, lambda n: {}, 0.1).work() == 0
    assert not list((folder / "taken").iterdir())
    assert not [p for p in (folder / "results").iterdir() if p.name.startswith(".")]


def test_a_worker_that_fails_leaves_its_points(tmp_path):
    """The next one takes the chunk over when no sign came for long enough, and does what is left of it."""
    folder = tmp_path / "work"
    farm.submit(folder, {}, points(6), 6, {})

    def fails(number):
        if number == 3:
            raise RuntimeError("a fault")
        return {"n": number}

    with pytest.raises(RuntimeError):
        Worker(folder, fails, 0.2).work()
    assert farm.state(folder) == farm.State(6, 3, 3)
    ran = []
    assert Worker(folder, lambda n: ran.append(n) or {"n": n}, 0.2).work() == 3
    assert ran == [3, 4, 5]


def test_a_result_is_not_replaced(tmp_path):
    """Two workers with one point: the first result stays, and counts once."""
    folder = tmp_path / "work"
    farm.submit(folder, {}, points(1), 1, {})
    slow, fast = Worker(folder, lambda n: {}, 1), Worker(folder, lambda n: {}, 1)
    fast._put("p0", {"by": "fast"})
    slow._put("p0", {"by": "slow"})
    assert (fast.done, slow.done) == (1, 0)
    assert dict(farm.results(folder)) == {"p0": {"by": "fast"}}


def test_a_chunk_that_was_taken_over_is_left(tmp_path):
    """A worker that was stopped for long looks before each point whether the chunk is still its own."""
    folder = tmp_path / "work"
    farm.submit(folder, {}, points(4), 4, {})
    ran = []

    def stolen(number):
        ran.append(number)
        (claim,) = (folder / "taken").glob("*.json")
        claim.rename(claim.with_name("000000.other.json"))
        return {}

    worker = Worker(folder, stolen, 60)
    worker._do(worker._claim())
    assert ran == [0]
    assert (folder / "taken" / "000000.other.json").exists()


@pytest.mark.parametrize("key", ["a/b", "..", "", "ä"])
def test_keys_are_names(key, tmp_path):
    with pytest.raises(UsageError):
        farm.submit(tmp_path / "work", {}, [Point(key, [])], 1, {})
    assert not list(tmp_path.iterdir())


def test_folders_that_are_no_work(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "plan.json").write_text('{"format": "other"}')
    for folder in (tmp_path, tmp_path / "none", tmp_path / "full"):
        with pytest.raises(UsageError):
            farm.read_plan(folder)
    with pytest.raises(UsageError, match="exists and is not empty"):
        farm.submit(tmp_path / "full", {}, points(1), 1, {})


def lines(log):
    return log.read_text().splitlines() if log.exists() else []


def test_a_thousand_points_on_twenty_workers_five_of_them_killed(tmp_path):
    """None is lost, none is done twice to its end, and the folder costs less than 2 % of what the points take."""
    folder, log, out = tmp_path / "work", tmp_path / "log", tmp_path / "out"
    out.mkdir()
    farm.submit(folder, {}, points(POINTS), 10, scripts(folder, WORKERS))
    (tmp_path / "worker.py").write_text(WORKER)
    (tmp_path / "modwright").write_text(
        f'#!/bin/sh\nexec {sys.executable} {tmp_path / "worker.py"} "$2" {log} {PATIENCE}\n'
    )
    (tmp_path / "modwright").chmod(0o755)
    (tmp_path / "sbatch").write_text(SBATCH)
    environment = {**os.environ, "MODWRIGHT": str(tmp_path / "modwright")}
    started = subprocess.run(
        ["sh", tmp_path / "sbatch", folder / "slurm.sh", out],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    pids = [int(word) for word in started.stdout.split()]
    assert len(pids) == WORKERS
    while len(lines(log)) < POINTS // 10:
        time.sleep(0.05)
    busy = list(dict.fromkeys(int(line.split()[1]) for line in lines(log)[-WORKERS:] if line.count(" ")))
    for pid in busy[:KILLED]:
        os.kill(pid, 9)
    assert len(busy) >= KILLED
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        time.sleep(0.1)
    assert farm.state(folder) == farm.State(POINTS, POINTS, 0)
    assert {result["square"] for _, result in farm.results(folder)} == {n * n for n in range(POINTS)}
    ends = Counter(int(line.split()[0]) for line in lines(log))
    assert set(ends) == set(range(POINTS))
    # a killed worker may have written its line and not its result; nobody else did a point again
    dead = set(busy[:KILLED])
    twice = [number for number, count in ends.items() if count > 1]
    assert len(twice) <= KILLED
    by = {}
    for line in lines(log):
        number, pid = map(int, line.split())
        by.setdefault(number, []).append(pid)
    assert all(len([pid for pid in by[number] if pid not in dead]) == 1 for number in twice)
    reports = [json.loads(path.read_text()) for path in out.iterdir() if path.read_text().startswith("{")]
    assert len(reports) == WORKERS - KILLED
    overhead, spent = (sum(report[name] for report in reports) for name in ("overhead", "spent"))
    assert overhead < 0.02 * spent, (overhead, spent)  # of the processor: a busy machine makes all of it wait


def test_scripts_are_whole(tmp_path):
    made = scripts(tmp_path / "a b", 7)
    assert "#SBATCH --array=1-7" in made["slurm.sh"]
    assert '#BSUB -J "modwright[1-7]"' in made["lsf.sh"]
    for text in made.values():
        subprocess.run(["sh", "-n", "-c", text], check=True)
        assert text.endswith(f"worker '{(tmp_path / 'a b').resolve()}'\n")


def test_a_folder_is_filled_whole_or_leaves_nothing(tmp_path, monkeypatch):
    point = Point("one", (1,))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError):
        farm.submit(Path("sweep"), {"kind": object()}, [point], 1, {})
    assert not list(tmp_path.iterdir())
    with pytest.raises(UsageError, match="the working folder, which cannot be replaced"):
        farm.submit(Path(), {"kind": "k"}, [point], 1, {})


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_damaged_result_is_named(text, tmp_path):
    farm.submit(tmp_path / "work", {"kind": "k"}, [Point("one", (1,))], 1, {})
    (tmp_path / "work" / "results" / "one.json").write_text(text)
    with pytest.raises(UsageError, match=r"one\.json is damaged"):
        list(farm.results(tmp_path / "work"))
