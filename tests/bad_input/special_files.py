# SPDX-License-Identifier: Apache-2.0
"""FIFOs, devices and sockets where a file is read: refused at once, since nobody may ever write to them."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

from .case import Case

SECONDS = 10.0
"""Refusing takes no time; the rest is what the command does before, such as deriving parameters."""

CSA = ("modmul/csa", "-O", "bits=8")
WORK = ("--function", "modmul", "--bits", "8")
READS: dict[str, tuple[str, ...]] = {
    "a request of params": ("params", "{}.yaml"),
    "a request of show": ("show", "{}.yaml"),
    "a request of generate": ("generate", "{}.yaml", "-o", "out"),
    "a request of simulate": ("simulate", "{}.yaml", "--random", "1"),
    "a request of prove": ("prove", "{}.yaml"),
    "a request of synth": ("synth", "{}.yaml"),
    "a request of build": ("build", "{}.yaml", "-o", "out"),
    "a request of emulate": ("emulate", "{}.yaml", "--listen", "unix:device"),
    "a request of wave": ("wave", "{}.yaml", "-o", "out"),
    "a request of campaign": ("campaign", "{}.yaml", "-n", "5"),
    "a request of mutate": ("mutate", "{}.yaml", "--mutants", "1"),
    "a request of vivado export": ("vivado", "export", "{}.yaml", "-o", "out"),
    "a request without the end of one": ("params", "{}"),
    "a core for RSA": ("provider", "--rsa", "{}.yaml", "-o", "out"),
    "a core for curves": ("provider", "--ec", "{}.yaml", "-o", "out"),
    "a core for ECDSA": ("provider", "--ecdsa", "{}.yaml", "-o", "out"),
    "vectors": ("simulate", *CSA, "--vectors", "{}"),
    "a modulus": ("params", "modmul/binary", "-m", "./{}"),
    "a key": ("rsa", "{}"),
    "a passphrase": ("rsa", "{}", "--passphrase-file", "{}"),
    "cells": ("synth", *CSA, "-t", "asic", "--liberty", "{}"),
    "cells for Verilog": ("synth-rtl", "good.v", "--top", "m", "-t", "asic", "--liberty", "{}"),
    "Verilog": ("synth-rtl", "{}", "--top", "m"),
    "SystemVerilog": ("synth-rtl", "{}.sv", "--top", "m"),
    "a source of two": ("synth-rtl", "good.v", "{}", "--top", "m"),
    "reports of Vivado": ("vivado", "import", "{}"),
    "the facts of a project": ("vivado", "import", "{}.project"),
    "a row": ("compare", *WORK, "--rtl", "mine={}"),
    "a database": ("explore", *WORK, "--database", "{}", "--points", "1"),
}

KINDS = ("fifo", "device", "socket")
ENDS = ("", ".yaml", ".sv")
GOOD = "module m(input clk, input a, output reg z); always @(posedge clk) z <= a; endmodule\n"


def _make(kind: str, path: Path) -> None:
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))


def _specials(folder: Path) -> None:
    (folder / "good.v").write_text(GOOD)
    for kind in KINDS:
        for end in ENDS:
            _make(kind, folder / f"{kind}{end}")
        project = folder / f"{kind}.project"
        project.mkdir()
        _make(kind, project / "modwright.json")


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for name, words in READS.items():
        for kind in KINDS:
            given = tuple(word.format(kind) for word in words)
            yield Case(f"{name}: {kind}", given, before=_specials, seconds=SECONDS)
