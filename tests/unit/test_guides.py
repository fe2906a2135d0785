# SPDX-License-Identifier: Apache-2.0
"""The pages for each kind of user, followed to the letter: every block of code is a file that is written, or is run.

Tools of vendors, which are not here, are played by programs that note their words; the scripts that they are given run
in a Tcl interpreter, with the vendor's commands noted, and every file that these name is there.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from modwright.cli import app

from ..tools import require
from .packages import tcl_of

ROOT = Path(__file__).parents[2]
GROUP = typer.main.get_command(app)
assert isinstance(GROUP, TyperGroup)
COMMANDS = GROUP.commands
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?:/\* |# )([\w.-]+\.\w+)(?: \*/)?\n")
VENDORS = ("vivado", "quartus_sh", "gw_sh")
TOOLS = {
    "bare-metal": ("ziglang",),
    "linux": ("cc", "compiled-simulator"),
    "server": ("openssl", "libssl-dev", "make", "nginx", "compiled-simulator"),
    "vivado": ("tkinter",),
    "quartus": ("tkinter",),
    "gowin": ("tkinter", "make"),
    "litex": ("litex",),
    "fusesoc": ("fusesoc", "iverilog"),
}
COSTLY = ("linux", "server", "gowin", "litex", "fusesoc")
"""Pages that compile a device, or build or place a design."""
SAYS = {
    "linux": "\n15\n",
    "server": "cert.pem: OK",
    "gowin": "achieved",
    "litex": "modmul_booth8_csa_wb",
    "fusesoc": "PASS",
}
"""What the output of a page has in it."""


def blocks(page):
    """Language and text of every block of code."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    found = BLOCK.findall(text)
    assert len(found) == text.count("```") // 2  # each has a language
    return found


def script(page, folder):
    """Write the files of a page, and return its commands, each block in a shell that begins in the folder again."""
    lines = ["set -eu -o pipefail"]
    for language, text in blocks(page):
        if language == "sh":
            lines.append(f"cd {shlex.quote(str(folder))}\n{text}")
        else:
            name = NAME.match(text)
            assert name is not None, f"{page}: a file without its name: {text[:40]}"
            (folder / name[1]).write_text(text, encoding="utf-8")
    return "\n".join(lines)


def follow(page, folder, store):
    """Follow a page; what its commands print."""
    tools = folder / "tools"
    tools.mkdir()
    for vendor in VENDORS:
        (tools / vendor).write_text('#!/bin/sh\necho "$(basename "$0") $PWD $*" >> "$NOTES"\n')
        (tools / vendor).chmod(0o755)
    work = folder / "work"
    work.mkdir()
    path = f"{tools}:{Path(os.environ.get('VIRTUAL_ENV', ROOT / '.venv')) / 'bin'}:{os.environ['PATH']}:/usr/sbin"
    settings = {"PATH": path, "NOTES": str(folder / "notes"), "MODWRIGHT_CACHE": str(store.root), "HOME": str(folder)}
    done = subprocess.run(
        ["bash", "-m", "-c", script(page, work)],
        env={**os.environ, **settings}, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.campaign] if page in COSTLY else []) for page in TOOLS]
)
def test_a_page_is_followed(page, tmp_path, store):
    require(*TOOLS[page])
    printed = follow(page, tmp_path, store)
    assert SAYS.get(page, "") in "\n" + printed
    notes = tmp_path / "notes"
    assert notes.exists() == (page in ("vivado", "quartus", "gowin"))
    for line in notes.read_text().splitlines() if notes.exists() else ():
        vendor, folder, *words = line.split()
        given = words[{"vivado": 3, "quartus_sh": 1, "gw_sh": 0}[vendor] :]
        name = given.pop(0)
        files = [word for call in tcl_of(Path(folder) / name, *given[given[:1] == ["-tclargs"] :]) for word in call[1:]]
        named = re.findall(r"[\w./-]+\.(?:v|xdc|sdc|cst)\b", " ".join(files))
        assert len(named) >= 7 and all(Path(file).is_file() for file in named)


@pytest.mark.parametrize("page", TOOLS)
def test_the_commands_are_understood(page):
    """Those of the costly pages, too, in every run."""
    text = "".join(text for language, text in blocks(page) if language == "sh").replace("\\\n", " ")
    commands = re.findall(r"^modwright [^|&>\n]+", text, re.MULTILINE)
    assert commands
    for command in commands:
        _, name, *words = shlex.split(command)
        COMMANDS[name].make_context(name, words)
