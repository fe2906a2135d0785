# SPDX-License-Identifier: Apache-2.0
"""Registers in a row."""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value


def delayed(m: Module, value: Value, cycles: int, name: str) -> Value:
    """The value, `cycles` registers later."""
    for number in range(cycles):
        register = Signal(len(value), name=f"{name}_{number}")
        m.d.sync += register.eq(value)
        value = register
    return value
