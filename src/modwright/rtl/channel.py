# SPDX-License-Identifier: Apache-2.0
"""A multiplier modulo 2^w - u: tiled product, folds, conditional subtraction, with a chosen number of registers."""

from __future__ import annotations

from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..plan.pipeline import BLOCK, LOOKUP, adder, place_registers
from ..plan.tiling import Tiling
from ..rns import FoldPlan
from .folding import reduction
from .multiplier import TiledMultiplier
from .pipeline import delayed

SELECT = 2 * LOOKUP
"""Estimated delay of what chooses an operand, before the register of the blocks."""


class ChannelMultiplier(wiring.Component):
    """r = a·b modulo 2^w - u, a product a cycle, readable `latency` cycles after its operands are given.

    Parameters
    ----------
    plan : FoldPlan
        Whose bound covers a·b.
    target : str
        What the multiplier blocks are written for.
    latency : int
        At least 2; registers may follow the blocks, each level of the adder tree, each fold and the subtraction.
    canonical_result : bool
        Whether r < 2^w - u; else r < 2^w.

    Attributes
    ----------
    a, b : in, w bits
    r : out, w bits
    """

    def __init__(self, plan: FoldPlan, target: str, latency: int, *, canonical_result: bool) -> None:
        self.plan, self.canonical_result = plan, canonical_result
        self.tiling = Tiling(plan.width, plan.width, target)
        self.stages = reduction(plan, canonical_result=canonical_result)
        delays = [BLOCK, *self.tiling.delays, *(stage.delay for stage in self.stages)]
        tail = max(SELECT, adder(plan.width, 3) + LOOKUP)  # to another operand, or into an accumulator
        self.registers = place_registers(delays, latency - 1, tail=tail)
        super().__init__({"a": In(plan.width), "b": In(plan.width), "r": Out(plan.width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        inside = 1 + self.tiling.levels
        m.submodules.product = product = TiledMultiplier(self.tiling, self.registers[:inside])
        m.d.comb += [product.a[0].eq(self.a), product.b[0].eq(self.b)]
        value: Value = product.p
        for number, stage in enumerate(self.stages):
            value = stage.apply(m, value, f"reduced_{number}")
            value = delayed(m, value, self.registers[inside + number], f"held_{number}")
        m.d.comb += self.r.eq(value)
        return m
