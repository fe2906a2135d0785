# SPDX-License-Identifier: Apache-2.0
"""Operands that wait in registers until their rower takes them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from amaranth.hdl import Module, Signal, Value

from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ..engine import CoxrowerEngine


def waiting(m: Module, values: Sequence[Value], count: int, load: Value, following: Value, name: str) -> Value:
    """The first of `count` loaded values, and after each cycle of `following` the next one."""
    kept = [Signal(len(values[0]), name=name if count == 1 else f"{name}_{number}") for number in range(count)]
    with m.If(load):
        m.d.sync += [register.eq(value) for register, value in zip(kept, values, strict=False)]
    if count > 1:
        with m.Elif(following):
            m.d.sync += [register.eq(after) for register, after in itertools.pairwise(kept)]
    return kept[0]


def entered(m: Module, engine: CoxrowerEngine, value: Value, name: str) -> Value:
    """An operand of the stream, delayed to the cycle in which the rowers read it."""
    return delayed(m, value, engine.travel, f"{name}_in")


def near(m: Module, engine: CoxrowerEngine, value: Value, name: str) -> Value:
    """A copy of a bit that comes `engine.travel` cycles ahead, for one of many registers that it enables."""
    return copied(m, value, engine.target, f"{name}_copy") if engine.local else value
