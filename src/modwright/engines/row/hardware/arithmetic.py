# SPDX-License-Identifier: Apache-2.0
"""Products and sums of operands that come through one port, and their comparison with 0 and M~.

    cycle   sum                                          comparison
    0       `found`: first operand                       `found`: the operand
    1       `first`; `found`: second operand             groups of bits
    2       `total`: sums over chunks                    groups of these
    6       `z`                                          `zero` is known in cycle 3

A sum passes the converter like a product's last S: chunks with their carries.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import pulse_copy
from ....rtl.pipeline import delayed
from ...orup.cycles import CONVERSION
from ...orup.hardware.converter import ParallelConverter
from ...orup.interleaved import InterleavedParameters
from ..parameters import LIFT
from .multiplier import RowMultiplier

SLICE = 64
"""Bits behind one copy of a control signal."""
GROUP, GROUPS = 4, 8
"""Bits of an operand that are compared in the first cycle by one LUT, and such groups in the second."""


class SharedConverter(ParallelConverter):
    """A converter of the last S and of sums, whose chunks have the same inputs.

    Attributes
    ----------
    lowest : in
        The lowest digit of S, also while `word` is a sum.
    above : out
        Sum of `word` and `carries` of four cycles ago, in binary.
    """

    def _ports(self) -> dict[str, wiring.Member]:
        p = self.p
        return super()._ports() | {"lowest": In(p.k), "above": Out(p.w * p.chunks)}

    def _give(self, m: Module, parts: list[Value]) -> None:
        m.d.comb += [self.above.eq(Cat(parts)), self.z.eq(Cat(*self._dropped(m, self.lowest), self.above))]


class RowArithmetic(wiring.Component):
    """Attributes
    ----------
    found : in, operand_bits
        An operand.
    m : in
        See `RowMultiplier`.
    start : in
        The first operand of a product is at `found`.
    minus : in
        The first operand of a difference is at `found`.
    sum : in
        The second operand of a sum is at `found`.
    load : in
        In the next cycle, M~ is at `found`.
    clear : in
        Sums are not lifted until the next `load`.
    z : out, operand_bits
        Result.
    negative : out
        The result of a difference is negative, where it is not lifted.
    zero : out
        The operand of three cycles ago is 0 or M~.
    """

    def __init__(self, p: InterleavedParameters) -> None:
        self.p = p
        controls = ("start", "minus", "sum", "load", "clear")
        super().__init__(
            {"found": In(p.operand_bits), "m": In(p.n), "z": Out(p.operand_bits), "negative": Out(1), "zero": Out(1)}
            | {name: In(1) for name in controls}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.multiplier = multiplier = RowMultiplier(p)
        m.submodules.converter = converter = SharedConverter(p)
        m.d.comb += [multiplier.start.eq(self.start), multiplier.found.eq(self.found), multiplier.m.eq(self.m)]
        self.lift = Signal(p.operand_bits)
        self._lift(m)
        totals = self._totals(m)
        chunks = range(p.chunks)
        summed = [pulse_copy(m, self.sum, f"summed_{j}") for j in chunks]
        m.d.comb += [
            converter.word.eq(
                Cat(Mux(summed[j], totals[j][: p.w], multiplier.word[p.w * j : p.w * (j + 1)]) for j in chunks)
            ),
            Cat(converter.carries).eq(
                Cat(Mux(summed[j], totals[j][p.w :], multiplier.carries[j])[: p.carry_width] for j in chunks[:-1])
            ),
            converter.lowest.eq(multiplier.word[: p.k]),
            self.negative.eq(converter.above[-1]),
        ]
        self._result(m, converter)
        self._compare(m)
        return m

    def _lift(self, m: Module) -> None:
        """Register of the lift 4·M~; 0 until M~ is loaded."""
        for number, low in enumerate(range(0, len(self.lift), SLICE)):
            load, lifted = pulse_copy(m, self.load, f"load_{number}"), self.found << LIFT
            with m.If(load):
                m.d.sync += self.lift[low : low + SLICE].eq(lifted[low : low + SLICE])
            with m.Elif(self.clear):
                m.d.sync += self.lift[low : low + SLICE].eq(0)

    def _totals(self, m: Module) -> list[Signal]:
        """Sums over chunks of the operand before, this one or its negative, and the lift."""
        p, width = self.p, self.p.w * self.p.chunks
        first = Signal(p.operand_bits, reset_less=True)
        m.d.sync += first.eq(self.found)
        totals = []
        for j in range(p.chunks):
            part = slice(p.w * j, min(p.w * (j + 1), width))
            minus = pulse_copy(m, self.minus, f"minus_{j}")
            a, b, c = (_chunk(value, part) for value in (first, self.found, self.lift))
            b = b ^ minus.replicate(p.w)
            twice = Cat(minus if j == 0 else Const(0, 1), (a & b) | (a & c) | (b & c))
            total = Signal(p.w + 2, name=f"total_{j}", reset_less=True)
            m.d.sync += total.eq((a ^ b ^ c) + twice)
            totals.append(total)
        return totals

    def _result(self, m: Module, converter: SharedConverter) -> None:
        late = delayed(m, self.sum, CONVERSION, "sum")
        for number, low in enumerate(range(0, self.p.operand_bits, SLICE)):
            part = slice(low, min(low + SLICE, self.p.operand_bits))
            chosen = pulse_copy(m, late, f"chosen_{number}")
            m.d.comb += self.z[part].eq(Mux(chosen, converter.above[part], converter.z[part]))

    def _compare(self, m: Module) -> None:
        """Compare with each of both numbers, by a tree in three cycles."""
        multiple = self.lift >> LIFT
        trees = []
        for name, bits, differs in (("none", GROUP, self.found), ("same", GROUP // 2, self.found ^ multiple)):
            groups = [~differs[low : low + bits].any() for low in range(0, self.p.operand_bits, bits)]
            near = Signal(len(groups), name=f"{name}_near", reset_less=True)
            blocks = [near[low : low + GROUPS].all() for low in range(0, len(groups), GROUPS)]
            far = Signal(len(blocks), name=f"{name}_far", reset_less=True)
            m.d.sync += [near.eq(Cat(groups)), far.eq(Cat(blocks))]
            whole = Signal(name=name, reset_less=True)
            m.d.sync += whole.eq(far.all())
            trees.append(whole)
        m.d.comb += self.zero.eq(trees[0] | trees[1])


def _chunk(value: Value, part: slice) -> Value:
    """A chunk, with zeros above the value."""
    here = value[part.start : part.stop] if part.start < len(value) else Const(0, 0)
    return Cat(here, Const(0, part.stop - part.start - len(here)))
