# SPDX-License-Identifier: Apache-2.0
"""Results of a point multiplier in each case: the point of the ladder, P or -P, infinity, or an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

from ..decide import UndecidedError
from ..poly import ONE, ZERO, Ring
from .curve import DOMAIN, FREE, Element, Evaluator, given_constants
from .expressions import GIVEN
from .identities import ExitClaim, is_curve_equation
from .induction import BITS, Steps, lost_state, of_any_state
from .ladder import Ladder, Result, matches
from .machine import NUMBER, RAW, WORD, Content, Place, Setting, State
from .position import AT_FRESH, BEFORE, FRESH_NOW, LOST, MIRROR, RUNNING

NOTHING_LEAVES = ((NUMBER, 0), (NUMBER, 0))
"""Coordinates where there is no point."""
BAD_MODULUS, OUT_OF_RANGE, OFF_CURVE = 1, 2, 3
"""Error codes of the contract."""


@dataclass(frozen=True)
class Leaving:
    """The ends of an operation.

    Parameters
    ----------
    ladder : Ladder
    steps : Steps
    roles : mapping of str to str
        The word of each role.
    blind : str
        Operand that blinds; empty without one.
    """

    ladder: Ladder
    steps: Steps
    roles: Mapping[str, str]
    blind: str

    def check(self) -> None:
        """Check what leaves in all cases; what the exit reads of the last step is added to `steps.made`.

        Raises
        ------
        UndecidedError
            When it is something else.
        """
        for mirror, on_axis, sign in product(BITS, BITS, BITS):
            self.check_point(mirror, on_axis, sign)
        self.check_multiples()
        self.check_errors()

    # --- points

    def tests(self, known: Mapping[str, int]) -> Callable[[int], int | None]:
        """Tests of operands, and of the equation of the curve, which holds where `curve` is not named."""
        expressions, curve = self.ladder.expressions, dict[int, bool]()

        def test(number: int) -> int | None:
            op, _, name = expressions.table[number]
            if op == GIVEN:
                return known.get(name, 1 if name == self.blind else None)
            if number not in curve:
                curve[number] = is_curve_equation(expressions, number)
            return known.get("curve", 0) if curve[number] else None

        return test

    def _left(
        self, state: State, position: Mapping[str, int], known: Mapping[str, int], sign: int | None = None
    ) -> Result:
        return self.ladder.exit(state, Setting(position, self.tests(known), sign))

    def check_point(self, mirror: int, on_axis: int, sign: int) -> None:
        """Check that the point of the ladder leaves, where the words are those of the set-up, or of the last step.

        Raises
        ------
        UndecidedError
            When something else does.
        """
        known = {"x": 1 - on_axis, "y": 1} | ({"a": 1} if on_axis else {})
        expressions, due = self.ladder.expressions, None
        for before in BITS:
            fresh = {**AT_FRESH, FRESH_NOW: 1, MIRROR: mirror, BEFORE: before}
            found = self._left(self.steps.lost, fresh, known, sign)
            x, y = (self._of_any_state(content) for content in (found.x, found.y))
            _expect(found, (found.x, found.y), infinity=0, error=0)
            running = {**RUNNING, FRESH_NOW: 0, MIRROR: mirror, BEFORE: before}
            last, made = self._left(self.steps.left[before], running, known, sign), self.steps.made[before]
            if not matches(expressions, (WORD, x), last.x, made) or not matches(expressions, (WORD, y), last.y, made):
                raise UndecidedError("what leaves is another function of the last step's words than of the set-up's")
            _expect(last, (last.x, last.y), infinity=0, error=0)
            if due not in (None, (x, y)):
                raise UndecidedError("what leaves depends on the step before")
            due = x, y
        if due is not None:
            ExitClaim(expressions, self.roles, bool(mirror), bool(on_axis)).check(*due)

    def _of_any_state(self, content: Content | None) -> int:
        """The expression that leaves, below m, with words of any state for those of the set-up."""
        expressions = self.ladder.expressions
        if content is None or content[0] != WORD or not isinstance(content[1], int):
            raise UndecidedError("what leaves is not known")
        if expressions.bounds[content[1]] > 1:
            raise UndecidedError("what leaves may be as large as the modulus")
        return of_any_state(expressions, content[1], self.steps.words)

    def check_multiples(self) -> None:
        """Check what leaves where the ladder is not in coordinates, or P is of order 3: P, -P, or infinity.

        Raises
        ------
        UndecidedError
            When something else does.
        """
        self._check_order_three()
        for before in BITS:
            lost = {**LOST, FRESH_NOW: 0, BEFORE: before}
            self._check_multiple(self.steps.lost, {**lost, MIRROR: 1}, {}, -1)
            for mirror in BITS:
                fresh = {**AT_FRESH, FRESH_NOW: 1, BEFORE: before, MIRROR: mirror}
                self._check_multiple(self.steps.lost, fresh, {"x": 0, "a": 0}, 1)
            found = self._left(self.steps.lost, {**lost, MIRROR: 0}, {})
            _expect(found, NOTHING_LEAVES, infinity=1, error=0)

    def _check_order_three(self) -> None:
        """Where x and a are 0, 3·P is at infinity, so that the ladder never leaves the words of the set-up: XR is 0."""
        ring = Ring()
        leaves = {(GIVEN, "x"): Element(ZERO), (GIVEN, "a"): Element(ZERO)} | given_constants()
        leaves |= {(GIVEN, "y"): Element(ring.atom("y", *FREE)), (GIVEN, self.blind): Element(ONE, domain=DOMAIN)}
        word = self.steps.words[self.roles["XR"]]
        if Evaluator(self.ladder.expressions, ring, leaves).element(word).top != ZERO:
            raise UndecidedError("the ladder of a point of order 3 is not at its end in the first step")

    def _check_multiple(self, state: State, position: Mapping[str, int], known: Mapping[str, int], sign: int) -> None:
        """P leaves, or -P."""
        ring = Ring()
        x, y = ring.atom("x", *FREE), ring.atom("y", *FREE)
        leaves = {(GIVEN, "x"): Element(x), (GIVEN, "y"): Element(y)} | given_constants()
        evaluator = Evaluator(self.ladder.expressions, ring, leaves)
        found = self._left(state, position, known)
        for content, due in ((found.x, x), (found.y, y.scaled(sign))):
            if content is None or evaluator.element(self._of_any_state(content)) != Element(due):
                raise UndecidedError("what leaves is not the point that came in, or its negative")
        _expect(found, (found.x, found.y), infinity=0, error=0)

    # --- errors

    def check_errors(self) -> None:
        """Check the error code where operands are not in range, in the order of the codes; and a point at infinity.

        Raises
        ------
        UndecidedError
            When another one leaves, or coordinates next to it.
        """
        every = dict.fromkeys(self._checked, None)
        unusable = Setting(usable=False, below=every, infinity=None)
        begin, _ = self.ladder.setup(unusable)
        flag = self._range_flag()
        symbol = self.ladder.words.whole(self.ladder.words.node("input", 1, name="an operand is out of range"))
        lost = self._lost(begin, unusable, flag, (RAW, symbol))
        even = Setting(usable=False, below=every, infinity=None, odd=0)
        begin_even, _ = self.ladder.setup(even)
        lost_even = self._lost(begin_even, even, flag, (RAW, symbol))
        self._expect_error(lost_even, even, BAD_MODULUS)
        self._expect_error(lost, Setting(usable=False, large=0), BAD_MODULUS)
        self._expect_error(lost, Setting(usable=False, zero_order=1), BAD_MODULUS)
        self._expect_error(lost.replaced({flag: (NUMBER, 1)}), Setting(usable=False), OUT_OF_RANGE)
        right = lost.replaced({flag: (NUMBER, 0)})
        if self.blind:
            tests = self.tests({self.blind: 0})
            self._expect_error(right, Setting(tests=tests, usable=False), OUT_OF_RANGE)
        self._check_curve(right)

    def _check_curve(self, right: State) -> None:
        place = self._place_of_infinity(right)
        off = Setting(tests=self.tests({"curve": 1}))
        found = self.ladder.exit(self.steps.lost, off)
        _expect(found, NOTHING_LEAVES, infinity=0, error=OFF_CURVE)
        at_infinity = Setting(tests=self.tests({}), usable=False, infinity=1)
        found = self.ladder.exit(right.replaced({place: (NUMBER, 1)}), at_infinity)
        _expect(found, NOTHING_LEAVES, infinity=1, error=0)

    def _expect_error(self, state: State, setting: Setting, code: int) -> None:
        _expect(self.ladder.exit(state, setting), NOTHING_LEAVES, infinity=0, error=code)

    @property
    def _checked(self) -> tuple[str, ...]:
        return ("x", "y", "a", "b", *([self.blind] if self.blind else []))

    def _range_flag(self) -> Place:
        """The register that says that an operand is out of range."""
        right, _ = self.ladder.setup(Setting())
        infinite = Setting(usable=False, below={"x": None, "y": None}, infinity=1)
        places = self._numbers(right, 0) & self._numbers(self.ladder.setup(infinite)[0], 0)
        for name in self._checked:
            below = {**dict.fromkeys(self._checked, None), name: 0}
            infinity = 0 if name in ("x", "y") else None
            places &= self._numbers(self.ladder.setup(Setting(usable=False, below=below, infinity=infinity))[0], 1)
        if len(places) != 1:
            raise UndecidedError("no register says that an operand is not below the modulus")
        return places.pop()

    @staticmethod
    def _numbers(state: State, number: int) -> set[Place]:
        return {place for place, content in state.contents.items() if content == (NUMBER, number)}

    def _lost(self, begin: State, setting: Setting, flag: Place, content: Content) -> State:
        """The part of a state that no step changes, the flag among it."""
        found = lost_state(self.ladder, begin.replaced({flag: content}), setting)
        if found.contents.get(flag) != content:
            raise UndecidedError("a step of the ladder changes what is known of operands out of range")
        return found

    def _place_of_infinity(self, state: State) -> Place:
        """The register that holds whether the point is at infinity."""
        words = self.ladder.words
        value = words.whole(words.node("input", 1, name="i_infinity"))
        places = [place for place, content in state.contents.items() if content == (RAW, value)]
        if len(places) != 1:
            raise UndecidedError("no register holds whether the point is at infinity")
        return places[0]


def _expect(result: Result, coordinates: tuple[Content | None, Content | None], *, infinity: int, error: int) -> None:
    """Check what leaves.

    Raises
    ------
    UndecidedError
        When it is something else.
    """
    if (result.infinity, result.error) != (infinity, error):
        raise UndecidedError(f"the error code {error} is due, and the flag of infinity {infinity}")
    if (result.x, result.y) != coordinates:
        raise UndecidedError(f"coordinates leave with the error code {error}")
