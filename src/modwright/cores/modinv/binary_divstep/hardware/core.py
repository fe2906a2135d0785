# SPDX-License-Identifier: Apache-2.0
"""The binary inverter in hardware: f and g, d and e in slices, and a register for operand and result.

Registers by cycle, with the step of the schedule; S cycles of divsteps, L slices, H cycles of halvings:

    cycle            step              register that holds the value from this cycle on
    1                load              v = a, below 2M
    L + 2            a mod M           v, below M
    L + 3            first values      lowest slices: f = M, g = v, d = 0, e = 2^h for h halvings
    S + 2L + 2       divsteps          highest slice: f = ±1 where there is an inverse, and then ±d / 2^h is it
    S + 3L + H + 2   halvings          highest slice: e, the inverse between -M and M
    S + 3L + H + 4   sign and range    v, the inverse below M, or 0 with an error
    S + 3L + H + 5   result            result queue
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from .....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from .....rtl.control import StreamCore, datapath_members
from .....rtl.counting import CountedPlayer
from .....schedule import Schedule
from ..parameters import NOT_INVERTIBLE, BinaryInversionParameters
from .border import Border
from .cofactors import Cofactors
from .pair import Pair
from .slices import delayed


class InversionDatapath(wiring.Component):
    """a (and m) with `start`; z and error with `done`, the schedule's latency - 1 cycles later.

    Attributes
    ----------
    a : in, n + 1 bits
    m : in, n bits, where the modulus is an operand
    z : out, n bits
    error : out, 2 bits
    """

    def __init__(self, p: BinaryInversionParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.pair = pair = Pair(self.p)
        m.submodules.cofactors = cofactors = Cofactors(self.p)
        m.submodules.border = border = Border(self.p)
        at, modulus = self._control(m), self._modulus(m)
        first, last, refuse, reduce, finish = (at(name) for name in ("first", "last", "refuse", "reduce", "finish"))
        stepping, out, beyond, unit = (Signal(name=name) for name in ("stepping", "out", "beyond", "unit"))
        with m.If(first | last):
            m.d.sync += stepping.eq(first)
        with m.If(self.start | refuse):
            m.d.sync += [out.eq(~self.start), beyond.eq(~border.under)]
        with m.If(at("whole")):
            m.d.sync += unit.eq(pair.unit)
        refused = Mux(beyond, OUT_OF_RANGE, Mux(unit, 0, NOT_INVERTIBLE))
        m.d.comb += [
            *(part.m.eq(modulus) for part in (pair, cofactors, border)),
            border.start.eq(self.start),
            border.a.eq(self.a),
            border.subtract.eq(~out),
            border.e.eq(cofactors.e),
            border.take.eq(at("take")),
            border.move.eq((reduce & ~border.under) | (finish & border.v[-1])),
            border.clear.eq(finish & self.error.any()),
            pair.loading.eq(~stepping),
            pair.a.eq(border.v),
            cofactors.loading.eq(delayed(m, ~stepping, "loading")),
            cofactors.odd.eq(pair.odd),
            cofactors.swap.eq(pair.swap),
            cofactors.last.eq(at("decided")),
            cofactors.negative.eq(pair.negative),
            self.done.eq(at("done")),
            self.z.eq(border.v),
            self.error.eq(refused if self.p.modulus is not None else Mux(self._bad(m, modulus), BAD_MODULUS, refused)),
        ]
        return m

    def _modulus(self, m: Module) -> Value:
        """M in every cycle after the operands."""
        if self.p.modulus is not None:
            return Const(self.p.modulus, self.p.n)
        held = Signal(self.p.n, name="modulus")
        with m.If(self.start):
            m.d.sync += held.eq(self.m)
        return held

    def _bad(self, m: Module, modulus: Value) -> Value:
        """The modulus is even or below 3; valid from the second cycle after the operands on."""
        return delayed(m, ~modulus[0] | ~modulus[1:].any(), "bad_modulus")

    def _control(self, m: Module) -> Callable[[str], Signal]:
        """A function that makes a register for a field of the control words."""
        code = self.schedule.microcode
        cycle = Signal(range(code.cycles + 1))  # 0 where no operation is in flight
        with m.If(self.start):
            m.d.sync += cycle.eq(1)
        with m.Elif(cycle == code.cycles):
            m.d.sync += cycle.eq(0)
        with m.Elif(cycle.any()):
            m.d.sync += cycle.eq(cycle + 1)
        player = CountedPlayer(code, cycle, self.start)
        return lambda name: player.strobe(m, name, f"at_{name}")


def build(p: BinaryInversionParameters, schedule: Schedule) -> StreamCore:
    """The core with its streams."""
    return StreamCore(p.i, p.o, schedule, InversionDatapath(p, schedule))
