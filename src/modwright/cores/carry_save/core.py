# SPDX-License-Identifier: Apache-2.0
"""A multiplier with its streams: operands, recoder, digit loop, conversion, and the control that links them.

One operation is in the core at a time. Its digits may take as many clocks as they like: the recoder marks the last
one, and the conversion starts when the loop has taken it.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from ...rtl.streams import core_members
from ...schedule import Schedule
from .cells import LOOPS
from .converter import LimbConverter
from .parameters import NIBBLE, CarrySaveParameters
from .recoder import FixedRecoder, VariableRecoder
from .supply import OperandSupply


class CarrySaveCore(wiring.Component):
    """Streams `i` (x, y, m) and `o` (z, m, error)."""

    def __init__(self, p: CarrySaveParameters, schedule: Schedule) -> None:
        self.p = p
        self.loop = LOOPS[p.cell.name](p)
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p, loop = Module(), self.p, self.loop
        m.submodules.supply = supply = OperandSupply(p, NIBBLE if p.cell.variable else p.cell.bits)
        m.submodules.recoder = recoder = (VariableRecoder if p.cell.variable else FixedRecoder)(p)
        m.submodules.loop = loop
        m.submodules.converter = converter = LimbConverter(p)
        start = self._handshake(m, converter.done)
        converting = Signal()
        last = Signal()  # the loop takes the last digit
        with m.If(last):
            m.d.sync += converting.eq(1)
        with m.Elif(supply.index == p.limbs - 1):
            m.d.sync += converting.eq(0)
        m.d.comb += [
            last.eq(recoder.valid & recoder.last),
            *(getattr(supply, name).eq(getattr(self.i.p, name)) for name in "xym"),
            supply.start.eq(start),
            supply.fetch.eq(recoder.fetch),
            supply.shift.eq(recoder.shift),
            supply.advance.eq(converting),
            supply.rewind.eq(last),
            recoder.start.eq(start),
            recoder.limb.eq(supply.limb),
            recoder.next_limb.eq(supply.next_limb),
            recoder.more.eq(supply.index != 0),
            loop.clear.eq(start),
            loop.enable.eq(recoder.valid),
            loop.digit.eq(recoder.digit),
            loop.y.eq(supply.held_y),
            loop.m.eq(supply.held_m),
            converter.select.eq(converting),
            converter.index.eq(supply.index),
            converter.m_limb.eq(supply.m_limb),
            converter.zero.eq(supply.error != 0),
            *(getattr(converter, name).eq(getattr(loop, name)) for name in ("total", "carry", "lost")),
            self.o.p.z.eq(converter.z),
            self.o.p.m.eq(supply.held_m),
            self.o.p.error.eq(supply.error),
        ]
        return m

    def _handshake(self, m: Module, done: Signal) -> Signal:
        """Free -> at work -> result valid -> free; returns the clock of the input transfer."""
        free, start = Signal(init=1), Signal()
        m.d.comb += [self.i.ready.eq(free), start.eq(self.i.valid & free)]
        with m.If(start):
            m.d.sync += free.eq(0)
        with m.If(done):
            m.d.sync += self.o.valid.eq(1)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [self.o.valid.eq(0), free.eq(1)]
        return start
