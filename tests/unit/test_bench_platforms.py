# SPDX-License-Identifier: Apache-2.0
"""bench/platforms.py: Figure 6 of Mehrabi 2019 has every bar of Table 4, and is fresh."""

import platforms
from modwright.papers import documents_of, find_paper


def test_every_figure_of_the_table_is_a_bar():
    (paper,) = find_paper("sum-of-residues")
    (document,) = (one for one in documents_of(paper) if one["table"] == platforms.TABLE)
    for column in platforms.PANELS:
        place = document["columns"].index(column)
        printed = [bar.value for bar in platforms.bars(column) if bar.printed]
        assert printed == [float(row[place]) for row in document["rows"]]


def test_the_figure_is_what_the_code_draws():
    assert platforms.FIGURE.read_text(encoding="utf-8") == platforms.draw(), "run python bench/platforms.py"


def test_a_stale_figure_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(platforms, "FIGURE", tmp_path / "figure.svg")
    monkeypatch.setattr(platforms, "draw", lambda: "<svg/>")
    assert platforms.main(["--check"]) == 1
    assert platforms.main([]) == 0
    assert platforms.main(["--check"]) == 0
