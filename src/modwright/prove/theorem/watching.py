# SPDX-License-Identifier: Apache-2.0
"""Events and control bits of operations in every run, by the states of control that some of them leave behind.

Input transfers are given from outside, at distances that the core allows. First all of them are followed. That is
much where many are in flight, so where the core has phases only the operations of one are followed then, and in any
other cycle there may be a transfer or not: what such operations leave behind is unknown. They, too, keep
the distances that the core allows, to operations that are followed before and after them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .counters import Bit
from .exploring import Control, explore
from .netlist import Netlist, UnsupportedError
from .stretches import ACCEPTED, VALID
from .ternary import Word
from .turns import Elsewhere

FEW = 2
"""Times the interval: all operations are followed for bits in the cycles before that."""

Ages = tuple[int, ...]
"""Cycles since the input transfers of operations, or, below 0, until them."""
State = tuple[int, Ages]
"""The phase of the cycle, or of the next operation; and the ages of the operations that are followed, oldest first."""


@dataclass(frozen=True)
class Event:
    """A bit that is 1 in one cycle of each operation, and in no other cycle."""

    bit: Bit
    cycle: int


@dataclass(frozen=True)
class Held:
    """A bit with a value in one cycle of each operation of a phase."""

    bit: Bit
    cycle: int
    phase: int
    value: int


Assumption = TypeVar("Assumption", Held, Elsewhere)


@dataclass(frozen=True)
class Transfers:
    """Input transfers of a core.

    Parameters
    ----------
    strobes : tuple of int
        Sources of the bits that are 1 in a transfer; nothing else reads the handshake.
    forbidden : frozenset of int
        Distances that two do not have.
    interval : int
        Least distance.
    phases : int
        Phases of the registers that run by themselves, or that transfers step.
    counted : bool
        Whether a transfer leads to the next phase, and not every cycle.
    """

    strobes: tuple[int, ...]
    forbidden: frozenset[int]
    interval: int
    phases: int
    counted: bool


def strobes_of(netlist: Netlist) -> tuple[int, ...]:
    """Sources that are 1 in an input transfer, where all that reads the handshake are conjunctions of both sides.

    Raises
    ------
    UnsupportedError
        When anything else reads one side of the handshake.
    """
    sides = {((netlist.inputs[VALID], 0, 1),), netlist.outputs[ACCEPTED]}
    bits = {run[:2] for runs in sides for run in runs}
    found: list[int] = []
    for cell in netlist.drivers.values():
        if any(_has(run, bit) for runs in cell.ports.values() for run in runs for bit in bits):
            if cell.kind not in ("$and", "$logic_and") or {cell.ports["A"], cell.ports["B"]} != sides:
                raise UnsupportedError("something reads one side of the input handshake alone")
            found.append(cell.out)
    return tuple(found)


def _has(run: tuple[int, int, int], bit: Bit) -> bool:
    source, low, count = run
    return source == bit[0] and low <= bit[1] < low + count


def prove_watched(
    netlist: Netlist,
    transfers: Transfers,
    events: Sequence[Event],
    held: Sequence[Held],
    elsewhere: Sequence[Elsewhere] = (),
) -> str:
    """The fault of an event, a bit or a write; an empty text where all are proved."""
    if transfers.counted:
        return _Watch(netlist, transfers, events, held, None, elsewhere).wrong()
    for bit in sorted({assumed.bit for assumed in (*events, *held)}):
        own = [event for event in events if event.bit == bit], [assumed for assumed in held if assumed.bit == bit]
        last = max(assumed.cycle for assumed in (*own[0], *own[1]))
        few = transfers.phases == 1 or last < FEW * transfers.interval
        for slot in (None,) if few else range(transfers.phases):
            wrong = _Watch(netlist, transfers, *own, slot).wrong()
            if wrong:
                return wrong
    return ""


class _Watch:
    """Exploration of the states in which operations leave control.

    Parameters
    ----------
    netlist : Netlist
    transfers : Transfers
    events : sequence of Event
    held : sequence of Held
    slot : int or None
        The phase whose operations are followed; None for all of them.
    elsewhere : sequence of Elsewhere
    """

    def __init__(
        self,
        netlist: Netlist,
        transfers: Transfers,
        events: Sequence[Event],
        held: Sequence[Held],
        slot: int | None,
        elsewhere: Sequence[Elsewhere] = (),
    ) -> None:
        self.netlist, self.transfers, self.events, self.held, self.slot = netlist, transfers, events, held, slot
        self.elsewhere, self.counted = elsewhere, transfers.counted
        self.ahead = 0 if slot is None else transfers.interval - 1
        last = max(assumed.cycle for assumed in (*events, *held, *elsewhere))
        some = slot is None and not self.counted
        self.longest = max(last + 1, transfers.interval, 0 if some else max(transfers.forbidden, default=0))
        every = {(assumed.cycle, assumed.value, phase) for assumed in held for phase in range(transfers.phases)}
        same = every == {(assumed.cycle, assumed.value, assumed.phase) for assumed in held}
        self.phases = 1 if some and same else transfers.phases
        self._held, self._elsewhere = _by_cycle(held), _by_cycle(elsewhere)

    def wrong(self) -> str:
        """The fault; an empty text where there is none."""
        bits = {assumed.bit for assumed in (*self.events, *self.held)}
        bits |= {(source, 0) for passes in self.elsewhere for source in passes.sources}
        control = Control(self.netlist, bits, self.transfers.strobes)
        return explore(control, self._first(), self._choices, self._fault)

    def _first(self) -> Iterable[State]:
        """States in the first cycle: nothing, or the one operation that is not chosen a number of cycles ahead."""
        yield 0, ()
        yield from ((0, (-age,)) for age in range(self.ahead) if age % self.phases == self.slot)

    def _choices(self, state: State) -> Iterator[tuple[Mapping[int, Word], State]]:
        phase, ages = state
        forbidden, ahead = self.transfers.forbidden, self.ahead
        own = self.slot is None or (phase + ahead) % self.phases == self.slot
        allowed = own and all(age + ahead > 0 and age + ahead not in forbidden for age in ages)
        for now in (ages, (*ages, -ahead)) if allowed else (ages,):
            after = tuple(age + 1 for age in now if age < self.longest)
            step = int(0 in now) if self.counted else 1
            yield dict.fromkeys(self.transfers.strobes, self._strobe(phase, now)), ((phase + step) % self.phases, after)

    def _strobe(self, phase: int, ages: Ages) -> Word:
        """Whether there is an input transfer, as far as it is known."""
        if 0 in ages:
            return 1, 1
        if self.slot in (None, phase) or any(abs(age) in self.transfers.forbidden for age in ages):
            return 0, 1
        return 0, 0

    def _fault(self, following: State, values: Sequence[Word]) -> str:
        """The fault of a cycle, by the state after it; an empty text where there is none."""
        phase, ages = following
        for event in self.events:
            begun = (phase - 1 - event.cycle) % self.phases
            if self.slot in (None, begun) and _bit(values, event.bit) != int(event.cycle + 1 in ages):
                return f"{self.netlist.names[event.bit[0]]} is not 1 in cycle {event.cycle} of each operation alone"
        for cycle, begun in self._under_way(following):
            for assumed in self._held.get((cycle, begun), ()):
                if _bit(values, assumed.bit) != assumed.value:
                    name = self.netlist.names[assumed.bit[0]]
                    return f"{name} is not {assumed.value} in cycle {cycle} of each operation"
            for passes in self._elsewhere.get((cycle, begun), ()):
                if not passes.holds(values):
                    name = self.netlist.names[passes.address[0][0]]
                    return f"{name} may be {passes.place} at a write in cycle {cycle} of an operation"
        return ""

    def _under_way(self, following: State) -> Iterator[tuple[int, int]]:
        """Cycle and phase of each operation that is followed, by the state after the cycle."""
        phase, ages = following
        for number, age in enumerate(ages):
            begun = phase - len(ages) + number if self.counted else phase - age
            yield age - 1, begun % self.phases


def _by_cycle(assumptions: Iterable[Assumption]) -> dict[tuple[int, int], list[Assumption]]:
    """Assumptions by cycle and phase."""
    found: dict[tuple[int, int], list[Assumption]] = {}
    for assumed in assumptions:
        found.setdefault((assumed.cycle, assumed.phase), []).append(assumed)
    return found


def _bit(values: Sequence[Word], bit: Bit) -> int | None:
    """A bit in a cycle; None where it is not known."""
    value, known = values[bit[0]]
    return value >> bit[1] & 1 if known >> bit[1] & 1 else None
