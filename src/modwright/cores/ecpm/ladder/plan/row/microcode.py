# SPDX-License-Identifier: Apache-2.0
"""The microcode over a row multiplier: words of the operand memory, and one control word a cycle.

Words, by number: 0 to 5 the state (XQ, XR, YQ, YR, G, M), 8 to 13 the state that the set-up has left, 16 to 23 what
stays from the set-up on, 24 on operands, and what is left for the rest. A bit of an address may be exchanged by a flag
(`FLIPS`): bit 0, so that two words are one by a flag of the data, or bit 3, where the state is that of the set-up. So
no control word depends on a scalar or a point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ......engines.ladder.control import Names, Writer, length_of
from ......engines.ladder.dataflow import PRODUCT, Graph
from ......engines.ladder.machine import NoPlaceError, Placed
from ......engines.ladder.parts import Part, PartProgram, assemble, place_behind, write_parts
from ......engines.ladder.phases import shifted
from ......engines.ladder.placement import Loop, by_height
from ......engines.ladder.words import Allocator
from ......engines.row.control import RowWords
from ......engines.row.divsteps import SIGNS, STEPS, TAKEN_F, TAKEN_G
from ......engines.row.machine import RowMachine, RowPlacer, machine_of
from ......schedule import Loop as WordLoop
from ...parameters.operands import SerialOperands
from ...parameters.row import RowLadderParameters
from ..formulas import CARRIED, CURVE, EXCHANGED, POINT, STATE
from ..homes import FRESH, HOMES, PAIRS
from .formulas import (
    ACROSS,
    BATCH_CARRIED,
    COORDINATES,
    EXTERNAL,
    GIVEN,
    GRAPHS,
    KEPT,
    MODULI,
    PREPARE_OF_WORDS,
    STORED,
    ZEROED,
)
from .steps import stored_loop

WORDS = 32
"""Words of an operation."""
TURN_WORDS = 2 * WORDS
"""The same, where contexts take turns."""
KEPT_WORDS = {"oneR": 16, "x1": 18, "y1": 19, "Y1": 20, "a1": 21, "t": 30}
MULTIPLE = 17
"""Word of M~."""
BATCH_WORDS = {"f": 7, "g": 9, "d": 5, "e": 25, "M8": 10}
"""Words of the inverse, each of the first four above one that holds 0; e begins with w."""
MODULI_WORDS = dict(zip(MODULI, (0, 1), strict=True))
"""Words from the begin of the inverse on; a batch, whose words may be exchanged there, does not read them."""
LAST_WORDS = dict(zip(COORDINATES, (10, 11), strict=True))
"""Words of what becomes the coordinates in the last part."""
DENOMINATOR = 26
"""Word of S."""
OPERAND_WORDS = {"m": 24, "x": 25, "y": 26, "a": 27, "b": 28, "r2": 29, "t": 30, "mK": 31, "one": 23}
STORED_WORDS = {"m": WORDS, "r2": WORDS + 1}
"""Words of what the inverse begins with, where contexts take turns: above those of one context alone."""
ACROSS_WORDS = {"num": 28, "f4": 29, "g4": 31}
FREE = (6, 7, 14, 15)
"""Words next to the states."""
REST = (22, 23, 24, 25, 26, 27, 28, 29, 31)
"""Words of operands after the set-up."""

OVER = ("x_over", "y_over")
"""Flags: what becomes a coordinate is not below the modulus."""
FLIPS = ("", "now", "before", "x_zero", "mirror", *SIGNS, "direct", "turned", *OVER)
"""Sources that exchange bit 0 of an address: none; the bit of this step or of the one before; a flag of the data."""
ZEROS = ("", "x_zero", "y_zero", "a_zero", "on_curve", "g0_zero", "h_zero", "g_zero", "m_one", "m_three")
"""Flags that a comparison sets."""
POINT_RANGE, CURVE_RANGE = 1, 2
"""Operands that are compared with M: x or y, which do not count at infinity; another operand."""
RANGES = {**dict.fromkeys(POINT, POINT_RANGE), **dict.fromkeys(CURVE, CURVE_RANGE)}
NAMES = Names(KEPT_WORDS, HOMES, PAIRS[-1], FLIPS, ZEROS, RANGES, fresh=True)
COUNT, ADD, AHEAD = 1, 2, 3
"""Steps of the scalar; see `hardware.row.scalar`."""
PAIR_BITS = 2
"""Bits of the scalar that `hardware.row.pairs` takes in a cycle."""
FIRST_BIT = 6
"""Words from the one behind the last step of the scalar to the one that takes the first bit, and that one."""
HEAD = 2
"""Words that a player which fetches does not read."""
ROW_HEAD = 3
"""The same of one that knows the next word."""

LONGEST = 8
"""Multiple of the least period of a loop up to which one is looked for."""

BATCH_ORDER = (
    *(TAKEN_F, TAKEN_G, STEPS, "nq", "Eu", "Er", "Ev", "nu", "Eq", "nv", "fa", "qf", "ud", "fb", "qd", "ga"),
    *("da", "gb", "ve", "fc", "uf", "nr", "db", "fd", "dc", "vg", "rg", "ea", "eb", "re", "dd", "gc", "gd"),
    *("ec", "ed", "d'", "e'", "g'", "f'"),
)
"""Operations of a batch in the order in which they are placed; found by a search, as is that of a step."""
FIRST = {
    "set-up": (
        *("x1", "tilde", "y1", "x_below", "a1", "x_zero", "y_below", "a_below", "b_below", "load_tilde", "x2", "y22"),
        *("B", "b1", "oneR", "a_zero", "y_zero", "c", "XQ0", "d2", "u", "A", "A2", "v", "M0", "e1", "e2", "XR0", "T"),
        *("XRt", "g0_zero", "G0", "y2", "o", "off", "offt", "on_curve", "YQ0", "YR0"),
    ),
    "prepare": (
        *("reset_steps", "Eq", "Sq", "SE", "nu", "m", "Sm", "Mu", "zf", "ze", "g", "zd", "MK", "one", "two", "m1"),
    ),
    "end": ("shift", "h", "hh", "xf", "yd", TAKEN_F, "gh", "ys", "load_tilde", "nil", "yp", "yn", "xd", "xs", "xw"),
}
"""Operations of a part that are placed before its others, in orders found by a search for short parts at 256 bits."""
ORDER = (
    *("H", "XRg", "L", "J", "Zb", "XQg", "Za", "XR'", "XQ'", "D", "K", "E", "Ht", "h_zero", "decide"),
    *("YQ'", "J2", "M'", "F", "G'", "YR'", "Dt", "g_zero"),
)
"""Operations of a step in the order in which they are placed; found by a search for a short step at 256 bits."""


@lru_cache(maxsize=8)
def make_plan(p: RowLadderParameters) -> PartProgram:
    """Place the graphs, and write the words."""
    machine = machine_of(p.row)
    step, batch = _step(machine), _batch(machine)
    state = {name: f"{name}'" for name in STATE}
    placers = {label: RowPlacer(GRAPHS[label], machine) for label in ("step", "exit", "batch", "end")}
    leaves = place_behind(placers["step"], step, placers["exit"], state, EXCHANGED)
    ends = place_behind(placers["batch"], batch, placers["end"], BATCH_CARRIED, (), FIRST["end"])
    one = p.row.contexts == 1
    operands, moduli = OPERAND_WORDS | ({} if one else STORED_WORDS), MODULI_WORDS | ({} if one else STORED_WORDS)
    setup, last = (_once(machine, GRAPHS[label]) for label in ("set-up", "last"))
    prepare = _once(machine, GRAPHS["prepare"] if one else PREPARE_OF_WORDS)
    step_words, batch_words = _words_of_step(step), _words_of_batch(batch)
    end_words = _words_of_end(ends, batch_words.tail(), moduli)
    if not one:  # a context waits in the word before these until the result of another one has left
        last = tuple(shifted(placed, 1) for placed in last)
    parts = (
        Part("set-up", setup, _words_of_setup(setup, operands), last={"begin": 1}),
        Part("step", step.placed, step_words, step.period, p.order_bits, {"begin": 1}),
        Part("exit", leaves, _words_of_exit(leaves, step_words.tail()), last={"unlift": 1}),
        Part("prepare", prepare, _words_of_prepare(prepare, moduli)),
        Part("batch", batch.placed, batch_words, batch.period, p.batches),
        Part("end", ends, end_words, last={"unlift": 1}),
        Part("last", last, _words_of_last(last, moduli)),
    )
    given = {name: number for number, name in enumerate(GIVEN, 1)}

    def write(part: Part, to: Writer, shift: int) -> None:
        made = part.words
        RowWords(
            NAMES,
            made.graph,
            part.placed,
            made.homes,
            to,
            (),
            part.period,
            shift,
            modulus=operands["m"],
            given=given,
            machine=machine,
        ).write()

    writers = write_parts(parts, write)
    writers[0].set(len(writers[0].words) - 2, initial=1)
    steps, words = paired_steps(p), [operands[name] for name in EXTERNAL]
    steps = sums_of_scalar(steps, writers[0].words)
    head, repeated = head_of(words, steps, machine.loaded, ROW_HEAD)
    for number in range(len(words)):
        head[ROW_HEAD + number + machine.loaded - machine.cleared]["operand"] = 1
    head[ROW_HEAD]["unlift"] = 1
    if not one:
        head[ROW_HEAD + len(words) + machine.loaded - 1]["kept"] = 1
    return assemble(head, repeated, parts, writers)


def scalar_steps(p: SerialOperands) -> tuple[int, ...]:
    """Values of the field `reduce`, one a cycle."""
    return (COUNT,) * p.order_bits + (ADD,) * (p.order_bits + 1) + (AHEAD,) * 2


def counted_pairs(p: SerialOperands) -> int:
    """Pairs of bits of the order."""
    return -(-p.order_bits // PAIR_BITS)


def added_pairs(p: SerialOperands) -> int:
    """Pairs of bits of the scalar."""
    return -(-(p.order_bits + 1) // PAIR_BITS)


def paired_steps(p: SerialOperands) -> tuple[int, ...]:
    """Values of the field `reduce` of a unit that takes two bits a cycle."""
    return (COUNT,) * counted_pairs(p) + (ADD,) * added_pairs(p) + (AHEAD,)


def sums_of_scalar(steps: tuple[int, ...], words: Sequence[dict[str, int]]) -> tuple[int, ...]:
    """Put the last steps of the scalar into the words before the ladder; those that come before these words."""
    room = len(words) - FIRST_BIT
    before = max(0, len(steps) - room)
    for word, step in zip(words[room - len(steps) + before :], steps[before:], strict=False):
        word["reduce"] = step
    return steps[:before]


def head_of(
    words: Sequence[int], steps: Sequence[int], loaded: int, begin: int = HEAD
) -> tuple[list[dict[str, int]], tuple[WordLoop, ...]]:
    """Operands to their words, in the order in which they are numbered, each `loaded` cycles after its number, and the
    first steps of the scalar; behind `begin` words."""
    head: list[dict[str, int]] = [{} for _ in range(begin + len(words) + loaded)]
    for number, word in enumerate(words):
        head[begin + number]["load"] = number + 1
        head[begin + number + loaded] |= {"write": 1, "into": word}
    kinds = sorted(set(steps))
    loops = tuple(WordLoop(len(head) + number, 1, steps.count(kind)) for number, kind in enumerate(kinds))
    return [*head, *({"reduce": kind} for kind in kinds)], loops


def _once(machine: RowMachine, graph: Graph) -> tuple[Placed, ...]:
    first = [name for name in FIRST.get(graph.name, ()) if name in graph.by_name]
    return RowPlacer(graph, machine).place_all(by_height(graph, machine, first))


def _step(machine: RowMachine) -> Loop:
    return _loop(machine, "step", ORDER, CARRIED, EXCHANGED)


def _batch(machine: RowMachine) -> Loop:
    return _loop(machine, "batch", BATCH_ORDER, BATCH_CARRIED, ())


def _loop(
    machine: RowMachine,
    label: str,
    order: tuple[str, ...],
    carried: Mapping[str, str],
    together: tuple[tuple[str, ...], ...],
) -> Loop:
    """The stored loop, placed where a solver has put it, or the shortest into which operations in this order fit."""
    assert machine.row is not None
    row, graph = machine.row, GRAPHS[label]
    stored = stored_loop(row, label)
    if stored is not None:
        placer = RowPlacer(graph, machine, period=stored.period, carried=carried, together=together)
        found = sorted(stored.starts, key=lambda name: stored.starts[name])
        return Loop(stored.period, tuple(placer.place_at(graph.by_name[name], stored.starts[name]) for name in found))
    products = sum(operation.kind in ("product", "square") for operation in graph.operations)
    # a product that its own result of the round before goes into takes a round
    least = max(products * row.digits, machine.timings[PRODUCT].latency + 1)
    for period in range(least, LONGEST * least):
        try:
            placer = RowPlacer(graph, machine, period=period, carried=carried, together=together)
            return Loop(period, placer.place_all(order))
        except NoPlaceError:
            continue
    raise NoPlaceError(f"{label}: no loop of up to {LONGEST * least} cycles")


# --- words


def _words_of_setup(placed: tuple[Placed, ...], operands: Mapping[str, int]) -> Allocator:
    found = Allocator(GRAPHS["set-up"], placed, count=WORDS)
    end = length_of(placed)
    made = {f"{name}0": word + FRESH for name, word in HOMES.items()} | KEPT_WORDS | {"tilde": MULTIPLE}
    for name, word in made.items():
        if name in found.placed:
            found.fix(name, word, end)
    found.homes |= operands
    found.allocate((*FREE, *HOMES.values()))
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
    found.allocate((*FREE, *REST))
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
    for name, word in (ACROSS_WORDS | {"S": DENOMINATOR}).items():
        found.fix(name, word, end)
    found.allocate((*FREE, *REST, *HOMES.values(), *(word + FRESH for word in HOMES.values())))
    return found


def _words_of_prepare(placed: tuple[Placed, ...], moduli: dict[str, int]) -> Allocator:
    graph = GRAPHS["prepare"] if moduli == MODULI_WORDS else PREPARE_OF_WORDS
    found = Allocator(graph, placed, count=WORDS)
    end = length_of(placed)
    zeros = {zero: BATCH_WORDS[name] - 1 for name, zero in ZEROED.items()}
    found.keep(DENOMINATOR, 0, found.last_read("S"))
    for name, word in (BATCH_WORDS | zeros | moduli | {"w": BATCH_WORDS["e"]}).items():
        if name in found.placed:
            found.fix(name, word, end)
    found.homes |= KEPT_WORDS | {"S": DENOMINATOR, "tilde": MULTIPLE}
    found.homes |= {name: moduli[name] for name in STORED if name in graph.inputs}
    found.allocate(_free_of_batch())
    return found


def _words_of_batch(loop: Loop) -> Allocator:
    found = Allocator(GRAPHS["batch"], loop.placed, loop.period, WORDS)
    homes = BATCH_WORDS | {zero: BATCH_WORDS[name] - 1 for name, zero in ZEROED.items()}
    found.homes |= KEPT_WORDS | homes | {made: BATCH_WORDS[name] for name, made in BATCH_CARRIED.items()}
    found.allocate(_free_of_batch())
    return found


def _free_of_batch() -> tuple[int, ...]:
    """Words that hold nothing else from the exit to the end; not those that a step exchanges."""
    behind = (GRAPHS["end"], GRAPHS["last"])
    read = {KEPT_WORDS[name] for name in KEPT if any(graph.readers(name) for graph in behind)}
    read |= {ACROSS_WORDS[name] for name in ACROSS}
    pairs = {word - below for word in BATCH_WORDS.values() for below in (0, 1)}
    taken = read | pairs | {MULTIPLE, KEPT_WORDS["oneR"]}
    return tuple(word for word in range(PAIRS[-1] + 1, WORDS) if word not in taken)


def _words_of_end(placed: tuple[Placed, ...], tail: Mapping[int, int], moduli: dict[str, int]) -> Allocator:
    homes = KEPT_WORDS | ACROSS_WORDS | {name: BATCH_WORDS[name] for name in "fd"} | {"tilde": MULTIPLE}
    found = Allocator(GRAPHS["end"], placed, count=WORDS)
    for word, last in tail.items():
        found.keep(word, 0, last)
    found.homes |= {name: word for name, word in homes.items() if name in GRAPHS["end"].inputs}
    read_last = [*moduli.values(), *(KEPT_WORDS[name] for name in KEPT if GRAPHS["last"].readers(name))]
    for name, word in LAST_WORDS.items():
        found.fix(name, word, length_of(placed))
    found.allocate([word for word in range(WORDS) if word not in (*found.homes.values(), *read_last)])
    return found


def _words_of_last(placed: tuple[Placed, ...], moduli: dict[str, int]) -> Allocator:
    found = Allocator(GRAPHS["last"], placed, count=WORDS)
    found.homes |= LAST_WORDS | moduli | {name: word for name, word in KEPT_WORDS.items() if name == "t"}
    found.allocate([word for word in range(PAIRS[-1] + 1, WORDS) if word not in found.homes.values()])
    return found
