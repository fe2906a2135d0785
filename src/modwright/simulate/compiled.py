# SPDX-License-Identifier: Apache-2.0
"""The library of the compiled simulator: Verilator's C++ of the emitted Verilog, with the vector loop of `session.cpp`.

Verilator writes C++, and `toolchain` makes a shared library of it, which is stored under a digest of all that
goes into it. A library is compiled at one of three levels, by how long it is going to run: see `LONG_RUN` and
`SHORT_RUN`. The loop is compiled once for all cores; `harness.cpp` is compiled with each, and shows the loop its ports.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..base.store import Store, digest_of
from ..prepared import Prepared
from ..rtl.cells import used_in
from .initial import without_initial_values
from .toolchain import FAST, LIGHT, QUICK, SESSION, compile_units, has_runtime, identity, link, run_tool, runtime, tools

HARNESS, _CORE = (Path(__file__).with_name(name) for name in ("harness.cpp", "core.h"))
_WORD_BITS = 64
LONG_RUN = 10_000_000
"""Approximate cycles from which -O3 pays, for any core: the compiler's extra time and the saving in a cycle
both grow with the core. With g++ 12, for small requests of `modmul/sor-1m-p`, `modmul/rns-hbe` and `ecpm/ladder`, -O3
takes 0.17, 0.19 and 0.24 s longer than -O1, and gives 13.9, 11.8 and 11.5 million cycles a second instead of 10.9, 10.8
and 9.2: it gains after 9, 24 and 11 million cycles."""
SHORT_RUN = 50_000
"""Cycles below which -O0 pays. With g++ 12 it takes 0.08, 0.16 and 0.17 s less than -O1 for `modmul/csa` of 61 bits, a
small request of `modmul/rns-hbe`, and `modmul/csa` of 256 bits, and gives 2.1, 1.5 and 0.56 million cycles a second
instead of 5.5, 2.9 and 3.9: it gains up to 270,000, 530,000 and 110,000 cycles. Half of the least leaves room for the
other patterns of stalls, which run on the same library."""
AGAIN = 300_000
"""Cycles below which a library at -O0 that is there serves, instead of another one at -O1. Those three take 0.31, 0.44
and 0.50 s at -O1 with Verilator, which the rates above gain after 1,050,000, 1,370,000 and 330,000 cycles."""
_SPLIT = ("--output-split", "5000", "--output-split-cfuncs", "200")
"""Verilator's measure of statements after which it starts another C++ file, and another function. One function of a
large core takes g++ long to compile, and runs slower: 200 gave 1.12 million cycles a second on 16 channels of 66 bits,
no limit 0.83, and the compiler was done in half the time."""

_UNIT_BYTES = 400_000
"""Verilator's C++ in one run of the compiler; about ten seconds of work with -O3."""

_VERILATE = [
    *("--cc", "--prefix", "Vtop", "--no-assert", "--x-assign", "fast", "--x-initial", "unique", "-O3"),
    *("-Wno-fatal", "-Wno-WIDTH", "-Wno-CASEINCOMPLETE", "-Wno-UNOPTFLAT"),
]


def build(prepared: Prepared, cycles: int = SHORT_RUN) -> Path:
    """The shared library of a core, from the store or compiled now, for a run of `cycles`; see `library`."""
    verilog = without_initial_values(prepared.verilog())
    return library(prepared.store, prepared.top, verilog, HARNESS, headers(), cycles, session=True)


def headers() -> dict[str, str]:
    """The headers that `harness.cpp` needs, by name."""
    return {_CORE.name: _CORE.read_text(encoding="utf-8")}


def library(
    store: Store,
    top: str,
    verilog: str,
    harness: Path,
    headers: Mapping[str, str],
    cycles: int = SHORT_RUN,
    *,
    session: bool = False,
) -> Path:
    """The shared library of a design with a harness in C++ around it, from the store or compiled now.

    One that was compiled for a long run serves a short one, too; and one for a short run serves runs below `AGAIN`.

    Parameters
    ----------
    store : Store
    top : str
        Name of the top module; its class is `Vtop`.
    verilog : str
    harness : Path
        C++ file that includes `Vtop.h`.
    headers : mapping
        Text of further headers by name.
    cycles : int
        Cycles that it is expected to run; from `LONG_RUN` on it is compiled with -O3, below `SHORT_RUN` with -O0.
    session : bool
        Whether the vector loop is part of it.

    Raises
    ------
    ToolMissingError
        Without Verilator or a compiler.
    ToolFailedError
        When one of them fails.
    """
    root, compiler = tools()
    code = harness.read_text(encoding="utf-8")
    cells = used_in(verilog)
    once = [SESSION] if session else []
    texts = [verilog, code, *headers.values(), *(path.read_text(encoding="utf-8") for path in [*cells, *once])]
    keys = {level: digest_of(identity(root, compiler), texts, [_VERILATE, _SPLIT, level, top]) for level in _LEVELS}
    least = sum(cycles >= bound for bound in (SHORT_RUN, LONG_RUN))
    serving = [*_LEVELS[least:], *(_LEVELS[:least] if cycles < AGAIN else [])]
    level = next((level for level in serving if store.has(_KIND, keys[level])), _LEVELS[least])

    def make(folder: Path) -> None:
        effort = _once(level)
        again = has_runtime(store, effort)  # nothing shows that another simulation will follow a first one
        objects = [path for path in runtime(store, effort) if session or path.stem != SESSION.stem]
        work = folder / "work"
        work.mkdir()
        for name, text in {"top.v": verilog, **headers, harness.name: code}.items():
            (work / name).write_text(text, encoding="utf-8")
        verilator = [root / "bin" / "verilator_bin", *_VERILATE, *_SPLIT]
        run_tool([*verilator, "--top-module", top, "--Mdir", work, "top.v", *cells], work, root)
        objects += compile_units(store, _units(work, level), work, precompiled=again)
        link(objects, folder / "core.so", work)
        shutil.rmtree(work)

    return store.folder(_KIND, keys[level], make) / "core.so"


_KIND = "simulator"
_LEVELS = (QUICK, LIGHT, FAST)


def _once(level: str) -> str:
    """Level for code that runs once, or seldom, in a library of a level."""
    return LIGHT if level == FAST else QUICK


def _units(work: Path, level: str) -> list[tuple[Path, str]]:
    """Group the C++ files into few units, each with its level; largest first, so that no long job starts last.

    Every unit costs the time of Verilator's headers again, so a small core is one unit. A large one is divided for two
    compilers, and code that runs once is compiled with less effort.
    """
    files = sorted(work.glob("*.cpp"))
    if sum(path.stat().st_size for path in files) <= _UNIT_BYTES:
        groups = [(files, level)]
    else:
        slow = [path for path in files if path.stem.endswith("__Slow")]
        fast = [path for path in files if path not in slow]
        groups = [(group, level) for group in _packed(fast)] + [(group, _once(level)) for group in _packed(slow)]
    groups.sort(key=lambda group: -sum(path.stat().st_size for path in group[0]))
    units = []
    for number, (group, effort) in enumerate(groups):
        unit = work / f"unit_{number}.cc"
        unit.write_text("".join(f'#include "{path.name}"\n' for path in group), encoding="utf-8")
        units.append((unit, effort))
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
