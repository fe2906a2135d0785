# SPDX-License-Identifier: Apache-2.0
"""The choice of a simulator, and what is compiled when."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from modwright.base.errors import ToolFailedError, ToolMissingError, UsageError
from modwright.base.store import Store
from modwright.cli import main
from modwright.simulate import Stimulus, available_simulator, compiled, run, simulator, toolchain
from modwright.simulate.simulator import open_session
from modwright.simulate.toolchain import FAST, LIGHT, QUICK

from .simulator_cases import needs_compiler, toy, words


def test_unknown_simulator(store):
    with pytest.raises(UsageError, match="unknown simulator 'fast'"):
        run(toy(store), Stimulus([0]), "fast")


def test_without_a_compiler_auto_is_pure(store, monkeypatch):
    monkeypatch.setattr(toolchain, "find_compiler", lambda: None)
    assert available_simulator() == "pure"
    assert len(run(toy(store), Stimulus(words(3))).words) == 3
    with pytest.raises(ToolMissingError, match=r"C\+\+ compiler"):
        run(toy(store), Stimulus([0]), "compiled")


def test_without_verilator_auto_is_pure(monkeypatch):
    monkeypatch.setattr(toolchain, "verilator_root", lambda: None)
    assert available_simulator() == "pure"


@needs_compiler
def test_a_core_is_compiled_once(store, monkeypatch):
    first = compiled.build(toy(store, latency=7, interval=3))
    monkeypatch.setattr(compiled, "run_tool", lambda *_: pytest.fail("compiled again"))
    assert compiled.build(toy(store, latency=7, interval=3)) == first
    assert sorted(path.name for path in first.parent.iterdir()) == ["core.so", "digests.json"]


@needs_compiler
def test_a_long_run_is_compiled_with_more_effort_and_serves_a_short_one(tmp_path, monkeypatch):
    prepared = toy(Store(tmp_path / "store"), latency=2)
    seen = []
    work = compiled.compile_units
    monkeypatch.setattr(
        compiled,
        "compile_units",
        lambda store, units, cwd, **words: seen.append(units) or work(store, units, cwd, **words),
    )
    lengths = (compiled.SHORT_RUN - 1, compiled.LONG_RUN - 1, compiled.LONG_RUN)
    libraries = [compiled.build(prepared, cycles) for cycles in lengths]
    assert len(set(libraries)) == 3
    assert [[level for _, level in units] for units in seen] == [[QUICK], [LIGHT], [FAST]]
    assert compiled.build(prepared, compiled.LONG_RUN) == libraries[2]
    for library in libraries:
        assert compiled.build(prepared, 1) == library, "the least effort that is there"
        shutil.rmtree(library.parent)


@needs_compiler
def test_a_library_for_short_runs_serves_longer_ones_until_another_one_pays(tmp_path, monkeypatch):
    prepared = toy(Store(tmp_path / "store"), latency=2)
    short = compiled.build(prepared, compiled.SHORT_RUN - 1)
    assert compiled.build(prepared, compiled.AGAIN - 1) == short
    units = []
    monkeypatch.setattr(compiled, "compile_units", lambda store, some, *_, **__: units.extend(some) or [])
    monkeypatch.setattr(compiled, "link", lambda objects, target, cwd: target.touch())
    assert compiled.build(prepared, compiled.AGAIN) != short
    assert {level for _, level in units} == {LIGHT}


@pytest.mark.parametrize(
    ("chained", "operations", "cycles"), [(False, 1, 4), (False, 11, 94), (True, 11, 44), (True, None, 10**7)]
)
def test_expected_cycles(store, monkeypatch, chained, operations, cycles):
    """Latency 4 and interval 9: 10 intervals or latencies, and one latency."""
    given = []

    def opened(*_, cycles):
        given.append(cycles)
        return SimpleNamespace(close=int)

    monkeypatch.setattr(simulator, "CompiledSession", opened)
    with open_session(toy(store, latency=4, interval=9), "compiled", chained=chained, operations=operations):
        pass
    assert given == [cycles]


@needs_compiler
def test_a_precompiled_header_that_the_compiler_refuses_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(toolchain, "_precompiled", lambda *_: ["-include", tmp_path / "absent.h"])
    prepared = toy(Store(tmp_path / "store"), latency=2)
    assert run(prepared, Stimulus(words(3)), "compiled") == run(prepared, Stimulus(words(3)), "pure")


@needs_compiler
def test_what_does_not_depend_on_the_core_is_kept_in_the_folder_of_the_runtime(tmp_path, monkeypatch):
    monkeypatch.setattr(toolchain, "run_tool", lambda command, *_: Path(command[-1]).write_bytes(b""))
    own, shared = Store(tmp_path / "own"), tmp_path / "shared"
    monkeypatch.setenv("MODWRIGHT_RUNTIME", str(shared))
    assert {path.parents[2] for path in toolchain.runtime(own)} == {shared}
    assert not own.root.exists()
    monkeypatch.delenv("MODWRIGHT_RUNTIME")
    assert {path.parents[2] for path in toolchain.runtime(own)} == {own.root}
    assert {path.name for path in own.root.iterdir()} == {"verilator-runtime"}


@needs_compiler
def test_the_header_is_precompiled_from_the_second_library_on(tmp_path, monkeypatch):
    """One simulation alone ends sooner without. What the compiler writes does not matter here."""

    def compiles(command, *_):
        if "-o" in command:
            Path(command[-1] if command[-2] == "-o" else command[command.index("-o") + 1]).write_bytes(b"")

    for module in (compiled, toolchain):
        monkeypatch.setattr(module, "run_tool", compiles)
    monkeypatch.delenv("MODWRIGHT_RUNTIME", raising=False)
    own = Store(tmp_path / "own")
    compiled.build(toy(own, latency=2))
    assert {path.name for path in own.root.iterdir()} == {"verilog", "simulator", "verilator-runtime"}
    compiled.build(toy(own, latency=3))
    assert (own.root / "verilator-header").is_dir()


@needs_compiler
def test_what_every_simulation_needs_is_compiled_ahead(tmp_path, monkeypatch):
    monkeypatch.setattr(toolchain, "run_tool", lambda command, *_: Path(command[-1]).write_bytes(b""))
    monkeypatch.delenv("MODWRIGHT_RUNTIME", raising=False)
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path))
    assert main(["doctor", "--prepare"]) in (0, 3)  # 3 where a tool that is needed elsewhere is missing
    assert {path.name for path in tmp_path.iterdir()} == {"verilator-runtime", "verilator-header"}


@needs_compiler
def test_a_header_that_cannot_be_precompiled_is_tried_once(tmp_path, monkeypatch):
    tried = []

    def fails(command, *_):
        tried.append(command)
        raise ToolFailedError("no")

    monkeypatch.setattr(toolchain, "run_tool", fails)
    monkeypatch.delenv("MODWRIGHT_RUNTIME")
    root, compiler = toolchain.tools()
    for _ in range(2):
        assert toolchain._precompiled(Store(tmp_path), root, compiler, QUICK) == []
    assert len(tried) == 1


@needs_compiler
def test_the_precompiled_header_lacks_whole_functions_on_queues():
    """Each from its first line to its last, and no template."""
    root, _ = toolchain.tools()
    text = (root / "include" / toolchain._FUNCTIONS).read_text()
    removed = toolchain._ON_QUEUES.findall(text)
    assert len(removed) > 10
    for one in removed:
        assert one.startswith("static inline ")
        assert one.count("{") == one.count("}") > 0
        assert one.count("static inline") == 1
    rest = toolchain._ON_QUEUES.sub("", text)
    assert text.count("template <") == rest.count("template <")
    assert text.count("\n}\n") == rest.count("\n}\n") + len(removed)


@needs_compiler
def test_a_linker_that_the_compiler_refuses_is_left_out(tmp_path, monkeypatch):
    tried = []

    def links(command, *_):
        tried.append("-fuse-ld=gold" in command)
        if tried[-1]:
            raise ToolFailedError("no such linker")

    monkeypatch.setattr(toolchain.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(toolchain, "run_tool", links)
    monkeypatch.setattr(toolchain, "tools", lambda: (tmp_path, toolchain.Compiler(("c++",), "c++ 12")))
    toolchain.link([], tmp_path / "core.so", tmp_path)
    assert tried == [True, False]


@pytest.mark.parametrize(("given", "processes"), [("", 2), ("1", 1), ("7", 7), ("0", 2), ("many", 2)])
def test_number_of_compilers(monkeypatch, given, processes):
    monkeypatch.setenv("MODWRIGHT_COMPILERS", given)
    assert toolchain._processes() == processes


@pytest.mark.parametrize(("level", "once"), [(FAST, LIGHT), (LIGHT, QUICK), (QUICK, QUICK)])
def test_large_cores_are_compiled_in_parts(tmp_path, monkeypatch, level, once):
    monkeypatch.setattr(compiled, "_UNIT_BYTES", 100)
    sizes = {"Vtop.cpp": 10, "Vtop__0.cpp": 80, "Vtop__1.cpp": 300, "Vtop__2.cpp": 20, "Vtop__0__Slow.cpp": 60}
    for name, size in sizes.items():
        (tmp_path / name).write_text("/" * size)
    units = [(unit.read_text(), effort) for unit, effort in compiled._units(tmp_path, level)]
    assert units == [
        ('#include "Vtop__1.cpp"\n', level),
        ('#include "Vtop.cpp"\n#include "Vtop__0.cpp"\n', level),
        ('#include "Vtop__0__Slow.cpp"\n', once),
        ('#include "Vtop__2.cpp"\n', level),
    ]
