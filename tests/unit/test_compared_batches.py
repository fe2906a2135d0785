# SPDX-License-Identifier: Apache-2.0
"""Batches of the compiled simulator that are compared while they run."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from modwright.simulate.compiled_session import CompiledSession

from ..tools import needs
from .mutation_cases import prepared as prepared

pytestmark = needs("compiled-simulator", why="batches of the other simulator are not compared while they run")


def test_a_batch_ends_soon_after_the_first_difference(prepared):
    """A batch of several stretches of 65,536 cycles, of which the first one shows that a result is not as expected."""
    words = [0] * 200_000
    with closing(CompiledSession(prepared, None, ())) as session:
        whole = session.feed(words)
    other = replace(whole, words=[whole.words[0] ^ 1, *whole.words[1:]])
    for expected, most in ((whole, len(words)), (other, len(words) - 1)):
        with closing(CompiledSession(prepared, None, ())) as session:
            found = session.feed_until_unlike(words, expected)
            assert (found == expected) == (expected == whole)
            assert 0 < len(found.words) <= most
            assert found == whole.part(0, len(found.words))
