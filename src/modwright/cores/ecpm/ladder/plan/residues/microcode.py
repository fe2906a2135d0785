# SPDX-License-Identifier: Apache-2.0
"""The microcode in residues: one control word a cycle for each part, from operations placed in time.

Words, by number: pairs that a flag exchanges are next to each other, the copies that the set-up leaves are `FRESH`
above. So no control word depends on a scalar or a point. What a step does after its period is in the first words of the
next one, and in the first of the exit; in the first step that is nothing that counts, as it begins with the copies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ......engines.rowers.control import TESTED, TRAVEL, Naming, WordList, steps_of
from ......engines.rowers.parameters import RowerField
from ......engines.rowers.program import Places, Table, loop_is_right, place_loop, place_once
from ......schedule import Loop, Microcode
from ...parameters.residues import ResidueLadderParameters
from ..row.microcode import FIRST_BIT, scalar_steps
from .formulas import COPIED, GRAPHS, TESTS
from .steps import stored_step

PAIRS = (
    ("U", "V"), ("YQ", "YR"), ("z", "D"), ("x1", "y1"), ("y3", "a1"), ("N1", "N2"), ("YP", "D2"), ("one", "S"),
    ("hh", "z2"), ("z4", "y4"), ("yp", "ym"),
)  # fmt: skip
"""Words next to each other: the first one where their flag is 0."""
FRESH = 64
"""The copies of the set-up are this much above the words."""
WORDS = 2 * FRESH
"""Words of each memory."""
FLIPS = ("", "turn", "turned", "own", "x_zero", "digit", "direct", "negate")
"""Causes that exchange bit 0 of an address: nothing; whether this step, or the one before, exchanges the points of the
frame before; which point leaves; flags of the data; a digit of P - 2."""
ZEROS = ("", "x_zero", "y_zero", "a_zero", "on_curve", "g0_zero", "h_zero", "g_zero")
"""Flags that a comparison sets."""
OF_DIGITS = {1: "x_zero", 2: "y_zero", 3: "a_zero"}
"""Flags that an operand sets which comes in, by its number in the field `operand`."""
POINT_RANGE, CURVE_RANGE = 1, 2
"""Operands that are compared with P: x or y, which do not count at infinity; another operand."""
RANGES = {1: POINT_RANGE, 2: POINT_RANGE, 3: CURVE_RANGE, 4: CURVE_RANGE}
"""Comparisons by the number of the operand."""
HEAD = 2
"""Words that a player which fetches does not read."""
OUT_X, OUT_Y = 1, 2
"""Field `out`: coordinates that are converted."""
ORDER = ("V", "U", "H", "L", "K", "D", "XQ", "G", "YQ", "YR")
"""Order in which a step is placed that no solver has placed."""


def _homes() -> dict[str, int]:
    """Numbers of all words."""
    names = [name for pair in PAIRS for name in pair]
    every = [operation.name for graph in GRAPHS.values() for operation in graph]
    copies = {f"{name}0" for name in COPIED}
    names += [name for name in dict.fromkeys(every) if name not in names and name not in copies]
    found = {name: number for number, name in enumerate(names)}
    return found | {f"{name}0": found[name] + FRESH for name in COPIED}


HOMES = _homes()


def _fresh() -> Mapping[str, frozenset[str]]:
    """Words that an operation of the step or of the exit reads as the step before has left them, or the set-up."""
    made = [operation.name for operation in GRAPHS["step"]]
    found = {name: frozenset(COPIED).intersection(made[at:]) for at, name in enumerate(made)}
    return found | {operation.name: frozenset(COPIED) for operation in GRAPHS["exit"]}


NAMING = Naming(HOMES, FLIPS, _fresh(), {"turn": "turned"})


@dataclass(frozen=True)
class Part:
    """Operations in time, with their words.

    Parameters
    ----------
    label : str
    placed : tuple of Places
    words : tuple of mapping of str to int
    count : int
        Rounds.
    """

    label: str
    placed: tuple[Places, ...]
    words: tuple[Mapping[str, int], ...]
    count: int = 1


@dataclass(frozen=True)
class ResidueProgram:
    """Microcode and its parts in the order in which they run; `waits` are cycles of a conversion behind each of the
    last two."""

    microcode: Microcode
    parts: tuple[Part, ...]
    waits: int


def make_plan(p: ResidueLadderParameters, conversion: int) -> ResidueProgram:
    """Place the operations, and write the words; `conversion` is the latency of a conversion to binary."""
    field = p.rowers
    step, period, decide = _step(field)
    power, round_ = _power(field)
    inputs = place_once(field, GRAPHS["input"], {})
    setup = _once(field, "set-up", {places.operation.name: places.ready for places in inputs}, [(x, 0) for x in inputs])
    left = [(places, -period) for places in step]
    leaves = _once(field, "exit", {places.operation.name: places.ready - period for places in step}, left)
    behind = {places.operation.name: places.ready - round_ for places in power}
    ends = _once(field, "end", behind, [(places, -round_) for places in power])
    last = _once(field, "last", {}, [])
    parts = (
        _setup_part(p, inputs, setup),
        _loop_part("step", step, period, p.order_bits, {period - 1: {"begin": 1}, decide: {"decide": 1}}),
        _exit_part(step, period, leaves, power, round_),
        _loop_part("power", power, round_, p.modulus.bit_length(), {round_ - 1: {"shift": 1}}),
        _leaving_part("end", ends, OUT_X, power, round_),
        _leaving_part("last", last, OUT_Y),
    )
    return ResidueProgram(_assemble(parts, conversion), parts, conversion)


def _once(
    field: RowerField, label: str, ready: Mapping[str, int], before: Sequence[tuple[Places, int]]
) -> tuple[Places, ...]:
    return place_once(field, GRAPHS[label], ready, before)


# --- loops


def _step(field: RowerField) -> tuple[tuple[Places, ...], int, int]:
    """A step, its period, and the cycle of the decision: the stored one, or one in the order of `ORDER`."""
    graph, stored = GRAPHS["step"], stored_step(field)
    if stored is not None:
        placed = tuple(Places(field, operation, *stored.starts[operation.name]) for operation in graph)
        decide = decision(placed, stored.period)
        if decide is None or not loop_is_right(placed, stored.period, stored.period):
            raise ValueError(f"the stored step of {stored.period} cycles does not fit its formulas")
        return placed, stored.period, decide
    least = shortest_step(field)
    for period in range(least, 4 * least):
        found = place_loop(field, graph, ORDER, period, period)
        decide = None if found is None else decision(found, period)
        if found is not None and decide is not None:
            return found, period, decide
    raise ValueError(f"no step of up to {4 * least} cycles")


def shortest_step(field: RowerField) -> int:
    """A bound: cycles of the rowers of B, and three sums that wait for each other."""
    graph = GRAPHS["step"]
    return max(sum(len(operation.terms) + field.rows + 1 for operation in graph), 3 * field.latency)


def decision(placed: Sequence[Places], period: int) -> int | None:
    """Cycle in which H = 0 and the last G = 0 are known, in the same round and before the next G is; None where there
    is none."""
    tested = {places.operation.name: _tested(places) for places in placed}
    first = max(tested["H"], tested["G"] - period) + 1
    return first if first <= min(period - 2, tested["G"]) else None


def _tested(places: Places) -> int:
    """Cycle of the word in which a number is compared."""
    return places.stored_b + TRAVEL + TESTED


def _power(field: RowerField) -> tuple[tuple[Places, ...], int]:
    """A digit of the inverse: a square that waits for the one before, and a product that ends in the next round."""
    for period in range(field.latency, 4 * field.latency):
        for order in (("S", "A"), ("A", "S")):
            found = place_loop(field, GRAPHS["power"], order, period)
            if found is not None:
                return found, period
    raise ValueError(f"no round of up to {4 * field.latency} cycles")


# --- words


def _write_tests(words: WordList, placed: Sequence[Places]) -> None:
    for places in placed:
        flag = TESTS.get(places.operation.name)
        if flag is not None:
            words.set(_tested(places), zero=ZEROS.index(flag))


def _setup_part(p: ResidueLadderParameters, inputs: Sequence[Places], setup: Sequence[Places]) -> Part:
    """The operands come in while the scalar is reduced, a bit a cycle; what ends later ends the part."""
    reduced = scalar_steps(p)
    count = max(_end(NAMING, (*inputs, *setup)) + TRAVEL + TESTED + 2, len(reduced) + FIRST_BIT)
    words = WordList(NAMING, count)
    for places in (*inputs, *setup):
        words.write(places)
    for number, places in enumerate(inputs, 1):
        for row in range(p.rowers.digit_rows):
            words.set(places.start + row, operand=number, **({"digits_at": row} if row else {"first_digits": 1}))
        checked = places.start + p.rowers.digit_rows + TRAVEL
        fields = {"zero": ZEROS.index(OF_DIGITS.get(number, "")), "range": RANGES.get(number, 0), "of_digits": 1}
        words.set(checked, **{name: value for name, value in fields.items() if value})
    _write_tests(words, setup)
    for cycle, value in enumerate(reduced):
        words.set(cycle, reduce=value)
    words.set(count - 2, initial=1)
    words.set(count - 1, begin=1)
    return Part("set-up", (*inputs, *setup), tuple(words.words))


def _loop_part(
    label: str, placed: tuple[Places, ...], period: int, count: int, more: Mapping[int, Mapping[str, int]]
) -> Part:
    words = WordList(NAMING, period, period)
    for places in placed:
        words.write(places, period)
    _write_tests(words, placed)
    for cycle, fields in more.items():
        words.set(cycle, **fields)
    return Part(label, placed, tuple(words.words), count)


def _exit_part(
    step: Sequence[Places], period: int, leaves: tuple[Places, ...], power: Sequence[Places], round_: int
) -> Part:
    """Rest of the last step, the exit, and what makes the numbers with which the inverse begins.

    Those are made where a round would make them, so that what the first round issues of the one before is their end.
    """
    field, ready = leaves[0].p, {places.operation.name: places.ready for places in leaves}
    table = Table(field)
    for places in step:
        table.occupy(places, -period)
    for places in leaves:
        table.occupy(places)
    at = {places.operation.name: places for places in power}
    count = max(_end(NAMING, leaves), _end(NAMING, step, period) - period)
    while True:
        moved = count - round_
        before = [
            Places(field, operation, at[operation.name].start + moved, at[operation.name].second + moved)
            for operation in GRAPHS["first power"]
        ]
        earliest = (max(0, *(ready.get(name, 0) for name in places.operation.sources)) for places in before)
        late = all(places.start >= cycle for places, cycle in zip(before, earliest, strict=True))
        if late and all(table.fits(places) for places in before):
            break
        count += 1
    words = WordList(NAMING, count)
    for places in step:
        words.write(places, period, shift=-period)
    for places in (*leaves, *before):
        words.write(places, until=count)
    return Part("exit", (*leaves, *before), tuple(words.words))


def _leaving_part(
    label: str, placed: tuple[Places, ...], out: int, before: Sequence[Places] = (), period: int = 0
) -> Part:
    """A part whose last number is converted, behind the last round of a loop."""
    leaves = next(places for places in placed if places.operation.name == GRAPHS[label][-1].name)
    words = WordList(NAMING, max(_end(NAMING, placed), leaves.stored_b + TRAVEL + 1))
    for places in before:
        words.write(places, period, shift=-period)
    for places in placed:
        words.write(places)
    words.set(leaves.stored_b + TRAVEL, out=out)
    return Part(label, placed, tuple(words.words))


def _end(naming: Naming, placed: Sequence[Places], period: int = 0) -> int:
    """Cycles of operations, with the last of their fields."""
    return 1 + max(cycle for places in placed for cycle, _ in steps_of(naming, places, period))


def _assemble(parts: Sequence[Part], conversion: int) -> Microcode:
    words: list[Mapping[str, int]] = [{} for _ in range(HEAD)]
    loops: list[Loop] = []
    for part in parts:
        if part.count > 1:
            loops.append(Loop(len(words), len(part.words), part.count))
        words += part.words
        if part.label in ("end", "last"):
            loops.append(Loop(len(words), 1, conversion))
            words.append({})
    words.append({"end": 1})
    cycles = len(words) + sum((loop.count - 1) * loop.length for loop in loops)
    # the result is taken before the next operation starts, in the cycle after the last word or later
    return Microcode(tuple(words), cycles + 2, tuple(loops))
