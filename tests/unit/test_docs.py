# SPDX-License-Identifier: Apache-2.0
"""The documentation says what is so: links, commands, code, pictures, files, names."""

import ast
import importlib.util
import re
import shlex
import textwrap
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from modwright import __version__
from modwright.cli import app
from modwright.cli.common import select
from modwright.measurement.rows import rows_of
from modwright.prepared.registry import all_cores

from .test_bench_tables import measure
from .test_bench_tables import tables as bench_tables
from .test_cxxrtl import WITH_MEMORY
from .test_pipeline import MADE

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "bench/*.md", "src/modwright/**/*.md", "tests/**/*.md")
    for path in ROOT.glob(pattern)
)
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
GROUP = typer.main.get_command(app)
assert isinstance(GROUP, TyperGroup)
COMMANDS = GROUP.commands


def ids(path):
    return path.relative_to(ROOT).as_posix()


def text_of(path):
    return path.read_text(encoding="utf-8")


def load_script(path):
    """A script as a module."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", PAGES, ids=ids)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text_of(path)):
        if "://" not in target:
            assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", PAGES, ids=ids)
def test_files_that_are_named_are_there(path):
    """Paths in code quotes that start with a folder of the project."""
    folders = "|".join(p.name for p in ROOT.iterdir() if p.is_dir() and p.name not in ("build", "dist"))
    for name in re.findall(rf"`((?:{folders})/[\w./-]*)`", text_of(path)):
        assert (ROOT / name).exists(), name


def code(path):
    """The lines of indented and fenced code, continued lines joined, comments dropped."""
    text = text_of(path).replace("\\\n", " ")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    fenced = "".join(block for language, block in blocks if not language)  # those of guides are run
    indented = "\n".join(re.findall(r"^ {4}(\S.*)$", text, flags=re.MULTILINE))
    inline = "\n".join(
        line for line in re.findall(r"`([^`\n]+)`", text) if re.match(r"make \w|modwright \w+ .*/", line)
    )
    return [line.partition(" #")[0].strip() for line in f"{fenced}\n{indented}\n{inline}".splitlines()]


def command_lines(word):
    """(page, words) of every line of code that starts with a word."""
    found = [(path, shlex.split(line)) for path in PAGES for line in code(path) if line.split(" ")[0] == word]
    return [pytest.param(words, id=f"{ids(path)}: {shlex.join(words)}") for path, words in found]


@pytest.mark.parametrize("words", command_lines("modwright"))
def test_commands_are_understood(words):
    command = COMMANDS[words[1]]
    given = command.make_context(words[1], words[2:]).params
    core = given.get("core")
    if core is not None and core not in all_cores():
        assert (ROOT / core).is_file()
    elif core is not None and "field" in given:
        names = (given["field"], given["modulus"], given["curve"], given.get("target"), given["option"])
        select(given["core"], *names)


@pytest.mark.parametrize("words", command_lines("make"))
def test_targets_of_make_are_there(words):
    assert re.search(rf"^{words[1]}:", MAKEFILE, flags=re.MULTILINE)


@pytest.mark.parametrize("words", command_lines("python"))
def test_scripts_are_understood(words):
    parsers = {"bench/measure.py": measure.parser, "bench/tables.py": bench_tables.parser}
    if words[1] in parsers:
        parsers[words[1]]().parse_args(words[2:])
    else:
        assert words[1] == "-m" or (ROOT / words[1]).is_file()


def test_pages_hold_commands():
    """That the three tests above have something to test."""
    assert len(command_lines("modwright")) >= 8
    assert len(command_lines("make")) >= 6
    assert len(command_lines("python")) >= 4


@pytest.fixture(scope="module")
def pictures():
    return load_script(ROOT / "docs" / "pictures" / "draw.py").pictures()


DRAWN = ("schedule-sor-1m-p.svg", "growth.svg")
"""Named here, as drawing them takes longer than collecting all tests."""


def test_every_picture_that_is_drawn_is_compared(pictures):
    assert tuple(pictures) == DRAWN


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_are_what_the_code_draws(name, pictures):
    assert text_of(ROOT / "docs" / "pictures" / name) == pictures[name], "run python docs/pictures/draw.py"
    pages = [README, *(text_of(path) for path in (ROOT / "docs").glob("*.md"))]
    assert any(f"pictures/{name})" in page for page in pages)


def test_the_first_page_lists_every_file_of_a_build():
    table = FIRST.partition("## What a build leaves")[2].partition("\n## ")[0]
    rows = "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`([\w.]+)`", rows)) == {name.replace("_toy", "_csa") for name in MADE}


def binary_before_residues(rows, cost):
    """Whether the cheapest binary core costs less than any core of residues."""
    least = {name: min(cost(r) for r in rows if r.core.startswith(name)) for name in ("binary", "sor")}
    return least["binary"] < least["sor"]


def test_what_is_said_of_binary_multipliers_is_measured():
    rows = [r for r in rows_of(bench_tables.sources().results.values()) if r.modulus == "secp256k1"]
    placed, xc7 = [r for r in rows if r.placed], [r for r in rows if r.target == "xc7"]
    assert binary_before_residues(placed, lambda r: r.resources["dsp"] * r.latency_ns)
    assert binary_before_residues(placed, lambda r: r.resources["dsp"] * r.interval_ns)
    assert binary_before_residues(xc7, lambda r: r.resources["dsp"] * r.schedule["interval_cycles"])


def test_python_of_the_first_page_runs(capsys):
    (block,) = re.findall(r"^```python\n(.*?)^```$", FIRST, flags=re.MULTILINE | re.DOTALL)
    exec(compile(block, "index.md", "exec"), {})
    latency, interval, failing = capsys.readouterr().out.split()
    assert int(latency) >= int(interval) > 0
    assert failing == "None"


SOURCE = ROOT / "src" / "modwright"
BLAKLEY = sorted((SOURCE / "cores" / "modmul" / "blakley").glob("*.py"))
MODADD = [SOURCE / "functions" / "modadd.py", *sorted((SOURCE / "cores" / "modadd").rglob("*.py"))]


@pytest.mark.parametrize(
    ("page", "files", "count"), [("adding-a-core.md", BLAKLEY, 14), ("adding-a-function.md", MODADD, 7)]
)
def test_a_guide_quotes_its_core(page, files, count):
    blocks = re.findall(r"^```python\n(.*?)^```$", text_of(ROOT / "docs" / page), flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == count
    for quote in blocks:
        assert any(quote in text_of(path) for path in files), quote


def test_the_guide_quotes_the_driver():
    guide = text_of(ROOT / "docs" / "adding-a-function.md")
    (block,) = re.findall(r"^ {4}int mw_modadd(?:.*\n {4})+}\n", guide, flags=re.MULTILINE)
    assert textwrap.dedent(block) in text_of(SOURCE / "driver" / "c" / "modwright.c")


def lines_counted(source):
    """Lines that are neither blank, a comment, an import nor a docstring."""
    left_out = set()
    for node in ast.walk(ast.parse(source)):
        docstring = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
        part = node.body[0] if docstring else node if isinstance(node, ast.Import | ast.ImportFrom) else None
        if part is not None:
            left_out |= set(range(part.lineno, part.end_lineno + 1))
    lines = enumerate(source.splitlines(), 1)
    return sum(bool(line.strip()) and line.strip()[0] != "#" and number not in left_out for number, line in lines)


def test_the_core_of_the_guide_is_small():
    """At most 110 lines in all its files; the guide says how many, and how they are counted."""
    assert lines_counted('"""A."""\n\nimport a\n# b\nclass C:\n    """C,\n    d."""\n\n    e = 1\n') == 2
    count = sum(lines_counted(text_of(path)) for path in BLAKLEY)
    assert count <= 110
    assert f"and blank lines they have {count} lines of Python" in text_of(ROOT / "docs" / "adding-a-core.md")


def test_changelog_names_this_version():
    changes = text_of(ROOT / "CHANGELOG.md")
    assert re.findall(r"^## \[(.+?)\]", changes, flags=re.MULTILINE)[0] == __version__
    kinds = set(re.findall(r"^### (.+)$", changes, flags=re.MULTILINE))
    assert kinds and kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_changelog_names_every_command():
    changes = text_of(ROOT / "CHANGELOG.md")
    for name in COMMANDS:
        assert f"`{name}`" in changes


def test_the_page_says_how_many_memories_are_checked():
    page = text_of(ROOT / "docs" / "integration.md")
    assert f"with its assertions, for {len(WITH_MEMORY)} cores with memories" in page
