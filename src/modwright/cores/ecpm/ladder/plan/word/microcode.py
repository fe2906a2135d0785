# SPDX-License-Identifier: Apache-2.0
"""The microcode on limbs: words of the memory, and one control word a cycle.

Words, by number: 0 to 5 the state (XQ, XR, YQ, YR, G, M), 8 to 13 the state that the set-up has left, 16 to 31 what
stays for longer, 32 to 36 operands, and what is left for the rest, in two halves that parts take in turn. Those of
the inverse are where the state was. A bit of a
word's number may be exchanged by a flag (`FLIPS`): bit 0, so that two words are one by a flag of the data, or bit 3,
where the state is that of the set-up. So no control word depends on a scalar or a point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from ......engines.ladder.control import Names, Writer
from ......engines.ladder.dataflow import Graph
from ......engines.ladder.machine import NoPlaceError, Placed
from ......engines.ladder.parts import Part, PartProgram, assemble, place_behind, write_parts
from ......engines.ladder.placement import Loop, by_height
from ......engines.row.divsteps import FACTORS as ENTRIES
from ......engines.word.control import ALL_OPERANDS, WordWords
from ......engines.word.divsteps import STEPS, TAKEN_F, TAKEN_G
from ......engines.word.machine import LOADED, WordMachine, machine_of
from ......engines.word.placement import WordAllocator, WordPlacer
from ...parameters.word import WordLadderParameters
from ..formulas import CURVE, EXCHANGED, POINT, STATE
from ..homes import FRESH, HOMES, PAIRS
from ..row.microcode import head_of, scalar_steps, sums_of_scalar
from .formulas import BATCH_CARRIED, EXTERNAL, GRAPHS
from .steps import LOOPS, stored_loop

WORDS = 64
"""Words of the memory."""
KEPT_WORDS = {"oneR": 16, "x1": 18, "y1": 19, "Y1": 20, "a1": 21, "one": 22}
BATCH_WORDS = {
    "fi": 4,
    "gi": 5,
    "di": 37,
    "fp": 8,
    "fn": 9,
    "gp": 10,
    "gn": 11,
    "dp": 12,
    "dn": 13,
    "ep": 17,
    "en": 23,
    "zero": 14,
    "S": 32,
}
"""Words of the inverse, none of which a step exchanges."""
CONSTANTS = {"m": 24, "mu": 25, "q": 26, "m2": 27, "m4": 28, "half": 6, "scale": 7, "ones": 15}
ACROSS_WORDS = {"num": 29, "f4": 30, "g4": 31}
OPERAND_WORDS = {"x": 32, "y": 33, "a": 34, "b": 35, "r2": 36}
FIXED = {**KEPT_WORDS, **CONSTANTS, **ACROSS_WORDS, **OPERAND_WORDS}
LIMBS_OF_T = 60
"""First word of the limbs that columns leave for later ones, a word a context."""
HALVES = (range(38, 49), range(49, LIMBS_OF_T))
"""Words of values in between; a loop's are still read when the part behind it begins, which has the other half."""

FLIPS = ("", "now", "before", "x_zero", "mirror", "direct", "negate", "x_less", "y_less")
"""Sources that exchange bit 0 of a word's number: none; the bit of this step or of the one before; a flag."""
ZEROS = ("", "x_zero", "y_zero", "a_zero", "on_curve", "g0_zero", "h_zero", "g_zero")
"""Flags that a test sets."""
POINT_RANGE, CURVE_RANGE, X_RANGE, Y_RANGE, MODULUS_RANGE = range(1, 6)
"""Values that are compared with m: x or y, which do not count at infinity; another operand; results; 4."""
RANGES = {
    **dict.fromkeys(POINT, POINT_RANGE),
    **dict.fromkeys(CURVE, CURVE_RANGE),
    "xt": X_RANGE,
    "yt": Y_RANGE,
    "four": MODULUS_RANGE,
}
NAMES = Names(FIXED, HOMES, PAIRS[-1], FLIPS, ZEROS, RANGES, fresh=True)

ORDERS = {
    "step": (
        *("L", "XRg", "H", "J", "XQg", "XR'", "K", "h_zero", "decide", "XQ'", "D", "E", "YQ'", "G'", "J2", "M'"),
        *("F", "YR'", "g_zero"),
    ),
    "batch": (
        *(TAKEN_F, TAKEN_G, STEPS, "nu", "nv", "nq", "nr", "fi'", "gi'", "ff", "gg", "fp'", "fn'", "gp'", "gn'"),
        *("di'", "ei", "dp'", "dn'", "ep'", "en'"),
    ),
}
"""Operations of a loop in the order in which they are placed, where no solver has placed them: what others wait for
goes first."""
LONGEST_LOOP, FINER = 16, 4
"""Periods are tried up to that many times the least one, in steps that grow with the distance from it."""


@lru_cache(maxsize=8)
def make_plan(p: WordLadderParameters) -> PartProgram:
    """Place the graphs, and write the words."""
    machine = machine_of(p.words, p.K)
    given = {name: ALL_OPERANDS + number for number, name in enumerate(ENTRIES, 1)}
    parts = _parts(p, machine)

    def write(part: Part, to: Writer, shift: int) -> None:
        made = part.words
        base = (NAMES, made.graph, part.placed, made.homes, to, (), part.period, shift)
        WordWords(*base, p=p.words, constants=CONSTANTS, given=given, first_t=LIMBS_OF_T).write()

    writers = write_parts(parts, write)
    writers[1].set(len(writers[1].words) - 2, initial=1)
    steps = sums_of_scalar(scalar_steps(p), writers[0].words + writers[1].words)
    head, repeated = head_of(list(_operand_places(p)), steps, LOADED)
    for before, word in pairwise(head):
        before["outside"] = word.get("write", 0)
    for word in head:
        word["load"] = ALL_OPERANDS * (word.get("load") == 1)  # a limb a cycle, from the first one on
    return assemble(head, repeated, parts, writers)


def operand_limbs(p: WordLadderParameters, names: Sequence[str] = EXTERNAL) -> Iterable[tuple[str, int]]:
    """Operands and constants, limb by limb, in the order in which they come in."""
    return ((name, limb) for name in names for limb in range(1 if name == "q" else p.words.s))


def _operand_places(p: WordLadderParameters) -> Iterable[int]:
    return (FIXED[name] * p.words.places + limb for name, limb in operand_limbs(p))


def _parts(p: WordLadderParameters, machine: WordMachine) -> list[Part]:
    step, batch = (_loop(machine, label) for label in ("step", "batch"))
    begin, setup, prepare = (_once(machine, label) for label in ("begin", "set-up", "prepare"))
    leaves = _behind(machine, ("step", step), GRAPHS["exit"], {name: f"{name}'" for name in STATE}, EXCHANGED)
    ends = _behind(machine, ("batch", batch), GRAPHS["end"], BATCH_CARRIED, ())
    return [
        Part("begin", begin, _words("begin", begin)),
        Part("set-up", setup, _words("set-up", setup), last={"begin": 1}),
        Part("step", step.placed, _words("step", step.placed, step.period), step.period, p.order_bits, {"begin": 1}),
        Part("exit", leaves, _words("exit", leaves)),
        Part("prepare", prepare, _words("prepare", prepare)),
        Part("batch", batch.placed, _words("batch", batch.placed, batch.period), batch.period, p.batches),
        Part("end", ends, _words("end", ends)),
    ]


def _once(machine: WordMachine, label: str) -> tuple[Placed, ...]:
    graph = GRAPHS[label]
    return WordPlacer(graph, machine).place_all(by_height(graph, machine))


def _behind(
    machine: WordMachine,
    loop: tuple[str, Loop],
    graph: Graph,
    state: Mapping[str, str],
    together: Sequence[tuple[str, ...]],
) -> tuple[Placed, ...]:
    label, placed = loop
    return place_behind(WordPlacer(GRAPHS[label], machine), placed, WordPlacer(graph, machine), state, together)


def _loop(machine: WordMachine, label: str) -> Loop:
    """The stored loop, placed where a solver has put it; or one of the periods that are tried, in the order of
    `ORDERS`."""
    stored = stored_loop(machine, label)
    if stored is not None:
        return stored
    graph, (carried, together) = GRAPHS[label], LOOPS[label]
    timings = [machine.timings[made.kind] for made in graph.operations if made.kind in machine.timings]
    # a product that its own result of the round before goes into takes a round
    least = max(sum(timing.interval for timing in timings), *(timing.readable for timing in timings))
    period = least
    while period < LONGEST_LOOP * least:
        try:
            placer = WordPlacer(graph, machine, period=period, carried=carried, together=together)
            return Loop(period, placer.place_all(ORDERS[label]))
        except NoPlaceError:
            period += 1 + (period - least) // FINER
    raise NoPlaceError(f"{label}: no loop of up to {period} cycles")


def _words(label: str, placed: tuple[Placed, ...], period: int = 0) -> WordAllocator:
    """Words of a part: those of values that others read, and for the rest its half."""
    graph = GRAPHS[label]
    found = WordAllocator(graph, placed, period, WORDS)
    state = {f"{name}'": word for name, word in HOMES.items()}
    fresh = {f"{name}0": word + FRESH for name, word in HOMES.items()}
    batch = BATCH_WORDS | {made: BATCH_WORDS[name] for name, made in BATCH_CARRIED.items()}
    own = state | fresh | batch | FIXED | HOMES
    found.homes |= {name: own[name] for name in graph.values if name in own}
    found.allocate(HALVES[tuple(GRAPHS).index(label) % len(HALVES)])
    return found
