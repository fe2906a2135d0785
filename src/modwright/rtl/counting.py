# SPDX-License-Identifier: Apache-2.0
"""A player that counts: microcode in which each field is set in one run of cycles, without a store for its words.

A counter of cycles is compared with the ends of the runs. Where most words are those of the cycle before, as in a loop
of one instruction, this takes less than a ROM with a word for each cycle, or than a counter for each loop.

Registers, counted from the cycle of the start; a field is set in cycles c to e - 1:

    cycle     register that holds the value from this cycle on
    c         `level` and `strobe`: 1
    e         `level` and `strobe`: 0
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value

from ..schedule import Microcode


class CountedPlayer:
    """Fields of the active word, as registers of the module that reads them.

    Parameters
    ----------
    code : Microcode
        Fields that are 1 in one run of cycles (`Microcode.during`).
    count : Value
        Number of the cycle since the start; 0 without an operation.
    start : Value
        An operation starts in this cycle.
    """

    def __init__(self, code: Microcode, count: Value, start: Value) -> None:
        self.code, self.count, self.start = code, count, start

    def level(self, m: Module, field: str, name: str) -> Signal:
        """Register of a field that is set and cleared; one that is set in cycle 1 needs the start."""
        run = self.code.run(field)
        active = Signal(name=name)
        with m.If(self.start if run.start == 1 else self.count == run.start - 1):
            m.d.sync += active.eq(1)
        with m.Elif(self.count == run.stop - 1):
            m.d.sync += active.eq(0)
        return active

    def strobe(self, m: Module, field: str, name: str) -> Signal:
        """Register of a field that is set in one cycle, from the second one on.

        Raises
        ------
        ValueError
            For another field.
        """
        run = self.code.run(field)
        if len(run) != 1 or run.start < 2:
            raise ValueError(f"control field {field!r} is set in cycles {run.start} to {run.stop - 1}: not a strobe")
        active = Signal(name=name)
        m.d.sync += active.eq(self.count == run.start - 1)
        return active
