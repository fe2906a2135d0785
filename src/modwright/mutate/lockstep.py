# SPDX-License-Identifier: Apache-2.0
"""Operations of a core and a mutant side by side, a payload in each lane, from ternary states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..base.store import Store
from .offers import Offers
from .ternary import Bit, Pair, State, Ternary, gathered, inside, spread
from .twins import PAYLOAD, Twins, Whole, literal_of

MOST_CYCLES = 4000
"""Most cycles from an admission to its result."""
MOST_WORK = 1 << 43
"""Largest product of gates, cycles and payloads that is evaluated."""
_STALLS = 8
"""Most cycles for which a result waits until the state stays the same."""
KNOWN: tuple[Bit, Bit] = ((0, 1), (1, 0))
"""The bits 0 and 1."""
_UNKNOWN: Bit = (1, 1)


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

    A state has a bit for each latch in the fan-in of an output: of the core, and of the mutant where it may differ.

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
        Literals of `i.ready` and of the bit that ends an operation, in core and mutant.
    result : list of (int, int)
        Literals of the result.
    copies : list of (int, bool)
        Latches of a state: index in the graph, and whether it is the mutant's copy.
    latches : list of str
        Names of these latches; the mutant's copy has the name of the core's.
    initial, after_reset : list of (int, int)
        The initial state, and the one after a reset of any state; in one lane.
    """

    def __init__(
        self, twins: Twins[Whole], store: Store, *, stop: str = "o__valid", result: str = "o__payload"
    ) -> None:
        self._inputs = dict(zip(twins.design.inputs, twins.inputs, strict=True))
        (self.ready,), (self.stop,) = (_both(twins, name) for name in ("i__ready", stop))
        results = _both(twins, result)
        self.result = [pair for pair in results if pair[0] != pair[1]] or results
        following = twins.following(twins.one)
        seen = [literal for pair in (self.ready, self.stop, *self.result) for literal in pair]
        self.copies = copies = _needed(twins, seen)
        self.latches = [twins.design.latches[k] for k, _ in copies]
        state = [twins.state[changed][k] for k, changed in copies]
        next_state = [following[k][changed] for k, changed in copies]
        self._machine = Ternary(twins.circuit, state, next_state, list(dict.fromkeys(seen)), store)
        self._work = 0
        self.initial = [_initial(twins.design.graph.latches[k][1]) for k, _ in copies]
        self.after_reset = self.cycle([_UNKNOWN] * len(copies), 1, rst=KNOWN[1]).after

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

    def operations(self, idle: Sequence[State], offers: Offers) -> tuple[list[State], int]:
        """Simulate operations on payloads from idle states of one lane each, with a lane for each payload and state.

        Returns
        -------
        left : list of State
            States after the operations, for each number of cycles for which results can have waited.
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
        state, cycles = self.until(admission.after, offers, self.stop, self.ready)
        waiting = [state]
        while len(waiting) <= _STALLS:
            cycle = self.cycle(waiting[-1], lanes, o__ready=(0, everywhere))
            self.compare(cycle, offers, cycles)
            if inside(cycle.after, waiting[-1]):
                return [self._taken(one, offers, cycles) for one in waiting], cycles
            waiting.append(cycle.after)
        raise UndecidedError

    def compare(self, cycle: _Cycle, offers: Offers, cycles: int) -> None:
        """Compare results that are valid and wait."""
        everywhere = (1 << offers.lanes) - 1
        if level(cycle, self.stop, everywhere) != everywhere or level(cycle, self.ready, everywhere):
            raise UndecidedError
        for pair in self.result:
            if lanes := _differing(cycle, *pair):
                raise DifferentError(offers.word((lanes & -lanes).bit_length() - 1), cycles)
        if any(_unknown(cycle, *pair) for pair in self.result):
            raise UndecidedError

    def _taken(self, state: State, offers: Offers, cycles: int) -> State:
        """The state after the results were taken, with the core idle."""
        everywhere = (1 << offers.lanes) - 1
        cycle = self.cycle(state, offers.lanes, o__ready=(everywhere, 0))
        self.compare(cycle, offers, cycles)
        return self.until(cycle.after, offers, self.ready, self.stop)[0]

    def until(self, state: State, offers: Offers, stop: Pair, never: Pair) -> tuple[State, int]:
        """Each lane at the first cycle in which `stop` is 1, with `never` 0 until then; and the most cycles of a
        lane."""
        lanes = offers.lanes
        self._work += self._machine.gates * lanes
        found = self._machine.until(state, self._known(lanes, {}), lanes, MOST_CYCLES, stop, never)
        if found.differs:
            raise DifferentError(offers.word((found.differs & -found.differs).bit_length() - 1), found.cycles)
        self._work += self._machine.gates * lanes * found.cycles
        if found.unsure or self._work > MOST_WORK:
            raise UndecidedError
        return found.state, found.cycles

    def cycle(self, state: State, lanes: int, offers: Offers | None = None, **inputs: Bit) -> _Cycle:
        """Evaluate one cycle; without a reset, unless `inputs` has one."""
        known = self._known(lanes, inputs)
        if offers is not None:
            for name, literal in self._inputs.items():
                base, _, index = name.rstrip("]").partition("[")
                if base == PAYLOAD:
                    known[literal] = offers.bits[int(index or 0)]
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
    cycle, bits = twins.one, twins.design.outputs.get(name, ())
    return [(literal_of(cycle.core, bit), literal_of(cycle.mutant, bit)) for bit in bits]


def _needed(twins: Twins[Whole], seen: Sequence[int]) -> list[tuple[int, bool]]:
    """The latches in the fan-in of literals: of the core, and (True) of the mutant where they may differ."""
    place: dict[int, tuple[int, bool]] = {}
    for k, (core, mutant) in enumerate(zip(*twins.state, strict=True)):
        place |= {mutant: (k, True), core: (k, False)}
    following = twins.following(twins.one)
    found: set[tuple[int, bool]] = set()
    waiting = list(seen)
    while waiting:
        fresh = {place[one] for one in twins.circuit.support(waiting) if one in place} - found
        found |= fresh
        waiting = [following[k][changed] for k, changed in fresh]
    return sorted(found)


def _initial(text: str) -> Bit:
    """The initial value of a latch; one without is unknown."""
    return KNOWN[int(text or "0")] if text in ("", "0", "1") else _UNKNOWN
