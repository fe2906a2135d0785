# SPDX-License-Identifier: Apache-2.0
"""Copies of control signals, each near the registers that it steers.

Synthesis merges registers that are fed alike, and one register for a whole operand is far from most of it. Each copy
here is fed by itself as well, so no two are alike.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value


def pulse_copy(m: Module, pulse: Value, name: str) -> Signal:
    """The pulse a cycle later; it lasts one cycle, with at least one between it and the next pulse."""
    copy = Signal(name=name)
    m.d.sync += copy.eq(pulse & ~copy)
    return copy


def level_copy(m: Module, begin: Value, end: Value, name: str, init: int = 0) -> Signal:
    """1 from the cycle after `begin` to that of `end`; `begin` counts where both come."""
    copy = Signal(name=name, init=init)
    m.d.sync += copy.eq(begin | (copy & ~end))
    return copy


def held_copy(m: Module, change: Value, value: Value, name: str) -> Signal:
    """The value of the last cycle with `change`, from the cycle after it on.

    Not as a choice between value and copy: that becomes an enable, and such registers are merged.
    """
    return level_copy(m, change & value, change & ~value, name)
