# SPDX-License-Identifier: Apache-2.0
"""Microcode: the control words that a player steps through, with their layout and their loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

Word = Mapping[str, int]
"""Values of fields; a field that is not named is 0."""

JUMP = "jump"
"""Field with the number of the word that may follow instead of the next, where a data path decides how long words are
active and which one follows."""


@dataclass(frozen=True)
class ControlWord:
    """Layout of a control word.

    Parameters
    ----------
    widths : mapping of str to int
        Fields and their widths in bits, the lowest one first.
    """

    widths: Mapping[str, int]

    @classmethod
    def of(cls, words: Iterable[Word]) -> ControlWord:
        """Layout with every field of some words, in the order of their names, each as wide as its largest value."""
        widest: dict[str, int] = {}
        for word in words:
            for name, value in word.items():
                widest[name] = max(widest.get(name, 1), value.bit_length())
        return cls(dict(sorted(widest.items())))

    @property
    def bits(self) -> int:
        """Width of a word."""
        return sum(self.widths.values())

    def pack(self, word: Word) -> int:
        """Pack the fields of a word.

        Raises
        ------
        ValueError
            For a field that the layout lacks, or a value wider than its field.
        """
        if unknown := set(word) - set(self.widths):
            raise ValueError(f"no such field of the control word: {', '.join(sorted(unknown))}")
        packed = low = 0
        for name, width in self.widths.items():
            value = word.get(name, 0)
            if value >> width:
                raise ValueError(f"control field {name} has {width} bits, and {value} needs more")
            packed |= value << low
            low += width
        return packed


@dataclass(frozen=True)
class Loop:
    """Words that are issued several times before the next ones.

    Parameters
    ----------
    first : int
        Index of the first word.
    length : int
        Number of words, at least 1.
    count : int
        Number of passes, at least 1.
    """

    first: int
    length: int
    count: int


@dataclass(frozen=True)
class Microcode:
    """Control words of one operation, one for each cycle.

    Parameters
    ----------
    words : tuple of mapping of str to int
        Word k is issued in cycle k + 1 after the start, as long as no loop comes before it.
    interval : int
        Least number of cycles between two starts.
    loops : tuple of Loop
        Loops in the order of their words.
    """

    words: tuple[Word, ...]
    interval: int
    loops: tuple[Loop, ...] = ()

    def __post_init__(self) -> None:
        end = 0
        for loop in self.loops:
            if not (end <= loop.first < loop.first + loop.length <= len(self.words) and loop.count >= 1):
                raise ValueError("a loop lies within the words, after the loop before it, and runs at least once")
            end = loop.first + loop.length

    @classmethod
    def during(cls, runs: Mapping[str, range], interval: int) -> Microcode:
        """Microcode with each field set to 1 in a run of cycles, of which the first possible one is cycle 1."""
        words: list[dict[str, int]] = [{} for _ in range(max(run.stop for run in runs.values()) - 1)]
        for name, run in runs.items():
            for cycle in run:
                words[cycle - 1][name] = 1
        return cls(tuple(words), interval)

    def run(self, name: str) -> range:
        """Cycles in which a field is 1.

        Raises
        ------
        ValueError
            Where they are none or do not follow each other, or the field has another value.
        """
        values = {cycle: word[name] for cycle, word in enumerate(self.issued(), 1) if word.get(name)}
        cycles = range(min(values, default=0), max(values, default=-1) + 1)
        if set(values.values()) != {1} or len(cycles) != len(values):
            raise ValueError(f"control field {name!r} is not 1 in one run of cycles")
        return cycles

    @cached_property
    def layout(self) -> ControlWord:
        """Layout of these words alone."""
        return ControlWord.of(self.words)

    @property
    def cycles(self) -> int:
        """Number of words that are issued, those of a loop in each pass."""
        return len(self.words) + sum((loop.count - 1) * loop.length for loop in self.loops)

    def ahead(self, cycles: int) -> Microcode:
        """The same words `cycles` earlier, for fields that pass as many registers on their way.

        Raises
        ------
        ValueError
            For a loop, or where one of the words that would come before the start has a field.
        """
        if self.loops or any(any(word.values()) for word in self.words[:cycles]):
            raise ValueError(f"words cannot be issued {cycles} cycles ahead: the first ones are in use")
        return Microcode(self.words[cycles:], self.interval)

    def issued(self) -> Iterator[Word]:
        """Give the word of each cycle from 1 to `cycles`."""
        end = 0
        for loop in self.loops:
            yield from self.words[end : loop.first]
            end = loop.first + loop.length
            for _ in range(loop.count):
                yield from self.words[loop.first : end]
        yield from self.words[end:]
