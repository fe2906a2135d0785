# SPDX-License-Identifier: Apache-2.0
"""The position of the ladder: which pair of multiples of P the words stand for, in every exceptional state.

After some bits of the scalar, with the value u, the ladder is at (s·P, (s + 1)·P), where s = u, or s = -(u + 1) if it
is mirrored. A bit b makes u' = 2u + b, so s' = 2s + c with c = b, or 1 - b if it is mirrored; the points are exchanged
for c = 0. The flags say:

    neither     both points are not at infinity, and the words are those of the pair
    fresh       s·P = P and 2·P is not at infinity: the words of the set-up are those of the pair
    nothing     s·P is at infinity

Where (s' + 1)·P is at infinity, the ladder is mirrored: s'' = -(s' + 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from ..decide import UndecidedError
from ..netlist import Netlist
from ..stretches import RESET
from ..ternary import Simulation, Word, gather
from .program import BEGIN, DECIDE, INITIAL

NOTHING, FRESH, MIRROR = "nothing", "fresh", "mirror"
NOW, BEFORE, FRESH_NOW = "now", "before", "fresh_now"
FLAGS = (NOTHING, FRESH, MIRROR, NOW, BEFORE, FRESH_NOW)
RUNNING, AT_FRESH, LOST = {NOTHING: 0, FRESH: 0}, {NOTHING: 0, FRESH: 1}, {NOTHING: 1, FRESH: 0}
BITS = (0, 1)


@dataclass(frozen=True)
class Move:
    """A transition that the position has to make.

    Parameters
    ----------
    name : str
        In words.
    start, inputs : mapping of str to int
        Flags before it, and what comes in; others are unknown.
    end : mapping of str to int
        Flags after it.
    """

    name: str
    start: Mapping[str, int]
    inputs: Mapping[str, int]
    end: Mapping[str, int]


def check_position(netlist: Netlist) -> int:
    """Check all transitions of the position, and return their number.

    Raises
    ------
    UndecidedError
        When it makes another one.
    """
    count = 0
    for move in moves():
        found = _after(netlist, move)
        for flag, value in move.end.items():
            if found[flag] != (value, 1):
                raise UndecidedError(f"the position of the ladder is wrong where {move.name}: {flag} is not {value}")
        count += 1
    return count


def moves() -> Iterator[Move]:
    """Every transition."""
    quiet = {BEGIN: 0, INITIAL: 0, DECIDE: 0}
    for flag, value in product(FLAGS, BITS):
        yield Move("nothing is decided", {flag: value}, quiet, {flag: value})
    yield Move("the ladder begins", {}, {**quiet, INITIAL: 1, "y_zero": 0}, AT_FRESH | {MIRROR: 0})
    yield Move("2·P is at infinity, at the beginning", {}, {**quiet, INITIAL: 1, "y_zero": 1}, LOST | {MIRROR: 1})
    for mirror, bit in product(BITS, BITS):
        start = {MIRROR: mirror}
        yield Move("a step begins", start, {**quiet, BEGIN: 1, "bit": bit}, start | {NOW: int(bit == mirror)})
    for flag, value in ((NOTHING, 0), (NOTHING, 1), (FRESH, 0), (FRESH, 1)):
        yield Move("a step begins", {flag: value}, {**quiet, BEGIN: 1}, {flag: value})
    for value in BITS:
        yield Move("a step begins", {NOW: value}, {**quiet, BEGIN: 1}, {BEFORE: value})
        yield Move("a step begins", {FRESH: value}, {**quiet, BEGIN: 1}, {FRESH_NOW: value})
    yield from _decisions({**quiet, DECIDE: 1})


def _decisions(decide: Mapping[str, int]) -> Iterator[Move]:
    """Transitions at the end of a step, for both directions."""
    for flag, value in product((BEFORE, FRESH_NOW), BITS):
        yield Move("a step decides", {flag: value}, decide, {flag: value})
    for mirror, now in product(BITS, BITS):
        common = {MIRROR: mirror, NOW: now}
        lost = LOST | common
        if now:
            yield Move("0·P is doubled", lost, decide, lost)
        else:
            fresh = AT_FRESH | common
            yield Move("P follows infinity", lost, {**decide, "y_zero": 0}, fresh)
            yield Move("P of order 2 follows infinity", lost, {**decide, "y_zero": 1}, lost | {MIRROR: 1 - mirror})
        for state, g in ((RUNNING, "g_zero"), (AT_FRESH, "g0_zero")):
            start = state | common
            yield Move("no point is at infinity", start, {**decide, g: 0, "h_zero": 0}, RUNNING | common)
            # Q + R is s'·P for c = 1, and (s' + 1)·P for c = 0, when `now` is set; the doubled point is the other one
            of_sum, of_double = (mirror ^ now, mirror ^ 1 ^ now)
            yield Move("Q + R is at infinity", start, {**decide, g: 1, "h_zero": 0}, lost | {MIRROR: of_sum})
            yield Move("twice a point is at infinity", start, {**decide, g: 0, "h_zero": 1}, lost | {MIRROR: of_double})


def _after(netlist: Netlist, move: Move) -> dict[str, Word]:
    """The flags after a transition."""
    registers: dict[int, Word] = {}
    for flag in FLAGS:
        ((source, low, bits),) = netlist.outputs[flag]
        if source < 0 or low or (bits, netlist.widths[source]) != (1, 1):
            raise UndecidedError(f"{flag} of the position is not a register")
        if flag in move.start:
            registers[source] = move.start[flag], 1
    simulation = Simulation(netlist, registers)
    simulation.settle({RESET: (0, 1)} | {name: (value, 1) for name, value in move.inputs.items()}, {})
    simulation.clock()
    return {flag: gather(netlist.outputs[flag], simulation.values) for flag in FLAGS}
