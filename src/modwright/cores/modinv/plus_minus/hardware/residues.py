# SPDX-License-Identifier: Apache-2.0
"""Residues of V and U modulo small numbers, from the hats of all rowers at once.

Registers, counted from the cycle in which the hats can be read; c cuts, 0 or 1:

    cycle     register that holds the value from this cycle on
    c + 1     `top_k`: top bits of hat k; `low_k`, `residue_k`: its part of the sums modulo 2^a and 3^b
    c + 3     `cox`, `twos_sum`, `threes_sum`: the sums over all rowers
    2c + 3    with a cut, `twos_total` and `threes_summed`: with q·M subtracted; else the outputs, without a register
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .....engines.inversion.hardware.rower import lookup, sum_over_rowers
from .....engines.inversion.hardware.small import small_residue
from .....rtl.pipeline import delayed
from ..parameters import PassParameters


class SmallResidues(wiring.Component):
    """Residues of X modulo 2^a and 3^b, `small_cycles` after its hats.

    Attributes
    ----------
    hats : in, n values of w bits
    twos : out, a bits
    threes : out
        Canonical residue modulo 3^b; one bit that is 0 where b = 0.
    """

    def __init__(self, p: PassParameters) -> None:
        self.p = p
        self.three = 3**p.kind.threes
        super().__init__(
            {
                "hats": In(data.ArrayLayout(p.width, p.n)),
                "twos": Out(p.kind.twos),
                "threes": Out(max(1, (self.three - 1).bit_length())),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        cox, top_bits, two, more = p.engine.cox, p.top_bits, 2**p.kind.twos, p.cuts
        tops, low, digits = [], [], []
        for k, cofactor in enumerate(p.base.cofactors):
            hat = self.hats[k]
            later = delayed(m, hat, more, f"hat_{k}")
            top, bits = Signal(top_bits, name=f"top_{k}"), Signal(p.kind.twos, name=f"low_{k}")
            m.d.sync += [
                top.eq(later[p.width - top_bits :]),
                bits.eq(lookup([v * cofactor % two for v in range(two)], p.kind.twos, later[: p.kind.twos])),
            ]
            tops.append(top)
            low.append(bits)
            if self.three > 1:
                residue = Signal(len(self.threes), name=f"residue_{k}")
                m.d.sync += residue.eq(small_residue(m, hat, self.three, cofactor, f"threes_{k}", more))
                digits.append(residue)
        width = cox.largest_sum.bit_length()
        total = sum_over_rowers(m, tops, width, "cox")
        q = (total + cox.offset)[top_bits : width + 1]
        most = (cox.largest_sum >> top_bits) + 1
        product = p.base.product
        sums = sum_over_rowers(m, low, p.kind.twos, "twos_sum")
        twos = sums + lookup([-v * product % two for v in range(most)], p.kind.twos, q)
        m.d.comb += self.twos.eq(delayed(m, twos, more, "twos_total"))
        if self.three > 1:
            widest = ((self.three - 1) * p.n).bit_length()
            sums = sum_over_rowers(m, digits, widest, "threes_sum")
            less = lookup([-v * product % self.three for v in range(most)], len(self.threes), q)
            threes = delayed(m, sums + less, more, "threes_summed")
            m.d.comb += self.threes.eq(small_residue(m, threes, self.three, 1, "threes_total"))
        return m
