# SPDX-License-Identifier: Apache-2.0
"""A multiplier with its streams, and the control, which travels with the operations.

The cycle in which an operation comes in, counted modulo P, is its slot. Its step number goes round a ring of P stages;
admission keeps the distances that no two operations meet in the ring, by the schedule's collision vector. What the
steps need is a tap of the ring, or a register behind it. Comments count cycles from the input transfer, cycle 0.
"""

from __future__ import annotations

from itertools import pairwise

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring

from ....contract import Payload
from ....rtl.pipeline import delayed
from ....rtl.streams import Admission, ResultQueue, core_members, places
from ....schedule import Schedule
from ..check import OperandCheck
from ..converter import LimbConverter
from .loop import InterleavedLoop
from .operands import SlotOperands
from .parameters import InterleavedParameters
from .schedule import FIRST

READ_X, READ_Y = 2, 3
"""Cycles in which the first digit and Y are read from their memories: FIRST - 3 and FIRST - 2."""


class InterleavedCore(wiring.Component):
    """Streams `i` (x, y, m, modulus) and `o` (z, m, modulus, error)."""

    def __init__(self, p: InterleavedParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        self.capacity = places(schedule.latency, schedule.interval)
        self.loop = InterleavedLoop(p)
        super().__init__(core_members(p.i, p.o))

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
        phase, entered = Signal(range(self.p.slots)), Signal()
        m.d.sync += [phase.eq(Mux(phase == self.p.slots - 1, 0, phase + 1)), entered.eq(start)]  # entered: cycle 1
        m.submodules.operands = operands = SlotOperands(self.p)
        m.submodules.check = check = OperandCheck(self.p, passing=True)
        compared = self._load(m, phase, start, operands, check)
        m.d.comb += [operands.store.eq(entered), operands.turn.eq(delayed(m, phase, READ_Y, "turn"))]
        ended = self._steps(m, start, entered, operands)
        self._finish(m, entered, compared, ended, check)
        return m

    # --- operands

    def _load(self, m: Module, phase: Value, start: Value, operands: SlotOperands, check: OperandCheck) -> Value:
        """Operand registers: they take whatever is at `i` while idle, and give a digit a cycle in cycles 1 to N.

        Returns what is set in the cycle in which the comparisons are done.
        """
        p = self.p
        idle, digit, put, compare = Signal(init=1), Signal(range(p.N)), Signal(p.slots), Signal()
        m.d.sync += digit.eq(digit + 1)
        with m.If(start):
            m.d.sync += [idle.eq(0), digit.eq(0), put.eq(1 << phase), compare.eq(1)]
        with m.Else():
            with m.If(digit == p.compared_digits - 1):
                m.d.sync += compare.eq(0)
            with m.If(digit == p.N - 1):
                m.d.sync += [idle.eq(1), put.eq(0)]
        x, y = (Signal(p.operand_bits, name=name, reset_less=True) for name in "xy")
        m.d.sync += [x.eq(Mux(idle, self.i.p.x, x >> p.k)), y.eq(Mux(idle, self.i.p.y, y >> p.k))]
        above = slice(p.k + 1, 2 * p.k + 1)  # the lowest K + 1 bits are not compared
        m.d.comb += [
            operands.place.eq(delayed(m, phase, 1, "place")),
            operands.y.eq(y),
            operands.m.eq(check.held_m),
            operands.put.eq(put),
            operands.put_place.eq(digit),
            operands.x_digit.eq(x[: p.k]),
            check.load.eq(idle),
            check.load_modulus.eq(idle),
            check.m.eq(self.i.p.m),
            check.modulus.eq(self.i.p.modulus),
            check.compare.eq(compare),
            check.x_digit.eq(x[above]),
            check.y_digit.eq(y[above]),
        ]
        recent = Signal(2)
        m.d.sync += recent.eq(Cat(compare, recent[0]))
        return ~recent[0] & recent[1]

    # --- steps

    def _steps(self, m: Module, start: Value, entered: Value, operands: SlotOperands) -> Value:
        """The ring, and what the steps take from it; returns what is set in the cycle before that of the last S."""
        p = self.p
        active, index = Signal(p.slots), [Signal(range(p.digits), name=f"step_{n}") for n in range(p.slots)]
        last = Signal(p.slots)  # of stage 1 on: the step is the last one
        m.d.sync += [
            active.eq(Cat(start | (active[-1] & ~last[-1]), active[:-1])),
            last.eq(Cat(0, active[0] & (index[0] == p.digits - 1), last[1:-1])),
            index[0].eq(Mux(start, 0, index[-1])),
            *(after.eq(before) for before, after in pairwise(index[:-1])),
            index[-1].eq(index[-2] + 1),
        ]
        m.submodules.loop = loop = self.loop
        m.d.comb += [
            operands.index.eq(index[READ_X - 1]),
            operands.zero.eq(last[READ_X - 1]),  # the last digit is beyond X
            loop.digit.eq(operands.digit),
            loop.y.eq(operands.y_word),
            loop.m.eq(operands.m_word),
            loop.fresh.eq(delayed(m, entered, FIRST - 2, "fresh")),
        ]
        # stage 1 of the last step is in cycle 2 + (I - 1)·P, the last S in its register in cycle FIRST + I·P
        return delayed(m, last[1], p.slots + FIRST - 3, "ended")

    # --- results

    def _finish(self, m: Module, entered: Value, compared: Value, ended: Value, check: OperandCheck) -> None:
        """Conversion, errors, and what waits for the reader."""
        p = self.p
        m.submodules.converter = converter = LimbConverter(p)
        m.submodules.queue = queue = ResultQueue(Payload((p.o["z"], p.o["error"])), self.capacity)
        load = Signal()
        m.d.sync += load.eq(ended)
        code, error, zero = Signal(2), Signal(2), Signal()
        waiting = self._kept(m, "errors", check.error, compared, compared, ended)
        with m.If(ended):
            m.d.sync += [code.eq(waiting), zero.eq(waiting != 0)]
        with m.If(load):
            m.d.sync += error.eq(code)  # the result before is pushed in this cycle or earlier
        tags = Cat(check.held_m, check.held_modulus)
        m.d.comb += [
            converter.word.eq(self.loop.word),
            converter.carries.eq(self.loop.carries),
            converter.load.eq(load),
            converter.add.eq(~load),
            converter.zero.eq(zero),
            queue.push.eq(delayed(m, load, p.limbs + 1, "converted")),
            queue.data.z.eq(converter.z),
            queue.data.error.eq(error),
            self.o.valid.eq(queue.o.valid),
            queue.o.ready.eq(self.o.ready),
            self.o.p.z.eq(queue.o.p.z),
            self.o.p.error.eq(queue.o.p.error),
            Cat(self.o.p.m, self.o.p.modulus).eq(self._kept(m, "tags", tags, entered, compared, queue.taken)),
        ]

    def _kept(self, m: Module, name: str, value: Value, put: Value, ahead: Value, taken: Value) -> Value:
        """What came first of what was put and not taken; operations are in order, and each has a place until its result
        is taken. `ahead` moves on to the next place."""
        m.submodules[name] = store = memory.Memory(shape=len(value), depth=self.capacity, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [write.en.eq(put), write.data.eq(value)]
        for port, step in ((write, ahead), (read, taken)):
            with m.If(step):
                m.d.sync += port.addr.eq(Mux(port.addr == self.capacity - 1, 0, port.addr + 1))
        return read.data
