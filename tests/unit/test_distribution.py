# SPDX-License-Identifier: Apache-2.0
"""What is installed: the wheel, the generator for FuseSoC, completion, and help with examples."""

import os
import shlex
import subprocess
import sys
import venv
from pathlib import Path

import pytest
import typer
import yaml
from typer.core import TyperGroup

from modwright.cli import app
from modwright.deliver import FUSESOC

from ..tools import require

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_alone(wheel, tmp_path):
    """Installed into an empty folder, from which a package is made: no file of data is missing."""
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", target, wheel]
    subprocess.run(pip, check=True, capture_output=True)
    environment = {**os.environ, "PYTHONPATH": str(target), "MODWRIGHT_CACHE": str(tmp_path / "cache")}
    run = [sys.executable, "-m", "modwright"]

    def modwright(*words):
        done = subprocess.run(
            [*run, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = "import modwright; print(modwright.__file__)"
    found = subprocess.run([sys.executable, "-c", where], env=environment, capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()).is_relative_to(target)
    modwright("generate", "modmul/binary", "-m", "251", "-t", "generic", "-o", "out")
    assert (tmp_path / "out" / "modwright.c").is_file()
    assert (Path(modwright("fusesoc").strip()) / "generator.py").is_file()
    assert "csa, sky130" in modwright("compare", "--function", "modmul", "--bits", "256", "-t", "asic")
    names = {p.relative_to(ROOT / "src").as_posix() for p in (ROOT / "src").rglob("*") if p.is_file()}
    assert {n for n in names if "__pycache__" not in n} <= {
        p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()
    }


@pytest.mark.campaign
def test_the_wheel_in_a_clean_environment(wheel, tmp_path):
    """With its dependencies from PyPI, and nothing else."""
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    environment = {"PATH": "/usr/bin:/bin", "MODWRIGHT_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    words = [tmp_path / "env" / "bin" / "modwright", "simulate", "modmul/binary", "-m", "251", "--random", "100"]
    subprocess.run(words, cwd=tmp_path, env=environment, check=True)


# --- FuseSoC's generator


def consumer(folder, **parameters):
    """A FuseSoC core that needs a package."""
    document = {
        "name": "::consumer:0",
        "filesets": {"rtl": {"depend": ["modwright:generators:modwright"]}},
        "generate": {"product": {"generator": "modwright", "parameters": parameters}},
        "targets": {
            "default": {"filesets": ["rtl"], "generate": ["product"]},
            "lint": {
                "filesets": ["rtl"],
                "generate": ["product"],
                "toplevel": f"{parameters['core'].replace('/', '_').replace('-', '_')}_axil",
                "default_tool": "verilator",
                "tools": {"verilator": {"mode": "lint-only"}},
            },
        },
    }
    (folder / "consumer.core").write_text("CAPI=2:\n" + yaml.safe_dump(document))


def fusesoc(folder, cache):
    """Set the target `lint` up; the log."""
    python = Path(sys.executable).parent
    environment = {**os.environ, "MODWRIGHT_CACHE": str(cache), "HOME": str(folder)}
    environment["PATH"] = f"{python}{os.pathsep}{os.environ['PATH']}"
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-m", "fusesoc.main", "--cores-root", folder, "--cores-root", FUSESOC]
    return subprocess.run(
        [*command, "run", "--target", "lint", "--setup", "::consumer:0"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_fusesoc_makes_a_package(tmp_path):
    require("fusesoc")
    consumer(tmp_path, core="modmul/binary", modulus="251", target="generic")
    done = fusesoc(tmp_path, tmp_path / "cache")
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((tmp_path / "build").rglob("modmul_binary_axil.v"))


def test_fusesoc_says_what_is_wrong(tmp_path):
    require("fusesoc")
    consumer(tmp_path, core="modmul/unknown", modulus="251")
    done = fusesoc(tmp_path, tmp_path / "cache")
    assert done.returncode != 0
    assert "no core is called" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr.partition("fusesoc")[0]


# --- the command line


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell):
    """The script for a shell, and what it asks for."""
    environment = {**os.environ, "_MODWRIGHT_COMPLETE": f"source_{shell}"}
    command = [sys.executable, "-c", "from modwright.cli import main; main([])"]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout
    assert "_MODWRIGHT_COMPLETE" in shown
    environment |= {"_MODWRIGHT_COMPLETE": f"complete_{shell}", "COMP_WORDS": "modwright gen", "COMP_CWORD": "1"}
    environment |= {"_TYPER_COMPLETE_ARGS": "modwright gen", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout
    assert "generate" in shown


def commands():
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group.commands


@pytest.mark.parametrize("name", commands())
def test_help_has_an_example(name):
    """Its words are a command line of this command."""
    text = commands()[name].help or ""
    _, sign, examples = text.partition("Example")
    assert sign, text
    lines = [line.strip() for line in examples.splitlines()[1:] if "modwright" in line]
    assert lines
    assert all(shlex.split(line) for line in lines)
    assert any(name in line for line in lines)
