# SPDX-License-Identifier: Apache-2.0
"""A multiplier with its streams, and the control, which travels with the operations.

The cycle in which an operation comes in, counted modulo P, is its slot. Its step number goes round a ring of P stages;
admission keeps distances at which no two operations collide in the ring, by the schedule's collision vector. Control of
the steps is a tap of the ring, or a register behind it. Comments count cycles from the input transfer, cycle 0.

Registers by cycle, with the step of the schedule; P slots, I steps, the first in cycle c:

    cycle          step                   register that holds the value from this cycle on
    1              operands               `entered`: an operation came in; registers of X, Y, m and M
    2              Y and m to memory      memories of the slots: Y and m; X follows by a digit a cycle
    c + P          S 0                    `word` and `carries` of the loop: S after the first step
    c + I·P + 1    limbs of the last S    limbs of the converter: S after the last step
    c + I·P + 4    to binary              `z` of the converter: the result; `error`, delayed: its code
    c + I·P + 5    result                 `results`: both, until the reader takes them; `o.valid`
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value

from ......engines.orup.cycles import CONVERSION
from ......engines.orup.hardware.converter import ParallelConverter
from ......engines.orup.hardware.loop import InterleavedLoop
from ......engines.orup.hardware.operands import OperandRegister, SlotOperands
from ......engines.orup.hardware.ring import drive_steps
from ......engines.orup.hardware.waiting import WaitingWords
from ......engines.orup.interleaved import InterleavedParameters
from ......rtl.control import ScheduledCore
from ......rtl.pipeline import delayed
from ......rtl.streams import Admission, places
from ......rtl.turns import turns
from ......schedule import Schedule
from ..check import error_of


class InterleavedCore(ScheduledCore):
    """Streams `i` (x, y, m, modulus) and `o` (z, m, modulus, error)."""

    def __init__(self, p: InterleavedParameters, schedule: Schedule) -> None:
        super().__init__(p.i, p.o, schedule)
        self.p = p
        self.capacity = places(schedule.latency, schedule.interval)
        self.loop = InterleavedLoop(p)

    def elaborate(self, platform: object) -> Module:
        m, s = Module(), self.schedule
        m.submodules.admission = admission = Admission(s.interval, self.capacity, s.forbidden)
        start = Signal()
        m.d.comb += [
            start.eq(self.i.valid & admission.ready),
            self.i.ready.eq(admission.ready),
            admission.admit.eq(start),
            admission.release.eq(self.o.valid & self.o.ready),
        ]
        entered = Signal()  # cycle 1
        m.d.sync += entered.eq(start)
        m.submodules.operands = operands = SlotOperands(self.p)
        error, compared, tags = self._load(m, start, entered, operands)
        ended = self._steps(m, start, entered, operands)
        self._finish(m, ended, self._waiting(m, "errors", error, compared, ended), tags, entered)
        return m

    # --- operands

    def _load(self, m: Module, start: Value, entered: Value, operands: SlotOperands) -> tuple[Value, Value, Value]:
        """Operand registers, a digit a cycle in cycles 1 to N.

        Returns the error code, the strobe of its first valid cycle, and m and the modulus, in cycle 1.
        """
        p = self.p
        x, y, of_m, modulus = (self._register(m, name, start, entered) for name in ("x", "y", "m", "modulus"))
        idle, digit, put, compare = Signal(init=1), Signal(range(p.N)), Signal(p.slots), Signal()
        slot = turns(m, p.slots, 0, "slot")
        m.d.sync += digit.eq(digit + 1)
        with m.If(start):
            m.d.sync += [idle.eq(0), digit.eq(0), put.eq(1 << slot), compare.eq(1)]
        with m.Else():
            with m.If(digit == p.compared_digits - 1):
                m.d.sync += compare.eq(0)
            with m.If(digit == p.N - 1):
                m.d.sync += [idle.eq(1), put.eq(0)]
        m.d.comb += [
            operands.start.eq(start),
            operands.y.eq(y),
            operands.m.eq(of_m),
            operands.put.eq(put),
            operands.put_place.eq(digit),
            operands.x_digit.eq(x[: p.k]),
        ]
        above = slice(p.K + 1, p.K + 1 + p.k)  # the lowest K + 1 bits are not compared
        digits = (_digit(x[above], p.k), _digit(y[above], p.k), _digit(of_m[: p.k], p.k))
        error = error_of(m, p, idle, compare, digits, modulus)
        recent = Signal(2)
        m.d.sync += recent.eq(Cat(compare, recent[0]))
        return error, ~recent[0] & recent[1], Cat(of_m, modulus)

    def _register(self, m: Module, name: str, start: Value, entered: Value) -> Value:
        """The register of an operand; that of the modulus is stable, the others shift."""
        width = self.p.i[name].width
        register = OperandRegister(width, 0 if name == "modulus" else self.p.k, self.p.N)
        m.submodules[f"{name}_register"] = register
        m.d.comb += [register.start.eq(start), register.entered.eq(entered), register.i.eq(getattr(self.i.p, name))]
        return register.o

    # --- steps

    def _steps(self, m: Module, start: Value, entered: Value, operands: SlotOperands) -> Value:
        """The ring, and the control of the steps from it; returns the strobe of the cycle before that of the last S."""
        p = self.p
        m.submodules.loop = self.loop
        return drive_steps(m, p, start, entered, operands, self.loop)

    # --- results

    def _finish(self, m: Module, ended: Value, found: Value, tags: Value, entered: Value) -> None:
        """Conversion, errors, and the queues of results."""
        p = self.p
        m.submodules.converter = converter = ParallelConverter(p)
        load, taken, code = Signal(), Signal(), Signal(2)
        m.d.sync += [load.eq(ended), code.eq(found)]
        push, error = delayed(m, load, CONVERSION, "converted"), delayed(m, code, CONVERSION, "error")
        zero = delayed(m, load & (code != 0), CONVERSION - 2, "zero")
        m.d.comb += [
            taken.eq(self.o.valid & self.o.ready),
            converter.word.eq(self.loop.word),
            converter.carries.eq(self.loop.carries),
            converter.zero.eq(zero),
            Cat(self.o.p.z, self.o.p.error).eq(self._waiting(m, "results", Cat(converter.z, error), push, taken)),
            Cat(self.o.p.m, self.o.p.modulus).eq(self._waiting(m, "tags", tags, entered, taken)),
        ]
        results, count = Signal(range(self.capacity + 1)), Signal(range(self.capacity + 1))
        m.d.comb += count.eq(results + push - taken)
        m.d.sync += [results.eq(count), self.o.valid.eq(count != 0)]

    def _waiting(self, m: Module, name: str, word: Value, put: Value, taken: Value) -> Value:
        """Queue of words, with the first one as value; an operation is admitted only while its words find room."""
        m.submodules[name] = words = WaitingWords(len(word), self.capacity)
        m.d.comb += [words.word.eq(word), words.put.eq(put), words.taken.eq(taken)]
        return words.first


def _digit(value: Value, bits: int) -> Value:
    """The value as a digit of `bits` bits, with zeros on top where a modulus is shorter than a digit."""
    return Cat(value, Const(0, bits - len(value))) if len(value) < bits else value
