# SPDX-License-Identifier: Apache-2.0
"""Packages for tests, and what reads their files."""

import os
import re
import subprocess
import sys

import pytest

from modwright.deliver import package_files, write_folder
from modwright.prepared.registry import all_cores

from ..tools import require_module
from .devices import core

WHOLE = {
    "modmul/orup-dsp": {"options": {"bits": 256}},
    "modinv/binary-divstep": {"field": "P-256"},
    "modexp/orup-dsp-window": {"options": {"bits": 256}},
    "ecpm/ladder": {"curve": "P-256"},
}
"""Packages at a width at which they are used. Of powers of 512 bits, a bench of 132,000 cycles did not end in
Icarus in half an hour."""


def whole():
    """The packages of `WHOLE`, with a mark."""
    return [pytest.param((name, WHOLE[name]), id=f"{name} whole", marks=pytest.mark.campaign) for name in WHOLE]


def chosen():
    """One core of each function on every run, the others with a mark; of exponentiation, a window, and of products one
    in residues as well.

    Of exponentiators, every method over one multiplier and a window over every other: files follow from the streams.
    """
    rows, seen = [], set()
    for name, known in all_cores().items():
        if name.startswith("modexp/") and not name.startswith("modexp/booth8-csa-") and not name.endswith("-window"):
            continue
        kind = (known.function, name == "modmul/sor-lean")
        first = kind not in seen and (not name.startswith("modexp/") or name == "modexp/booth8-csa-window")
        seen |= {kind} if first else set()
        rows.append(
            pytest.param((name, known.trials[0].document), id=name, marks=[] if first else [pytest.mark.campaign])
        )
    return rows


def prepared_and_folder(name, document, store, tmp_path_factory):
    prepared = core(name, store, **document)
    folder = tmp_path_factory.mktemp("package") / "out"
    write_folder(folder, package_files(prepared), prepared.digest)
    return prepared, folder


def sources(prepared, folder, *more):
    """The Verilog of the core with its device cells, and further files."""
    cells = [p for p in folder.glob("*.v") if not p.name.startswith(prepared.top)]
    return [folder / f"{prepared.top}.v", *cells, *(folder / name for name in more)]


def verilog_ports(folder, module):
    """Direction and width of each port of a module."""
    text = (folder / f"{module}.v").read_text()
    body = re.search(rf"^module {module}\(.*?^endmodule", text, flags=re.MULTILINE | re.DOTALL).group()
    found = {}
    for direction, high, name in re.findall(r"^  (input|output) (?:\[(\d+):0\] )?(\w+) ?;", body, flags=re.MULTILINE):
        found[name] = direction, int(high or 0) + 1
    return found


def tcl_of(script, *arguments):
    """Calls of the commands of a vendor's tool in a script: they are only written down."""
    tkinter = require_module("tkinter")
    tcl = tkinter.Tcl()
    tcl.eval(r"set calls {}; proc package args {}; proc unknown args { append ::calls [join $args \t] \n }")
    tcl.setvar("argv", arguments)
    tcl.eval(f"source {{{script}}}")
    return [tuple(call.split("\t")) for call in str(tcl.getvar("calls")).splitlines()]


# --- the checker of the certificate


def check(folder, path):
    """Exit code of the checker, run where nothing of ours is installed."""
    command = [sys.executable, "-I", "-S", folder / "check_certificate.py", path]
    return subprocess.run(command, cwd="/", capture_output=True, text=True, check=False).returncode


def run_cocotb(prepared, folder, simulator, tmp_path, environment=None):
    """Exit code and log of the cocotb bench."""
    command = [sys.executable, folder / f"test_{prepared.top}.py", simulator]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


# --- the same bytes


def generate(folder, cache, seed, *words):
    environment = {**os.environ, "PYTHONHASHSEED": seed, "MODWRIGHT_CACHE": str(cache)}
    command = [sys.executable, "-m", "modwright", "generate", *words, "-o", folder]
    subprocess.run(command, env=environment, check=True, capture_output=True)
