# SPDX-License-Identifier: Apache-2.0
"""Ports and registers of S of a digit loop, whatever its cells are.

Registers, counted from the cycle in which a digit counts; how many cycles it takes is for the subclass:

    cycle    register that holds the value from this cycle on
    1 to 3   `total`, `carry`, `lost`: S after the digit
"""

from __future__ import annotations

from abc import ABC

from amaranth.hdl import Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..parameters import CarrySaveParameters
from .recoder import digit_layout


class StateLoop(wiring.Component, ABC):
    """Registers of S, to which digits of X times Y are added.

    Attributes
    ----------
    clear : in
        S becomes 0.
    enable, digit : in
        A digit that counts.
    y, m : in
        Y and M.
    total, carry, lost : out
        S = total + carry + lost; `total` in two's complement where S is signed.
    """

    def __init__(self, p: CarrySaveParameters) -> None:
        self.p = p
        inputs = {"clear": In(1), "enable": In(1), "digit": In(digit_layout(p.cell)), "y": In(p.operand_bits)}
        state = {"total": Out(p.sum_width), "carry": Out(p.carry_width), "lost": Out(1)}
        super().__init__({**inputs, "m": In(p.n), **state})

    def signed(self, value: Value) -> Value:
        """`total`, or a value like it, with its sign where S has one."""
        return value.as_signed() if self.p.cell.signed else value
