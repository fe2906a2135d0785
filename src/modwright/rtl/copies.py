# SPDX-License-Identifier: Apache-2.0
"""Copies of control fields, one register for each unit, next to which a placer can put it.

Synthesis merges registers with equal inputs, so that a copy written as a plain register is none. On ECP5 copies are
instances of the flip-flop, which Yosys leaves apart; on other targets they are plain, and may be merged.
"""

from __future__ import annotations

from amaranth.hdl import ClockSignal, Const, Instance, Module, ResetSignal, Signal, Value


def copied(m: Module, value: Value, target: str, name: str) -> Signal:
    """The value one cycle later, 0 after a reset.

    Parameters
    ----------
    m : Module
    value : Value
    target : str
        What the core is written for.
    name : str
        Of the register; copies of one value in one module need names of their own.
    """
    register = Signal(len(value), name=name)
    if target != "ecp5":
        m.d.sync += register.eq(value)
        return register
    for bit in range(len(value)):
        m.submodules[f"{name}_{bit}"] = Instance(
            "TRELLIS_FF",
            p_GSR="DISABLED",
            p_CEMUX="1",
            p_CLKMUX="CLK",
            p_LSRMUX="LSR",
            p_REGSET="RESET",
            p_SRMODE="LSR_OVER_CE",
            i_CLK=ClockSignal("sync"),
            i_CE=Const(1, 1),
            i_LSR=ResetSignal("sync", allow_reset_less=True),
            i_DI=value[bit],
            o_Q=register[bit],
        )
    return register
