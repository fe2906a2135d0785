# SPDX-License-Identifier: Apache-2.0
"""Words that control may have in a cycle of an operation, where a simulation with unknown bits does not know it.

A multiplexer whose choice is not known has one of its inputs; a register has what its input may have had a cycle
before. So an address that is either that of another slot or none at all is never that of this one.
"""

from __future__ import annotations

from collections.abc import Sequence

from .netlist import REGISTER, Netlist, Runs, part
from .ternary import Word, gather, ones, width_of

MOST = 64
"""Most words of which one is possible."""


class Possible:
    """Possible words of control in the cycles of an operation.

    Parameters
    ----------
    netlist : Netlist
    around : list of list of Word
        Every source in each cycle, with unknown bits.
    """

    def __init__(self, netlist: Netlist, around: Sequence[Sequence[Word]]) -> None:
        self.netlist, self.around = netlist, around
        self._found: dict[tuple[Runs, int], frozenset[int] | None] = {}

    def words(self, runs: Runs, cycle: int) -> frozenset[int] | None:
        """Words that some bits may have in a cycle; None where they may have any."""
        key = runs, cycle
        if key not in self._found:
            value, known = gather(runs, self.around[cycle])
            sure = known == ones(width_of(runs))
            self._found[key] = frozenset((value,)) if sure else self._of_cell(runs, cycle)
        return self._found[key]

    def _of_cell(self, runs: Runs, cycle: int) -> frozenset[int] | None:
        source, low, bits = runs[0]
        cell = self.netlist.drivers.get(source)
        if len(runs) > 1 or cell is None:
            return None
        if cell.kind == REGISTER:
            return self.words(part(cell.ports["D"], low, bits), cycle - 1) if cycle else None
        if cell.kind != "$mux":
            return None
        choices = self.words(cell.ports["S"], cycle) or (0, 1)
        arms = [self.words(self._arm(runs, cell.ports["S"], k), cycle) for k in choices]
        found = frozenset[int]()
        for arm in arms:
            if arm is None:
                return None
            found |= arm
        return found if len(found) <= MOST else None

    def _arm(self, runs: Runs, select: Runs, k: int) -> Runs:
        """The bits that pass to some others through multiplexers where the bit that they choose by is k."""
        while len(runs) == 1:
            source, low, bits = runs[0]
            cell = self.netlist.drivers.get(source)
            if cell is None or cell.kind != "$mux" or cell.ports["S"] != select:
                break
            runs = part(cell.ports["AB"[k]], low, bits)
        return runs
