# SPDX-License-Identifier: Apache-2.0
"""The registers and adders of r64: the addition behind the multiplier, and the one of 2w + 1 bits.

Product and addend leave in the cycle of their step's end, and the register has them in the next. Two limbs and d = 1:

    cycle    step                 register that is written at the end of this cycle
    2        x_0·y_0              `reg1`, 2w bits and one more
    3        q_0                  `q`, w bits: its lowest limb
    4        q_0·m_0 + reg1       `c`, w + 1 bits: the limbs above the lowest, which is 0
    5        x_0·y_1              `reg1`
    6        q_0·m_1 + c          `reg2`, 2w bits; a cycle later `z_0` and `z_1` are the limbs of reg1 + reg2
    8        x_1·y_0 + z_0        `reg1`
    9        q_1                  `q`
    10       q_1·m_0 + reg1       `c`
    11       x_1·y_1 + z_1        `reg1`
    12       q_1·m_1 + c          `reg2`; `z_0` and `z_1` are the result from cycle 14 on
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..parameters import UnitParameters
from ..scanning import CARRY, QUOTIENT, REG1, REG2
from ..schedule import ADDENDS


class ScanAccumulator(wiring.Component):
    """Registers and adders of r64, controlled by the words of `schedule.scan_control`.

    Attributes
    ----------
    product : in, 2w bits
        Product that leaves the multiplier in this cycle.
    negative : in
        Unused, as no factor of r64 is a difference.
    action : in
        Control word of the product.
    t : out, an array of one limb
        q.
    leaving : out, w bits
        Lowest limb of product and addend.
    z : out
        Result, two cycles after the last product.
    """

    def __init__(self, p: UnitParameters, layout: data.StructLayout) -> None:
        self.p = p
        w = p.w
        self.t = [Signal(w, name="q")]
        self.reg1, self.reg2 = Signal(p.accumulator), Signal(2 * w)  # x_i·y_j + z_j, q·m_j + c
        self.c = Signal(w + 1)  # above limb j of reg1 + reg2
        self.limbs = [Signal(w + (j == p.s - 1), name=f"z_{j}") for j in range(p.s)]
        super().__init__(
            {"product": In(2 * w), "negative": In(1), "action": In(layout)}
            | {"leaving": Out(w), "z": Out(p.result_bits)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p, w = Module(), self.p, self.p.w
        addend, found = Signal(p.accumulator), Signal(p.accumulator)
        with m.Switch(self.action.addend):
            with m.Case(ADDENDS.index("reg1")):
                m.d.comb += addend.eq(self.reg1)
            with m.Case(ADDENDS.index("c")):
                m.d.comb += addend.eq(self.c)
            for j, limb in enumerate(self.limbs):
                with m.Case(ADDENDS.index("z") + j):
                    m.d.comb += addend.eq(limb)
        m.d.comb += [
            found.eq(self.product + addend),
            self.leaving.eq(found[:w]),
            self.z.eq(Cat(*self.limbs)),
        ]
        with m.Switch(self.action.target):
            with m.Case(REG1):
                m.d.sync += self.reg1.eq(found)
            with m.Case(QUOTIENT):
                m.d.sync += self.t[0].eq(found[:w])
            with m.Case(CARRY):
                m.d.sync += self.c.eq(found[w:])
            with m.Case(REG2):
                m.d.sync += self.reg2.eq(found)
        self._add(m)
        return m

    def _add(self, m: Module) -> None:
        """Add, a cycle after reg2 = q·m_j + c: (c, z_(j-1)) = reg1 + reg2, or (z_(s-1), z_(s-2)) for the last limbs."""
        p, w = self.p, self.p.w
        both, limb = Signal(2 * w + 1), Signal.like(self.action.sum)
        m.d.comb += both.eq(self.reg1 + self.reg2)
        m.d.sync += limb.eq(self.action.sum)
        with m.Switch(limb):
            for j in range(1, p.s):
                with m.Case(j):
                    m.d.sync += [
                        self.limbs[j - 1].eq(both[:w]),
                        (self.limbs[j] if j == p.s - 1 else self.c).eq(both[w:]),
                    ]
