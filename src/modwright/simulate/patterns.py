# SPDX-License-Identifier: Apache-2.0
"""Three ways in which the streams of a core are driven, and which operations run in each.

free       nothing stalls
stalled    both streams stall at random, and operations come close together and far apart in turn
bursts     the reader refuses until every place for a result is taken, and then reads; see `stimulus`

In each the core is reset in the middle of operations now and then, from the state that they left or from a random
one, and may then have a pause. Free runs every case. The other two look for
faults of control, which depend little on the operands: they run a sample of a quarter of the cases each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

from ..base.errors import UsageError
from ..schedule import Schedule
from .stimulus import SEEDS, Stalls, bursts, stalled

SHARE = 4
"""The stalled run and the bursts run one case in this number."""
_LEAST = 8
"""Least number of cases in such a sample, where the list has as many."""
STALLED = 50
"""Per cent of cycles in which each stream stalls at random."""
_RESETS, _MOST_RESETS = 8, 64
"""Resets in the middle of operations, in each pattern: one of each kind of `moments`, and more in a long run."""
_PER_RESET = 64
"""Cases of a long run for each reset: windows and pauses take at most six latencies, a few per cent of its cycles."""
_AFTER = 2
"""Cases that run between two resets. After the last reset all others run without one, so that bursts come to fill
the core."""
_LONGEST_RESET = 5
"""Cycles of the longest reset."""
_STATES = 1 << 16
"""Seeds of the states before the resets of a run."""
_MOST_VICTIMS = 1024
"""Operations of a window; cores of variable latency never sustain their least interval for a whole window."""


NAMES = ("free", "stalled", "bursts", "all")
_TITLES = {"free": "no stalls", "stalled": "both streams stalled", "bursts": "bursts that fill the core"}


@dataclass(frozen=True)
class Pattern:
    """One run of a simulation.

    Parameters
    ----------
    name : str
        "free", "stalled" or "bursts".
    stalls : Stalls or None
    indices : sequence of int
        Indices of the cases that run; short lists are repeated where bursts need more.
    resets : int
        Number of resets in the middle of operations.
    initial : int
        Seed of registers and memories before the first reset, and of the moments of the other resets.
    """

    name: str
    stalls: Stalls | None
    indices: Sequence[int]
    resets: int
    initial: int

    @property
    def title(self) -> str:
        """The pattern in words."""
        return _TITLES[self.name]

    @property
    def state(self) -> str:
        """The initial state in words."""
        return f"random, seed {self.initial}"


def patterns(
    schedule: Schedule, count: int, *, which: str = "all", seed: int = 1, share: int = STALLED
) -> list[Pattern]:
    """The patterns of a simulation.

    Parameters
    ----------
    schedule : Schedule
    count : int
        Number of cases.
    which : str
        "free", "stalled" or "bursts", which then runs every case; "all".
    seed : int
        Seed of stalls, samples, resets and initial states, modulo `SEEDS`.
    share : int
        Per cent of cycles that stall at random. 0 leaves the stalled pattern out of "all".

    Raises
    ------
    UsageError
        When only the stalled pattern is requested with a share of 0, or for an unknown name.
    """
    if which not in NAMES:
        raise UsageError(f"unknown pattern {which!r}", f"one of {', '.join(NAMES)}")
    if which == "stalled" and not share:
        raise UsageError("the stalled pattern stalls in 1 to 99 per cent of the cycles, not 0", "--pattern free")
    seed %= SEEDS
    names = ["free", *(["stalled"] if share else []), "bursts"] if which == "all" else [which]
    return [_pattern(name, schedule, count, which == "all", seed, share) for name in names]


def _pattern(name: str, schedule: Schedule, count: int, sampled: bool, seed: int, share: int) -> Pattern:
    how = {"stalled": stalled, "bursts": bursts}
    stalls = how[name](schedule, seed, share) if name in how else None
    indices: Sequence[int] = range(count)
    if sampled and name != "free":
        chosen = min(count, max(-(-count // SHARE), _LEAST))
        indices = sorted(Random(f"{name} {seed}").sample(indices, chosen))
    resets = min(_RESETS, -(-len(indices) // (2 * _AFTER)))  # about half of a few cases run between them
    resets = max(resets, min(len(indices) // _PER_RESET, _MOST_RESETS))
    if name == "bursts":
        least = _round(schedule) + _AFTER * resets
        indices = list(islice(cycle(indices), max(len(indices), least))) if indices else []
    return Pattern(name, stalls, indices, resets, seed + NAMES.index(name))


def _round(schedule: Schedule) -> int:
    """Operations of a fill, a flow and a drain. Where the latency varies, the places for results do not follow from
    the schedule; such cores hold one operation, or one more that waits."""
    held = schedule.latency // schedule.interval + 1 if schedule.constant_time else 2
    return 2 * held * schedule.burst + 1


@dataclass(frozen=True)
class Moment:
    """Times and kinds of the resets of a core.

    Parameters
    ----------
    cycles : int
        Cycles in which operations are offered before.
    reset : int
        Cycles of the reset.
    state : int or None
        Seed of random values that registers and memories have when the reset comes; None: the state that the
        operations left.
    pause : int
        Cycles after it in which nothing is offered, and no result may come.
    """

    cycles: int
    reset: int
    state: int | None
    pause: int


def moments(schedule: Schedule, seed: int, count: int) -> Iterator[Moment]:
    """Moments of reset.

    Of each four, two come within latency + interval, when operations are in flight, and two after it, when results
    wait where the reader refuses them; one of each two lasts a single cycle. After one of the four, the next operation
    is offered at once; after two of them, in some cycle up to latency + interval; after one, when the result of an
    earlier operation would have come. The first four of each eight find the state that the operations left, the
    others a random one.
    """
    rng, span = Random(f"resets {seed}"), schedule.latency + schedule.interval
    for n in range(count):
        late, long, random = n % 2, n // 2 % 2, n // 4 % 2
        cycles, reset = rng.randint(1, span) + late * span, rng.randint(2, _LONGEST_RESET) if long else 1
        pause = (0, rng.randint(1, span), rng.randint(1, span), span)[n % 4]
        yield Moment(cycles, reset, rng.randrange(_STATES) if random else None, pause)


def stretches(count: int, interruptions: Iterator[Moment]) -> Iterator[tuple[slice, Moment | None]]:
    """The parts of a block of `count` cases that run without a reset, each with the moment of the reset before it."""
    at = 0
    while at < count:
        moment = next(interruptions, None)
        end = count if moment is None else min(count, at + _AFTER)
        yield slice(at, end), moment
        at = end


def victims(words: Sequence[int], schedule: Schedule, cycles: int) -> list[int]:
    """Operations enough for a window of that number of cycles: the given ones, from the last to the first, and again.

    So the operation after the reset differs from the one that the reset ended, where there are two.
    """
    most = (cycles // schedule.interval + 2) * schedule.burst
    return list(islice(cycle(reversed(words)), min(most, _MOST_VICTIMS)))
