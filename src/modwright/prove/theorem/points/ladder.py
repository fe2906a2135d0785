# SPDX-License-Identifier: Apache-2.0
"""A point multiplication as one map of a state, iterated: set-up, steps by induction, exit.

At the end of a step some of its products are still on their way. What is then in registers, words and the unit is, for
each of the two directions of the step, one function T of the words that the step began with. A step that begins with
T(s) ends with T(S(s)), where S(s) is what it reads instead of s: that is shown by comparing expressions, and is the
induction. The step that begins with the words of the set-up ends with T of these. A step in which the state is not kept
in coordinates leaves the words of the set-up, and what is known of operands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from ..decide import UndecidedError
from ..stretches import ACCEPTED, RESET, TAKEN
from ..ternary import after_reset
from .cut import Parts
from .expressions import Expressions
from .machine import IS_ZERO, NOT_ZERO, NUMBER, WORD, Content, Machine, Place, PointWords, Setting, State
from .program import DECIDE, INITIAL, Program
from .unit import Contract, Flight, UnitState

MOST_TRIALS = 64
"""Most times that less is taken to be known between steps."""
Tests = Mapping[str, Content | None]
EXPRESSIONS = (WORD, IS_ZERO, NOT_ZERO)


@dataclass(frozen=True)
class Result:
    """The result: expressions of the coordinates, or numbers; and the flags."""

    x: Content | None
    y: Content | None
    infinity: int | None
    error: int | None


@dataclass
class Ladder:
    """A point multiplication.

    Parameters
    ----------
    parts : Parts
    contract : Contract
    program : Program
    words : PointWords
    """

    parts: Parts
    contract: Contract
    program: Program
    words: PointWords

    @property
    def expressions(self) -> Expressions:
        """All expressions."""
        return self.words.expressions

    # --- stretches of cycles

    def machine(self, state: State, setting: Setting) -> Machine:
        """The core in a state."""
        return Machine(self.parts, self.contract, self.words, state, setting)

    def idle(self) -> State:
        """The state before an operation: nothing is known but that no result waits.

        Raises
        ------
        UndecidedError
            When that is not so after reset.
        """
        ((source, low, _),) = self.parts.rest.outputs[TAKEN]
        value, known = after_reset(self.parts.rest, RESET).get(source, (0, 0))
        if source < 0 or self.parts.rest.widths[source] != 1 or low or value or not known:
            raise UndecidedError("a result may be valid after reset")
        return State({("register", source, 0): (NUMBER, 0)}, UnitState(flights=((),) * self.parts.macs))

    def setup(self, setting: Setting) -> tuple[State, Tests]:
        """The state after the set-up, and the tests with which the ladder begins."""
        machine = self.machine(self.idle(), setting)
        machine.cycle(0, ready=1, valid=0)
        if machine.bit(ACCEPTED) != 1 or machine.bit(TAKEN) != 0:
            raise UndecidedError("operands are not accepted in the idle state")
        machine.next()
        if joined([self.idle(), machine.state()]).contents != self.idle().contents:
            raise UndecidedError("the idle state does not last")
        machine = self.machine(self.idle(), setting)
        machine.offer()
        machine.cycle(0, ready=1, valid=1)
        if not machine.starts():
            raise UndecidedError("the program does not start with the operands, or the scalar gets others")
        machine.next()
        machine.withdraw()
        cycles = self.program.setup
        at = self.program.strobes[INITIAL][0] - cycles.start
        tests = machine.run(self.program.words_of(cycles), at)
        return machine.state(), tests

    def step(self, state: State, setting: Setting | None = None, **position: int) -> tuple[State, Tests]:
        """The state after a step, and the tests with which it decides."""
        machine = self.machine(state, replace(setting or Setting(), position=position))
        cycles = self.program.step
        tests = machine.run(self.program.words_of(cycles), self.program.strobes[DECIDE][0] - cycles.start)
        return machine.state(), tests

    def lost_tests(self, state: State) -> Tests:
        """Tests that do not depend on the step before: in both directions the same."""
        runs = [self.step(state, now=now, before=before, fresh_now=0)[1] for now in (0, 1) for before in (0, 1)]
        return {name: content for name, content in runs[0].items() if all(run[name] == content for run in runs)}

    def exit(self, state: State, setting: Setting) -> Result:
        """The result of the operation behind the last step.

        Raises
        ------
        UndecidedError
            When no result is valid after the last control word, or it does not stay until it is taken.
        """
        machine = self.machine(state, setting)
        machine.run(self.program.words_of(self.program.exit))
        found = self._result(machine)
        waiting = machine.state()
        for _ in range(MOST_TRIALS):
            machine = self.machine(waiting, setting)
            if self._result(machine) != found:
                break
            machine.next()
            after = joined([waiting, machine.state()])
            if after == waiting:
                self._leave(waiting, setting)
                return found
            waiting = after
        raise UndecidedError("the result does not stay until it is taken")

    def _result(self, machine: Machine) -> Result:
        machine.cycle(0, ready=1, taken=0)
        if machine.bit(TAKEN) != 1 or machine.bit(ACCEPTED) != 0:
            raise UndecidedError("no result is valid after the last control word")
        return Result(machine.content("o_x"), machine.content("o_y"), machine.bit("o_infinity"), machine.bit("o_error"))

    def _leave(self, state: State, setting: Setting) -> None:
        """Check that the core is idle after the result is taken."""
        machine = self.machine(state, setting)
        machine.cycle(0, ready=1, taken=1)
        machine.next()
        machine.cycle(0, ready=1)
        if machine.bit(TAKEN) != 0 or machine.bit(ACCEPTED) != 1:
            raise UndecidedError("the core accepts no operands after a result is taken")


# --- states


def joined(states: Sequence[State]) -> State:
    """The state of which no more is known than in all of some states.

    Raises
    ------
    UndecidedError
        When the multipliers are in different cycles.
    """
    return reduce(_both, states)


def _both(a: State, b: State) -> State:
    contents = {place: content for place, content in a.contents.items() if b.contents.get(place) == content}
    return State(contents, _both_units(a.unit, b.unit))


def _both_units(a: UnitState, b: UnitState) -> UnitState:
    if [[(f.kind, f.age) for f in row] for row in a.flights] != [[(f.kind, f.age) for f in row] for row in b.flights]:
        raise UndecidedError("products are not in the same cycles at the end of each step")
    flights = tuple(
        tuple(_both_flights(f, g) for f, g in zip(row, other, strict=True))
        for row, other in zip(a.flights, b.flights, strict=True)
    )
    same = a.divisor == b.divisor and a.iterations == b.iterations
    return UnitState(
        a.a if a.a == b.a else None,
        a.total if a.total == b.total else None,
        None,
        flights,
        a.divisor if same else None,
        a.iterations if same else -1,
        a.signed and b.signed,
    )


def _both_flights(a: Flight, b: Flight) -> Flight:
    other = dict(b.operands)
    return replace(a, operands=tuple((bank, word if other.get(bank) == word else None) for bank, word in a.operands))


def mapped(state: State, of: Callable[[int], int]) -> State:
    """A state with other expressions."""
    contents = {place: _mapped_content(content, of) for place, content in state.contents.items()}
    unit, none = state.unit, None
    flights = tuple(
        tuple(replace(f, operands=tuple((bank, none if w is None else of(w)) for bank, w in f.operands)) for f in row)
        for row in unit.flights
    )
    a, total = (None if number is None else of(number) for number in (unit.a, unit.total))
    return State(contents, replace(unit, a=a, total=total, flights=flights))


def _mapped_content(content: Content, of: Callable[[int], int]) -> Content:
    kind, what = content
    return (kind, of(what)) if kind in EXPRESSIONS and isinstance(what, int) else content


def matched(expressions: Expressions, pattern: State, state: State, fixed: State, bindings: dict[str, int]) -> State:
    """The part of a pattern that a state is, with other words of the ladder's state, which `bindings` receives; what is
    fixed has to be the same."""
    contents: dict[Place, Content] = {}
    for place, content in pattern.contents.items():
        its = state.contents.get(place)
        if its == content if place in fixed.contents else matches(expressions, content, its, bindings):
            contents[place] = content
    a, b = pattern.unit, state.unit
    _both_units(a, b)  # products are in the same cycles
    flights = tuple(
        tuple(_matched_flight(expressions, f, g, bindings) for f, g in zip(row, other, strict=True))
        for row, other in zip(a.flights, b.flights, strict=True)
    )
    unit = UnitState(
        _matched(expressions, a.a, b.a, bindings), _matched(expressions, a.total, b.total, bindings), None, flights
    )
    return State(contents, unit)


def _matched_flight(expressions: Expressions, a: Flight, b: Flight, bindings: dict[str, int]) -> Flight:
    other = dict(b.operands)
    words = ((bank, _matched(expressions, word, other.get(bank), bindings)) for bank, word in a.operands)
    return replace(a, operands=tuple(words))


def _matched(expressions: Expressions, pattern: int | None, number: int | None, bindings: dict[str, int]) -> int | None:
    content = None if number is None else (WORD, number)
    return pattern if pattern is not None and matches(expressions, (WORD, pattern), content, bindings) else None


def matches(
    expressions: Expressions, pattern: Content | None, content: Content | None, bindings: dict[str, int]
) -> bool:
    """Whether a content is that of a pattern; `bindings` changes only if it is."""
    if pattern is None or content is None or content[0] != pattern[0]:
        return False
    mine, its = pattern[1], content[1]
    if pattern[0] not in EXPRESSIONS or not isinstance(mine, int) or not isinstance(its, int):
        return mine == its
    trial = dict(bindings)
    try:
        expressions.match(mine, its, trial)
    except UndecidedError:
        return False
    bindings.update(trial)
    return True
