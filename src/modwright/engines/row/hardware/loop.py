# SPDX-License-Identifier: Apache-2.0
"""The loop of a row multiplier whose last S leaves before its register.

That register is set to 0 in the cycle in which it would get the last S of the operation before, for the first step of
the next one; so no bit of S needs a gate in front of the sum with b·Y, and the last S has a register behind this loop.
Cycles are those of `engines.orup.hardware.loop`, with the S of a step in its register in cycle 0:

    cycle   register that holds the value from this cycle on
    -1      `clear_j`: the next S of chunk j is 0
    0       `word`, `carries`: S
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out

from ....rtl.chains import plus_few
from ....rtl.copies import strobe_copy
from ....rtl.pipeline import delayed
from ...orup.hardware.loop import InterleavedLoop
from ...orup.interleaved import FEWEST_SLOTS
from ..parameters import RowParameters

STRETCH = 8
"""Chunks next to one copy of the digits that come to all blocks, where contexts take turns and a cycle is short."""


class RowLoop(InterleavedLoop):
    """Registers of S, with the next S as outputs.

    Attributes
    ----------
    fresh : in
        Set two cycles before that of S; with one context, not in two cycles one after the other.
    next : out
        Chunks of the next S, each with its carry above it: also what `word` is not.
    """

    AHEAD = 1

    def __init__(self, p: RowParameters) -> None:
        self.alone = p.contexts == 1
        super().__init__(p, 0 if self.alone else STRETCH)

    def _ports(self) -> dict[str, wiring.Member]:
        p = self.p
        return {**super()._ports(), "next": Out(data.ArrayLayout(p.w + p.carry_width, p.chunks))}

    def _keep(self, m: Module, j: int, total: Value) -> None:
        m.d.comb += self.next[j].eq(total)
        with m.If(strobe_copy(m, self.fresh, self.p.target, f"clear_{j}", self.alone)):
            m.d.sync += self._chunk(j).eq(0)
        with m.Else():
            m.d.sync += self._chunk(j).eq(total)

    def _base(self, m: Module, j: int, fresh: Value, part: Value) -> Value:
        p, digits = self.p, self._digits(j)
        if p.slots > FEWEST_SLOTS or j == p.chunks - 1 or p.w > p.k:
            return super()._base(m, j, fresh, part)
        return plus_few(m, digits, part, self.carries[j], p.target)

    def _digits(self, j: int) -> Value:
        """Chunk j of S without its lowest digit, and with that of the chunk above."""
        return self.word[self.p.w * j + self.p.k :][: self.p.w]

    def _shifted(self, m: Module, j: int, fresh: Value) -> Value:
        p, digits = self.p, self._digits(j)
        carry = Const(0, 1) if j == p.chunks - 1 else Cat(Const(0, p.w - p.k), self.carries[j])
        if p.slots == FEWEST_SLOTS:
            return digits + carry
        shifted = Signal(p.largest_shifted.bit_length(), name=f"shifted_{j}", reset_less=True)
        m.d.sync += shifted.eq(digits + carry)
        return delayed(m, shifted, p.slots - 3, f"shifted_{j}")
