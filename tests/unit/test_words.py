# SPDX-License-Identifier: Apache-2.0
"""Words that depend on numbers."""

from modwright.base.words import counted


def test_one_has_no_plural():
    assert [counted(number, "design") for number in (0, 1, 2, 12_000)] == [
        "0 designs",
        "1 design",
        "2 designs",
        "12,000 designs",
    ]
