# SPDX-License-Identifier: Apache-2.0
"""Stimulus of a core and its trace, the same for both simulators.

Random stalls
-------------
Both simulators stall the streams from one sequence, so that their traces can be compared cycle by cycle. The state is
64 bits, never 0, and starts as (seed + 1) · 0x9E3779B97F4A7C15 mod 2^64, the multiplier being 2^64 / golden ratio
(Knuth, The Art of Computer Programming 3, 6.4), so that small seeds start far apart. In every cycle, before the
streams are driven, the state takes one step of Marsaglia's xorshift ("Xorshift RNGs", J. Stat. Software 8(14),
2003, triple 13, 7, 17):

    s ^= s << 13;  s ^= s >> 7;  s ^= s << 17        (mod 2^64)

The source holds back a new operation in this cycle when floor(low · 100 / 2^32) < i, and the reader is not ready
when floor(high · 100 / 2^32) < o; low and high are the state's 32-bit halves. An operation once offered stays
offered, with the same payload, until its transfer. With sparse > 0, sparse replaces i while bit 3 of the number of
operations accepted is 1: eight operations come close together and the next eight far apart.

Bursts
------
With quiet > 0 a run has phases. In every cycle, after the step of the state and before the streams are driven, the
phase changes at most once; n is the number of operations accepted whose results were not taken yet.

    fill    the source never holds back, the reader is never ready. It ends when n > 0 and there was no transfer in
            the last `quiet` cycles; a flow follows the first such end, a drain the second, and so on in turn.
    flow    both streams stall at random, as above. It ends when the n results in the core at its start are taken.
    drain   the source holds back, the reader is always ready. It ends when n = 0 and nothing is offered.

A run begins with a fill, and a fill follows each flow and each drain. With quiet above latency + interval, a fill ends
only when every place for a result holds one and admission is closed. The core then has an operation waiting at its
input, which the drain lets in. So from one fill of an empty queue with c places to the next, c + c + 1 results pass it,
and its pointers begin one place further on: after c drains they have begun, and wrapped, at every place.

Resets
------
A reset holds `rst` high for some cycles. The streams are driven in these cycles as in any other, but no transfer
counts and the core's outputs are ignored. After it all operations that were offered or accepted and whose
results were not taken are dropped, nothing is offered, a chain begins again, and bursts begin with a fill; the
generator and the turn of flow and drain continue.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from ..base.errors import UsageError
from ..contract import Payload
from ..schedule import Schedule

_WORD = (1 << 64) - 1
SEEDS = _WORD
"""Number of different seeds of stalls: one more would give the state 0."""
_SEED_FACTOR = 0x9E3779B97F4A7C15
_EIGHT = 8
"""Bit of the number of operations that selects whether they come close together or far apart."""
_MOST_STALLED = 99
"""Per cent; at 100 nothing would ever move."""


@dataclass(frozen=True)
class Stalls:
    """Stalls of both streams, as this module specifies them: at random, or in bursts.

    Parameters
    ----------
    seed : int
        In [0, 2^64 - 1).
    i, o : int
        Per cent of cycles in which the source offers nothing new and in which the reader is not ready, 0 to 99; of
        bursts, in the flows.
    quiet : int
        Cycles without a transfer after which a burst has filled the core, see `bursts`; 0: no bursts.
    sparse : int
        Per cent of cycles in which the source offers nothing new to every second eight operations; 0: as to all.

    Raises
    ------
    UsageError
        When a value is out of its range.
    """

    seed: int
    i: int = 50
    o: int = 50
    quiet: int = 0
    sparse: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.seed < SEEDS:
            raise UsageError(f"the seed of the stalls is in [0, 2^64 - 1), not {self.seed}")
        for name, share in (("i", self.i), ("o", self.o), ("sparse", self.sparse)):
            if not 0 <= share <= _MOST_STALLED:
                raise UsageError(f"stalls of {name} are 0 to {_MOST_STALLED} per cent, not {share}")
        if not 0 <= self.quiet < _WORD:
            raise UsageError(f"the quiet cycles of bursts are in [0, 2^64 - 1), not {self.quiet}")


def bursts(schedule: Schedule, seed: int, share: int = 50) -> Stalls:
    """Bursts that fill every place for a result of a core with this schedule.

    An operation that can be accepted is accepted at most an interval after the one before, or after the last result
    that came; so more than latency + interval cycles pass without a transfer only where no place is free.

    Parameters
    ----------
    schedule : Schedule
    seed : int
    share : int
        Per cent of cycles in which the reader is not ready in a flow.
    """
    return Stalls(seed, 0, share, quiet=schedule.latency + schedule.interval + 1)


def stalled(schedule: Schedule, seed: int, share: int = 50) -> Stalls:
    """Handshakes in which both streams stall at random, every second eight operations some half a latency apart.

    Where operations overlap, two of them may then have any distance at which they could meet in a part that they share.
    """
    apart = min(_MOST_STALLED, 100 - 200 // schedule.latency) if schedule.interval < schedule.latency else 0
    return Stalls(seed, share, share, sparse=apart if apart > share else 0)


class Phase(Enum):
    """Phases of a run in bursts; a run without them is one flow."""

    FLOW = "flow"
    FILL = "fill"
    DRAIN = "drain"


class StallGenerator:
    """The sequence of the module's docstring, one `step` a cycle."""

    def __init__(self, stalls: Stalls) -> None:
        self.state = ((stalls.seed + 1) * _SEED_FACTOR) & _WORD
        self.i, self.o, self.quiet = stalls.i, stalls.o, stalls.quiet
        self.sparse = stalls.sparse or stalls.i
        self.phase = Phase.FLOW
        self._drained = True  # the last full queue was drained
        self._end = 0  # results taken at which this flow ends
        self.restart()

    def restart(self) -> None:
        """Begin again after a reset."""
        self.phase = Phase.FILL if self.quiet else Phase.FLOW

    def step(self, sent: int = 0, taken: int = 0, offering: bool = False, unmoved: int = 0) -> tuple[bool, bool]:
        """Whether the source and the reader stall in this cycle.

        Parameters
        ----------
        sent, taken : int
            Transfers of the input and of the output stream so far, without operations that a reset dropped.
        offering : bool
            An operation is offered since an earlier cycle.
        unmoved : int
            Cycles from the last transfer to this one.
        """
        s = self.state
        s ^= (s << 13) & _WORD
        s ^= s >> 7
        s ^= (s << 17) & _WORD
        self.state = s
        if self.quiet:
            self._turn(sent, taken, offering, unmoved)
        if self.phase is not Phase.FLOW:
            return self.phase is Phase.DRAIN, self.phase is Phase.FILL
        low, high = s & 0xFFFF_FFFF, s >> 32
        share = self.sparse if sent & _EIGHT else self.i
        return (low * 100) >> 32 < share, (high * 100) >> 32 < self.o

    def _turn(self, sent: int, taken: int, offering: bool, unmoved: int) -> None:
        """The next phase, where this one has ended."""
        if self.phase is Phase.FILL:
            if sent != taken and unmoved >= self.quiet:
                self._drained = not self._drained
                self.phase = Phase.DRAIN if self._drained else Phase.FLOW
                self._end = sent
        elif taken >= self._end if self.phase is Phase.FLOW else sent == taken and not offering:
            self.phase = Phase.FILL


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
    initial : int or None
        Seed of the values at which registers and memories start, see `simulator.open_session`.
    """

    words: Sequence[int]
    stalls: Stalls | None = None
    chained: bool = False
    initial: int | None = None


@dataclass
class Trace:
    """Trace of each operation; cycles are counted from the first one after reset.

    Parameters
    ----------
    words : list of int
        Packed output payloads.
    accepted, valid, taken : list of int
        Cycle of the input transfer, first cycle with the result valid, cycle of the output transfer.
    """

    words: list[int] = field(default_factory=list)
    accepted: list[int] = field(default_factory=list)
    valid: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)

    def part(self, first: int, last: int) -> Trace:
        """Trace of the operations from `first` to before `last`."""
        return Trace(*(each[first:last] for each in (self.words, self.accepted, self.valid, self.taken)))


@dataclass
class Interrupted:
    """A window of operations that a reset ended.

    Parameters
    ----------
    trace : Trace
        Trace of those operations whose results were taken before.
    lost : int
        Operations that were accepted and whose results never came.
    waiting : bool
        Whether a result waited for its reader when the reset came.
    """

    trace: Trace
    lost: int
    waiting: bool


@dataclass(frozen=True)
class Copy:
    """Bits of an output payload that become bits of the next input payload."""

    source: int
    target: int
    bits: int

    def apply(self, output: int, word: int) -> int:
        """Return `word` with the copied bits replaced."""
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


def timeout_cycles(schedule: Schedule, stalls: Stalls | None) -> int:
    """Cycles without any transfer after which a core is called stuck.

    Fifty latencies and intervals, a run of stalls so long that the odds against it are 2^64 to 1, and the quiet
    cycles of bursts.
    """
    busiest = max(stalls.i, stalls.o, stalls.sparse) if stalls else 0
    run = math.ceil(64 * math.log(2) / -math.log(busiest / 100)) if busiest else 0
    return 50 * (schedule.latency + schedule.interval) + run + (stalls.quiet if stalls else 0)
