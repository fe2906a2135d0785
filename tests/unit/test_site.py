# SPDX-License-Identifier: Apache-2.0
"""The site of the documentation: it builds without a warning, and every family and module has a page."""

import re
import subprocess
import sys
from functools import cache
from os.path import normpath
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built strictly: a warning is an error."""
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def pages(site):
    return [page for page in site.rglob("*.html") if page.name != "404.html"]


@cache
def linked(page):
    """Where the relative links of a page lead."""
    targets = set(re.findall(r'<a[^>]* href="([^"#:]+)(?:#[^"]*)?"', page.read_text()))
    return [Path(normpath(f"{page.parent}/{target}")) for target in targets]


def test_no_program_is_published(site):
    """What builds the site lies among its pages."""
    assert [path.name for path in site.rglob("*") if path.suffix in (".py", ".pyc") or path.name == "__pycache__"] == []


def test_families(site):
    source = ROOT / "src" / "modwright"
    names = {path.parent.name for folder in ("cores", "combine") for path in (source / folder).rglob("README.md")}
    assert {path.name for path in (site / "families").iterdir() if path.is_dir()} == names


def test_reference(site):
    text = (site / "reference" / "contract.payload" / "index.html").read_text()
    assert "Exclusive upper bound of an element" in text
    assert (site / "reference" / "bus.registers" / "index.html").is_file()


def test_every_page_is_reached(site):
    """By links from the first page: the menu of a page shows its own part only."""
    seen, ahead = set(), [site / "index.html"]
    while ahead:
        page = ahead.pop()
        if page not in seen and page.suffix == ".html":
            seen.add(page)
            ahead += [target if target.is_file() else target / "index.html" for target in linked(page)]
    assert set(pages(site)) - seen == set()


def test_links_lead_somewhere(site):
    """Every relative link of every page."""
    files = {path for path in site.rglob("*") if path.is_file()}
    for page in pages(site):
        for target in linked(page):
            assert target in files or target / "index.html" in files, (page, target)


def test_every_page_is_in_the_menu():
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert pages <= set(re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), flags=re.MULTILINE))


def test_pictures_are_there(site):
    """Those of bench/ too; an image whose file is left out would be its words behind an exclamation mark."""
    shown = 0
    for page in pages(site):
        text = page.read_text()
        assert not re.search(r"<p>!\w", text), page
        for source in re.findall(r'<img[^>]* src="([^"#:]+\.svg)"', text):
            assert Path(normpath(f"{page.parent}/{source}")).is_file(), (page, source)
            shown += 1
    assert shown > len(list((ROOT / "bench" / "figures").glob("*.svg")))
