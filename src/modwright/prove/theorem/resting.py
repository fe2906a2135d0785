# SPDX-License-Identifier: Apache-2.0
"""Registers of operands that hold one number between operations, as an accumulator that the last step clears.

Such a register holds the number in every cycle but those that begin `first` and end before `end` cycles after an input
transfer. By induction on the cycles: it does so after reset; the operation itself leaves the number in cycle `end`; and in
every other cycle the register's input is the number again, by some control bits that are proved with the streams.
Windows of two operations do not meet, as they are shorter than the interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .netlist import Netlist, UnsupportedError
from .pieces import number_of
from .ternary import Word, after_reset, ones
from .unroll import RESET, Context, Resting, Unrolled, around

Bit = tuple[int, int, int]
"""Source, bit, and the value that it must have."""


@dataclass(frozen=True)
class Rest:
    """The lemma about one register.

    Parameters
    ----------
    source : int
    number : int
        That it holds.
    first, end : int
        Cycles of an operation in which it may hold something else: `first` to `end` - 1.
    bits : tuple of Bit
        Control in all cycles but `first` - 1 to `end` - 1 of an operation.
    """

    source: int
    number: int
    first: int
    end: int
    bits: tuple[Bit, ...]


def resting_of(netlist: Netlist, alone: Sequence[Sequence[Word]]) -> dict[int, Resting]:
    """Registers that seem to hold a number between operations, from the cycles of one operation after reset."""
    start = after_reset(netlist, RESET)
    tainted = netlist.tainted([name for name in netlist.inputs if name.startswith("i_") and name != "i_valid"])
    found: dict[int, Resting] = {}
    for cell in netlist.registers:
        word, full = start[cell.out], ones(netlist.widths[cell.out])
        busy = [cycle for cycle, row in enumerate(alone) if row[cell.out] != word]
        if cell.out in tainted and word[1] == full and busy and busy[0] and busy[-1] + 1 < len(alone):
            found[cell.out] = Resting(word[0], busy[0], busy[-1] + 1)
    return found


def rests_of(unrolled: Unrolled, interval: int, ready: int) -> list[Rest]:
    """Lemmas on the registers that an operation was unrolled with while they rest.

    Parameters
    ----------
    unrolled : Unrolled
    interval : int
        Cycles between two operations, at least.
    ready : int
        Last cycle of an operation that is followed.

    Raises
    ------
    UnsupportedError
        When one does not hold.
    """
    netlist, resting = unrolled.netlist, unrolled.resting
    found: dict[int, Rest] = {}
    while unrolled.rested - found.keys():
        source = min(unrolled.rested - found.keys())
        one, name = resting[source], netlist.names[source]
        if one.end - one.first >= interval or one.end > ready + 1:
            raise UnsupportedError(f"{name} does not come to rest before the next operation")
        after = unrolled.port(netlist.drivers[source].ports["D"], one.end - 1)
        if number_of(after) != one.number:
            raise UnsupportedError(f"{name} is not {one.number} after the operation")
        bits = _held_by(unrolled, source, one)
        if bits is None:
            raise UnsupportedError(f"{name} does not stay between operations")
        found[source] = Rest(source, one.number, one.first, one.end, bits)
    return [found[source] for source in sorted(found)]


def _held_by(unrolled: Unrolled, source: int, one: Resting) -> tuple[Bit, ...] | None:
    """Control bits with which a register keeps its number, as they are after an operation; None when it does not."""
    netlist = unrolled.netlist
    rows = around(netlist, 1, Context({source: (one.number, ones(netlist.widths[source]))}, {}, {}))
    still = Unrolled(netlist, rows, unrolled.alone[-1:])
    if number_of(still.port(netlist.drivers[source].ports["D"], 0)) != one.number:
        return None
    return tuple((at, bit, value) for (at, bit, _), value in sorted(still.assumed.items()))
