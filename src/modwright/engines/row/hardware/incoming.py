# SPDX-License-Identifier: Apache-2.0
"""Choice of the operand that comes into a word, by its number: the OR of a few registers, of which one has it.

Registers, counted from the cycle of the control word with the number; slice K, operand N:

    cycle   register that holds the value from this cycle on
    1       `load_K`: the number
    2       `other_K_N`: it is not that of this operand
    3       `given_K_N`: the operand, or 0, by a reset, which takes no LUT
    4       `some_K_P`: the OR of some operands
    5       `part_P`: the OR of some of these; what it goes to may be far away
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.block_memory import WIDE
from ....rtl.copies import copied

PARTS = 2
"""Registers of which one has the operand: with a limb of the converter and the choice, one LUT takes both."""
MEMBERS = 4
"""Registers of which one LUT makes the OR."""
SLICE = WIDE
"""Bits of a word behind one copy of the number: those of a block, next to which they are placed."""


class Incoming(wiring.Component):
    """Choice of an operand.

    Parameters
    ----------
    width, operands : int
    target : str

    Attributes
    ----------
    load : in
        Number of an operand, from 1 on; 0 for none.
    given_K : in, width bits
        Operand K, in the cycle after the next one.
    part_K : out, width bits
        Five cycles later: the operand in one of them, and 0 in the others.
    """

    def __init__(self, width: int, operands: int, target: str) -> None:
        self.width, self.operands, self.target = width, operands, target
        given = {f"given_{k}": In(width) for k in range(operands)}
        super().__init__({"load": In(range(operands + 1)), **given} | {f"part_{k}": Out(width) for k in range(PARTS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for number, low in enumerate(range(0, self.width, SLICE)):
            self._slice(m, number, slice(low, min(low + SLICE, self.width)))
        return m

    def _slice(self, m: Module, number: int, part: slice) -> None:
        load = copied(m, self.load, self.target, f"load_{number}")
        registers: list[Signal] = []
        for k in range(self.operands):
            register = Signal(part.stop - part.start, name=f"given_{number}_{k}", reset_less=True)
            with m.If(copied(m, load != k + 1, self.target, f"other_{number}_{k}")):
                m.d.sync += register.eq(0)
            with m.Else():
                m.d.sync += register.eq(getattr(self, f"given_{k}")[part])
            registers.append(register)
        some: list[Signal] = []
        for first in range(0, self.operands, MEMBERS):
            register = Signal(part.stop - part.start, name=f"some_{number}_{first}", reset_less=True)
            m.d.sync += register.eq(reduce(or_, registers[first : first + MEMBERS]))
            some.append(register)
        for k, members in enumerate((some[:-1], some[-1:])):
            m.d.sync += getattr(self, f"part_{k}")[part].eq(reduce(or_, members))
