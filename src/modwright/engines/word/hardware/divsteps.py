# SPDX-License-Identifier: Apache-2.0
"""Divsteps on the lowest K bits of f and g in a limb, and the entries of their matrix (`engines.word.divsteps`).

Registers, counted from the cycle of a strobe:

    cycle   register that holds the value from this cycle on
    2       after `take_f`: `f`; after `take_g`: `g`, and in the entries the matrix of no divstep
    2       after `step`: f, g, D and the entries behind the divstep
    3       after `take_g` or `step`: `odd`, `swap` of the next one
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ....rtl.copies import copied, pulse_copy
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

    def _decide(self, m: Module, steps: dict[str, Signal]) -> tuple[dict[str, Signal], dict[str, Signal]]:
        D, step = self.distances, steps["D"]
        odd = {name: copied(m, self.g[0], self.target, f"odd_{name}") for name in steps}
        swap = {name: copied(m, self.g[0] & ~D[-1], self.target, f"swap_{name}") for name in steps}
        self.moves = swap
        with m.If(pulse_copy(m, self.reset, "begin_D")):
            m.d.sync += D.eq(self.begin)
        with m.Elif(step):
            m.d.sync += D.eq((D ^ swap["D"].replicate(len(D))) + 1)
        return odd, swap

    def _give(self, m: Module, entries: dict[str, Signal]) -> None:
        m.d.comb += [self.entries[number].eq(entries[name]) for number, name in enumerate(ENTRIES)]
