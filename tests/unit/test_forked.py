# SPDX-License-Identifier: Apache-2.0
"""Scripts of Yosys in forked processes: each is as one in a new process, and nothing is left of one that was ended."""

import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modwright.base.errors import ToolFailedError
from modwright.contract import Field, Payload
from modwright.prove import abc, smt
from modwright.prove.dependence import search_verilog
from modwright.rtl import cells, forked
from modwright.rtl.verilog import emit, run_yosys


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


MAPPED = "read_verilog made.v\nsynth -top made\nabc -g AND\nwrite_verilog mapped.v\n"


class Inverter(wiring.Component):
    """The opposite of its input, a cycle later."""

    a: In(1)
    b: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.b.eq(~self.a)
        return m


@pytest.fixture
def two_words(tmp_path, monkeypatch):
    """A folder for temporary files with a blank in its name."""
    folder = tmp_path / "two words"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def test_a_blank_in_names_of_folders_is_nothing_to_yosys_and_abc(two_words):
    """Their own temporary files are in the folder where they run, and gone at the end."""
    assert "ABC RESULTS" in run_yosys(MAPPED, folder=filled(two_words))
    assert sorted(path.name for path in two_words.iterdir()) == ["made.v", "mapped.v"]


def test_a_blank_in_names_of_folders_is_nothing_to_scripts(two_words, monkeypatch):
    module, a, b = Module(), Signal(), Signal()
    module.d.comb += b.eq(~a)
    assert "module inverter" in emit(Inverter(), "inverter")
    assert "lemma_n" in smt.models_of([(module, [a, b])])[0]
    model = two_words / "model.v"
    model.write_text("module model(input a); endmodule\n")
    monkeypatch.setattr(cells, "used_in", lambda text: [model])
    assert abc.Bench.of(Inverter()).netlist["ports"]
    text = "module made(input clk, input [1:0] i__payload, output reg b); always @(posedge clk) b <= ~b; endmodule\n"
    assert not search_verilog(text, "made", Payload((Field("k", 2),))).dependents


def test_a_folder_for_temporary_files_that_is_missing(tmp_path, monkeypatch):
    """Python takes another one then, and Yosys the same."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    assert "ABC RESULTS" in run_yosys(MAPPED, folder=filled(tmp_path))


@pytest.mark.parametrize("inside", [True, False])
def test_temporary_files_of_a_run_that_failed_are_gone(tmp_path, inside):
    folder = filled(tmp_path) if inside else None
    mark = tmp_path / "where"
    with pytest.raises(ToolFailedError):
        run_yosys(f"exec -- touch $TMPDIR/left && realpath $TMPDIR/left > {mark}\nnothing\n", folder=folder)
    left = Path(mark.read_text().strip())
    assert left.is_relative_to(tmp_path) is inside
    assert not left.parent.exists()


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
