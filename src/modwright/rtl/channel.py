# SPDX-License-Identifier: Apache-2.0
"""A multiplier modulo 2^w - u: tiled product, folds, conditional subtraction, with a chosen number of registers."""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..plan.pipeline import BLOCK, LOOKUP, SELECT, WAY, adder, place_registers
from ..plan.tiling import Tiling
from ..rns import FoldPlan
from .folding import pieces_of, pipelined, reduction
from .multiplier import TiledMultiplier
from .pipeline import delayed


class ChannelMultiplier(wiring.Component):
    """r = a·b modulo 2^w - u, a product a cycle, readable `latency` cycles after its operands are given.

    Parameters
    ----------
    plan : FoldPlan
        Reduction whose bound covers a·b.
    target : str
        Device family of the multiplier blocks.
    latency : int
        Cycles from operands to result, at least 2; registers may be in front of the blocks and behind them, behind
        each level of the adder tree, and between the pieces of the reduction.
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
        self.pieces = pieces_of(reduction(plan, canonical_result=canonical_result))
        delays = [SELECT, WAY, BLOCK, WAY, *self.tiling.delays, *(piece.delay for piece in self.pieces)]
        tail = adder(plan.width, 3) + LOOKUP  # into an accumulator; the choice of an operand counts in front
        self.registers = place_registers(delays, latency, tail=tail, forced=frozenset({BLOCK_INPUT}))
        super().__init__({"a": In(plan.width), "b": In(plan.width), "r": Out(plan.width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        front, _, block, way, *rest = self.registers
        levels = self.tiling.levels
        m.submodules.product = product = TiledMultiplier(self.tiling, (block, *rest[:levels]), way=way)
        m.d.comb += [
            product.a[0].eq(delayed(m, self.a, front, "a_held")),
            product.b[0].eq(delayed(m, self.b, front, "b_held")),
            self.r.eq(pipelined(m, self.pieces, rest[levels:], product.p, "reduced")),
        ]
        return m


BLOCK_INPUT = 1
"""Place of the blocks' own operand register among the stages: behind the way to them."""
