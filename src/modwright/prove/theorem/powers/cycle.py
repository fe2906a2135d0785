# SPDX-License-Identifier: Apache-2.0
"""The control of a core that has one operation at a time: from the idle state through an operation back to it.

What is known of the registers in the idle state is known after reset, stays while nothing comes in, and is so again
after an operation that began with it. So it is known at every input transfer, by induction on the operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..decide import UndecidedError
from ..netlist import Netlist
from ..stretches import ACCEPTED, READY, RESET, TAKEN, VALID, known_bit, payload_inputs
from ..ternary import Simulation, Word, after_reset, common

AFTER = 4
"""Cycles after the result in which the core has to be idle."""
MOST_TRIALS = 8
"""Most times that less is taken to be known in the idle states."""
MOST_STATES = 16
"""Most idle states: a queue of results has fewer places."""


@dataclass(frozen=True)
class Cycle:
    """One operation.

    Parameters
    ----------
    idle : mapping of int to Word
        Known bits of the registers in the idle state.
    rows : sequence of list of Word
        Known bits of every source in each cycle, up to some cycles after the result.
    done : int
        Cycle in which the result is valid.
    """

    idle: Mapping[int, Word]
    rows: Sequence[Sequence[Word]]
    done: int

    def bits(self, netlist: Netlist, cycle: int) -> tuple[int, int]:
        """Whether the core takes operands in a cycle, and whether its result is valid."""
        row = self.rows[min(cycle, len(self.rows) - 1)]
        found = [known_bit(netlist.outputs[name], row) for name in (ACCEPTED, TAKEN)]
        if None in found:
            raise UndecidedError(f"the handshake of the multiplier is not known {cycle} cycles after operands")
        return int(found[0] or 0), int(found[1] or 0)


def cycles_of(netlist: Netlist, longest: int) -> list[Cycle]:
    """Operations of a core whose results are taken at once, in at most `longest` cycles, one for each idle state.

    Control goes through a few idle states, as a queue's addresses do; of registers that operands reach, what all of
    these states have in common is known.

    Raises
    ------
    UndecidedError
        Where the idle states are not found, or operations in them have other handshakes.
    """
    reached = netlist.tainted(payload_inputs(netlist))
    start = after_reset(netlist, RESET)
    words = {source: word for source, word in start.items() if source in reached}
    for _ in range(MOST_TRIALS):
        control, known = _control(start, reached), dict(words)
        found: list[Cycle] = []
        while True:
            idle = _resting(netlist, control | words)
            known = {source: common([word, idle[source]]) for source, word in known.items()}
            if any(_control(cycle.idle, reached) == _control(idle, reached) for cycle in found):
                break
            if len(found) == MOST_STATES:
                raise UndecidedError(f"the multiplier has more than {MOST_STATES} idle states")
            rows, done = _operation(netlist, idle, longest)
            after = [row for row in rows[done + 1 :] if known_bit(netlist.outputs[ACCEPTED], row)]
            found.append(Cycle(idle, rows, done))
            both = {source: common([row[source] for row in after]) for source in start}
            control = _control(both, reached)
            known = {source: common([word, both[source]]) for source, word in known.items()}
        if known == words:
            _check_alike(netlist, found)
            return found
        words = known
    raise UndecidedError("the multiplier has no idle state that it returns to")


def joined_cycle(netlist: Netlist, cycles: Sequence[Cycle]) -> Cycle | None:
    """An operation from what all idle states have in common; None where that is too little for the handshakes."""
    first, *others = cycles
    idle = {s: common([word, *(other.idle[s] for other in others)]) for s, word in first.idle.items()}
    try:
        rows, done = _operation(netlist, _resting(netlist, idle), len(first.rows))
        found = Cycle(idle, rows, done)
        _check_alike(netlist, [found, first])
    except UndecidedError:
        return None
    return found


def _control(state: Mapping[int, Word], reached: set[int]) -> dict[int, Word]:
    """The registers of a state that operands do not reach."""
    return {source: word for source, word in state.items() if source not in reached}


def _resting(netlist: Netlist, state: Mapping[int, Word]) -> dict[int, Word]:
    """Bits of a state that stay known as long as nothing comes in."""
    while True:
        waiting = Simulation(netlist, state)
        waiting.settle({VALID: (0, 1), RESET: (0, 1), READY: (1, 1)}, {})
        waiting.clock()
        both = {source: common([word, waiting.values[source]]) for source, word in state.items()}
        if both == state:
            return both
        state = both


def _check_alike(netlist: Netlist, cycles: Sequence[Cycle]) -> None:
    """Check that operations have the same handshakes in all idle states."""
    first, *others = [[cycle.bits(netlist, k) for k in range(len(cycle.rows))] for cycle in cycles]
    if any(other != first for other in others):
        raise UndecidedError("the cycles of a product depend on those before it")


def _operation(netlist: Netlist, idle: Mapping[int, Word], longest: int) -> tuple[list[list[Word]], int]:
    """Rows of an operation, and the cycle of its result. Whenever operands are accepted after it, the state is idle.

    While the core takes no operands, whether some are offered is unknown; when it does, the next operation waits here
    until the core is idle.
    """
    simulation = Simulation(netlist, idle)
    rows: list[list[Word]] = []
    done: int | None = None
    accepts: int | None = 1
    while len(rows) <= longest + AFTER:
        offered = (1, 1) if not rows else (0, 0) if accepts == 0 else (0, 1)
        row = list(simulation.settle({VALID: offered, RESET: (0, 1), READY: (1, 1)}, {}))
        accepts, valid = (known_bit(netlist.outputs[name], row) for name in (ACCEPTED, TAKEN))
        if accepts and offered == (0, 0):
            row = list(simulation.settle({VALID: (0, 1), RESET: (0, 1), READY: (1, 1)}, {}))
        if accepts is None or valid is None or (not rows and not accepts):
            raise UndecidedError(f"the handshake of the multiplier is not known {len(rows)} cycles after operands")
        if done is not None and valid:
            raise UndecidedError("the multiplier has two results of one product")
        rows.append(row)
        done = len(rows) - 1 if valid else done
        if done is not None and len(rows) > done + AFTER:
            if not accepts:
                raise UndecidedError("the multiplier accepts no operands after a product")
            return rows, done
        simulation.clock()
    raise UndecidedError(f"no product within {longest} cycles")
