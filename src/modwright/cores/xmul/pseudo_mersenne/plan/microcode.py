# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, ladder steps, the inverse and the exact result.

The last cycles of a step are in the words of the next one. In the first step there is no step before it, and what is
marked `tail` does not count. Behind the ladder each product takes the one before it from the operand register, where
it is from the first cycle of a part on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .....schedule import Loop as WordLoop
from .....schedule import Microcode
from ..parameters import PseudoMersenneParameters
from .formulas import CONSTANT, HOMES, STATE, Sum
from .inversion import chain
from .placement import Loop, Placed, place_step, reads_of
from .timing import AHEAD, DIRECT, FETCH, STILL, Timing

HEAD = 2
"""Words that a player which fetches does not read."""
NOW, BEFORE = 1, 2
"""Bits of the scalar that exchange words: that of this step, that of the one before."""
PRODUCT, GIVEN, NOTHING, MULTIPLE, ONE = range(5)
"""Sources of a word that is written: a product, u, 0, the bias, 1."""
WAITING, AT_ONCE, OF_CURVE = range(3)
"""Where digits of the second factor come from: its register by way of others, or at once; the curve's constant."""
CARRIES, ADDS, SUBTRACTS = 1, 2, 3
"""Passes of the exact reduction."""
BETWEEN = 3
"""Words from the last digit of such a pass to the first one of the next, that one counted."""

IDLE = 2
"""Cycles from the last control word to the first one that a start may be in."""
SETTLED = 2
"""Words from the last digit of the last pass to the end: whether all digits are 0 is known a cycle after them."""

INITIAL = (("U", GIVEN), ("X3", GIVEN), ("X2", ONE), ("Z3", ONE), ("Z2", NOTHING), ("bias", MULTIPLE))
"""Words that the set-up writes."""


@dataclass
class Part:
    """Words of a part of the program.

    Parameters
    ----------
    label : str
    words : list of dict
    count : int
        Rounds of the part.
    """

    label: str
    words: list[dict[str, int]] = field(default_factory=list[dict[str, int]])
    count: int = 1

    def set(self, cycle: int, fields: Mapping[str, int]) -> None:
        """Set fields of a word, each once."""
        while len(self.words) <= cycle:
            self.words.append({})
        word = self.words[cycle]
        for name, value in fields.items():
            if word.setdefault(name, value) != value:
                raise ValueError(f"{self.label}: {name} has two values in cycle {cycle}")


@dataclass(frozen=True)
class Program:
    """All parts, the placed step, and the control words.

    Parameters
    ----------
    parts : tuple of Part
    loop : Loop
    microcode : Microcode
    """

    parts: tuple[Part, ...]
    loop: Loop
    microcode: Microcode

    def cycles(self, *labels: str) -> int:
        """Cycles of the parts with these labels."""
        return sum(len(part.words) * part.count for part in self.parts if part.label in labels)


@dataclass(frozen=True)
class Event:
    """Fields of a control word, and when.

    Parameters
    ----------
    cycle : int
    fields : mapping of str to int
    bit : str
        Field that says which bit of the scalar exchanges the word; empty for one that is not exchanged.
    """

    cycle: int
    fields: Mapping[str, int]
    bit: str = ""


def timing_of(p: PseudoMersenneParameters) -> Timing:
    """Cycles of a product."""
    return Timing(p.count, p.rows, p.delay, p.passes)


def make_program(p: PseudoMersenneParameters) -> Program:
    """Place the step, and write the words of all parts."""
    timing = timing_of(p)
    loop = place_step(timing)
    step, power = _step(p, timing, loop)
    parts = (_setup(), step, power, *_inverse(p, timing), _exact(p))
    words, loops = list[dict[str, int]](), list[WordLoop]()
    for part in parts:
        if part.count > 1:
            loops.append(WordLoop(len(words), len(part.words), part.count))
        words += part.words
    cycles = len(words) + sum((found.count - 1) * found.length for found in loops)
    return Program(parts, loop, Microcode(tuple(words), cycles + IDLE, tuple(loops)))


def _setup() -> Part:
    part = Part("set-up")
    for cycle, (name, source) in enumerate(INITIAL, HEAD):
        part.set(cycle, {"write": 1, "into": HOMES[name], "source": source})
    part.set(len(part.words) - 1, {"begin": 1})
    return part


# --- events of products


def _reads(first: int, terms: Sum) -> Iterator[Event]:
    """Words are read and added, one a cycle, the first one added in cycle `first`."""
    for at, (sign, value) in enumerate(reads_of(terms)):
        cycle = first + at
        yield Event(cycle - FETCH, {"read": HOMES[value]}, "read_bit" if value in STATE else "")
        yield Event(cycle, {"move": 1, "keep": int(at > 0), "minus": int(sign == "-")})


def _row(timing: Timing, start: int, turns: int, taken: int, source: int) -> Iterator[Event]:
    """The second factor is taken, the first one moves, and their digits meet."""
    yield Event(start - STILL, {"load": 1})
    yield Event(start + timing.columns, {"first": 1})
    for turn in range(turns) if source else ():
        yield Event(start - 1 + turn, {"tap": source})
    if taken >= 0:
        ahead = DIRECT if source == AT_ONCE else AHEAD
        yield Event(taken, {"take": 1})
        for turn in range(turns - 1):
            yield Event(start - ahead + turn, {"shift": 1})


def _written(cycle: int, value: str) -> Event:
    """A product is written."""
    return Event(cycle, {"write": 1, "into": HOMES[value], "source": PRODUCT}, "into_bit" if value in STATE else "")


def _placed(timing: Timing, placed: Placed) -> Iterator[Event]:
    """A product of the step."""
    product, at = placed.product, 0
    for terms in (product.y, product.x):
        if isinstance(terms, tuple):
            yield from _reads(placed.adds[at][0], terms)
            at += len(reads_of(terms))
    source = OF_CURVE if product.y == CONSTANT else WAITING
    yield from _row(timing, placed.start, placed.turns, placed.taken, source)
    yield _written(placed.made, product.name.removesuffix("'"))


# --- parts


def _step(p: PseudoMersenneParameters, timing: Timing, loop: Loop) -> tuple[Part, Part]:
    """Words of a step; and of what is behind the last one, until Z2 is in the operand register."""
    step, behind, period = Part("step", count=p.n), Part("behind"), loop.period
    for event in (event for placed in loop.placed.values() for event in _placed(timing, placed)):
        late = event.cycle >= period
        bit = {event.bit: BEFORE if late else NOW} if event.bit else {}
        tail = {"tail": 1} if late and "write" in event.fields else {}
        step.set(event.cycle % period, {**event.fields, **bit, **tail})
        if late:
            behind.set(event.cycle - period, {**event.fields, **bit})
    step.set(period - 1, {"begin": 1, "again": 1})
    _put(behind, _reads(len(behind.words) + FETCH, (("+", "Z2"),)))
    return step, behind


def _put(part: Part, events: Iterator[Event]) -> None:
    """Events behind the ladder: Q is in its own words, whatever the last bit was."""
    for event in events:
        part.set(event.cycle, event.fields)


def _squares(timing: Timing, count: int) -> Part:
    """Squares of what is in the operand register, which the result is in from the next part on."""
    part = Part("squares", count=count)
    _put(part, _row(timing, STILL, timing.turns, 0, AT_ONCE))
    part.set(STILL + timing.made(timing.turns), {"move": 1, "forward": 1})
    return part


def _product(timing: Timing, factor: str) -> Part:
    """A product of a word and what is in the operand register."""
    part, start = Part("product"), FETCH + 1 + STILL
    _put(part, _reads(FETCH, (("+", factor),)))
    _put(part, _row(timing, start, timing.turns, 0, AT_ONCE))
    part.set(start + timing.made(timing.turns), {"move": 1, "forward": 1})
    return part


def _inverse(p: PseudoMersenneParameters, timing: Timing) -> Iterator[Part]:
    """The power of Z2 that is its inverse, times X2."""
    parts = list[Part]()
    for step in chain(p.n, p.c):
        if step.saves:
            _put(parts[-1], iter((_written(len(parts[-1].words) - 1, "saved"),)))
        parts.append(_squares(timing, step.squares))
        if step.factor:
            parts.append(_product(timing, {"z": "Z2"}.get(step.factor, step.factor)))
    yield from parts
    yield _product(timing, "X2")


def _exact(p: PseudoMersenneParameters) -> Part:
    """Three passes over the digits, until the result is below p."""
    part, at = Part("exact"), 1
    part.set(0, {"take": 1})
    for number in (CARRIES, ADDS, SUBTRACTS):
        for digit in range(p.count):
            last = digit % p.rows == p.rows - 1
            taken = {"odd": digit % p.rows, "shift": int(last)} if number == CARRIES else {}
            part.set(at + digit, {"serial": number, **taken})
        part.set(at, {"begins": 1})
        part.set(at + p.count - 1, {"ends": 1})
        at += p.count - 1 + BETWEEN
    part.set(at - BETWEEN + SETTLED, {"end": 1})
    return part
