# SPDX-License-Identifier: Apache-2.0
"""The table of theorems: rows for cores that there are, and only rows that say proved or why not."""

import theorems
from modwright.prepared.registry import all_cores, find


def rows():
    return theorems.rows_of(theorems.PAGE.read_text(encoding="utf-8"))


def test_the_table_has_rows_of_its_subjects_only():
    """Rows that are not made yet are missing; others would be stale."""
    assert set(rows()) <= set(theorems.subjects())
    assert all(find(name) for name, *_ in theorems.subjects())


def test_every_core_has_a_row():
    """Of exponentiations, of which there is one over each multiplier, some have."""
    names = {name for name, *_ in rows()}
    assert {name for name in all_cores() if not name.startswith("modexp/")} <= names


def test_each_row_says_proved_or_why_not():
    for row in rows().values():
        status, seconds, reason = (cell.strip() for cell in row.split("|")[4:7])
        assert status in ("proved", *(f"proved, {what}" for what in theorems.ASSUMING.values()), "not proved")
        assert (reason == "–") == status.startswith("proved"), row
        assert seconds == "–" or float(seconds) < 120


def test_a_planted_row_is_seen(tmp_path, monkeypatch):
    page = tmp_path / "proof.md"
    text = theorems.PAGE.read_text(encoding="utf-8")
    page.write_text(text.replace("| `modmul/r64` |", "| `modmul/gone` |"), encoding="utf-8")
    monkeypatch.setattr(theorems, "PAGE", page)
    assert not set(rows()) <= set(theorems.subjects())


def test_one_core_is_proved_and_the_other_rows_stay(tmp_path, monkeypatch):
    page = tmp_path / "proof.md"
    page.write_text(theorems.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    before = rows()
    monkeypatch.setattr(theorems, "PAGE", page)
    monkeypatch.setattr(theorems, "row", lambda one: f"| `{one[0]}` | {one[1]} | {one[2]} | not proved | – | none |")
    theorems.main(["modadd/carry"])
    one = "modadd/carry", "P-256", "generic"
    assert rows() == before | {one: theorems.row(one)}


def test_rows_that_another_run_writes_in_the_meantime_stay(tmp_path, monkeypatch):
    page = tmp_path / "proof.md"
    page.write_text(theorems.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(theorems, "PAGE", page)
    other = "modmul/r64", "P-256", "generic"

    def row(one):
        if one != other:
            theorems.write(other, row(other))
        return f"| `{one[0]}` | {one[1]} | {one[2]} | not proved | – | none |"

    monkeypatch.setattr(theorems, "row", row)
    theorems.main(["modadd/carry"])
    assert [rows()[one] for one in (other, ("modadd/carry", "P-256", "generic"))] == [
        row(other),
        row(("modadd/carry", "P-256", "generic")),
    ]
