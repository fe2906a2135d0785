# SPDX-License-Identifier: Apache-2.0
"""Limbs that come in: those of the operands one after the other, each once; constants; and the entries of a matrix.

Registers hold the limbs of the operands, and the sum modulo 2 of all of them is in a register, too. A limb is read by
erasing it: the sum before and the sum after differ by it. So a bit of an operand takes a third of a LUT, and not two
thirds as in a choice among all. Limbs of an entry are those of `engines.word.rows`; entries that are not read are 0.
Cycles from that of `load`, limb K later by K cycles:

    cycle   register that holds the value from this cycle on
    1       `loads`: limb 0, or an entry's first limb, is read
    2       limb 0 is 0
    3       `part_P`: sums of limbs; `entry_E`: the entry
    4       `sum`: the sum of all; `operand`: the limb, in this cycle only
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_, xor

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ..control import ALL_OPERANDS

GROUP = 4
"""Limbs that one LUT adds."""


class OperandLimbs(wiring.Component):
    """Limbs that come in.

    Parameters
    ----------
    w : int
        Bits of a limb.
    widths : sequence of int
        Bits of each limb of the operands, which come first.
    constants : sequence of int
        Limbs of the constants, which follow.
    entry_bits, entries : int
        Bits of an entry, and the number of entries.
    target : str

    Attributes
    ----------
    idle : in
        A bit for each `GROUP` of limbs: they take what is at `given_K`.
    given_K : in
    load : in
        Number of what is read, from 1 on; 0 reads nothing.
    entry : in
    operand : out
        0 where nothing is read.
    """

    def __init__(
        self, w: int, widths: Sequence[int], constants: Sequence[int], entry_bits: int, entries: int, target: str
    ) -> None:
        self.w, self.widths, self.constants, self.target = w, tuple(widths), tuple(constants), target
        super().__init__(
            {"idle": In(self.groups(widths)), "load": In(range(1 + ALL_OPERANDS + entries))}
            | {f"given_{k}": In(width) for k, width in enumerate(widths)}
            | {"entry": In(data.ArrayLayout(entry_bits, entries)), "operand": Out(w)}
        )

    @staticmethod
    def groups(widths: Sequence[int]) -> int:
        """Groups of limbs."""
        return -(-len(widths) // GROUP)

    def elaborate(self, platform: object) -> Module:
        m, limbs = Module(), list[Value]()
        reads: Value = copied(m, self.load == ALL_OPERANDS, self.target, "loads_0")
        for k, width in enumerate(self.widths):
            limb = Signal(width, name=f"limb_{k}", reset_less=True)
            with m.If(reads):
                m.d.sync += limb.eq(0)
            with m.Elif(self.idle[k // GROUP]):
                m.d.sync += limb.eq(getattr(self, f"given_{k}"))
            limbs.append(Cat(limb, Const(0, self.w - width)))
            reads = delayed(m, reads, 1, f"loads_{k + 1}")
        parts = self._parts(m, limbs)
        after, before = reduce(xor, parts), Signal(self.w, name="sum", reset_less=True)
        others = reduce(or_, [*self._constants(m, reads), *self._entries(m)])
        m.d.sync += [before.eq(after), self.operand.eq((after ^ before) | others)]
        return m

    def _parts(self, m: Module, limbs: Sequence[Value]) -> list[Value]:
        """Registers of the sums of four limbs, and of those limbs that are left."""
        whole = len(limbs) // GROUP * GROUP
        groups = [*(limbs[low : low + GROUP] for low in range(0, whole, GROUP)), *([limb] for limb in limbs[whole:])]
        parts = []
        for number, group in enumerate(groups):
            part = Signal(self.w, name=f"part_{number}", reset_less=True)
            m.d.sync += part.eq(reduce(xor, group))
            parts.append(part)
        return parts

    def _constants(self, m: Module, reads: Value) -> list[Value]:
        """Limbs of the constants, the first of them two cycles after `reads`."""
        found = []
        for k, value in enumerate(self.constants):
            now = delayed(m, reads, 2, f"constant_{k}")
            found.append(Const(value, self.w) & now.replicate(self.w))
            reads = delayed(m, reads, 1, f"constants_{k + 1}")
        return found

    def _entries(self, m: Module) -> list[Value]:
        """Limbs of the entries: the bits at the top, and in the next cycle the sign at the bottom."""
        found: list[Value] = []
        for number, entry in enumerate(self.entry):
            reads = copied(m, self.load == ALL_OPERANDS + 1 + number, self.target, f"entry_loads_{number}")
            low = copied(m, reads, self.target, f"entry_reads_{number}")
            sign, high = Signal(name=f"sign_{number}"), delayed(m, low, 1, f"sign_reads_{number}")
            limb = Signal(len(entry), name=f"entry_{number}", reset_less=True)
            with m.If(low):
                m.d.sync += limb.eq(entry)
            with m.Else():
                m.d.sync += limb.eq(0)
            m.d.sync += sign.eq(entry[-1] & high)
            found += [sign, Cat(Const(0, self.w - len(limb)), limb)]
        return found
