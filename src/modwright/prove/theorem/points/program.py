# SPDX-License-Identifier: Apache-2.0
"""The program of a point multiplier: its control words, cycle by cycle, from the netlist of its sequencer.

Its one input says that an operation starts. Its registers have after an operation what they had before it,
but for some that no word depends on; so every operation has the same words, by induction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ..decide import UndecidedError
from ..netlist import Netlist
from ..stretches import CLOCK, RESET
from ..ternary import Simulation, Word, after_reset, common, gather, ones, width_of
from .cut import ADDER, MULTIPLIER, POSITION, PROGRAM, SCALAR, WORD, Parts, port

START, READY = "start", "ready"
BEGIN, INITIAL, DECIDE, REDUCE = "begin", "initial", "decide", "reduce"
STROBES = (BEGIN, INITIAL, DECIDE, REDUCE)
FIELDS = ("load_a", "clear_a", "first", "second", "one", "inverse")
"""Fields of the control word that the adder gets."""
GETTERS = {
    ADDER: {name: name for name in FIELDS},
    POSITION: {name: name for name in (BEGIN, INITIAL, DECIDE)},
    SCALAR: {name: name for name in (BEGIN, REDUCE)},
}
"""Ports that get fields of the control word, by instance."""
MOST_TRIALS = 4
"""Most times that less is taken to be known between operations."""


@dataclass(frozen=True)
class Program:
    """Control words, and what they strobe.

    Parameters
    ----------
    words : list of int
        The word of each cycle; number 0 is the cycle in which the operation starts.
    strobes : mapping of str to list of int
        Cycles in which a step begins, and so on.
    reductions : tuple of int
        The field of the scalar in each cycle in which it is other than 0.
    """

    words: list[int]
    strobes: Mapping[str, list[int]]
    reductions: tuple[int, ...] = ()

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.strobes[BEGIN]) - 1

    @property
    def setup(self) -> range:
        """Cycles before the first step, without that in which the operation starts."""
        return range(1, self.strobes[BEGIN][0] + 1)

    @cached_property
    def step(self) -> range:
        """Cycles of the first step.

        Raises
        ------
        UndecidedError
            When another step has other words.
        """
        begins = self.strobes[BEGIN]
        spans = [range(a + 1, b + 1) for a, b in pairwise(begins)]
        if not spans or any(self.words[span.start : span.stop] != self.words_of(spans[0]) for span in spans):
            raise UndecidedError("the steps of the ladder have different control words")
        return spans[0]

    @property
    def exit(self) -> range:
        """Cycles behind the last step."""
        return range(self.strobes[BEGIN][-1] + 1, len(self.words))

    def words_of(self, cycles: range) -> list[int]:
        """The words of some cycles."""
        return self.words[cycles.start : cycles.stop]

    def check(self) -> None:
        """Check that the strobes come one by one, in the order of a ladder.

        Raises
        ------
        UndecidedError
            When they do not.
        """
        at = self.strobes
        if len(at[BEGIN]) < 2 or len(at[INITIAL]) != 1 or at[INITIAL][0] >= at[BEGIN][0]:
            raise UndecidedError("the program has not one set-up before the steps of a ladder")
        if at[REDUCE] and at[REDUCE][-1] >= at[BEGIN][0]:
            raise UndecidedError("the scalar is not reduced before the steps begin")
        for first, last in pairwise(at[BEGIN]):
            if sum(first < cycle < last for cycle in at[DECIDE]) != 1:
                raise UndecidedError("a step of the ladder has not one decision on points at infinity")
        if len(at[DECIDE]) != self.steps:
            raise UndecidedError("a decision on points at infinity is outside the steps")


def program_of(parts: Parts, cycles: int) -> Program:
    """The words of an operation of `cycles` cycles.

    Raises
    ------
    UndecidedError
        When a word is not known, or the player is not ready again.
    """
    check_wires(parts)
    player = parts.program
    idle = after_reset(player, RESET)
    for _ in range(MOST_TRIALS):
        words, after = _played(player, idle, cycles)
        resting = _rested(player, idle)
        both = {source: common([word, after[source], resting[source]]) for source, word in idle.items()}
        if both == idle:
            at = [fields_at(parts.fields, word) for word in words]
            strobes = {n: [c for c, fields in enumerate(at) if fields.get(n)] for n in STROBES}
            found = Program(words, strobes, tuple(at[cycle][REDUCE] for cycle in strobes[REDUCE]))
            found.check()
            return found
        idle = both
    raise UndecidedError("the program has no idle state that it returns to")


def check_wires(parts: Parts) -> None:
    """Check that all parts get their fields of the control word, one clock and one reset, and the position the bits of
    the scalar.

    Raises
    ------
    UndecidedError
        When they have not.
    """
    rest, getters = parts.rest, dict(GETTERS)
    for k in range(parts.macs):
        getters[f"{MULTIPLIER}{k}"] = {"start": f"start_{k}", "kind": f"kind_{k}"}
    for instance, fields in getters.items():
        _check_fields(parts, instance, fields)
    _check_results(rest)
    bit = ((rest.inputs[port(SCALAR, "bit")], 0, 1),)
    starts = rest.outputs[port(SCALAR, START)], rest.outputs[port(PROGRAM, START)]
    if rest.outputs[port(POSITION, "bit")] != bit or starts[0] != starts[1]:
        raise UndecidedError("the bits of the scalar are not those of the ladder")
    for name, runs in rest.outputs.items():
        wire = name.rpartition(".")[2]
        if "." in name and wire in (CLOCK, RESET) and runs != ((rest.inputs[wire], 0, 1),):
            raise UndecidedError(f"{name} is not {wire}")


def _check_fields(parts: Parts, instance: str, fields: Mapping[str, str]) -> None:
    """Check that an instance gets fields of the control word at ports of their names, or next to each other at a port
    without a name, and nothing else of the word."""
    source, rest = parts.rest.inputs[port(PROGRAM, WORD)], parts.rest
    due = {name: parts.fields[field] for name, field in fields.items() if field in parts.fields}
    left = sorted(bit for low, bits in due.values() for bit in range(low, low + bits))
    for full, runs in rest.outputs.items():
        of, _, name = full.partition(".")
        if of != instance or all(run != source for run, _, _ in runs):
            continue
        if name in due and runs != ((source, *due[name]),):
            raise UndecidedError(f"{full} is another field of the control word")
        for run, low, bits in runs:
            for bit in range(low, low + bits):
                if run != source or bit not in left:
                    raise UndecidedError(f"{full} is another field of the control word")
                left.remove(bit)
    if left:
        raise UndecidedError(f"{instance} does not get all its fields of the control word")


def _check_results(rest: Netlist) -> None:
    """Check that the adder gets what the multipliers give, on wires of its own."""
    given = {source for name, source in rest.inputs.items() if name.startswith(MULTIPLIER)}
    got = [runs for name, runs in rest.outputs.items() if name.startswith(f"{ADDER}.") and runs[0][0] in given]
    whole = {((source, 0, rest.widths[source]),) for source in given}
    if len(got) != len(given) or set(got) != whole:
        raise UndecidedError("the adder does not get the results of the multipliers")


def fields_at(fields: Mapping[str, tuple[int, int]], word: int) -> dict[str, int]:
    """All fields of a control word."""
    return {name: word >> low & ones(bits) for name, (low, bits) in fields.items()}


def _rested(player: Netlist, idle: Mapping[int, Word]) -> dict[int, Word]:
    """The registers after a cycle in which no operation starts."""
    simulation = Simulation(player, idle)
    simulation.settle({START: (0, 1), RESET: (0, 1)}, {})
    simulation.clock()
    return {cell.out: simulation.values[cell.out] for cell in player.registers}


def _played(player: Netlist, idle: Mapping[int, Word], cycles: int) -> tuple[list[int], dict[int, Word]]:
    """The words, and the registers when the player is idle again."""
    simulation, words = Simulation(player, idle), list[int]()
    for cycle in range(cycles + 1):
        values = simulation.settle({START: (int(cycle == 0), 1), RESET: (0, 1)}, {})
        word, known = gather(player.outputs[WORD], values)
        ready, sure = gather(player.outputs[READY], values)
        if known != ones(width_of(player.outputs[WORD])) or not sure:
            raise UndecidedError(f"the control word of cycle {cycle} is not known")
        if ready != (cycle in (0, cycles)):
            raise UndecidedError(f"the program has not {cycles} cycles")
        if cycle < cycles:
            words.append(word)
        elif word:
            raise UndecidedError("the program has a control word behind its end")
        simulation.clock()
    return words, {cell.out: simulation.values[cell.out] for cell in player.registers}
