# SPDX-License-Identifier: Apache-2.0
"""A program over a row multiplier: parts one after the other, some of them loops, in control words.

The steps of a loop after its period are in the first words of its next round, and in the first of the part behind it.
The first round has none before it, and ignores fields marked `tail`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...schedule import Loop as WordLoop
from ...schedule import Microcode
from ..ladder.control import Names, Writer, length_of
from ..ladder.dataflow import Graph
from ..ladder.machine import Placed
from ..ladder.placement import Loop, by_height, left_behind
from ..ladder.words import Allocator
from .control import RowWords
from .machine import RowMachine, RowPlacer


@dataclass(frozen=True)
class Divides:
    """Words that divide: value of the field `divide`, number of words, and of those without fields behind them."""

    value: int
    count: int
    rest: int


@dataclass(frozen=True)
class Part:
    """A graph in time, with its words.

    Parameters
    ----------
    label : str
    placed : tuple of Placed
    words : Allocator
    period, count : int
        Period and rounds of a loop; 0 and 1 for a part that runs once.
    last : mapping of str to int
        Fields of the last control word; of a loop, of that of each round.
    divides : Divides or None
        Division behind the part.
    """

    label: str
    placed: tuple[Placed, ...]
    words: Allocator
    period: int = 0
    count: int = 1
    last: Mapping[str, int] = field(default_factory=dict[str, int])
    divides: Divides | None = None

    @property
    def cycles(self) -> int:
        """Number of control words."""
        return self.period or length_of(self.placed)

    @property
    def tail(self) -> int:
        """Cycles after the period in which the part is still active."""
        return max(0, length_of(self.placed) - self.period) if self.period else 0


@dataclass(frozen=True)
class RowProgram:
    """Microcode, and the first words of its parts.

    Parameters
    ----------
    microcode : Microcode
    parts : tuple of Part
    begins : mapping of str to int
        First word of each part, and of the words around them.
    """

    microcode: Microcode
    parts: tuple[Part, ...]
    begins: Mapping[str, int]


def place_behind(
    machine: RowMachine,
    step: Graph,
    loop: Loop,
    graph: Graph,
    state: Mapping[str, str],
    together: Sequence[tuple[str, ...]],
) -> tuple[Placed, ...]:
    """Place a graph behind the last round of a loop, whose values it reads under the names of `state`."""
    ready, table = left_behind(RowPlacer(step, machine), loop, state, together)
    return RowPlacer(graph, machine, ready=ready, table=table).place_all(by_height(graph, machine))


def write_parts(names: Names, parts: Sequence[Part], modulus: int, given: Mapping[str, int]) -> list[Writer]:
    """Control words of each part; those before a loop say that its first round follows."""
    writers = [Writer(max(part.cycles, _tail_before(parts, number)), part.period) for number, part in enumerate(parts)]
    for number, (part, writer) in enumerate(zip(parts, writers, strict=True)):

        def write(to: Writer, shift: int, part: Part = part) -> None:
            made = part.words
            RowWords(names, made.graph, part.placed, made.homes, to, (), part.period, shift, modulus, given).write()

        write(writer, 0)
        if part.tail:
            write(writers[number + 1], -part.period)
        end = len(writer.words) - 1
        writer.set(end, **part.last)
        if part.period:
            writer.set(end, round=1)
        elif number + 1 < len(parts) and parts[number + 1].period:
            writer.set(end, round=1, first_round=1)
    return writers


def _tail_before(parts: Sequence[Part], number: int) -> int:
    return parts[number - 1].tail if number else 0


def assemble(
    head: Sequence[Mapping[str, int]], repeated: Sequence[WordLoop], parts: Sequence[Part], writers: Sequence[Writer]
) -> RowProgram:
    """Make the program: head with loops of its own, parts, each with the words that divide behind it, and the end."""
    words: list[Mapping[str, int]] = [*head]
    loops, begins = [*repeated], {"head": 0}
    for part, writer in zip(parts, writers, strict=True):
        begins[part.label] = len(words)
        if part.period:
            loops.append(WordLoop(len(words), part.period, part.count))
        words += writer.words
        if part.divides is not None:
            begins[f"division {part.divides.value}"] = len(words)
            loops.append(WordLoop(len(words), 1, part.divides.count))
            words += [{"divide": part.divides.value}, *({} for _ in range(part.divides.rest))]
    begins["stop"] = len(words)
    words.append({"end": 1})
    cycles = len(words) + sum((loop.count - 1) * loop.length for loop in loops)
    # the result is taken before the next operation starts, in the cycle after the last word or later
    return RowProgram(Microcode(tuple(words), cycles + 2, tuple(loops)), tuple(parts), begins)
