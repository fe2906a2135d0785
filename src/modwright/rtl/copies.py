# SPDX-License-Identifier: Apache-2.0
"""Copies of control signals, one register for each unit or stretch of an operand, next to which a placer can put it.

Synthesis merges registers that are fed alike, so that a copy written as a plain register disappears. Two ways keep
copies apart. `copied`: on ECP5 instances of the flip-flop, which Yosys leaves alone; on other targets they are plain,
and may be merged. The others: each copy is fed by itself as well, so no two are alike on any target.
"""

from __future__ import annotations

from amaranth.hdl import ClockSignal, Const, Instance, Module, Mux, ResetSignal, Signal, Value


def copied(
    m: Module,
    value: Value,
    target: str,
    name: str,
    reset: bool = True,
    enable: Value | None = None,
    clear: Value | None = None,
) -> Signal:
    """The value one cycle later, 0 after a reset.

    Parameters
    ----------
    m : Module
    value : Value
    target : str
        Device family that the core is written for.
    name : str
        Name of the register; copies of one value in one module need different names.
    reset : bool
        False for data, which a reset leaves as they are.
    enable : Value or None
        Enable of a module in which `EnableInserter` sees to all other registers, but not to instances.
    clear : Value or None
        Strobe, in place of a reset: 0 in the next cycle, by the reset of the flip-flop, so without a gate before it.
    """
    register = Signal(len(value), name=name, reset_less=not reset)
    if target != "ecp5":
        m.d.sync += register.eq(value if clear is None else Mux(clear, 0, value))
        return register
    resets = Const(0, 1) if clear is None else clear
    for bit in range(len(value)):
        m.submodules[f"{name}_{bit}"] = Instance(
            "TRELLIS_FF",
            p_GSR="DISABLED",
            p_CEMUX="1" if enable is None else "CE",
            p_CLKMUX="CLK",
            p_LSRMUX="LSR",
            p_REGSET="RESET",
            p_SRMODE="LSR_OVER_CE",
            i_CLK=ClockSignal("sync"),
            i_CE=Const(1, 1) if enable is None else enable,
            i_LSR=ResetSignal("sync", allow_reset_less=True) if reset else resets,
            i_DI=value[bit],
            o_Q=register[bit],
        )
    return register


def pulse_copy(m: Module, pulse: Value, name: str) -> Signal:
    """The pulse a cycle later; it lasts one cycle, with at least one between it and the next pulse."""
    copy = Signal(name=name)
    m.d.sync += copy.eq(pulse & ~copy)
    return copy


def strobe_copy(m: Module, strobe: Value, target: str, name: str, alone: bool) -> Signal:
    """The strobe a cycle later: `pulse_copy` where it is never set in two cycles one after the other, else `copied`."""
    return pulse_copy(m, strobe, name) if alone else copied(m, strobe, target, name)


def level_copy(m: Module, begin: Value, end: Value, name: str, init: int = 0) -> Signal:
    """Level that is 1 from the cycle after `begin` to that of `end`; `begin` wins in a cycle with both."""
    copy = Signal(name=name, init=init)
    m.d.sync += copy.eq(begin | (copy & ~end))
    return copy


def held_copy(m: Module, change: Value, value: Value, name: str) -> Signal:
    """The value of the last cycle with `change`, from the cycle after it on.

    Not as a choice between value and copy: that becomes an enable, and such registers are merged.
    """
    return level_copy(m, change & value, change & ~value, name)
