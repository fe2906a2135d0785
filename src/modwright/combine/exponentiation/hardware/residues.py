# SPDX-License-Identifier: Apache-2.0
"""Between plain numbers and the residues of a multiplier with a runtime modulus.

Registers, counted from the cycle of `close`; C the cycles of the conversion, L limbs of the power:

    cycle        register that holds the value from this cycle on
    C + 1        `power`: the power, below 2M, its lowest limb in front
    C + 1 + k    `power`, `modulus`, `less`: after k limbs of the subtraction, which enter `less` at the top
    C + 1 + L    `finished`; `borrow`: whether the power was below M
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....engines.residue.hardware.converters import FromResiduesDatapath, ToResiduesDatapath
from ..parameters import ModexpParameters
from ..plan.residues import Conversion


class Conversions(wiring.Component):
    """The base into residues, and the power out of them, one at a time.

    Attributes
    ----------
    start, base : in
        An exponentiation begins with this base.
    begin, residues : out
        The residues are there, and the program begins in this cycle.
    close, scaled : in
        The program has ended with these scaled residues in the last base; in one cycle.
    m : in
        M, from `start` to the end.
    finished, z : out
        The power modulo M is at `z`, until `take`.
    take : in
    """

    def __init__(self, p: ModexpParameters, conversion: Conversion) -> None:
        self.target, self.conversion = p.target, conversion
        into, out = conversion.into.base, conversion.out.base
        members = {
            "start": In(1),
            "base": In(conversion.bits),
            "begin": Out(1),
            "residues": Out(into.width * into.count),
        }
        members |= {"close": In(1), "scaled": In(out.width * out.count), "m": In(conversion.bits)}
        super().__init__(members | {"finished": Out(1), "z": Out(conversion.bits), "take": In(1)})

    def elaborate(self, platform: object) -> Module:
        m, plan = Module(), self.conversion
        into, out = plan.schedules
        m.submodules.into = entry = ToResiduesDatapath(plan.into, into)
        m.submodules.out = leaving = FromResiduesDatapath(plan.out, out, self.target)
        m.d.comb += [
            entry.start.eq(self.start),
            entry.x.eq(self.base),
            self.begin.eq(entry.done),
            self.residues.eq(entry.rx.as_value()),
            leaving.start.eq(self.close),
            leaving.xi.as_value().eq(self.scaled),
        ]
        self._subtract(m, leaving)
        return m

    def _subtract(self, m: Module, leaving: FromResiduesDatapath) -> None:
        """The power and the power less M, limb by limb; the last borrow chooses."""
        limbs, limb = self.conversion.limbs, self.conversion.limb
        width = limbs * limb
        power, modulus, less = (Signal(width, name=name) for name in ("power", "modulus", "less"))
        left, borrow = Signal(range(limbs + 1)), Signal()
        difference = Signal(limb + 1)
        m.d.comb += difference.eq(power[:limb] - modulus[:limb] - borrow)
        ends = Signal()
        m.d.comb += ends.eq(left == 1)
        m.d.sync += self.finished.eq((self.finished | ends) & ~self.take)
        with m.If(leaving.done):
            m.d.sync += [power.eq(leaving.z), modulus.eq(self.m), left.eq(limbs), borrow.eq(0)]
        with m.Elif(left != 0):
            m.d.sync += [
                power.eq(Cat(power[limb:], power[:limb])),
                modulus.eq(Cat(modulus[limb:], Const(0, limb))),
                less.eq(Cat(less, difference[:limb])[limb:]),
                left.eq(left - 1),
                borrow.eq(difference[limb]),
            ]
        m.d.comb += self.z.eq(Mux(borrow, power, less))
