# SPDX-License-Identifier: Apache-2.0
"""Registers in a row."""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value


def delayed(m: Module, value: Value, cycles: int, name: str, reset: bool = True) -> Value:
    """The value, `cycles` registers later; without `reset`, a reset leaves these as they are."""
    for number in range(cycles):
        register = Signal(len(value), name=f"{name}_{number}", reset_less=not reset)
        m.d.sync += register.eq(value)
        value = register
    return value
