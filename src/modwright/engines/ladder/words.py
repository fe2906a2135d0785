# SPDX-License-Identifier: Apache-2.0
"""Words of the operand memory: which value lies where, and until when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...base.errors import ParameterError
from .dataflow import Graph
from .machine import Placed

WORDS = 16
"""Words of the memory, as of a LUT RAM."""


class Allocator:
    """Assignment of values to words: each gets one that holds nothing else as long as it is needed."""

    def __init__(self, graph: Graph, placed: Sequence[Placed], period: int = 0, count: int = WORDS) -> None:
        self.count = count
        self.graph, self.placed, self.period = (
            graph,
            {placement.operation.name: placement for placement in placed},
            period,
        )
        self.used: dict[int, list[tuple[int, int]]] = {}
        self.homes: dict[str, int] = {}

    def last_read(self, value: str) -> int:
        """Last cycle in which a value is read, -1 when none."""
        cycles = [
            read.cycle
            for placement in self.placed.values()
            for read in placement.reads
            if value in placement.operation.operands[read.index].values
        ]
        return max(cycles, default=-1)

    def span(self, value: str) -> tuple[int, int]:
        """Cycles in which the word is not free: it may be written in the cycle before the first."""
        written = self.placed[value].written
        return written + 1, max(written + 1, self.last_read(value))

    def keep(self, word: int, first: int, last: int) -> None:
        """A word holds something in a range of cycles."""
        if first <= last:
            self.used.setdefault(word, []).append((first, last))

    def free(self, word: int, first: int, last: int) -> bool:
        """Emptiness: it holds nothing."""
        shifts = (-2, -1, 0, 1, 2) if self.period else (0,)
        return not any(
            first <= end + shift * self.period and begin + shift * self.period <= last
            for begin, end in self.used.get(word, ())
            for shift in shifts
        )

    def fix(self, value: str, word: int, last: int | None = None) -> None:
        """A value whose word is given."""
        first, end = self.span(value)
        self.keep(word, first, end if last is None else last)
        self.homes[value] = word

    def allocate(self, words: Sequence[int]) -> None:
        """The other values, pairs first, in the order in which they are written."""
        partners: dict[str, tuple[str, str]] = {}
        for operation in self.graph.operations:
            for operand in operation.operands:
                if operand.flag and operand.value in self.placed and operand.other in self.placed:
                    partners[operand.value] = partners[operand.other] = (operand.value, operand.other)
        made = [name for name, placement in self.placed.items() if placement.operation.makes_value]
        for value in sorted(made, key=lambda name: (name not in partners, self.placed[name].written)):
            if value in self.homes:
                continue
            group = partners.get(value, (value,))
            spans = [self.span(member) for member in group]
            for word in words:
                fits = len(group) == 1 or (word % 2 == 0 and word + 1 in words)
                if fits and all(self.free(word + k, *span) for k, span in enumerate(spans)):
                    for k, member in enumerate(group):
                        self.fix(member, word + k)
                    break
            else:
                most = self.count
                raise ParameterError(
                    f"{self.graph.name}: no word for {value}", rule=f"words <= {most}", left=most + 1, right=most
                )

    def most(self) -> int:
        """Words that hold something at once."""
        cycles = range(self.period)
        spans = [span for spans in self.used.values() for span in spans]
        return max(sum((cycle - first) % self.period <= last - first for first, last in spans) for cycle in cycles)

    def tail(self) -> dict[int, int]:
        """Last cycle behind the period of a loop in which each word holds something of it."""
        found: dict[int, int] = {}
        for value, word in self.homes.items():
            if value not in self.placed:
                continue
            found[word] = max(found.get(word, -1), self.span(value)[1] - self.period)
        return found


@dataclass(frozen=True)
class Memory:
    """The words of a program's memory.

    Parameters
    ----------
    homes : mapping of str to int
        Words of values that more than one part of the program reads.
    temporary : sequence of int
        The others.
    count : int
        All words.
    """

    homes: Mapping[str, int]
    temporary: Sequence[int]
    count: int = WORDS

    def of_setup(self, graph: Graph, placed: Sequence[Placed]) -> Allocator:
        """Words of a set-up, which makes each value with a home under its name and a 0."""
        found = Allocator(graph, placed, count=self.count)
        for name, word in self.homes.items():
            found.fix(f"{name}0", word)
        found.allocate(self.temporary)
        return found

    def of_step(self, graph: Graph, placed: Sequence[Placed], period: int, state: Sequence[str]) -> Allocator:
        """Words of a step that leaves each value of the state under its name and a '."""
        found = Allocator(graph, placed, period, self.count)
        found.homes |= {f"{name}'": self.homes[name] for name in state}
        found.allocate(self.temporary)
        return found

    def of_part(self, graph: Graph, placed: Sequence[Placed], tail: Mapping[int, int] | None = None) -> Allocator:
        """Words of a part that runs once; `tail` has the last cycles in which words hold something of the last step."""
        found = Allocator(graph, placed, count=self.count)
        known = (*graph.inputs, *(operation.name for operation in graph.operations))
        found.homes |= {name: self.homes[name] for name in known if name in self.homes}
        for word, last in (tail or {}).items():
            found.keep(word, 0, last)
        found.allocate(self.temporary)
        return found
