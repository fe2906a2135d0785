# SPDX-License-Identifier: Apache-2.0
"""Divsteps on the lowest K bits of f and g in a limb, and the entries of their matrix (`engines.word.divsteps`).

The cycles are those of `engines.row.hardware.divsteps`.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ...row.divsteps import ENTRIES
from ...row.hardware.divsteps import DivstepColumns


class LimbDivstepUnit(DivstepColumns):
    """Divsteps on limbs; D begins with 0.

    Parameters
    ----------
    K, steps, target
        See `DivstepColumns`.

    Attributes
    ----------
    found : in, K bits
        Lowest bits of a limb.
    entries : out
        Negated entries, K + 1 bits with their sign.
    """

    def __init__(self, K: int, steps: int, target: str) -> None:
        super().__init__(K, 0, steps, target, {"found": In(K), "entries": Out(data.ArrayLayout(K + 1, len(ENTRIES)))})

    @property
    def digits(self) -> Value:
        """The bits themselves."""
        return self.found

    def _give(self, m: Module, entries: dict[str, Signal]) -> None:
        m.d.comb += [self.entries[number].eq(entries[name]) for number, name in enumerate(ENTRIES)]
