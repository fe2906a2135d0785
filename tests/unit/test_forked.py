# SPDX-License-Identifier: Apache-2.0
"""Scripts of Yosys in forked processes: each is as one in a new process, and nothing is left of one that was ended."""

import os
import signal
import threading
import time

import pytest

from modwright.base.errors import ToolFailedError
from modwright.rtl import forked
from modwright.rtl.verilog import run_yosys


@pytest.fixture(autouse=True)
def own_servers():
    """Those of the test alone, which are gone at its end."""
    forked.end_servers()
    yield
    forked.end_servers()


def test_each_script_has_its_own_design_environment_and_folder(tmp_path, monkeypatch):
    """A design of the first is not in the second; file names are relative to the folder."""
    assert "module made" in run_yosys("read_verilog made.v\nwrite_verilog -\n", folder=filled(tmp_path))
    assert "made" not in run_yosys("write_verilog -\n").replace(str(tmp_path), "")
    monkeypatch.setenv("OF_THE_SECOND", "some words")
    assert "some words" in run_yosys("exec -- echo $OF_THE_SECOND\n")
    monkeypatch.delenv("OF_THE_SECOND")
    assert "some words" not in run_yosys("exec -- echo $OF_THE_SECOND\n")


def filled(folder):
    (folder / "made.v").write_text("module made(input a, output b); assign b = ~a; endmodule\n")
    return folder


def test_a_log_is_whole():
    lines = [f"line {number} {'x' * 60}" for number in range(3000)]
    log = run_yosys("".join(f"log {line}\n" for line in lines))
    assert [line for line in log.splitlines() if line.startswith("line")] == lines


def test_a_script_after_an_error_is_right():
    with pytest.raises(ToolFailedError, match="No such command: nothing"):
        run_yosys("nothing\n")
    assert "well" in run_yosys("log well\n")


def test_a_server_that_was_killed_is_replaced():
    with pytest.raises(ToolFailedError, match="killed by signal 9"):
        run_yosys("exec -- kill -9 $(ps -o ppid= -p $PPID)\n")
    assert "well" in run_yosys("log well\n")


@pytest.mark.parametrize("idle", [0, 1])
def test_an_interrupt_ends_the_script(tmp_path, idle):
    """Whether its server was there before or not."""

    def interrupt(number, frame):
        raise KeyboardInterrupt

    if idle:
        run_yosys("log well\n")
    former = signal.signal(signal.SIGALRM, interrupt)
    mark = tmp_path / "begun"
    watch = threading.Thread(target=alarm_when, args=(mark,))
    watch.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_yosys(f"exec -- touch {mark}\n" + "exec -- sleep 0.2\n" * 40 + f"exec -- rm {mark}\n")
    finally:
        watch.join()
        signal.signal(signal.SIGALRM, former)
    assert mark.exists()
    assert "well" in run_yosys("log well\n")


def alarm_when(mark):
    while not mark.exists():
        time.sleep(0.01)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)


def test_several_at_once():
    found = {}
    threads = [
        threading.Thread(target=lambda n=n: found.update({n: run_yosys(f"exec -- sleep 0.2\nlog number {n}\n")}))
        for n in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f"number {n}" in found[n] for n in range(3))


def test_a_forked_process_starts_its_own():
    """Two processes on one server would read each other's answers."""
    run_yosys("log well\n")
    child = os.fork()
    if not child:
        code = 1
        try:
            code = 0 if "of the child" in run_yosys("log of the child\n") else 1
            forked.end_servers()
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert "of the parent" in run_yosys("log of the parent\n")
