# SPDX-License-Identifier: Apache-2.0
"""Check of the modulus, odd and at least 3, and of operands below it.

Registers, counted from the cycle in which the inputs have changed; s limbs:

    cycle    register that holds the value from this cycle on
    1        `some`: the limbs of m with a bit of 1, other than its lowest bit
    k + 1    `NAME_carry_k`: the operand is not below its bound, by its limbs up to k
    s + 1    `error`: the code
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from .....engines.limb.hardware.selector import limbs_of
from ..parameters import LimbParameters


class OperandCheck(wiring.Component):
    """Comparison of operands with m, or with D·m; a carry passes one limb in each cycle.

    Attributes
    ----------
    x, y, m : in, `p.operand_bits` bits each, and n bits
        Operands, x2 and y2 among them where the core computes a sum of two products, and the modulus.
    error : out
        Error code, once the inputs have been stable for s + 1 cycles.
    """

    def __init__(self, p: LimbParameters) -> None:
        self.p = p
        super().__init__(dict.fromkeys(p.operands, In(p.operand_bits)) | {"m": In(p.n), "error": Out(2)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        limbs = limbs_of(self.m, p)
        bounds = limbs_of(Cat(Const(0, p.shift), self.m), p) if p.shift else limbs
        some = Signal(self.p.s)  # limbs of the modulus with a bit of 1, other than its lowest bit
        m.d.sync += some.eq(Cat(limb.any() for limb in [limbs[0][1:], *limbs[1:]]))
        reached = [self._not_below(m, name, bounds) for name in self.p.operands]
        bad = ~self.m[0] | ~some.any()
        m.d.sync += self.error.eq(Mux(bad, BAD_MODULUS, Mux(Cat(reached).any(), OUT_OF_RANGE, 0)))
        return m

    def _not_below(self, m: Module, name: str, bounds: Sequence[Value]) -> Value:
        """Carry out of operand - bound, without which the operand is below its bound."""
        carry: Value = Const(1)
        for k, (limb, bound) in enumerate(zip(limbs_of(getattr(self, name), self.p), bounds, strict=True)):
            difference, carry_out = Signal(self.p.w + 1, name=f"{name}_{k}"), Signal(name=f"{name}_carry_{k}")
            m.d.comb += difference.eq(limb + (~bound)[: self.p.w] + carry)
            m.d.sync += carry_out.eq(difference[-1])
            carry = carry_out
        return carry
