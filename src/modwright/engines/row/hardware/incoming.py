# SPDX-License-Identifier: Apache-2.0
"""Choice of the operand that comes into a word, by its number: the OR of a few registers, of which one has it.

Registers, counted from the cycle of the control word with the number; slice K, operand N:

    cycle   register that holds the value from this cycle on
    1       `load_K`: the number
    2       `is_K_N`: it is that of this operand
    3       `pair_K_P`: the operand, one of two, or 0
    4       `some_K_P`: the OR of some of these
    5       `part_P`: the OR of some of these; what it goes to may be far away
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.block_memory import WIDE
from ....rtl.copies import copied

PARTS = 2
"""Registers of which one has the operand: with a limb of the converter and the choice, one LUT takes both."""
PAIRED = 2
"""Operands of which one LUT takes one, or none."""
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
        counted: list[Value] = []
        for k in range(self.operands):
            here = copied(m, load == k + 1, self.target, f"is_{number}_{k}")
            counted.append(getattr(self, f"given_{k}")[part] & here.replicate(part.stop - part.start))
        registers: list[Signal] = []
        for first in range(0, self.operands, PAIRED):
            register = Signal(part.stop - part.start, name=f"pair_{number}_{first}", reset_less=True)
            m.d.sync += register.eq(reduce(or_, counted[first : first + PAIRED]))
            registers.append(register)
        some: list[Signal] = []
        for first in range(0, len(registers), MEMBERS):
            register = Signal(part.stop - part.start, name=f"some_{number}_{first}", reset_less=True)
            m.d.sync += register.eq(reduce(or_, registers[first : first + MEMBERS]))
            some.append(register)
        for k, members in enumerate((some[:-1], some[-1:])):
            m.d.sync += getattr(self, f"part_{k}")[part].eq(reduce(or_, members))
