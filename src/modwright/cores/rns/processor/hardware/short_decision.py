# SPDX-License-Identifier: Apache-2.0
"""The decision on a pass with fewer LUTs: one carry chain for the balance, and f from a table where that is small."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed

from .....engines.inversion.hardware.decision import Decision
from .....engines.inversion.hardware.rower import lookup
from .....engines.plus_minus import factor
from .....rtl.pipeline import delayed

MOST = 128
"""Entries of a table that takes fewer LUTs than the sum of two and its reduction do."""


class ShortDecision(Decision):
    """Decision on the next pass."""

    def _after(self, m: Module, balance: Value, swap: Value, gain: Value, divides: Value) -> Value:
        """The balance after a pass: its complement and 1 where it is negated, with the 1 in the small term."""
        change = Signal(signed(len(gain) + 2), name="change")
        m.d.comb += change.eq(gain + swap - Mux(divides, 0, 2))
        return Mux(swap, ~balance, balance) + change

    def _multiple(self, m: Module, twos: Value, threes: Value) -> Value:
        """The f of a sum, from both residues and the divisor."""
        index = Cat(twos, threes, self.divisor)
        if 1 << len(index) > MOST:
            return super()._multiple(m, twos, threes)
        sums = [(two, three) for three in range(1 << len(threes)) for two in range(1 << len(twos))]
        table = [self._of(divisor, *found) for divisor in self.p.kind.divisors for found in sums]
        f = Signal(max(self.p.kind.divisors).bit_length() + 1, name="f")
        m.d.comb += f.eq(lookup([value % (1 << len(f)) for value in table], len(f), index))
        return delayed(m, f, self.p.cuts, "f_held").as_signed()

    def _of(self, divisor: int, two: int, three: int) -> int:
        """The f of a sum with these residues; 0 for residues that no number has."""
        small = self.p.kind.small
        sums = [y for y in range(small) if y % 2**self.p.kind.twos == two and y % self.three == three]
        return factor(sums[0], divisor, self.p.modulus) if sums else 0
