# SPDX-License-Identifier: Apache-2.0
"""The microcode over a row multiplier: words of the operand memory, and one control word a cycle.

Words, by number: 0 to 5 the state (XQ, XR, YQ, YR, G, M), 8 to 13 the state that the set-up has left, 16 to 23 what
stays from the set-up on, 24 on operands, and what is left for the rest. A bit of an address may be exchanged by a flag
(`FLIPS`): bit 0, so that two words are one by a flag of the data, or bit 3, where the state is that of the set-up. So
no control word depends on a scalar or a point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ......engines.ladder.control import Names, length_of
from ......engines.ladder.dataflow import PRODUCT
from ......engines.ladder.machine import NoPlaceError, Placed
from ......engines.ladder.placement import Loop, by_height
from ......engines.ladder.words import Allocator
from ......engines.row.machine import RowMachine, RowPlacer, machine_of, product_cycles
from ......engines.row.program import Divides, Part, RowProgram, assemble, place_behind, write_parts
from ......schedule import Loop as WordLoop
from ...parameters.row import RowLadderParameters
from ..formulas import CARRIED, CURVE, EXCHANGED, POINT, STATE
from ..homes import FRESH, HOMES, PAIRS
from .formulas import EXTERNAL, GRAPHS, POWER_CARRIED
from .steps import stored_step

WORDS = 32
"""Words of the memory: two LUT RAMs deep."""
KEPT_WORDS = {"oneR": 16, "x1": 18, "y1": 19, "Y1": 20, "a1": 21, "tR": 22, "one": 23, "t": 30}
POWER_WORDS = {"S": 17, "A": 24}
"""S is next to oneR, one of which multiplies A."""
OPERAND_WORDS = {"m": 24, "x": 25, "y": 26, "a": 27, "b": 28, "r2": 29, "t": 30, "mK": 31, "one": 23}
ACROSS_WORDS = {"num": 28, "f4": 29, "g4": 31}
FREE = (6, 7, 14, 15)
"""Words next to the states."""
REST = (25, 26, 27, 28, 29, 31)
"""Words of operands after the set-up."""

FLIPS = ("", "now", "before", "x_zero", "mirror", "e_bit", "direct", "negate")
"""Sources that exchange bit 0 of an address: none; the bit of this step or of the one before; a flag of the data; a
digit of M - 2."""
ZEROS = ("", "x_zero", "y_zero", "a_zero", "on_curve", "g0_zero", "h_zero", "g_zero", "x_none", "y_none")
"""Flags that a comparison sets."""
POINT_RANGE, CURVE_RANGE = 1, 2
"""Operands that are compared with M: x or y, which do not count at infinity; another operand."""
RANGES = {**dict.fromkeys(POINT, POINT_RANGE), **dict.fromkeys(CURVE, CURVE_RANGE)}
NAMES = Names(KEPT_WORDS, HOMES, PAIRS[-1], FLIPS, ZEROS, RANGES, fresh=True)
LOADED = 2
"""Cycles from the field with the number of an operand to the one with its write."""
COUNT, ADD, AHEAD = 1, 2, 3
"""Steps of the scalar; see `hardware.row.scalar`."""
DIVIDE_X, DIVIDE_Y = 1, 2
"""Coordinates that are divided by t."""
DIVIDED = 3
"""Cycles from the last step of a division to the quotient."""
SHIFTED = 2
"""Cycles from the field with which a digit of M - 2 leaves to the next digit."""
HEAD = 2
"""Words that a player which fetches does not read."""

ORDER = (
    *("H", "XRg", "L", "J", "Zb", "XQg", "Za", "XR'", "XQ'", "D", "K", "E", "Ht", "h_zero", "decide"),
    *("YQ'", "J2", "M'", "F", "G'", "YR'", "Dt", "g_zero"),
)
"""Operations of a step in the order in which they are placed; found by a search for a short step at 256 bits."""


def make_plan(p: RowLadderParameters) -> RowProgram:
    """Place the graphs, and write the words."""
    machine = machine_of(p.row)
    head, repeated = _head(p)
    step, power = _step(machine), _power(machine)
    state = {name: f"{name}'" for name in STATE}
    leaves = place_behind(machine, GRAPHS["step"], step, GRAPHS["exit"], state, EXCHANGED)
    ends = place_behind(machine, GRAPHS["power"], power, GRAPHS["end"], {"A": "A'"}, ())
    begin, setup, last = (_once(machine, label) for label in ("begin", "set-up", "last"))
    step_words, end_words = _words_of_step(step), _words_of_end(ends)
    behind = Divides(DIVIDE_Y, p.n, DIVIDED)
    parts = (
        Part("begin", begin, _words("begin", begin, OPERAND_WORDS, (*FREE, *range(6)))),
        Part("set-up", setup, _words_of_setup(setup), last={"begin": 1}),
        Part("step", step.placed, step_words, step.period, p.order_bits, {"begin": 1}),
        Part("exit", leaves, _words_of_exit(leaves, step_words.tail())),
        Part("power", power.placed, _words_of_power(power), power.period, p.n),
        Part("end", ends, end_words, divides=Divides(DIVIDE_X, p.n, 0)),
        Part("last", last, _words("last", last, {"zy": end_words.homes["zy"]}, ()), divides=behind),
    )
    writers = write_parts(NAMES, parts, OPERAND_WORDS["m"])
    writers[1].set(len(writers[1].words) - 2, initial=1)
    writers[4].set(power.period - SHIFTED, digit=1)
    return assemble(head, repeated, parts, writers)


def _head(p: RowLadderParameters) -> tuple[list[dict[str, int]], tuple[WordLoop, ...]]:
    """Operands to words, and the sums of the scalar."""
    words: list[dict[str, int]] = [{} for _ in range(HEAD + len(EXTERNAL) + LOADED)]
    for number, name in enumerate(EXTERNAL):
        words[HEAD + number]["load"] = number + 1
        words[HEAD + number + LOADED] |= {"operand": 1, "write": 1, "into": OPERAND_WORDS[name]}
    words[HEAD]["unlift"] = 1
    loops = (WordLoop(len(words), 1, p.order_bits), WordLoop(len(words) + 1, 1, p.order_bits + 1))
    return [*words, {"reduce": COUNT}, {"reduce": ADD}, {"reduce": AHEAD}, {"reduce": AHEAD}], loops


def _once(machine: RowMachine, label: str) -> tuple[Placed, ...]:
    graph = GRAPHS[label]
    return RowPlacer(graph, machine).place_all(by_height(graph, machine))


def _step(machine: RowMachine) -> Loop:
    """The stored step, placed where a solver has put it, or one in the order of `ORDER`."""
    assert machine.row is not None
    stored = stored_step(machine.row)
    if stored is None:
        return _loop(machine, "step", ORDER, CARRIED, EXCHANGED)
    graph, order = GRAPHS["step"], sorted(stored.starts, key=lambda name: stored.starts[name])
    placer = RowPlacer(graph, machine, period=stored.period, carried=CARRIED, together=EXCHANGED)
    return Loop(stored.period, tuple(placer.place_at(graph.by_name[name], stored.starts[name]) for name in order))


def _power(machine: RowMachine) -> Loop:
    return _loop(machine, "power", ("S'", "A'"), POWER_CARRIED, ())


def _loop(
    machine: RowMachine,
    label: str,
    order: tuple[str, ...],
    carried: Mapping[str, str],
    together: tuple[tuple[str, ...], ...],
) -> Loop:
    """The shortest loop into which the operations fit in this order."""
    assert machine.row is not None
    row, graph = machine.row, GRAPHS[label]
    products = sum(operation.kind in ("product", "square") for operation in graph.operations)
    # a product that its own result of the round before goes into takes a round
    least = max(products * row.digits, product_cycles(row, PRODUCT) + 1)
    for period in range(least, 4 * least):
        try:
            placer = RowPlacer(graph, machine, period=period, carried=carried, together=together)
            return Loop(period, placer.place_all(order))
        except NoPlaceError:
            continue
    raise NoPlaceError(f"{label}: no loop of up to {4 * least} cycles")


# --- words


def _words(label: str, placed: tuple[Placed, ...], homes: Mapping[str, int], free: Sequence[int]) -> Allocator:
    """Words of a part whose inputs have words that nothing else may take."""
    graph = GRAPHS[label]
    found = Allocator(graph, placed, count=WORDS)
    found.homes |= {name: word for name, word in homes.items() if name in graph.inputs}
    found.allocate(free)
    return found


def _words_of_setup(placed: tuple[Placed, ...]) -> Allocator:
    found = Allocator(GRAPHS["set-up"], placed, count=WORDS)
    end = length_of(placed)
    made = {f"{name}0": word + FRESH for name, word in HOMES.items()} | KEPT_WORDS
    for name, word in made.items():
        if name in found.placed:
            found.fix(name, word, end)
    found.homes |= OPERAND_WORDS
    found.allocate((*FREE, *HOMES.values(), POWER_WORDS["S"], *POWER_WORDS.values()))
    return found


def _words_of_step(loop: Loop) -> Allocator:
    found = Allocator(GRAPHS["step"], loop.placed, loop.period, WORDS)
    for name, word in HOMES.items():
        # the next step's reads, or with M the exit's, are the last
        last = loop.period + (found.last_read(name) if name in GRAPHS["step"].inputs else found.span(f"{name}'")[0])
        last = max(last, found.span(f"{name}'")[1])
        found.fix(f"{name}'", word, last)
        if word <= PAIRS[-1]:  # which of the two it is follows from the scalar
            found.keep(word ^ 1, found.span(f"{name}'")[0], last)
    found.allocate((*FREE, POWER_WORDS["A"], *REST))
    return found


def _words_of_exit(placed: tuple[Placed, ...], tail: Mapping[int, int]) -> Allocator:
    found = Allocator(GRAPHS["exit"], placed, count=WORDS)
    end = length_of(placed)
    for name, word in HOMES.items():
        for bank in (word, word + FRESH):
            found.keep(bank, 0, found.last_read(name))
        found.homes[name] = word
    for word, last in tail.items():
        found.keep(word, 0, last)
    found.homes |= KEPT_WORDS
    for name, word in (ACROSS_WORDS | {f"{name}0": word for name, word in POWER_WORDS.items()}).items():
        found.fix(name, word, end)
    found.allocate((*FREE, *REST, *HOMES.values(), *(word + FRESH for word in HOMES.values())))
    return found


def _words_of_power(loop: Loop) -> Allocator:
    found = Allocator(GRAPHS["power"], loop.placed, loop.period, WORDS)
    found.homes |= KEPT_WORDS | POWER_WORDS | {f"{name}'": word for name, word in POWER_WORDS.items()}
    return found


def _words_of_end(placed: tuple[Placed, ...]) -> Allocator:
    homes = KEPT_WORDS | ACROSS_WORDS | {"A": POWER_WORDS["A"]}
    return _words("end", placed, homes, [word for word in range(WORDS) if word not in homes.values()])
