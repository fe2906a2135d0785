# SPDX-License-Identifier: Apache-2.0
"""The multiplier with its streams.

Registers by cycle, with the step of the schedule; s limbs, t the latency less 12:

    cycle     step        register that holds the value from this cycle on
    1         operands    `entered`: an operation came in; operand registers
    s + 4     check       `error_NUMBER`: the code of the operands
    t + 12    result      `limb_K` of the queue: the limbs, and their code; `o.valid`

In cycle t + 10 the last limb is the `word` of the unit, in cycle t + 11 `limb`, 0 with an error.
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value

from ....engines.columns.hardware.check import OperandCheck
from ....engines.columns.hardware.unit import ColumnUnit
from ....engines.orup.hardware.waiting import WaitingWords
from ....rtl.control import ScheduledCore
from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ....rtl.streams import RegisteredAdmission, places
from ....schedule import Schedule
from .parameters import LimbColumnParameters


class LimbColumnsCore(ScheduledCore):
    """Streams `i` (x, y, m, q, mu) and `o` (z, modulus, error)."""

    def __init__(self, p: LimbColumnParameters, schedule: Schedule) -> None:
        super().__init__(p.i, p.o, schedule)
        self.p = p
        self.capacity = places(schedule.latency, schedule.interval)
        self.unit = ColumnUnit(p, schedule)

    def elaborate(self, platform: object) -> Module:
        m, s = Module(), self.schedule
        m.submodules.admission = admission = RegisteredAdmission(s.interval, self.capacity, s.forbidden)
        m.submodules.unit = unit = self.unit
        start, entered = Signal(), Signal()
        m.d.comb += [
            start.eq(self.i.valid & admission.ready),
            self.i.ready.eq(admission.ready),
            admission.admit.eq(start),
            unit.start.eq(start),
            *(getattr(unit, field.name).eq(getattr(self.i.p, field.name)) for field in self.p.i.fields),
        ]
        m.d.sync += entered.eq(start)
        waits = self._results(m, self._errors(m, entered), entered)
        m.d.comb += admission.release.eq(copied(m, waits, self.p.target, "valid_too") & self.o.ready)
        return m

    def _errors(self, m: Module, entered: Value) -> list[Signal]:
        """The code of each operation, by its number: it outlasts the next operation of its context."""
        p, unit = self.p, self.unit
        m.submodules.check = check = OperandCheck(p)
        m.d.comb += [
            check.fresh.eq(entered),
            check.x.eq(unit.head_x),
            check.y.eq(unit.head_y),
            check.m.eq(unit.head_m),
        ]
        checked = delayed(m, entered, p.s + 2, "checked")
        errors = [Signal(2, name=f"error_{number}") for number in range(1 << len(unit.number))]
        for number, error in enumerate(errors):
            with m.If(checked & (unit.number == number)):
                m.d.sync += error.eq(check.error)
        return errors

    def _results(self, m: Module, errors: list[Signal], entered: Value) -> Value:
        """Queues of the limbs, of the codes, and of the moduli; returns `o.valid` of the next cycle."""
        p, unit = self.p, self.unit
        code, found, leaves, index = Signal(2), Signal(2), Signal(), Signal.like(unit.index)
        clear, limb, put, taken = Signal(), Signal(p.w, reset_less=True), Signal(p.s), Signal()
        m.d.sync += [
            code.eq(Array(errors)[unit.of]),
            Cat(leaves, index, found, clear).eq(Cat(unit.leaves, unit.index, code, code != 0)),
            limb.eq(Mux(clear, 0, unit.word)),
            put.eq(Mux(leaves, 1 << index, 0)),
        ]
        m.d.comb += taken.eq(self.o.valid & self.o.ready)
        limbs = [self._waiting(m, f"limb_{k}", limb, put[k], taken) for k in range(p.s)]
        error = delayed(m, found, 1, "found")
        m.d.comb += [
            self.o.p.z.eq(Cat(limbs)),
            self.o.p.error.eq(self._waiting(m, "errors", error, put[-1], taken)),
            self.o.p.modulus.eq(self._waiting(m, "moduli", unit.head_m[: p.n], entered, taken)),
        ]
        results, count = Signal(range(self.capacity + 1)), Signal(range(self.capacity + 1))
        m.d.comb += count.eq(results + put[-1] - taken)
        m.d.sync += [results.eq(count), self.o.valid.eq(count != 0)]
        return count != 0

    def _waiting(self, m: Module, name: str, word: Value, put: Value, taken: Value) -> Value:
        """Queue of words, with the first one as value; an operation is admitted only while its words find room."""
        m.submodules[name] = words = WaitingWords(len(word), self.capacity)
        m.d.comb += [words.word.eq(word), words.put.eq(put), words.taken.eq(taken)]
        return words.first
