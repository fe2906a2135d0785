# SPDX-License-Identifier: Apache-2.0
"""Limbs that come in: those of the operands, each once, and the entries of a matrix.

Registers hold the limbs of the operands, and the sum modulo 2 of all of them is in a register, too. A limb is read by
erasing it: the sum before and the sum after differ by it. So a bit of an operand takes a third of a LUT, and not two
thirds as in a choice among all. Cycles from that of `load`:

    cycle   register that holds the value from this cycle on
    1       `load_K`: the limb of this number
    2       `limb_K` is 0
    3       `part_P`: sums of limbs; `chosen`: the limb of an entry
    4       `sum`: the sum of all; `operand`: the limb, in this cycle only; 0 without `load`
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
from ..divsteps import ENTRY_LIMBS

GROUP = 4
"""Limbs that one LUT adds."""


class OperandLimbs(wiring.Component):
    """Limbs that come in.

    Parameters
    ----------
    w : int
        Bits of a limb.
    widths : sequence of int
        Bits of each limb of the operands.
    entry_bits, entries : int
        Bits of an entry, and the number of entries.
    target : str

    Attributes
    ----------
    idle : in
        Bit K: the limb takes what is at `given_K`.
    given_K : in
    load : in
        Number of what is read, from 1 on: the limbs, then two limbs of each entry, which are `engines.word.rows`'.
    entry : in
    operand : out
    """

    def __init__(self, w: int, widths: Sequence[int], entry_bits: int, entries: int, target: str) -> None:
        self.w, self.widths, self.target = w, tuple(widths), target
        super().__init__(
            {"idle": In(len(widths)), "load": In(range(1 + len(widths) + ENTRY_LIMBS * entries))}
            | {f"given_{k}": In(width) for k, width in enumerate(widths)}
            | {"entry": In(data.ArrayLayout(entry_bits, entries)), "operand": Out(w)}
        )

    def elaborate(self, platform: object) -> Module:
        m, count = Module(), len(self.widths)
        limbs: list[Value] = []
        for k, width in enumerate(self.widths):
            limb = Signal(width, name=f"limb_{k}", reset_less=True)
            with m.If(self._loads(m, k)):
                m.d.sync += limb.eq(0)
            with m.Elif(self.idle[k]):
                m.d.sync += limb.eq(getattr(self, f"given_{k}"))
            limbs.append(Cat(limb, Const(0, self.w - width)))
        parts = []
        for low in range(0, count, GROUP):
            part = Signal(self.w, name=f"part_{low}", reset_less=True)
            m.d.sync += part.eq(reduce(xor, limbs[low : low + GROUP]))
            parts.append(part)
        after, before = reduce(xor, parts), Signal(self.w, name="sum", reset_less=True)
        m.d.sync += [before.eq(after), self.operand.eq((after ^ before) | self._entry(m))]
        return m

    def _loads(self, m: Module, k: int) -> Signal:
        return copied(m, self.load == k + 1, self.target, f"load_{k}")

    def _entry(self, m: Module) -> Signal:
        """Register of the chosen limb of an entry: its bits at the top, or its sign at the bottom."""
        tops, signs = list[Value](), list[Value]()
        for number, entry in enumerate(self.entry):
            first = len(self.widths) + ENTRY_LIMBS * number
            low, high = (delayed(m, self._loads(m, first + k), 1, f"chosen_{first + k}") for k in range(ENTRY_LIMBS))
            tops.append(entry & low.replicate(len(entry)))
            signs.append(entry[-1] & high)
        bits, chosen = len(self.entry[0]), Signal(self.w, name="chosen", reset_less=True)
        m.d.sync += chosen.eq(reduce(or_, signs) | Cat(Const(0, self.w - bits), reduce(or_, tops)))
        return chosen
