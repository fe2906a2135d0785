# SPDX-License-Identifier: Apache-2.0
"""Products and sums of operands that come through one port, and their comparison with 0 and M~.

    cycle   sum                                          comparison
    0       `terms`: first operand                       `found`: the operand
    1       `first`, lifted; `terms`: second operand     groups of bits
    2       `summed_J`: sums over chunks                 groups of these
    3       -                                            groups of these; `zero`
    6       `z`                                          -

Where contexts take turns, the second operand comes two cycles behind the first, and both a cycle later.

A sum passes the converter like a product's last S, which is in `taken_J`: chunks with their carries. The registers of
either are cleared where the other one counts, by resets, so that no LUT chooses.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.block_memory import WIDE, BlockMemory
from ....rtl.chains import plus_or_minus
from ....rtl.copies import copied, strobe_copy
from ....rtl.pipeline import delayed
from ....rtl.turns import turns
from ..machine import COMPARED, FOUND
from ..parameters import LIFT, RowParameters
from .converter import RowConverter
from .incoming import PARTS
from .multiplier import RowMultiplier

SLICE = 64
"""Bits behind one copy of a control signal."""
LIFT_SLICE = 3 * WIDE
"""Bits of the lifts of all contexts behind one address."""
GROUP, GROUPS, BLOCKS = 4, 8, 7
"""Bits of an operand that are compared in the first cycle by one LUT, such groups in the second, and blocks of these in
the third, each stretch of the operand where it is."""


class RowArithmetic(wiring.Component):
    """Attributes
    ----------
    found : in, operand_bits
        An operand.
    terms : in, operand_bits
        The same, for sums.
    part_K : in, operand_bits
        Registers whose OR comes into a word; see `Incoming`.
    given : in
        Strobe: `part_K` count in the next cycle, and in the second one behind it their OR is at `z`.
    m : in
        See `RowMultiplier`.
    start : in
        The first operand of a product is at `found` in the next cycle.
    integer : in
        With `start`: see `RowMultiplier`.
    minus : in
        The first operand of a difference is at `terms` in the next cycle.
    sum : in
        The first operand of a sum or difference is at `terms` in the next cycle.
    load : in
        In the next cycle, M~ is at `found`.
    clear : in
        From the cycle after the next one on, sums are not lifted until the next `load`.
    z : out, operand_bits
        Result.
    negative : out
        The result of a difference is negative, where it is not lifted.
    zero : out
        The operand of three cycles ago is 0 or M~.
    """

    def __init__(self, p: RowParameters) -> None:
        self.p = p
        controls = ("start", "integer", "minus", "sum", "load", "clear", "given")
        super().__init__(
            {"found": In(p.operand_bits), "terms": In(p.operand_bits), "m": In(p.n)}
            | {f"part_{k}": In(p.operand_bits) for k in range(PARTS)}
            | {"z": Out(p.operand_bits), "negative": Out(1), "zero": Out(1)}
            | {name: In(1) for name in controls}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.multiplier = multiplier = RowMultiplier(p)
        m.submodules.converter = converter = RowConverter(p)
        m.d.comb += multiplier.integer.eq(self.integer)
        m.d.comb += [multiplier.start.eq(self.start), multiplier.found.eq(self.found), multiplier.m.eq(self.m)]
        self.lift = Signal(p.operand_bits, reset_less=True)
        self.multiple = self.lift >> LIFT
        self.loaded: Value | None = None
        if p.contexts == 1:
            self._lift(m)
        else:
            self._lifts(m)
        self.sums, self.products, self.negates = Signal(), Signal(init=1), Signal()
        m.d.sync += [self.sums.eq(self.sum), self.products.eq(~self.sum), self.negates.eq(self.minus)]
        lowest, totals = self._totals(m)
        self._take(m, multiplier, converter, totals)
        m.d.comb += [self.z.eq(converter.z[: p.operand_bits]), self.negative.eq(converter.z[-1])]
        m.d.comb += converter.given.eq(self.given)
        m.d.comb += [getattr(converter, f"part_{k}").eq(getattr(self, f"part_{k}")) for k in range(PARTS)]
        if lowest is not None:
            low, summed = p.k * p.d, self._copy(m, self.sums, "is_sum")
            aside, carry = Signal(low, reset_less=True), Signal(len(lowest) - low, reset_less=True)
            with m.If(copied(m, self.products, p.target, "is_product")):
                m.d.sync += [aside.eq(0), carry.eq(0)]  # both are cleared, so that one chain has all these registers
            with m.Else():
                m.d.sync += [aside.eq(lowest[:low]), carry.eq(lowest[low:])]
            m.d.comb += [converter.low.eq(aside), converter.carry.eq(carry)]
            m.d.sync += converter.sum.eq(summed)
        self._compare(m)
        return m

    def _take(self, m: Module, multiplier: RowMultiplier, converter: RowConverter, totals: list[Value]) -> None:
        """Registers in front of the converter: the last S of a product, and a sum; one of them is cleared."""
        p = self.p
        taken = [Signal(p.w + p.carry_width, name=f"taken_{j}", reset_less=True) for j in range(len(totals))]
        summed = [Signal(p.w + p.carry_width, name=f"summed_{j}", reset_less=True) for j in range(len(totals))]
        for j, total in enumerate(totals):
            with m.If(self._copy(m, self.sums, f"is_sum_{j}")):
                m.d.sync += taken[j].eq(0)
            with m.Else():
                m.d.sync += taken[j].eq(multiplier.last[j])
            with m.If(copied(m, self.products, p.target, f"is_product_{j}")):
                m.d.sync += summed[j].eq(0)
            with m.Else():
                m.d.sync += summed[j].eq(total[: len(summed[j])])
        lowest = Signal(p.k, reset_less=True)
        m.d.sync += lowest.eq(multiplier.last[0][: p.k])
        m.d.comb += [
            converter.word.eq(Cat(register[: p.w] for register in taken)),
            Cat(converter.carries).eq(Cat(register[p.w :] for register in taken[:-1])),
            converter.terms.eq(Cat(register[: p.w] for register in summed)),
            Cat(converter.term_carries).eq(Cat(register[p.w :] for register in summed[:-1])),
            converter.lowest.eq(lowest),
        ]

    def _lift(self, m: Module) -> None:
        """Register of the lift 4·M~; 0 until M~ is loaded."""
        for number, low in enumerate(range(0, len(self.lift), SLICE)):
            load, lifted = self._copy(m, self.load, f"load_{number}"), self.found << LIFT
            clear = self._copy(m, self.clear, f"clear_{number}")
            with m.If(clear):
                m.d.sync += self.lift[low : low + SLICE].eq(0)
            with m.Elif(load):
                m.d.sync += self.lift[low : low + SLICE].eq(lifted[low : low + SLICE])

    def _lifts(self, m: Module) -> None:
        """Lifts of all contexts, in memory; they do not count until M~ is loaded.

        A context loads M~ in a cycle of its own, and finds it, as all operands, in the next one; in that one also the
        lift is read for the comparison, and in the one behind it for a sum."""
        p, lifted = self.p, Signal(self.p.contexts)
        own, lifts = turns(m, p.contexts, 0, "own_turn"), self.found << LIFT
        for k in range(p.contexts):
            with m.If((own == k) & self.load):
                m.d.sync += lifted[k].eq(1)
            with m.Elif((own == k) & self.clear):
                m.d.sync += lifted[k].eq(0)
        counts = lifted.bit_select(own, 1)
        read: list[Value] = []
        for number, low in enumerate(range(0, p.operand_bits, LIFT_SLICE)):
            part = slice(low, min(low + LIFT_SLICE, p.operand_bits))
            m.submodules[f"lift_{number}"] = store = BlockMemory(part.stop - low, p.contexts, p.target)
            turn = turns(m, p.contexts, -1, f"turn_{number}")
            m.d.comb += [
                store.read.eq(turn),
                store.into.eq(turn),
                store.write.eq(copied(m, self.load, p.target, f"loads_{number}")),
                store.word.eq(lifts[part]),
            ]
            with m.If(copied(m, ~counts, p.target, f"unlifted_{number}")):
                m.d.sync += self.lift[part].eq(0)
            with m.Else():
                m.d.sync += self.lift[part].eq(store.found)
            read.append(store.found)
        self.multiple = Cat(read)[LIFT:]
        self.loaded = delayed(m, counts, 1 + COMPARED - FOUND, "loaded")

    def _copy(self, m: Module, strobe: Value, name: str) -> Signal:
        return strobe_copy(m, strobe, self.p.target, name, alone=self.p.contexts == 1)

    def _totals(self, m: Module) -> tuple[Value | None, list[Value]]:
        """Sums of the operand before, lifted, and this one or its negative: over the lowest digits, and chunks."""
        p = self.p
        low = p.k * p.d
        chunks = [slice(low + p.w * j, low + p.w * (j + 1)) for j in range(p.result_chunks)]
        lowest = self._total(m, slice(0, low), "lowest") if p.d else None
        return lowest, [self._total(m, part, f"{j}") for j, part in enumerate(chunks)]

    def _total(self, m: Module, part: slice, name: str) -> Value:
        found, lift = _chunk(self.terms, part), _chunk(self.lift, part)
        minus = self._copy(m, self.negates, f"minus_{name}")
        first = Signal(part.stop - part.start + 1, name=f"first_{name}", reset_less=True)
        m.d.sync += first.eq(found + lift)
        first = delayed(m, first, self.p.contexts - 1, f"first_{name}", reset=False)
        return plus_or_minus(m, first, found, minus, Const(0, 1) if part.start else minus, self.p.target)

    def _compare(self, m: Module) -> None:
        """Compare with each of both numbers, by a tree in three cycles."""
        trees = []
        for name, bits, differs in (("none", GROUP, self.found), ("same", GROUP // 2, self.found ^ self.multiple)):
            groups = [~differs[low : low + bits].any() for low in range(0, self.p.operand_bits, bits)]
            near = Signal(len(groups), name=f"{name}_near", reset_less=True)
            blocks = [near[low : low + GROUPS].all() for low in range(0, len(groups), GROUPS)]
            far = Signal(len(blocks), name=f"{name}_far", reset_less=True)
            m.d.sync += [near.eq(Cat(groups)), far.eq(Cat(blocks))]
            parts = [far[low : low + BLOCKS].all() for low in range(0, len(blocks), BLOCKS)]
            whole = Signal(len(parts), name=name, reset_less=True)
            m.d.sync += whole.eq(Cat(parts))
            trees.append(whole.all())
        same = trees[1] if self.loaded is None else trees[1] & self.loaded
        m.d.comb += self.zero.eq(trees[0] | same)


def _chunk(value: Value, part: slice) -> Value:
    """A chunk, with zeros above the value."""
    here = value[part.start : part.stop] if part.start < len(value) else Const(0, 0)
    return Cat(here, Const(0, part.stop - part.start - len(here)))
