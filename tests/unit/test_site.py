# SPDX-License-Identifier: Apache-2.0
"""The site of the documentation: it builds without a warning, and every family and module has a page."""

import re
import subprocess
import sys
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


def test_families(site):
    source = ROOT / "src" / "modwright"
    names = {path.parent.name for folder in ("cores", "combine") for path in (source / folder).rglob("README.md")}
    assert {path.name for path in (site / "families").iterdir() if path.is_dir()} == names


def test_reference(site):
    text = (site / "reference" / "contract.payload" / "index.html").read_text()
    assert "Exclusive upper bound of an element" in text
    assert (site / "reference" / "bus.registers" / "index.html").is_file()


def test_links_lead_somewhere(site):
    """Every relative link of every page."""
    files = {str(path) for path in site.rglob("*") if path.is_file()}
    for page in site.rglob("*.html"):
        if page.name == "404.html":
            continue
        for target in set(re.findall(r'<a[^>]* href="([^"#:]+)(?:#[^"]*)?"', page.read_text())):
            path = normpath(page.parent / target)
            assert path in files or f"{path}/index.html" in files, (page, target)


def test_every_page_is_in_the_menu():
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert pages <= set(re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), flags=re.MULTILINE))
