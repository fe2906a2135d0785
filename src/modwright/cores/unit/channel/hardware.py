# SPDX-License-Identifier: Apache-2.0
"""Units in hardware: registers of the operands, logic, and the registers inside; the queue is the last one.

Registers by cycle, with the step of the schedule; L the latency of a multiplier:

    cycle    step      register that holds the value from this cycle on
    L        <x·y>     last register of the multiplier: z, which the queue takes
"""

from __future__ import annotations

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....engines.coxrower.hardware.folds import reduce
from ....engines.inversion.hardware.small import small_residue
from ....plan.pipeline import BLOCK, adder, place_registers
from ....rtl.channel import ChannelMultiplier
from ....rtl.control import datapath_members
from ....rtl.folding import modular_sum, pieces_of, pipelined, reduction
from ....rtl.multiplier import TiledMultiplier
from ....rtl.pipeline import delayed
from ....rtl.player import Player
from ....schedule import Schedule
from .parameters import ADDER, MULTIPLIER, REDUCTION, ROWER, SMALL, UnitParameters


class UnitDatapath(wiring.Component):
    """x·y + t modulo m without streams; see `rtl.control.StreamCore` for the ports."""

    def __init__(self, p: UnitParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.control = control = Player(self.schedule.microcode)
        make = {
            MULTIPLIER: self._multiplier,
            ROWER: self._rower,
            ADDER: self._adder,
            REDUCTION: self._reduction,
            SMALL: self._small,
        }[self.p.kind]
        m.d.comb += [control.start.eq(self.start), self.done.eq(control.done), self.z.eq(make(m))]
        return m

    def _multiplier(self, m: Module) -> Value:
        p = self.p
        m.submodules.multiplier = unit = ChannelMultiplier(p.plan, p.target, p.latency, canonical_result=True)
        m.d.comb += [unit.a.eq(self.x), unit.b.eq(self.y)]
        return unit.r

    def _rower(self, m: Module) -> Value:
        p = self.p
        # L less the operands' registers and the accumulator, as the engine has them
        registers = place_registers([BLOCK, *p.tiling.delays], p.latency - 2, tail=adder(2 * p.width, 3))
        m.submodules.multiplier = unit = TiledMultiplier(p.tiling, registers)
        held = Signal(p.bound.bit_length(), name="accumulator")
        m.d.comb += [unit.a[0].eq(self.x), unit.b[0].eq(self.y)]
        m.d.sync += held.eq(unit.p + unit.q)
        return reduce(m, [p.sum_plan], p.sum_plan.stages, held, Const(0, 1), Const(0, 1), "fold")

    def _adder(self, m: Module) -> Value:
        p = self.p
        x, t = (delayed(m, value, 1, name) for value, name in ((self.x, "x_held"), (self.t, "t_held")))
        return modular_sum(m, p.width, p.u, x, t, "sum")

    def _reduction(self, m: Module) -> Value:
        value = delayed(m, self.x, 1, "x_held")
        pieces = pieces_of(reduction(self.p.plan, canonical_result=True))
        registers = place_registers([piece.delay for piece in pieces], self.p.latency - 1, tail=0.0)
        return pipelined(m, pieces, registers, value, "reduced")

    def _small(self, m: Module) -> Value:
        return small_residue(m, delayed(m, self.x, 1, "x_held"), self.p.modulus, 1, "residue")


class BareUnit(wiring.Component):
    """A unit with a register behind it, as it stands between the registers of a channel.

    Attributes
    ----------
    x, y, t : in
        The operands that the unit has.
    z : out
        Its result, a cycle later than that of the data path.
    """

    def __init__(self, p: UnitParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        fields = {field.name: In(field.width) for field in p.i.fields}
        super().__init__(fields | {"z": Out(p.o["z"].width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.unit = unit = UnitDatapath(self.p, self.schedule)
        m.d.comb += [getattr(unit, field.name).eq(getattr(self, field.name)) for field in self.p.i.fields]
        m.d.sync += self.z.eq(unit.z)
        return m
