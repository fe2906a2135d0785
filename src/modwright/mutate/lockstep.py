# SPDX-License-Identifier: Apache-2.0
"""Operations of a core and a mutant side by side, a payload in each lane, from ternary states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ..base.store import Store
from .lanes import MOST_CASES, cases
from .marks import Marks
from .offers import Offers
from .packed import Pair
from .ternary import KNOWN, SAME, UNKNOWN, Bit, State, Ternary, gathered, initial_bit, inside, joined, spread
from .twins import PAYLOAD, Copy, Twins, Whole, literal_of, needed

MOST_CYCLES = 4000
"""Most cycles from an admission to its result."""
MOST_WORK = 1 << 43
"""Largest product of gates, cycles and payloads that is evaluated."""
_STALLS = 8
"""Most cycles for which a result waits until the state stays the same; then the states that follow are joined."""
_RESTS = 64
"""Most cycles for which joined states grow."""
_LONGEST = 16
"""Longest period of what turns without an operation."""
_NEVER: Bit = (0, 0)
"""A bit of no state."""


class UndecidedError(Exception):
    """Error for a core with several operations at a time, or with bits that are not known."""


class DifferentError(Exception):
    """Error with a payload for which core and mutant differ.

    Parameters
    ----------
    payload : int
        Packed payload.
    cycle : int
        Cycles after its admission.
    """

    def __init__(self, payload: int, cycle: int) -> None:
        self.payload, self.cycle = payload, cycle
        super().__init__(f"differs {cycle} cycles after payload {payload:#x}")


class Lockstep:
    """A core and a mutant as a ternary machine.

    A state is a bit for each latch that leads to an output: of the core, and of the mutant where it may differ, with a
    mark of whether it does (`marks`).

    Parameters
    ----------
    twins : Twins
    store : Store
        Store, see `Ternary`.
    stop, result : str
        Outputs: the bit that ends an operation, and the result.

    Attributes
    ----------
    ready, stop : (int, int)
        Literals of `i.ready` and of that bit, in core and mutant.
    result : list of (int, int, int)
        Literals of the result, with the mark of each bit.
    copies : list of (int, Copy)
        The latches of a state: a number of the graph's, and whether the core's, the mutant's, or the mark of both.
    latches : list of str
        Their names; one of the mutant has the name that it has in the core, and so has a mark.
    turning : set of int
    period : int
        The places in a state of what turns without an operation, such as the number of the slot of an interleaved
        multiplier, and the cycles of a turn; 1 where there are none.
    values : range
        The places of those in a state that are not marks, which come last.
    initial, after_reset : list of (int, int)
        The initial state, and the one after a reset of any state; in one lane.
    since : mapping of str to int
        Latches that distinguish operations, see `cases`; set before the first operation.
    met : list of (int, int)
        The state of one lane that contains all states that were simulated.
    """

    def __init__(
        self, twins: Twins[Whole], store: Store, *, stop: str = "o__valid", result: str = "o__payload"
    ) -> None:
        self._inputs = dict(zip(twins.design.inputs, twins.inputs, strict=True))
        (self.ready,), (self.stop,) = (_both(twins, name) for name in ("i__ready", stop))
        results = list(zip(_both(twins, result), twins.design.outputs.get(result, ()), strict=True))
        results = [pair for pair in results if pair[0][0] != pair[0][1]] or results
        pairs = [pair for pair, _ in results]
        seen = [literal for pair in (self.ready, self.stop, *pairs) for literal in pair]
        latches = needed(twins, seen)
        marks = Marks(twins, [k for k, copy in latches if copy is Copy.MUTANT], (literal for _, literal in results))
        self.result = [(*pair, mark) for pair, mark in zip(pairs, marks.results, strict=True)]
        self.copies = [*latches, *((k, Copy.MARK) for k in marks.latches)]
        self.latches = [twins.design.latches[k] for k, _ in self.copies]
        self.values = range(len(latches))
        following = twins.following(twins.symbolic)
        state = [twins.state[copy][k] for k, copy in latches] + [*marks.latches.values()]
        next_state = [following[k][copy] for k, copy in latches] + [*marks.following.values()]
        seen = list(dict.fromkeys([*seen, *marks.results]))
        self._machine = Ternary(twins.circuit, state, next_state, seen, store, marks.made)
        self._work = 0
        initial = twins.design.graph.latches
        self.initial = [SAME if copy is Copy.MARK else initial_bit(initial[k][1]) for k, copy in self.copies]
        self.since: Mapping[str, int] = {}
        self.forget()
        self.after_reset = self.reset([UNKNOWN] * len(state))
        self.turning, self.period = self._turning([k for k in self.values if latches[k][0] in twins.design.alone])

    def forget(self) -> None:
        """Empty `met`."""
        self.met: State = [_NEVER] * len(self.copies)

    def reset(self, state: State) -> State:
        """The state after a reset of a state, both in one lane."""
        return _Cycle(*self._machine.cycle(state, self._known(1, {"rst": KNOWN[1]}), 1)).after

    def _turning(self, places: Sequence[int]) -> tuple[set[int], int]:
        """Latches that no input reaches and that change after a reset, and their period."""
        first = [self.after_reset[k] for k in places]
        if any(bit == UNKNOWN for bit in first):
            return set(), 1
        state, changed = self.after_reset, set[int]()
        for period in range(1, _LONGEST + 1):
            state = self.cycle(state, 1).after
            changed |= {k for k, bit in zip(places, first, strict=True) if state[k] != bit}
            if [state[k] for k in places] == first:
                return changed, period
        return set(), 1

    def after_idle(self, state: State) -> State:
        """The states that follow a cycle in which nothing is admitted, from an idle state in one lane.

        Raises
        ------
        UndecidedError
            When the state is not idle: an operation can be admitted, and no result is valid.
        """
        cycle = self.cycle(state, 1, i__valid=KNOWN[0])
        if level(cycle, self.ready, 1) != 1 or level(cycle, self.stop, 1) != 0:
            raise UndecidedError
        return cycle.after

    def operations(self, idle: Sequence[State], offers: Offers) -> tuple[list[State], int, int]:
        """Simulate operations on payloads from idle states of one lane each, with a lane for each payload and state.

        Returns
        -------
        left : list of State
            States after the operations, for each number of cycles for which results can have waited.
        lanes : int
            Lanes of each.
        cycles : int
            Most cycles from an admission to its result.

        Raises
        ------
        UndecidedError
        DifferentError
        """
        state = spread(idle, offers.lanes)
        offers = offers.repeated(len(idle))
        lanes = offers.lanes
        everywhere = (1 << lanes) - 1
        admission = self.cycle(state, lanes, offers, i__valid=(everywhere, 0))
        if self.since:
            state, count, cycles = self._by_cases(admission.after, lanes)
            offers = offers.part(0, 1).repeated(count)
        else:
            state, cycles = self.until(admission.after, offers, self.stop, self.ready)
        waiting = self._waiting(state, offers, cycles)
        return [self._taken(place, offers, cycles) for place in waiting], offers.lanes, cycles

    def _by_cases(self, state: State, lanes: int) -> tuple[State, int, int]:
        """`until` a result, from lanes of any payload, by the cases of `cases`; with the number of lanes at the end."""
        cycles = 0
        while True:
            left = {place: max(0, cycle - cycles) for place, cycle in self._chosen.items()}
            found = self._machine.until(
                state, self._known(lanes, {}), lanes, MOST_CYCLES - cycles, self.stop, self.ready, left
            )
            self.met = joined([self.met, found.met])
            if found.differs or found.unsure:
                raise UndecidedError
            cycles += found.cycles
            if not found.open:
                return found.state, lanes, cycles
            known = [place for place, cycle in self._chosen.items() if cycle <= cycles]
            apart = [(place, None, None) for place in sorted(self.turning)]
            states = [*cases(found.state, lanes, [*apart, *map(self._copies_of, known)])]
            if len(states) > MOST_CASES:
                raise UndecidedError
            state, lanes = spread(states, 1), len(states)

    @cached_property
    def _chosen(self) -> dict[int, int]:
        """The places of the core's latches in `since`, with the cycle."""
        return {k: self.since[self.latches[k]] for k in self.values if self._is_chosen(k)}

    def _is_chosen(self, place: int) -> bool:
        return self.copies[place][1] is Copy.CORE and self.latches[place] in self.since

    def _copies_of(self, place: int) -> tuple[int, int | None, int | None]:
        """A place of the core, and those of the mutant's latch and its mark, where there are any."""
        latch = self.copies[place][0]
        return place, self._places.get((latch, Copy.MUTANT)), self._places.get((latch, Copy.MARK))

    @cached_property
    def _places(self) -> dict[tuple[int, Copy], int]:
        return {copy: place for place, copy in enumerate(self.copies)}

    def first_unknown(self, state: State, places: Sequence[int]) -> dict[int, int]:
        """The first cycle of an operation in which bits at some places are not known, after an admission."""
        found: dict[int, int] = {}
        cycles = 0
        while True:
            left = dict.fromkeys((place for place in places if place not in found), 0)
            run = self._machine.until(state, self._known(1, {}), 1, MOST_CYCLES, self.stop, self.ready, left)
            state, cycles = run.state, cycles + run.cycles
            if not run.open:
                return found
            found |= {place: cycles for place in left if state[place] == UNKNOWN}

    def _waiting(self, state: State, offers: Offers, cycles: int) -> list[State]:
        """The states in which a result waits, for each number of cycles; of many, those a period apart are joined."""
        waiting, everywhere = [state], (1 << offers.lanes) - 1
        while len(waiting) <= _STALLS + _RESTS:
            cycle = self.cycle(waiting[-1], offers.lanes, o__ready=(0, everywhere))
            self.compare(cycle, offers, cycles)
            before = waiting[-self.period] if len(waiting) >= self.period else None
            if before is not None and inside(cycle.after, before):
                return waiting[:_STALLS] + waiting[_STALLS:][-self.period :]
            late = before is not None and len(waiting) >= _STALLS
            waiting.append(joined([before, cycle.after]) if before is not None and late else cycle.after)
        raise UndecidedError

    def compare(self, cycle: _Cycle, offers: Offers, cycles: int) -> None:
        """Compare results that are valid and wait."""
        everywhere = (1 << offers.lanes) - 1
        if level(cycle, self.stop, everywhere) != everywhere or level(cycle, self.ready, everywhere):
            raise UndecidedError
        for core, mutant, _ in self.result:
            if lanes := _differing(cycle, core, mutant):
                raise DifferentError(offers.word((lanes & -lanes).bit_length() - 1), cycles)
        if any(cycle.seen[mark][0] for *_, mark in self.result):
            raise UndecidedError

    def _taken(self, state: State, offers: Offers, cycles: int) -> State:
        """The state after the results were taken, with the core idle."""
        everywhere = (1 << offers.lanes) - 1
        cycle = self.cycle(state, offers.lanes, o__ready=(everywhere, 0))
        self.compare(cycle, offers, cycles)
        return self.until(cycle.after, offers, self.ready, self.stop)[0]

    def require(self, lanes: int, cycles: int) -> None:
        """Give up at once where that many lanes and cycles are too much work."""
        if self._work + self._machine.gates * lanes * cycles > MOST_WORK:
            raise UndecidedError

    def until(self, state: State, offers: Offers, stop: Pair, never: Pair) -> tuple[State, int]:
        """Each lane at the first cycle in which `stop` is 1, with `never` 0 until then; and the most cycles of a
        lane."""
        lanes = offers.lanes
        self._work += self._machine.gates * lanes
        found = self._machine.until(state, self._known(lanes, {}), lanes, MOST_CYCLES, stop, never)
        self.met = joined([self.met, found.met])
        if found.differs:
            raise DifferentError(offers.word((found.differs & -found.differs).bit_length() - 1), found.cycles)
        self._work += self._machine.gates * lanes * found.cycles
        if found.unsure or self._work > MOST_WORK:
            raise UndecidedError
        return found.state, found.cycles

    def cycle(self, state: State, lanes: int, offers: Offers | None = None, **inputs: Bit) -> _Cycle:
        """Evaluate one cycle without a reset."""
        known = self._known(lanes, inputs)
        if offers is not None:
            for name, literal in self._inputs.items():
                base, _, index = name.rstrip("]").partition("[")
                if base == PAYLOAD:
                    known[literal] = offers.bits[int(index or 0)]
        self.met = joined([self.met, gathered(state)])
        return _Cycle(*self._machine.cycle(state, known, lanes))

    def _known(self, lanes: int, inputs: Mapping[str, Bit]) -> dict[int, Bit]:
        """Inputs by literal; no reset, unless `inputs` has one."""
        known = {"rst": (0, (1 << lanes) - 1), **inputs}
        return {self._inputs[name]: value for name, value in known.items() if name in self._inputs}


class _Cycle(NamedTuple):
    """Values seen in a cycle, by literal; and the state after it."""

    seen: Mapping[int, Bit]
    after: State


def _differing(cycle: _Cycle, core: int, mutant: int) -> int:
    """The lanes in which two literals are known to differ."""
    (one, zero), (other_one, other_zero) = cycle.seen[core], cycle.seen[mutant]
    return one & ~zero & other_zero & ~other_one | zero & ~one & other_one & ~other_zero


def _unknown(cycle: _Cycle, *literals: int) -> int:
    """The lanes in which one of some literals is not known."""
    found = 0
    for one, zero in (cycle.seen[literal] for literal in literals):
        found |= one & zero
    return found


def level(cycle: _Cycle, pair: Pair, lanes: int) -> int:
    """Lanes in which a handshake is 1; UndecidedError where it is not known, or differs."""
    if (_differing(cycle, *pair) | _unknown(cycle, *pair)) & lanes:
        raise UndecidedError
    return cycle.seen[pair[0]][0] & lanes


def groups(state: State, lanes: int, places: Sequence[int]) -> Iterator[State]:
    """The states of all lanes, joined in one lane where they agree in the bits at `places`.

    Raises
    ------
    UndecidedError
        When one of these bits is not known.
    """
    found = [(1 << lanes) - 1]
    for place in places:
        one, zero = state[place]
        if one & zero:
            raise UndecidedError
        found = [some for mask in found for some in (mask & one, mask & zero) if some]
    for mask in found:
        yield gathered([(a & mask, b & mask) for a, b in state])


def _both(twins: Twins[Whole], name: str) -> list[tuple[int, int]]:
    """The bits of an output in core and mutant."""
    cycle, bits = twins.symbolic, twins.design.outputs.get(name, ())
    return [(literal_of(cycle.core, bit), literal_of(cycle.mutant, bit)) for bit in bits]
