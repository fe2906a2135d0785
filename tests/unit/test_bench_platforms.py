# SPDX-License-Identifier: Apache-2.0
"""Figure 6 of Mehrabi 2019: every bar of Table 4, with ours behind them, on the paper's page, and fresh in bench/."""

import pytest

import platforms
from modwright.papers import documents_of, find_paper
from modwright.papers.pictures import bars_of, pictures_of

from .conftest import CommandLine

PANELS = ("latency, ns", "throughput, Mbit/s")


@pytest.fixture(scope="module")
def figure():
    return platforms.figure()


def rows_of(name):
    """Numbers of the two columns in a table of the paper, by architecture and device."""
    (paper,) = find_paper("sum-of-residues")
    (document,) = (each for each in documents_of(paper) if each["table"] == name)
    cells = [dict(zip(document["columns"], row, strict=True)) for row in document["rows"]]
    return [[cell[name] for name in ("architecture", "FPGA", *PANELS)] for cell in cells]


def test_the_figure_has_what_the_table_prints():
    assert rows_of("Figure 6") == rows_of("Table 4")


def test_every_figure_of_the_table_is_a_bar(figure):
    for place, column in enumerate(PANELS, 2):
        found = list(bars_of(figure.answers, column))
        assert [bar.value for bar in found if bar.printed] == [float(row[place]) for row in rows_of("Table 4")]
        assert all(", here: ecp5" in bar.label for bar in found if not bar.printed)
        assert any(not bar.printed for bar in found)


def test_it_is_on_the_page_of_the_paper(capsys, tmp_path, monkeypatch, figure):
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path / "cache"))
    run = CommandLine(capsys)
    assert run("paper", "sum-of-residues", "--html", tmp_path / "page.html") == 0, run.err
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h3>Figure 6</h3>" in text and text.count('id="mehrabi-figure-6-title"') == 1
    assert list(pictures_of([figure])) == ["Figure 6"] and pictures_of([figure])["Figure 6"].strip() in text


def test_the_figure_is_what_the_code_draws():
    assert platforms.FIGURE.read_text(encoding="utf-8") == platforms.draw(), "run python bench/platforms.py"


def test_a_stale_figure_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(platforms, "FIGURE", tmp_path / "figure.svg")
    monkeypatch.setattr(platforms, "draw", lambda: "<svg/>")
    assert platforms.main(["--check"]) == 1
    assert platforms.main([]) == 0
    assert platforms.main(["--check"]) == 0
