# SPDX-License-Identifier: Apache-2.0
"""Equivalence of a core and a mutant by all operations, for a core whose results may wait while it computes the next.

Core and mutant are cut in front of the memory in which results wait, see `queue`. Where `i.ready`, `o.valid`, and
enable and addresses of that memory do not depend on the mutation, it holds the same words in both if it
takes the same; so the words that it takes are compared, as `alone` compares results. During an operation the reader may
take earlier results at any time, so the number of waiting results is not known. It distinguishes the idle states, and a
state in which it is not known represents one with each number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ..base.store import Store
from .alone import Alone, Idle, Key
from .lockstep import DifferentError, Lockstep, UndecidedError, level
from .offers import Offers
from .queue import PUSH, READ_ADDRESS, READY, RESULT, VALID, WRITE_ADDRESS
from .ternary import KNOWN, State, gathered, spread
from .twins import Twins, Whole


class Taking(Lockstep):
    """A core and a mutant whose operations end when a memory takes their result."""

    def __init__(self, twins: Twins[Whole], store: Store) -> None:
        super().__init__(twins, store, stop=f"{PUSH}_0", result=f"{RESULT}_0")

    def admits(self, state: State) -> bool:
        """Whether an idle state in one lane takes operands.

        Raises
        ------
        UndecidedError
            When the state does not decide it.
        """
        return level(self.cycle(state, 1), self.ready, 1) == 1

    def after_idle(self, state: State) -> State:
        """The states that follow a cycle in which nothing is admitted, from a state in one lane.

        Raises
        ------
        UndecidedError
            When a result is taken, or whether operands are taken is not known.
        """
        cycle = self.cycle(state, 1, i__valid=KNOWN[0]) if self.admits(state) else self.cycle(state, 1)
        if level(cycle, self.stop, 1):
            raise UndecidedError
        return cycle.after

    def operations(self, idle: Sequence[State], offers: Offers) -> tuple[list[State], int, int]:
        """Operations as in `Lockstep`; results are left in the memory, so there is one state for each lane."""
        state = spread(idle, offers.lanes)
        offers = offers.repeated(len(idle))
        lanes, everywhere = offers.lanes, (1 << offers.lanes) - 1
        admission = self.cycle(state, lanes, offers, i__valid=(everywhere, 0))
        if level(admission, self.ready, everywhere) != everywhere or level(admission, self.stop, everywhere):
            raise UndecidedError
        state, cycles = self.until(admission.after, offers, self.stop, self.ready)
        taking = self.cycle(state, lanes)
        self.compare(taking, offers, cycles)
        return [taking.after], lanes, cycles


class _Idle(Idle):
    """Idle states, with those in which all places for results are taken."""

    def __init__(self, pair: Taking, offers: Offers, places: Sequence[int]) -> None:
        super().__init__(pair, offers, places)
        self._taking = pair

    def _operated(self, keys: Collection[Key], offers: Offers) -> set[Key]:
        admitting = [key for key in keys if self._taking.admits(self._states[key])]
        return super()._operated(admitting, offers) if admitting else set()

    def _after(self, state: State) -> State:
        try:
            return super()._after(state)
        except UndecidedError:
            self._failing = [state]
            raise

    def _told_apart(self, state: State, lanes: int) -> Iterator[State]:
        return halves(state, lanes, self._places)


class Stored(Alone):
    """The core and the mutants of one design, if one operation at a time is computed.

    Parameters
    ----------
    design : callable
        Graph of the design with all mutants, cut; see `schemata.merged`, `queue.cut` and `twins.once`.
    offers, store
        See `Alone`.
    """

    def decide(self, number: int) -> str:
        """The statement that proves a mutant equivalent; empty when it was not."""
        names = (READY, VALID, f"{PUSH}_0", f"{WRITE_ADDRESS}_0", f"{READ_ADDRESS}_0")
        if f"{PUSH}_1" in self._design.outputs:
            return ""
        if not Twins(self._design, number).same(bit for name in names for bit in self._design.outputs[name]):
            return ""
        try:
            return super().decide(number)
        except DifferentError:  # possibly from a number of waiting results that never occurs
            return ""

    def _idle(self, pair: Lockstep, offers: Offers, places: Sequence[int]) -> Idle:
        assert isinstance(pair, Taking)
        return _Idle(pair, offers, places)

    def _pair(self, number: int) -> Taking:
        return Taking(Twins(self._design, number), self._store)


def halves(state: State, lanes: int, places: Sequence[int]) -> Iterator[State]:
    """The states of all lanes, joined in one lane where they agree in the bits at `places`; an unknown bit counts as
    both values."""
    found: list[tuple[int, dict[int, tuple[int, int]]]] = [((1 << lanes) - 1, {})]
    for place in places:
        one, zero = state[place]
        found = [
            (mask & some, fixed | {place: known})
            for mask, fixed in found
            for some, known in ((one, KNOWN[1]), (zero, KNOWN[0]))
            if mask & some
        ]
    for mask, fixed in found:
        together = gathered([(a & mask, b & mask) for a, b in state])
        yield [fixed.get(place, bit) for place, bit in enumerate(together)]
