# SPDX-License-Identifier: Apache-2.0
"""JSON files of the package that commands write: read row by row, and in that form."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import modwright
from modwright.base.json import text_by_lines

PACKAGE = Path(modwright.__file__).parent
WRITTEN = sorted([*PACKAGE.rglob("steps.json"), PACKAGE / "prepared" / "cores.json"])
LONGEST = 500

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(VALUES)
def test_text_is_the_value(value):
    assert json.loads(text_by_lines(value)) == value


def test_what_holds_no_object_is_one_line():
    value = {"a": [[1, 2], [3]], "é": [{"b": []}, {}], "c": [[{"d": 1}]]}
    assert text_by_lines(value).splitlines() == [
        "{",
        ' "a": [[1, 2], [3]],',
        ' "é": [',
        '  {"b": []},',
        "  {}",
        " ],",
        ' "c": [',
        "  [",
        '   {"d": 1}',
        "  ]",
        " ]",
        "}",
    ]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_files_are_in_this_form_and_of_a_length_to_be_read(path):
    text = path.read_text(encoding="utf-8")
    assert text == text_by_lines(json.loads(text)) + "\n"
    assert text.count("\n") <= LONGEST


def test_these_are_all_that_steps_are_stored_in():
    assert len(WRITTEN) == 5
