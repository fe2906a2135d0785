# SPDX-License-Identifier: Apache-2.0
"""Lanes of ternary states, distinguished by bits: a lane for each combination of their values that occurs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .ternary import KNOWN, SAME, UNKNOWN, Bit, State, gathered

MOST_CASES = 512
"""Most lanes of cases: those of one block of `lanes.cpp`."""


def cases(state: State, lanes: int, copies: Sequence[tuple[int, int | None, int | None]]) -> Iterator[State]:
    """The states of all lanes, each in one lane, joined where they agree in some bits; an unknown one counts as both.

    Parameters
    ----------
    state : list of (int, int)
    lanes : int
    copies : sequence of (int, int or None, int or None)
        For each of those bits, the places of the core, of the mutant where it has its own, and of the mark, without
        which the two are the same.
    """
    found: list[tuple[int, dict[int, Bit]]] = [((1 << lanes) - 1, {})]
    for core, mutant, mark in copies:
        found = [
            (mask & some, fixed | more)
            for mask, fixed in found
            for some, more in _values(state, core, mutant, mark)
            if mask & some
        ]
    for mask, fixed in found:
        together = gathered([(a & mask, b & mask) for a, b in state])
        yield [fixed.get(place, bit) for place, bit in enumerate(together)]


def _values(state: State, core: int, mutant: int | None, mark: int | None) -> Iterator[tuple[int, dict[int, Bit]]]:
    """The lanes of each value of a bit in core and mutant, with the bits that are known in them."""
    for value in (0, 1):
        here = state[core][1 - value]
        if mutant is None or mark is None:
            yield here, {core: KNOWN[value]}
            continue
        for other in (0, 1):
            both = here & state[mutant][1 - other]
            marked = both if value == other else both & state[mark][0]
            bits = {core: KNOWN[value], mutant: KNOWN[other], mark: SAME if value == other else UNKNOWN}
            yield marked, bits
