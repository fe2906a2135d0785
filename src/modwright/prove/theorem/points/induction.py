# SPDX-License-Identifier: Apache-2.0
"""The steps of a ladder, by induction: what is left by one, as a function of the words that it began with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from ..decide import UndecidedError
from .expressions import GIVEN, STATE, Expressions
from .ladder import MOST_TRIALS, Ladder, Tests, joined, mapped, matched, matches
from .machine import WORD, Content, Setting, State

BITS = (0, 1)
"""Values of a bit of control, such as whether a step exchanges the points."""


SETUP = " of the set-up"
"""End of the name of a word that the set-up leaves to all steps."""


@dataclass(frozen=True)
class Steps:
    """The steps of a ladder.

    Parameters
    ----------
    words : mapping of str to int
        Words that the set-up leaves to all steps, as expressions.
    tests : Tests
        Tests of the position when the ladder begins.
    lost : State
        Behind a step that has no coordinates.
    left : mapping of int to State
        Behind a step without and with exchange, as a function of the words that it began with.
    made : mapping of int to dict of str to int
        For each of these steps, what the next one reads instead of them.
    decided : mapping of int to Tests
        Tests of a step, as a function of the words that it began with; of the set-up, where they are its words.
    decided_after : mapping of (int, int) to Tests
        Tests of a step behind another one, by the exchanges of both.
    """

    words: Mapping[str, int]
    tests: Tests
    lost: State
    left: Mapping[int, State]
    made: Mapping[int, dict[str, int]]
    decided: Mapping[int, Tests]
    decided_after: Mapping[tuple[int, int], Tests]


def steps_of(ladder: Ladder) -> Steps:
    """The steps of a ladder.

    Raises
    ------
    UndecidedError
        When the induction fails.
    """
    begin, tests = ladder.setup(Setting())
    lost = lost_state(ladder, begin, Setting())
    words = _kept_words(ladder.expressions, begin, lost)
    names = {number: ladder.expressions.make(STATE, name=name + SETUP) for name, number in words.items()}
    first, lost = (mapped(state, lambda number: names.get(number, number)) for state in (begin, lost))
    runs = _from_setup(ladder, first, lost)
    left = {now: _of_any_state(ladder.expressions, state, words, lost) for now, (state, _) in runs.items()}
    decided = {now: _tests_of_any_state(ladder.expressions, found, words) for now, (_, found) in runs.items()}
    for _ in range(MOST_TRIALS):
        made, decided_after, smaller = _from_steps(ladder, left, decided, lost)
        if smaller == left:
            break
        left = smaller
    else:
        raise UndecidedError("the steps of the ladder leave no state that is always the same")
    if any(joined([lost, state]) != lost for state in left.values()):
        raise UndecidedError("a step of the ladder changes words of the set-up, or operands")
    return Steps(words, tests, lost, left, made, decided, decided_after)


def of_any_state(expressions: Expressions, number: int, words: Iterable[str]) -> int:
    """An expression in words of the set-up, with those of any state for them."""
    return expressions.substituted(number, {name + SETUP: expressions.make(STATE, name=name) for name in words})


def _of_any_state(expressions: Expressions, state: State, words: Iterable[str], lost: State) -> State:
    return mapped(state, lambda number: of_any_state(expressions, number, words)).replaced(lost.contents)


def _tests_of_any_state(expressions: Expressions, tests: Tests, words: Iterable[str]) -> dict[str, Content | None]:
    """The tests of a step but that of the set-up, with words of any state."""
    found = dict(tests)
    content = tests.get("h_zero")
    if content is not None and isinstance(content[1], int):
        found["h_zero"] = content[0], of_any_state(expressions, content[1], words)
    return found


def lost_state(ladder: Ladder, begin: State, setting: Setting) -> State:
    """The state behind a step whatever words it works on: only places that no step changes.

    Raises
    ------
    UndecidedError
        When the steps leave no state that is always the same.
    """
    found = joined([ladder.step(begin, setting, now=now, fresh_now=0)[0] for now in BITS])
    for _ in range(MOST_TRIALS):
        after = [ladder.step(found, setting, now=n, before=before, fresh_now=0)[0] for n, before in product(BITS, BITS)]
        smaller = joined([found, *after])
        if smaller == found:
            return found
        found = smaller
    raise UndecidedError("the steps of the ladder leave no state that is always the same")


def _kept_words(expressions: Expressions, begin: State, lost: State) -> dict[str, int]:
    """Words of a memory that the set-up leaves to all steps, operands left out."""
    found: dict[str, int] = {}
    for place, (kind, number) in lost.contents.items():
        lasts = place[0] == "memory" and kind == WORD and begin.contents.get(place) == (kind, number)
        if lasts and isinstance(number, int) and expressions.table[number][0] != GIVEN:
            if expressions.bounds[number] > 1:
                raise UndecidedError("the set-up leaves words that may be as large as the modulus")
            found[f"word {place[2]}"] = number
    return found


def _from_setup(ladder: Ladder, first: State, lost: State) -> dict[int, tuple[State, Tests]]:
    """The state that is left by a step that begins with the words of the set-up, and its tests."""
    found: dict[int, tuple[State, Tests]] = {}
    for now in BITS:
        runs = [ladder.step(first, now=now, fresh_now=1)]
        runs += [ladder.step(lost, now=now, before=before, fresh_now=1) for before in BITS]
        tests = {name: content for name, content in runs[0][1].items() if all(t[name] == content for _, t in runs)}
        found[now] = joined([state for state, _ in runs]), tests
    return found


def _from_steps(
    ladder: Ladder, left: Mapping[int, State], decided: Mapping[int, Tests], lost: State
) -> tuple[dict[int, dict[str, int]], dict[tuple[int, int], Tests], dict[int, State]]:
    """The words that steps behind others read instead of those of the set-up, their tests, and the part of what is left
    that they leave, too."""
    expressions = ladder.expressions
    made: dict[int, dict[str, int]] = {now: {} for now in BITS}
    tests: dict[tuple[int, int], Tests] = {}
    smaller = dict(left)
    for before, now in product(BITS, BITS):
        state, tests[before, now] = ladder.step(left[before], now=now, before=before, fresh_now=0)
        if not matches(expressions, decided[now].get("h_zero"), tests[before, now]["h_zero"], made[before]):
            raise UndecidedError("a step of the ladder does not test whether the point that it doubles is of order 2")
        smaller[now] = matched(expressions, smaller[now], state, lost, made[before])
    return made, tests, smaller
