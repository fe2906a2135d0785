# SPDX-License-Identifier: Apache-2.0
"""A program of parts one after the other, some of them loops, in control words.

The steps of a loop after its period are in the first words of its next round, and in the first of the part behind it.
The first round has none before it, and ignores fields marked `tail`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ...schedule import Loop as WordLoop
from ...schedule import Microcode
from .control import Writer, length_of
from .machine import Placed
from .placement import Loop, Placer, by_height, left_behind
from .words import Allocator


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
    """

    label: str
    placed: tuple[Placed, ...]
    words: Allocator
    period: int = 0
    count: int = 1
    last: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def cycles(self) -> int:
        """Number of control words."""
        return self.period or length_of(self.placed)

    @property
    def tail(self) -> int:
        """Cycles after the period in which the part is still active."""
        return max(0, length_of(self.placed) - self.period) if self.period else 0


@dataclass(frozen=True)
class PartProgram:
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

    def length(self, label: str) -> int:
        """Words from the first one of a part to that behind it."""
        labels = list(self.begins)
        return self.begins[labels[labels.index(label) + 1]] - self.begins[label]


def place_behind(
    step: Placer,
    loop: Loop,
    behind: Placer,
    state: Mapping[str, str],
    together: Sequence[tuple[str, ...]],
    first: Sequence[str] = (),
) -> tuple[Placed, ...]:
    """Place a graph behind the last round of a loop, whose values it reads under the names of `state`.

    Parameters
    ----------
    step, behind : Placer
        Placers of the graphs of the loop and of what comes behind it, with nothing placed.
    loop : Loop
    state : mapping of str to str
    together : sequence of tuple of str
        See `left_behind`.
    first : sequence of str
        Operations that are placed before the others.
    """
    behind.ready, behind.table = left_behind(step, loop, state, together)
    return behind.place_all(by_height(behind.graph, behind.machine, first))


def write_parts(parts: Sequence[Part], write: Callable[[Part, Writer, int], None]) -> list[Writer]:
    """Control words of each part, by `write` with the cycles by which a part is late; those before a loop say that its
    first round follows."""
    writers = [Writer(max(part.cycles, _tail_before(parts, number)), part.period) for number, part in enumerate(parts)]
    for number, (part, writer) in enumerate(zip(parts, writers, strict=True)):
        write(part, writer, 0)
        if part.tail:
            write(part, writers[number + 1], -part.period)
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
) -> PartProgram:
    """Make the program: head with loops of its own, parts, and the end."""
    words: list[Mapping[str, int]] = [*head]
    loops, begins = [*repeated], {"head": 0}
    for part, writer in zip(parts, writers, strict=True):
        begins[part.label] = len(words)
        if part.period:
            loops.append(WordLoop(len(words), part.period, part.count))
        words += writer.words
    begins["stop"] = len(words)
    words.append({"end": 1})
    cycles = len(words) + sum((loop.count - 1) * loop.length for loop in loops)
    # the result is taken before the next operation starts, in the cycle after the last word or later
    return PartProgram(Microcode(tuple(words), cycles + 2, tuple(loops)), tuple(parts), begins)
