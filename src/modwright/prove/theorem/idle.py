# SPDX-License-Identifier: Apache-2.0
"""Control at an input transfer: bits of registers that seem to be the same at every one, found by simulation.

They are only a guess that saves the proof of the streams some work: each becomes a property of cycle 0 of
an operation, which is proved with all others. A wrong guess costs the theorem, so the handshakes of the simulation
are chosen so that bits which can differ do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from .netlist import Netlist
from .stretches import ACCEPTED, READY, RESET, TAKEN, VALID, known_bit, payload_inputs
from .ternary import Simulation, Word, after_reset

AGREEING = 24
"""Consecutive input transfers that have to agree before bits are accepted."""
MOST_TRIED = 40_000
"""Most cycles of the simulation."""
GAPS = (0, 0, 1, 2, 3)
"""Cycles for which a transfer that is possible is not begun. With 1 the transfer may be in the cycle of a result."""


def control_registers(netlist: Netlist) -> list[int]:
    """Registers that no operand reaches."""
    tainted = netlist.tainted(payload_inputs(netlist))
    return [cell.out for cell in netlist.registers if cell.out not in tainted]


def control_of(netlist: Netlist) -> Netlist:
    """The cells of a netlist that no operand reaches; they depend on no others."""
    tainted = netlist.tainted(payload_inputs(netlist))
    logic, registers, memories = (
        tuple(cell for cell in cells if cell.out not in tainted)
        for cells in (netlist.logic, netlist.registers, netlist.memories)
    )
    return replace(netlist, logic=logic, registers=registers, memories=memories)


def idle_bits(netlist: Netlist, cycles: int, interval: int) -> dict[int, Word]:
    """Control bits that had the same value at every simulated input transfer.

    Parameters
    ----------
    netlist : Netlist
    cycles : int
        Cycles of one operation; a reader that waits for as long lets results accumulate.
    interval : int
        Least cycles between two transfers. A transfer comes at each distance from there to the end of the operation
        before, while control of that is still at work.
    """
    netlist = control_of(netlist)
    state = after_reset(netlist, RESET)
    found = {source: state[source] for source in control_registers(netlist)}
    agreed = 0
    tail = range(cycles - interval + 1)
    for values in _transfers(netlist, cycles, tail):
        agreed += 1
        for source, (v, k) in found.items():
            w, j = values[source]
            known = k & j & ~(v ^ w)
            if known != k:
                found[source], agreed = (v & known, known), 0
        if agreed == AGREEING + len(tail):
            break
    return {source: word for source, word in found.items() if word[1]}


def _transfers(netlist: Netlist, cycles: int, tail: Sequence[int]) -> Iterator[list[Word]]:
    """Every source in the cycles of input transfers after reset, while writer and reader pause now and then; the writer
    first for each number of cycles of `tail`."""
    rng = Random(1)
    simulation = Simulation(netlist, after_reset(netlist, RESET))
    writer, reader = Side(GAPS, list(tail)), Side((*GAPS, 2 * cycles), [])
    for _ in range(MOST_TRIED):
        inputs = {VALID: (writer.agrees, 1), READY: (reader.agrees, 1), RESET: (0, 1)}
        values = simulation.settle(inputs, {})
        accepted, taken = (known_bit(netlist.outputs[port], values) == 1 for port in (ACCEPTED, TAKEN))
        if writer.agrees and accepted:
            yield values
        writer.step(accepted, rng)
        reader.step(taken, rng)
        simulation.clock()


@dataclass
class Side:
    """One side of a handshake, which makes the other wait for some cycles.

    Parameters
    ----------
    waits : tuple of int
        Cycles to choose from.
    first : list of int
        Cycles that it waits before it chooses, the last one first.
    left : int
        Cycles still to wait.
    """

    waits: tuple[int, ...]
    first: list[int]
    left: int = 0

    @property
    def agrees(self) -> int:
        """Whether this side is ready for a transfer."""
        return int(not self.left)

    def step(self, other: bool, rng: Random) -> None:
        """Advance by a cycle; `other` is whether the other side was ready for a transfer."""
        if not other:
            return
        self.left = self.left - 1 if self.left else self.first.pop() if self.first else rng.choice(self.waits)
