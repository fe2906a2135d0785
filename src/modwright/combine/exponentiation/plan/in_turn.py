# SPDX-License-Identifier: Apache-2.0
"""The program of an exponentiation in turn: its control words, and its run in plain integers.

X     of each product: the result of the one before, the base in the first
Y     R², a value that was looked up, or 2^K; or the second operand is X, or that of the product before
V     value of the limb unit
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....schedule import JUMP, Word
from ..parameters import ModexpParameters
from .execution import Execution, Multiply, start
from .program import ENTER, HALVE, KEEP, LEAVE, POWER, REDUCE, TABLE, Pass, V

OWN, SAME, STAYS = "own", "same", "stays"
"""Second operand of a turn: register Y; X as well; that of the turn before."""
DIGIT, ENTRY, BACK = "digit", "entry", "back"
"""Values that move to Y: the entry of the exponent's digit, entry 0 of the table, 2^K."""


@dataclass(frozen=True)
class Turn:
    """One product X·Y.

    Parameters
    ----------
    y : str
        OWN, SAME or STAYS.
    store : bool
        The next entry of the table <- X; the first one <- Y.
    one : bool
        X is 1 instead.
    look : str
        "", DIGIT or ENTRY: a look-up begins.
    fill : str
        "", DIGIT or BACK: what was looked up, or 2^K, is in Y at the end.
    shift : bool
        The exponent moves on by a digit.
    count : int
        Number that the loop counter is set to, if it is not 0.
    back : int or None
        Turn that follows as long as the counter, which counts this turn, is not 0.
    part : str
        Name of the part of the program that begins here, or "".
    """

    y: str
    store: bool = False
    one: bool = False
    look: str = ""
    fill: str = ""
    shift: bool = False
    count: int = 0
    back: int | None = None
    part: str = ""


@dataclass(frozen=True)
class Stream:
    """X goes to the limb unit as V."""


Step = Turn | Stream | Pass
LOADED = 1
"""Cycles between the operands and the first turn."""
SQUARES = 5
"""Place of the first square of a digit."""


def program_in_turn(p: ModexpParameters) -> tuple[Step, ...]:
    """Write the program of one exponentiation.

    Turn 0 takes the base into the domain, with R² in Y, which becomes entry 0 of the table. With X = Y in turn 1, its
    powers follow as products by a Y that stays. Then R² comes back, and with X = 1 gives R: entry 0, and the power so
    far.
    """
    squares = [Turn(SAME, look=DIGIT, part=POWER), *[Turn(SAME)] * (p.window - 2), Turn(SAME, fill=DIGIT)]
    return (
        Turn(OWN, store=True, part=ENTER),
        Turn(SAME, store=True, look=ENTRY, count=(1 << p.window) - 2, part=TABLE),
        Turn(STAYS, store=True, fill=DIGIT, back=2),
        Turn(OWN, one=True),
        Turn(SAME, store=True, count=p.digits),
        *squares,
        Turn(OWN, shift=True, fill=BACK, back=SQUARES),
        Turn(OWN, part=LEAVE),
        Stream(),
        Pass(HALVE, p.guard),
        Pass(REDUCE, p.reductions),
        Pass(KEEP, last=True),
    )


def words_in_turn(p: ModexpParameters) -> tuple[Word, ...]:
    """Write the control words, and one for the end."""
    return (*(_word(number, step) for number, step in enumerate(program_in_turn(p))), {"end": 1})


def _word(number: int, step: Step) -> Word:
    match step:
        case Turn():
            fields: Mapping[str, int] = {
                "turn": 1,
                "first": number == 0,
                "same": step.y == SAME,
                "stays": step.y == STAYS,
                "store": step.store,
                "one": step.one,
                "look": step.look != "",
                "entry_0": step.look == ENTRY,
                "fill": step.fill != "",
                "power_back": step.fill == BACK,
                "shift": step.shift,
                "count": step.count,
                "loop": step.back is not None,
                JUMP: step.back or 0,
            }
        case Stream():
            fields = {"stream": 1}
        case _:
            operation = "last" if step.last else step.operation
            fields = {"pass": 1, operation: 1, "passes": step.count}
    return {name: int(value) for name, value in fields.items() if value}


@dataclass
class TurnsExecution(Execution):
    """State of one exponentiation in turn; B is the base, V is R² modulo M."""

    def run(self) -> Execution:
        """Run the whole program."""
        turns = self.p.in_turn
        assert turns is not None
        steps, at = program_in_turn(self.p), 0
        self.cycle += LOADED
        self._x, self._own, self._held, self._found = self.registers["B"], self.registers[V], 0, 0
        while at < len(steps):
            step, at = steps[at], at + 1
            match step:
                case Turn():
                    at = self._turn(step, at)
                    self.cycle += turns.period
                case Stream():
                    self.registers[V] = self._x
                    self.cycle += turns.streamed
                case _:
                    self._pass(step)
        self.parts[-1].end = self.cycle
        return self

    def _turn(self, turn: Turn, after: int) -> int:
        """Execute one product; return the place of the next step."""
        if turn.part and not (self.parts and self.parts[-1].name == turn.part):
            self._begin(turn.part)
        self._held = {OWN: self._own, SAME: self._x, STAYS: self._held}[turn.y]
        if turn.store:
            entry = self._x if self.table else self._own
            self.table = [entry, *self.table[1:]] if len(self.table) >> self.p.window else [*self.table, entry]
            self.table_cycles[1] += self.p.limbs
        if turn.look:
            self._found = self.table[self._digit if turn.look == DIGIT else 0]
            self.table_cycles[0] += self.p.limbs << self.p.window
        self._x, _, error = self.product(1 if turn.one else self._x, self._held)
        self.error = self.error or error
        self.products[0] += 1
        if turn.fill:
            self._own = self._found if turn.fill == DIGIT else 1 << self.p.guard
        if turn.shift:
            self._shift()
        self.count = turn.count or self.count
        if turn.back is None:
            return after
        self.count -= 1
        return turn.back if self.count else after

    @property
    def _digit(self) -> int:
        return self.exponent >> (self.p.exponent_places - self.p.window)


def started(
    p: ModexpParameters, product: Multiply, *, base: int, exponent: int, modulus: int = 0, square: int = 0
) -> Execution:
    """An exponentiation in the cycle of its first instruction, of the kind that its parameters say; see `start`."""
    kind = TurnsExecution if p.in_turn else Execution
    return start(p, product, base=base, exponent=exponent, modulus=modulus, square=square, kind=kind)
