# SPDX-License-Identifier: Apache-2.0
"""A unit behind streams: operand registers, comparators, and the queue of results.

Registers by cycle, with the step of the schedule; s limbs, I the interval:

    cycle    step                 register that holds the value from this cycle on
    1        operands             `held_NAME`: the payload
    s + 2    operands in range    `error` of the check: the code of these operands
    I + 1    modulus and error    `modulus` and `error`: those of the result that leaves
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....engines.limb.hardware.multiplier import LimbMultiplier
from .....rtl.control import StreamCore
from .....schedule import Schedule
from ..parameters import LimbParameters
from .check import OperandCheck


def build(p: LimbParameters, schedule: Schedule) -> wiring.Component:
    """The stream core."""
    return StreamCore(p.i, p.o, schedule, LimbDatapath(p, schedule))


class LimbDatapath(wiring.Component):
    """Data path for `rtl.control.StreamCore`, which describes `start`, `done`, and the fields of the payloads.

    The operands of an operation may be replaced in the cycle of its last product. So its modulus and error code, which
    leave with the result, move to separate registers in that cycle.
    """

    def __init__(self, p: LimbParameters, schedule: Schedule) -> None:
        self.p = p
        self.unit = LimbMultiplier(p, {p.kind: schedule})
        self.check = OperandCheck(p)
        super().__init__(
            {"start": In(1), "done": Out(1)}
            | {field.name: In(field.width) for field in p.i.fields}
            | {field.name: Out(field.width) for field in p.o.fields}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.unit = unit = self.unit
        m.submodules.check = check = self.check
        for field in p.i.fields:
            held = Signal(field.width, name=f"held_{field.name}")
            with m.If(self.start):
                m.d.sync += held.eq(getattr(self, field.name))
            m.d.comb += getattr(unit, field.name).eq(held)
            if field.name in check.signature.members:
                m.d.comb += getattr(check, field.name).eq(held)
        error = Signal(2)  # of the operation whose last product was given
        with m.If(unit.player.word.done):
            m.d.sync += [self.modulus.eq(unit.m), error.eq(check.error)]
        m.d.comb += [
            unit.start.eq(self.start),
            self.done.eq(unit.done),
            self.error.eq(error),
            self.z.eq(Mux(error == 0, unit.z, 0)),
        ]
        return m
