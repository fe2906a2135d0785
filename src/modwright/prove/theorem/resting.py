# SPDX-License-Identifier: Apache-2.0
"""Registers of operands that hold one number between operations, as an accumulator that the last step clears.

Such a register holds the number in every cycle but cycles `first` to `end` - 1 of an operation. By induction on the
cycles: it does so after reset; the operation itself leaves the number in cycle `end`; and in every other cycle the
register's input is the number again, by control bits that are proved with the streams. Those cycles of two operations
do not meet, as there are fewer of them than the interval has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .netlist import Netlist, UnsupportedError
from .pieces import number_of
from .stretches import RESET, Context, Resting, around
from .ternary import Word, after_reset, ones
from .unroll import Unrolled

Bit = tuple[int, int, int]
"""Source, bit, and the value that it must have."""


class RestlessError(UnsupportedError):
    """Registers that do not rest although they seemed to; the text has the reason for the first.

    Parameters
    ----------
    reason : str
    sources : set of int
    """

    def __init__(self, reason: str, sources: set[int]) -> None:
        super().__init__(reason)
        self.sources = sources


@dataclass(frozen=True)
class Rest:
    """The lemma about one register.

    Parameters
    ----------
    source : int
    number : int
        Number that the register holds.
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


def resting_of(netlist: Netlist, alone: Sequence[Sequence[Word]], interval: int, ready: int) -> dict[int, Resting]:
    """Registers that held a number between the simulated operations.

    Parameters
    ----------
    netlist : Netlist
    alone : list of list of Word
        Every source in the cycles of one operation after reset, and in some cycles after it.
    interval : int
        Cycles between two operations, at least.
    ready : int
        Last cycle of an operation that is followed.
    """
    start = after_reset(netlist, RESET)
    tainted = netlist.tainted([name for name in netlist.inputs if name.startswith("i_") and name != "i_valid"])
    found: dict[int, Resting] = {}
    for cell in netlist.registers:
        word, full = start[cell.out], ones(netlist.widths[cell.out])
        busy = [cycle for cycle, row in enumerate(alone) if row[cell.out] != word]
        if cell.out not in tainted or word[1] != full or not busy or not busy[0]:
            continue
        first, end = busy[0], busy[-1] + 1
        if end - first < interval and end <= ready + 1:
            found[cell.out] = Resting(word[0], first, end)
    return found


def rests_of(unrolled: Unrolled) -> list[Rest]:
    """Lemmas on the registers whose number between operations the unrolled operation uses.

    Raises
    ------
    RestlessError
        When a lemma does not hold.
    """
    netlist, resting = unrolled.netlist, unrolled.resting
    found: dict[int, Rest] = {}
    restless: dict[int, str] = {}
    while unrolled.rested - found.keys() - restless.keys():
        source = min(unrolled.rested - found.keys() - restless.keys())
        rest, name = resting[source], netlist.names[source]
        bits = _held_by(unrolled, source, rest)
        after = None if bits is None else unrolled.port(netlist.drivers[source].ports["D"], rest.end - 1)
        if bits is None:
            restless[source] = f"{name} does not stay between operations"
        elif after is None or number_of(after) != rest.number:
            restless[source] = f"{name} is not {rest.number} after the operation"
        else:
            found[source] = Rest(source, rest.number, rest.first, rest.end, bits)
    if restless:
        raise RestlessError(next(iter(restless.values())), set(restless))
    return [found[source] for source in sorted(found)]


def _held_by(unrolled: Unrolled, source: int, rest: Resting) -> tuple[Bit, ...] | None:
    """Control bits after an operation with which a register holds its number; None when it does not."""
    netlist = unrolled.netlist
    rows = around(netlist, 1, Context({source: (rest.number, ones(netlist.widths[source]))}, {}, {}))
    around_register = Unrolled(netlist, rows, unrolled.alone[-1:])
    if number_of(around_register.port(netlist.drivers[source].ports["D"], 0)) != rest.number:
        return None
    return tuple((at, bit, value) for (at, bit, _), value in sorted(around_register.assumed.items()))
