# SPDX-License-Identifier: Apache-2.0
"""Base extension by a redundant residue: a cox-rower whose cox is a sum modulo 2^k, and the registers around it.

Registers by cycle, with the step of the schedule; L cycles of a multiply-accumulate, F of a reduction, B the cycle in
which the first hat is on the bus, E of all:

    cycle    step        register that holds the value from this cycle on
    L        x·T         `accumulator` of a rower: x·T; `minus_x` has -x·A^-1 modulo 2^k from cycle 1 on
    L + F    x̂          `r` of a rower: a hat
    B + 1    X: bus 1    `product`: the low bits of the hat times a^-1; the sum of all, h, is in `cox` a cycle later
    E        push        result queue: z, which is made canonical in the cycle before
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ....engines.coxrower.engine import CoxrowerEngine
from ....engines.coxrower.hardware.machine import Coxrower
from ....engines.coxrower.hardware.operands import entered
from ....engines.coxrower.steps import COX_ADD
from ....rns.redundant import RedundantExtension
from ....rtl.control import datapath_members
from ....rtl.folding import canonical
from ....rtl.pipeline import delayed
from ....schedule import Schedule
from .parameters import RedundantParameters


def low_product(x: Value, y: Value) -> Value:
    """The low bits of a product of two numbers of as many bits, as a sum: synthesis would take a block for it."""
    bits = len(y)
    rows = (Mux(y[k], Cat(Const(0, k), x[: bits - k]) if k else x, 0) for k in range(bits))
    return sum(rows, Const(0, bits))[:bits]


class RedundantCoxrower(Coxrower):
    """A cox-rower whose h is a sum of products modulo 2^k.

    Attributes
    ----------
    minus_x : in, k bits
        The sum before the first hat.
    """

    def __init__(self, engine: CoxrowerEngine, extension: RedundantExtension, schedule: Schedule) -> None:
        self.extension = extension
        super().__init__(engine, schedule, {"minus_x": In(extension.bits)})

    def _cox(self, m: Module, issued: Mapping[str, Value], limbs: list[Signal]) -> Value:
        """The multiple h: the sum of the hats on the bus times a^-1, modulo 2^k."""
        bits, count = self.extension.bits, self.engine.count
        code = delayed(m, issued["cox"], self.engine.travel, "cox_code_timely")
        following = Signal(range(count), name="cox_hat")
        number = Mux(code == COX_ADD, following, 0)
        with m.If(code != 0):
            m.d.sync += following.eq(number + 1)
        weight = Array(Const(inverse, bits) for inverse in self.extension.inverses)[number]
        product = Signal(bits, name="product")
        m.d.sync += product.eq(low_product(limbs[0][:bits], weight))
        code = delayed(m, code, 1, "cox_code")
        held = Signal(bits, name="cox")
        with m.If(code != 0):
            m.d.sync += held.eq(product + Mux(code == COX_ADD, held, self.minus_x))
        return held


class RedundantDatapath(wiring.Component):
    """Data path: takes x with `start`, gives canonical z with `done`."""

    def __init__(self, p: RedundantParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        m.submodules.engine = engine = RedundantCoxrower(p.engine, p.extension, self.schedule)
        minus_x = Signal(p.extension.bits)
        with m.If(self.start):
            bits = p.extension.bits
            m.d.sync += minus_x.eq(low_product(self.x[p.n][:bits], Const(p.extension.minus_inverse, bits)))
        m.d.comb += [
            engine.start.eq(self.start),
            engine.minus_x.eq(minus_x),
            self.done.eq(delayed(m, engine.take, p.engine.travel, "take")),
        ]
        for k, u in enumerate(p.B.u):
            m.d.comb += [
                engine.x[k].eq(entered(m, p.engine, self.x[k], f"x_{k}")),
                self.z[k].eq(canonical(m, p.width, u, engine.r[k], f"z_{k}")),
            ]
        return m
