# SPDX-License-Identifier: Apache-2.0
"""What is offered to a core and what is seen of it, the same for both engines.

The stall generator
-------------------
Both engines stall the streams from one sequence, so that their traces can be compared clock by clock. The state is
64 bits, never 0, and starts as (seed + 1) · 0x9E3779B97F4A7C15 mod 2^64, the multiplier being 2^64 / golden ratio
(Knuth, The Art of Computer Programming 3, 6.4), so that small seeds start far apart. In every clock, before the
streams are driven, the state takes one step of Marsaglia's xorshift ("Xorshift RNGs", J. Stat. Software 8(14),
2003, triple 13, 7, 17):

    s ^= s << 13;  s ^= s >> 7;  s ^= s << 17        (mod 2^64)

The source holds back a new operation in this clock when floor(low · 100 / 2^32) < i, and the reader is not ready
when floor(high · 100 / 2^32) < o; low and high are the state's 32-bit halves. An operation once offered stays
offered, with the same payload, until its transfer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..contract import Payload
from ..errors import UsageError
from ..schedule import Schedule

_WORD = (1 << 64) - 1
_SEED_FACTOR = 0x9E3779B97F4A7C15
_MOST_STALLED = 99
"""Per cent; at 100 nothing would ever move."""


@dataclass(frozen=True)
class Stalls:
    """Random stalls of both streams, from the generator that this module specifies.

    Parameters
    ----------
    seed : int
        In [0, 2^64 - 1).
    i, o : int
        Per cent of clocks in which the source offers nothing new and in which the reader is not ready, 0 to 99.

    Raises
    ------
    UsageError
        When a value is out of its range.
    """

    seed: int
    i: int = 50
    o: int = 50

    def __post_init__(self) -> None:
        if not 0 <= self.seed < _WORD:
            raise UsageError(f"the seed of the stalls is in [0, 2^64 - 1), not {self.seed}")
        for name, share in (("i", self.i), ("o", self.o)):
            if not 0 <= share <= _MOST_STALLED:
                raise UsageError(f"stalls of {name} are 0 to {_MOST_STALLED} per cent, not {share}")


class StallGenerator:
    """The sequence of the module's docstring, one `step` a clock."""

    def __init__(self, stalls: Stalls) -> None:
        self.state = ((stalls.seed + 1) * _SEED_FACTOR) & _WORD
        self.i, self.o = stalls.i, stalls.o

    def step(self) -> tuple[bool, bool]:
        """Whether the source and the reader stall in this clock."""
        s = self.state
        s ^= (s << 13) & _WORD
        s ^= s >> 7
        s ^= (s << 17) & _WORD
        self.state = s
        low, high = s & 0xFFFF_FFFF, s >> 32
        return (low * 100) >> 32 < self.i, (high * 100) >> 32 < self.o


@dataclass(frozen=True)
class Stimulus:
    """Operations to run, as packed input payloads.

    Parameters
    ----------
    words : sequence of int
        `Payload.pack` of each operation's operands.
    stalls : Stalls or None
        None: the source always offers and the reader is always ready.
    chained : bool
        Operation k + 1 takes the codec's feedback fields from the result of operation k, so it is offered only
        after that result was taken.
    """

    words: Sequence[int]
    stalls: Stalls | None = None
    chained: bool = False


@dataclass
class Trace:
    """What was seen of each operation; clocks are counted from the first one after reset.

    Parameters
    ----------
    words : list of int
        Packed output payloads.
    accepted, valid, taken : list of int
        Clock of the input transfer, first clock with the result valid, clock of the output transfer.
    """

    words: list[int] = field(default_factory=list)
    accepted: list[int] = field(default_factory=list)
    valid: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Copy:
    """Bits of an output payload that become bits of the next input payload."""

    source: int
    target: int
    bits: int

    def apply(self, output: int, word: int) -> int:
        """`word` with the copied bits replaced."""
        mask = (1 << self.bits) - 1
        return word & ~(mask << self.target) | (((output >> self.source) & mask) << self.target)


def feedback_copies(o: Payload, i: Payload, pairs: Sequence[tuple[str, str]]) -> tuple[Copy, ...]:
    """The bit copies of a codec's feedback.

    Raises
    ------
    UsageError
        When there is none, or the two fields of a pair differ in width or count.
    """
    if not pairs:
        raise UsageError("this core has no feedback from its result to its operands", "run it unchained")
    copies = []
    for source, target in pairs:
        a, b = o[source], i[target]
        if (a.width, a.count) != (b.width, b.count):
            raise UsageError(f"feedback {source} -> {target}: {a.count} x {a.width} bits against {b.count} x {b.width}")
        copies.append(Copy(o.offsets[source], i.offsets[target], a.bits))
    return tuple(copies)


def patience(schedule: Schedule, stalls: Stalls | None) -> int:
    """Clocks without any transfer after which a core is called stuck.

    Fifty latencies and intervals, and a run of stalls so long that the odds against it are 2^64 to 1.
    """
    busiest = max(stalls.i, stalls.o) if stalls else 0
    run = math.ceil(64 * math.log(2) / -math.log(busiest / 100)) if busiest else 0
    return 50 * (schedule.latency + schedule.interval) + run
