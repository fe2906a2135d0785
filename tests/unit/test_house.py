# SPDX-License-Identifier: Apache-2.0
"""Rules of CONTRIBUTING.md about the source, held over every file of the package."""

import ast
import inspect
import re
import tomllib
from functools import lru_cache
from pathlib import Path

import pytest

from ..sources import nodes, parsed

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "modwright"
FILES = sorted(PACKAGE.rglob("*.py"))

CONTRACT = {"core", "codec", "extremes", "inner", "model", "multiplier", "p", "parameters", "prepared", "whole"}
"""Names, as variables or attributes, of what the contract describes."""


def name_of(node):
    """The last name of an expression such as `self.prepared.parameters`, or of a call of one."""
    if isinstance(node, ast.Call):
        return name_of(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def guessed(source):
    """Calls of hasattr, and of getattr with a default."""
    for call in (node for node in nodes(source) if isinstance(node, ast.Call)):
        function = name_of(call) if isinstance(call.func, ast.Name) else None
        if function == "hasattr" or (function == "getattr" and len(call.args) == 3):
            yield call


def guesses(source):
    """Lines that ask a contract object whether it has something: its type says so."""
    return [call.lineno for call in guessed(source) if name_of(call.args[0]) in CONTRACT]


def test_nobody_asks_a_contract_object_what_it_has():
    found = {path.relative_to(PACKAGE).as_posix(): guesses(path.read_text(encoding="utf-8")) for path in FILES}
    assert len(found) == len(FILES) > 600
    assert {name: lines for name, lines in found.items() if lines} == {}


HARDWARE = ("rtl", "engines", "cores", "combine", "contract", "prove")
"""Folders with hardware, and with what is said of it."""


def test_no_missing_port_is_a_silent_zero():
    """A misspelt name of a port or a control field has to be an error."""
    found = {
        path.relative_to(PACKAGE).as_posix(): lines
        for path in FILES
        if path.relative_to(PACKAGE).parts[0] in HARDWARE
        and (lines := [call.lineno for call in guessed(path.read_text(encoding="utf-8"))])
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("getattr(prepared.parameters, 'fold_plans', None)", [1]),
        ("x = 1\nhasattr(self.p, 'cox')", [2]),
        ("getattr(prepared.core.codec(q), 'residues', ())", [1]),
        ("getattr(component, 'x')", []),
        ("getattr(sys.stdout, 'encoding', None)", []),
    ],
)
def test_a_planted_guess_is_seen(source, lines):
    assert guesses(source) == lines


def test_a_planted_silent_zero_is_seen():
    assert [call.lineno for call in guessed("m.d.comb += x.eq(getattr(control, 'second', 0))")] == [1]


# --- Any


def annotations(source):
    """Expressions that are annotations of a module."""
    for node in nodes(source):
        if isinstance(node, ast.AnnAssign) or (isinstance(node, ast.arg) and node.annotation):
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            yield node.returns


def names_in(node):
    """Names of an expression."""
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def aliases_of_any(sources):
    """Names that modules give to types with Any inside, such as `JsonObject`, to whatever depth."""
    given = [
        (target.id, names_in(node.value))
        for source in sources
        for node in parsed(source).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Subscript | ast.BinOp)
    ]
    found = {"Any"}
    while more := {name for name, inside in given if inside & found} - found:
        found |= more
    return found


def any_lines(source, names=frozenset({"Any"})):
    """Lines with an annotation that says Any, or one of these names for it."""
    every = (name for one in annotations(source) for name in ast.walk(one) if isinstance(name, ast.Name))
    return {name.lineno for name in every if name.id in names}


MOST_ANY, MOST_WITH_ALIASES = 114, 540
"""Lines of the package with Any in an annotation, and those with a name that stands for a type with Any inside next to
them: numbers that only go down."""


def test_annotations_seldom_say_any():
    sources = [path.read_text(encoding="utf-8") for path in FILES]
    assert sum(len(any_lines(source)) for source in sources) <= MOST_ANY
    names = aliases_of_any(sources)
    assert {"JsonObject", "JsonMapping", "AnyCore", "Case"} <= names
    assert sum(len(any_lines(source, names)) for source in sources) <= MOST_WITH_ALIASES


def test_a_planted_alias_of_any_is_seen():
    sources = ["Loose = dict[str, Any]\nRows = list[Loose]\nn = {}", "Fine = dict[str, int]"]
    assert aliases_of_any(sources) == {"Any", "Loose", "Rows"}
    assert any_lines("def f(x: Rows) -> Fine: ...", {"Any", "Loose", "Rows"}) == {1}


def test_a_planted_any_is_seen():
    assert any_lines("def f(\n    x: dict[str, Any],\n) -> Any:\n    y: int = x['Any']\n") == {2, 3}


# --- order

SETS = {"set", "frozenset", "intersection", "union", "difference", "symmetric_difference"}
"""Calls that give a set."""


def unordered_loops(source):
    """Lines with a loop over a set, whose order changes from run to run where its elements are strings."""
    for node in nodes(source):
        if isinstance(node, ast.For | ast.comprehension):
            of_set = isinstance(node.iter, ast.Call) and name_of(node.iter) in SETS
            if isinstance(node.iter, ast.Set | ast.SetComp) or of_set:
                yield node.iter.lineno


def test_no_hardware_is_made_in_the_order_of_a_set():
    """Names that Amaranth gives to signals count up, so that the same request would not give the same Verilog."""
    found = {
        path.relative_to(PACKAGE).as_posix(): lines
        for path in FILES
        if "hardware" in path.as_posix() or "rtl" in path.relative_to(PACKAGE).parts
        if (lines := list(unordered_loops(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_a_planted_loop_over_a_set_is_seen():
    source = "for name in {0, 1}.intersection(ports):\n    use(name)\nx = [y for y in {1, 2}]\nsorted({3})\n"
    assert sorted(unordered_loops(source)) == [1, 3]


# --- length

WRITTEN = {".py", ".pyi", ".c", ".h", ".cpp", ".js", ".css", ".j2", ".v", ".vh", ".sv", ".toml"}
"""Kinds of files that people write and read; data, pictures and pages of tables are as long as they are."""
LONGEST = 400


def too_long(folder):
    """Written files below a folder that have more lines than a file of the house may have."""
    for path in folder.rglob("*"):
        if path.suffix in WRITTEN and "data" not in path.relative_to(folder).parts:
            count = len(path.read_text(encoding="utf-8").splitlines())
            if count > LONGEST:
                yield path.relative_to(folder).as_posix(), count


@pytest.mark.parametrize("folder", ["src", "tests", "bench", "typings", "examples"])
def test_no_file_is_longer_than_400_lines(folder):
    assert dict(too_long(ROOT / folder)) == {}


def test_a_planted_long_file_is_seen(tmp_path):
    (tmp_path / "long.py").write_text("\n" * 401)
    (tmp_path / "fits.c").write_text("\n" * 400)
    assert dict(too_long(tmp_path)) == {"long.py": 401}


# --- types


def test_what_the_rest_rests_on_is_checked_strictly():
    """By `make lint`, over all of the package."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]
    assert {f"src/modwright/{name}" for name in ("base", "contract", "functions")} <= set(settings["strict"])
    assert "src" in settings["include"]
    assert not set(settings) & {"exclude", "ignore"}
    assert "pyright" in (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nlint:")[2].partition("\n\n")[0]


# --- words

PRONOUNS = {"As", "How", "It", "Its", "Of", "So", "That", "They", "Those", "What", "Whether", "Who", "Whose", "Why"}
QUESTIONS = {"When", "Where", "Which"}
VERBS = {"Gives", "Hears", "Holds", "Keeps", "Makes", "Reads", "Says", "Takes", "Told", "Writes"}
OTHERS = {"By", "Everything", "For", "From", "In", "Nothing", "On", "Only", "With", "Without"}
OPENINGS = PRONOUNS | QUESTIONS | VERBS | OTHERS
"""Words that no docstring of a public name begins with, but for `Whether` in front of what is true or false."""

ENTRIES = (PRONOUNS - {"Whether"}) | {"Which", "Hears", "Keeps", "Makes", "Says", "Told"}
"""Words that the description of no parameter, attribute or result begins with."""

SECTIONS = re.compile(r"^(?:Parameters|Attributes|Returns|Yields)\n-+\n", re.MULTILINE)
ENTRY = re.compile(r"^\S.*\n    (\w+)", re.MULTILINE)

UNENGLISH = re.compile(
    r"\bbeside\b|\bunder way\b|\bin play\b|\bplay(?:s|ed)\b|\bpatience\b|\banew\b|\bgo(?:es)? on\b"
    r"|\b(?:is|are) there (?:at|in cycle)\b|\bas (?:it|they) stand"
    r"|(?<!there )\b(?:is|are) no (?!longer|more|less|other)\w"
    r"|\b(?:asked|asks) for\b|\b(?:is|are|was|were) (?:wanted|asked)\b"
    r"|\btells? (?:it|them|\w+s) (?:apart|from)\b|\btold apart\b|\bthe clock stands\b",
    re.IGNORECASE,
)
"""Phrases of the glossary's last column that have no good use in a docstring, a comment, a message or a page."""


@lru_cache(maxsize=1)  # every rule looks at the same file in turn
def docstrings(source):
    """Line, owner and text of each docstring of a module; the owner of one below an assignment is that."""
    return list(_docstrings(source))


def _docstrings(source):
    for node in nodes(source):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for before, statement in zip([node, *node.body], node.body, strict=False):
                owner = before is node or isinstance(before, ast.Assign | ast.AnnAssign)
                if owner and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    yield statement.lineno, before, inspect.cleandoc(str(statement.value.value))


def odd_openings(source):
    """Lines of docstrings of modules and public names that begin with one of these words."""
    for line, node, text in docstrings(source):
        first = text.partition(" ")[0]
        public = isinstance(node, ast.Module) or not getattr(node, "name", "_").startswith("_")
        told = first == "Whether" and not isinstance(node, ast.Module | ast.ClassDef)
        if public and first in OPENINGS and not told:
            yield line


def elliptic(source):
    """Lines of docstrings that begin with a clause in place of a noun phrase or an imperative."""
    return (line for line, _, text in docstrings(source) if text.partition(" ")[0] in {"As", "Hears", "Of", "What"})


def odd_entries(source):
    """Lines of docstrings with a description of a parameter, attribute or result that begins with such a word."""
    for line, _, text in docstrings(source):
        if any(word in ENTRIES for part in SECTIONS.split(text)[1:] for word in ENTRY.findall(part)):
            yield line


def wordless(source):
    """Lines of docstrings whose summary is a formula or a letter, without a word that names it."""
    return [line for line, _, text in docstrings(source) if not re.search(r"[^\W\d_]{3}", text.partition("\n\n")[0])]


def odd_phrases(source):
    """Phrases that nobody who speaks English would write, in docstrings, comments, messages and other strings."""
    strings = (part.value for part in nodes(source) if isinstance(getattr(part, "value", None), str))
    texts = [*strings, *(line.partition("  # ")[2] for line in source.splitlines())]
    return [found.group() for text in texts for found in UNENGLISH.finditer(" ".join(text.split()))]


RULES = (odd_openings, odd_entries, wordless, odd_phrases)


def test_docstrings_are_plain_english():
    found = {}
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        found |= {(rule.__name__, path.relative_to(PACKAGE).as_posix()): list(rule(source)) for rule in RULES}
    assert len(found) == len(RULES) * len(FILES)
    assert {name: lines for name, lines in found.items() if lines} == {}


PROGRAMS = sorted([*(ROOT / "bench").glob("*.py"), *(ROOT / "typings").rglob("*.pyi"), *FILES])
"""Python that people run or read: the package, the programs of bench/, and types of libraries."""


def test_docstrings_of_private_names_and_programs_name_what_they_are():
    """Other openings are free there."""
    found = {path.relative_to(ROOT).as_posix(): list(elliptic(path.read_text(encoding="utf-8"))) for path in PROGRAMS}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_planted_elliptic_docstring_is_seen():
    source = 'def _f():\n    """What it is."""\n\ndef g():\n    """As a rule."""\n\ndef h():\n    """Assumed sum."""\n'
    assert list(elliptic(source)) == [2, 5]


NOT_PROSE = re.compile(
    r"^```.*?^```$|<!-- table: .*?<!-- end -->|^## Words\n.*?(?=^## |\Z)|`[^`\n]*`", re.MULTILINE | re.DOTALL
)
"""Parts of a page that are code, rendered from records, or the glossary, which quotes what it forbids."""

PAGES = sorted(path for pattern in ("*.md", "docs/*.md", "bench/*.md", "src/**/*.md") for path in ROOT.glob(pattern))


def odd_prose(text):
    """Phrases of a page that no docstring may have either."""
    return [found.group() for found in UNENGLISH.finditer(" ".join(NOT_PROSE.sub("`", text).split()))]


CODE = sorted(path for path in PACKAGE.rglob("*") if path.suffix in {".c", ".h", ".cpp", ".j2", ".js"})
"""Files in other languages and templates, comments and code alike."""


def test_other_languages_are_plain_english():
    found = {path.relative_to(ROOT).as_posix(): odd_prose(path.read_text(encoding="utf-8")) for path in CODE}
    assert len(CODE) > 50
    assert {name: phrases for name, phrases in found.items() if phrases} == {}


def test_pages_are_plain_english():
    found = {path.relative_to(ROOT).as_posix(): odd_prose(path.read_text(encoding="utf-8")) for path in PAGES}
    assert len(PAGES) > 50
    assert {name: phrases for name, phrases in found.items() if phrases} == {}


PLANTED = '''"""Its module."""

N = 3
"""x·y."""

def f(x):
    """Whether it is.

    Parameters
    ----------
    x : int
        Of the stream.
    """
    if x:
        raise ValueError(f"{x} is no prime", "as asked for")
    return x  # the result is there in cycle 3; there is no other

class C:
    """Of a kind beside it."""
'''


def test_planted_words_are_seen():
    assert list(odd_openings(PLANTED)) == [1, 19]
    assert list(odd_entries(PLANTED)) == [7]
    assert wordless(PLANTED) == [4]
    assert sorted(odd_phrases(PLANTED)) == ["asked for", "beside", "is no p", "is there in cycle"]


PLANTED_PAGE = """# A page

`beside` is code. Beside it lies a
number that is
no prime.

```
asked for
```

<!-- table: x -->
anew
<!-- end -->

## Words
in play

## More
A run goes on. There is no more.
"""


def test_planted_words_of_a_page_are_seen():
    assert odd_prose(PLANTED_PAGE) == ["Beside", "is no p", "goes on"]
