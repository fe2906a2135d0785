# SPDX-License-Identifier: Apache-2.0
"""The time that is left of a work, in words."""

import pytest

from modwright.base.remaining import remaining


@pytest.mark.parametrize(
    ("seconds", "done", "total", "words"),
    [
        (10, 1, 10, ", about 90 s left"),
        (10, 1, 11, ", about 2 min left"),
        (10, 9, 10, ""),
        (0, 0, 10, ""),
        (10, 10, 10, ""),
        (30, 2, 3, ", about 15 s left"),
    ],
)
def test_the_rest_in_words(seconds, done, total, words):
    assert remaining(seconds, done, total) == words
