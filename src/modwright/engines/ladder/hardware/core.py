# SPDX-License-Identifier: Apache-2.0
"""Streams around a machine: registers of the operands, what is counted of the errors, and a result that stays.

Registers by cycle, with the step of the schedule:

    cycle    step        register that holds the value from this cycle on
    1        operands    `held_*`: the payload
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from amaranth.hdl import Module, Mux, Signal, Value, ValueLike
from amaranth.lib import wiring

from ....rtl.streams import core_members
from ....schedule import Schedule
from ..control import Names
from ..parameters import CoreParameters
from ..words import WORDS
from .machine import FieldMachine


class CurveCore(wiring.Component):
    """Streams `i` and `o` around a machine. One operation at a time.

    Parameters
    ----------
    p : CoreParameters
    schedule : Schedule
    names : Names
        Numbers in the control words.
    words : int
        Words of the machine's memory.

    Attributes
    ----------
    machine : FieldMachine
    held : dict of str to Signal
        Registers of the operands.
    """

    def __init__(self, p: CoreParameters, schedule: Schedule, names: Names, words: int = WORDS) -> None:
        self.schedule = schedule
        self._names, self._words, self._streams = names, words, p
        super().__init__(core_members(p.i, p.o))

    def add_machine(self, m: Module, again: Value | None = None) -> Signal:
        """Add the machine, started by each operation, and `again`, which no operation may meet; return the transfer."""
        m.submodules.machine = self.machine = machine = FieldMachine(
            self._streams, self._names, self.schedule, self._words
        )
        start = Signal()
        ready = machine.ready & ~self.o.valid
        m.d.comb += [
            self.i.ready.eq(ready if again is None else ready & ~again),
            start.eq(self.i.valid & self.i.ready),
            machine.start.eq(start if again is None else start | again),
        ]
        return start

    def hold(
        self, m: Module, start: Value, given: Mapping[str, Value] | None = None, without: Collection[str] = ()
    ) -> None:
        """Add the registers of the operands, but for some; `given` has what is held in the place of a field."""
        self.held: dict[str, Signal] = {}
        for field in self._streams.i.fields:
            if field.name not in without:
                value = given[field.name] if given and field.name in given else getattr(self.i.p, field.name)
                self.held[field.name] = register = Signal(len(value), name=f"held_{field.name}")
                with m.If(start):
                    m.d.sync += register.eq(value)

    def remember(self, m: Module, register: Signal, begin: Value, condition: Value) -> None:
        """Set a register when the condition holds; `begin` clears it."""
        with m.If(begin):
            m.d.sync += register.eq(0)
        with m.Elif(condition):
            m.d.sync += register.eq(1)

    def is_bad(self, name: str) -> Value:
        """Whether a modulus is even or below 4: the least odd one is 5."""
        return ~self.held[name][0] | ~self.held[name][2:].any()

    @contextmanager
    def leaves(self, m: Module, end: Value) -> Iterator[None]:
        """Statements of the cycle in which the result is put on the output, where it stays until it is taken."""
        with m.If(end):
            m.d.sync += self.o.valid.eq(1)
            yield
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)


def first_of(codes: Sequence[tuple[Value, int]], otherwise: ValueLike) -> Value:
    """The error code of the first condition that holds."""
    code = Value.cast(otherwise)
    for condition, number in reversed(codes):
        code = Mux(condition, number, code)
    return code
