# SPDX-License-Identifier: Apache-2.0
"""One table in every form."""

import csv
import io
import json
import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from modwright.base.table import EMPTY, FORMS, Items, Table, aligned, as_csv, as_html, as_json, as_markdown, as_text

CELLS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=6)
SMALL = Table.of(
    ("core", "LUT"),
    [("`sor` | `l=2`", "1,234"), ("<b>", "")],
    {"core"},
    above=["Of a paper."],
    below=["Tools: `yosys`.", "", Items("Not run", ("first", "second"), numbered=True), Items("Wrong", ("a sum",))],
)


def test_markdown():
    assert as_markdown(SMALL) == (
        "Of a paper.\n\n| core | LUT |\n| --- | --: |\n| `sor` \\| `l=2` | 1,234 |\n| <b> | – |\n\n"
        "Tools: `yosys`.\n\nNot run:\n\n1. first\n2. second\n\nWrong:\n\n- a sum\n"
    )


def test_text():
    assert as_text(SMALL) == (
        "Of a paper.\n\ncore         LUT\n----------------\nsor | l=2  1,234\n<b>            –\n\n"
        "Tools: yosys.\n\nNot run:\n\n1. first\n2. second\n\nWrong:\n\n- a sum\n"
    )


def test_html_is_well_formed_and_escaped():
    root = ElementTree.fromstring(f"<div>{as_html(SMALL)}</div>")
    assert [cell.text for cell in root.findall("table/tbody/tr/td")][2:] == ["<b>", EMPTY]
    assert [code.text for code in root.findall("table/tbody/tr/td/code")] == ["sor", "l=2"]
    assert [item.text for item in root.findall("ol/li")] == ["first", "second"]
    assert root.find("table/thead/tr/th[2]").get("class") == "right"


@given(st.lists(st.tuples(CELLS, CELLS), max_size=4))
def test_json_and_csv_give_the_cells_back(rows):
    table = Table.of(("one", "two"), rows)
    assert json.loads(as_json(table))["rows"] == [list(row) for row in rows]
    read = list(csv.reader(io.StringIO(as_csv(table))))
    assert read == [["one", "two"], *([cell.replace("`", "") for cell in row] for row in rows)]


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_columns_of_text_stand_below_each_other(rows):
    heads, rule, *lines = aligned([("one", "two"), *rows], (False, True))
    assert len(rule) == max(map(len, (heads, *lines)))
    assert [line.rstrip() for line in lines] == lines


def test_every_form_has_a_name():
    assert {make(SMALL)[:1] for make in FORMS.values()} == {"O", "<", "{", "c"}
