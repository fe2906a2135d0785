# SPDX-License-Identifier: Apache-2.0
"""Equivalence of a core and a mutant by all operations, for a core that has one at a time.

Such a core is idle, or busy with one operation until its result was taken. *Idle* is a ternary state of core and mutant
together, see `ternary`, that covers the initial state, the state after a cycle without an admission, the state after an
operation, and the state after a reset of any state that was met. From it each payload of the contract is admitted, in
a lane of its own, until its result was taken. In these cycles all other inputs are unknown: the operands after the
admission, and the reader's `ready` while no result is valid. Where `i.ready`, `o.valid` and valid results are known
and the same in every lane and cycle, and each lane returns to idle, core and mutant are equivalent for any sequence of
operations, any stalls and any resets.

Some registers, such as the number of the next lane of a player, decide the course of the next operation.
They distinguish the idle states; a search finds them, as without them the core's next operation is not known.
So do registers that turn without an operation, such as the number of the slot of an interleaved multiplier.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property

from ..base.store import Store
from .cases import Since, written_since
from .lockstep import DifferentError, Lockstep, UndecidedError, groups
from .offers import Offers
from .ternary import SAME, State, inside, joined
from .twins import Copy, Twins, Whole

LANES = 1 << 16
"""Payloads that are simulated together."""
_TRIED = 64
"""Payloads that are tried first, to find the idle states."""
_MOST_IDLE = 512
"""Most idle states that are distinguished."""
_RESTS = 256
"""Most cycles without an admission until the state stays the same."""
_SEARCHES = 6
"""Most rounds of the search for registers that distinguish idle states."""

Key = tuple[bool, ...]
"""The bits that distinguish idle states."""


class Alone:
    """The core and the mutants of one design, if the core has one operation at a time.

    Parameters
    ----------
    design : callable
        Graph of the design with all mutants, see `schemata.merged` and `twins.once`.
    offers : Offers or None
        Every payload of the contract; None where there are too many.
    store : Store
        Store, see `Ternary`.
    choosing : collection of str
        Registers by which operations on one payload, which may be anything, are distinguished; see `cases`.
    """

    def __init__(
        self, design: Callable[[], Whole], offers: Offers | None, store: Store, choosing: Collection[str] = ()
    ) -> None:
        self._made, self._offers, self._store, self._choosing = design, offers, store, choosing
        self._since: Since | None = None

    @property
    def _design(self) -> Whole:
        return self._made()

    def _idle(self, pair: Lockstep, offers: Offers, places: Sequence[int]) -> Idle:
        return Idle(pair, offers, places)

    def _pair(self, number: int) -> Lockstep:
        pair = Lockstep(Twins(self._design, number), self._store)
        if self._choosing:
            self._since = self._since or written_since(pair, self._choosing)
            pair.since = self._since
        return pair

    @cached_property
    def _core(self) -> Idle | None:
        """The idle states of the core itself; None when its operations are not known."""
        if self._offers is None:
            return None
        return self._gone_through(self._pair(0), self._offers)

    def decide(self, number: int) -> str:
        """The statement that proves a mutant equivalent; empty when it was not.

        Raises
        ------
        DifferentError
            When it differs for a payload.
        """
        if self._offers is None or self._core is None:
            return ""
        pair = self._pair(number)
        try:
            found = self._gone_through(pair, self._offers, self._core)
        except DifferentError:  # possibly from an idle state of the core that the mutant does not reach
            found = self._gone_through(pair, self._offers)
        if found is None:
            return ""
        many = self._offers.lanes
        payloads = f"any of the {many} payloads" if many > 1 else "any payload"
        return f"no result differs for {payloads}, from any idle state, within {found.cycles} cycles"

    def _gone_through(self, pair: Lockstep, offers: Offers, core: Idle | None = None) -> Idle | None:
        """The idle states, after a simulation of each payload from each of them; None when that is not decided."""
        apart = core.apart if core is not None else set[str]()
        places = pair.turning | {k for k in pair.values if pair.latches[k] in apart}
        for _ in range(_SEARCHES):
            idle = self._idle(pair, offers, sorted(places))
            try:
                idle.go_through(core)
                return idle
            except UndecidedError:
                more = idle.more()
            if not more:
                break
            places |= more
        return None


class Idle:
    """The idle states of a core and a mutant.

    Parameters
    ----------
    pair : Lockstep
    offers : Offers
    places : sequence of int
        Indices of the latches of a state that distinguish the idle states.

    Attributes
    ----------
    cycles : int
        Cycles of the longest operation.
    """

    def __init__(self, pair: Lockstep, offers: Offers, places: Sequence[int]) -> None:
        self._pair, self._offers, self._places = pair, offers, places
        self.cycles = 0
        self._tried = offers.some(_TRIED)
        self._states: dict[Key, State] = {}
        self._failing: list[State] = []

    @property
    def apart(self) -> set[str]:
        """Names of the latches that distinguish the idle states."""
        return {self._pair.latches[place] for place in self._places}

    def go_through(self, core: Idle | None) -> None:
        """Find the idle states, and simulate each payload from each of them.

        A few payloads find most of the states, and most of their values.

        Parameters
        ----------
        core : _Idle or None
            The idle states of the core, to start from; in core and mutant.

        Raises
        ------
        UndecidedError
        DifferentError
        """
        self._pair.forget()
        fresh = self._add(self._pair.initial)
        if core is not None:
            self._start_from(core)
        while fresh:
            fresh = self._operated(fresh, self._tried) | self._reset()
        fresh = set(self._states)
        self._pair.require(self._offers.lanes * len(fresh), self.cycles)
        while fresh:
            parts = self._offers.parts(max(1, LANES // len(fresh)))
            fresh = {key for some in parts for key in self._operated(fresh, some)} | self._reset()

    def _reset(self) -> set[Key]:
        """Add the state after a reset of any state that was met; return what `_add` returns."""
        return self._add(self._pair.reset(self._pair.met))

    def _start_from(self, core: Idle) -> None:
        for state in core._states.values():
            known = dict(zip(core._pair.copies, state, strict=True))
            both = [SAME if copy is Copy.MARK else known.get((k, Copy.CORE), (1, 1)) for k, copy in self._pair.copies]
            if all(both[place] != (1, 1) for place in self._places):
                self._add(both)

    def _operated(self, keys: Collection[Key], offers: Offers) -> set[Key]:
        """The idle states that operations from some of them add or extend."""
        states = [self._states[key] for key in keys]
        try:
            left, lanes, cycles = self._pair.operations(states, offers)
        except UndecidedError:
            self._failing = states
            raise
        self.cycles = max(self.cycles, cycles)
        found: set[Key] = set()
        for state in left:
            for literal in self._told_apart(state, lanes):
                found |= self._add(literal)
        return found

    def _told_apart(self, state: State, lanes: int) -> Iterator[State]:
        """The states of all lanes, each in one lane, in which the bits that distinguish them are known."""
        return groups(state, lanes, self._places)

    def _add(self, state: State) -> set[Key]:
        """Add a state to the idle states, with all its successors without an admission; return those that grew."""
        keys: set[Key] = set()
        waiting, origin = [state], state
        while waiting:
            for literal in self._told_apart(waiting.pop(), 1):
                key = tuple(literal[place] == (1, 0) for place in self._places)
                known = self._states.get(key)
                if known is not None and inside(literal, known):
                    continue
                self._states[key] = joined([known, literal]) if known is not None else literal
                if len(self._states) > _MOST_IDLE:
                    raise UndecidedError
                origin = origin if keys else self._states[key]
                keys.add(key)
                try:
                    waiting.append(self._after(self._states[key]))
                except UndecidedError:
                    self._failing = self._failing or [origin]
                    raise
        return keys

    def _after(self, state: State) -> State:
        return self._pair.after_idle(state)

    def _rest(self, state: State) -> None:
        """Follow a state without admissions until no new state follows; UndecidedError when it does not stay
        idle."""
        for _ in range(_RESTS):
            after = self._after(state)
            if inside(after, state):
                return
            state = joined([state, after])
        raise UndecidedError

    def more(self) -> set[int]:
        """Indices of latches that have to be known for the operations that were not decided."""
        first = self._pair.after_reset
        states = self._failing
        unknown = (k for k in self._pair.values if first[k] != (1, 1))
        places = [k for k in unknown if any(latches[k] == (1, 1) for latches in states)]

        def enough(pinned: Sequence[int]) -> bool:
            known = set(pinned)
            others = [[first[k] if k in known else bit for k, bit in enumerate(state)] for state in states]
            try:
                for state in others:
                    self._rest(state)
                self._pair.operations(others, self._tried)
            except UndecidedError:
                return False
            except DifferentError:  # the state need not be reachable
                return True
            return True

        return set(_least(places, enough)) if places and enough(places) else set()


def _least(items: Sequence[int], enough: Callable[[Sequence[int]], bool]) -> list[int]:
    """A minimal subset of items that is enough, given that all together are.

    QuickXplain (Junker, AAAI 2004).
    """

    def search(given: list[int], grown: bool, left: Sequence[int]) -> list[int]:
        if grown and enough(given):
            return []
        if len(left) == 1:
            return list(left)
        low, high = left[: len(left) // 2], left[len(left) // 2 :]
        second = search([*given, *low], True, high)
        first = search([*given, *second], bool(second), low)
        return first + second

    return search([], True, items) if items else []
