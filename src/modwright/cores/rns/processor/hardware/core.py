# SPDX-License-Identifier: Apache-2.0
"""The processor between its streams: one operation at a time, accepted after the transfer of the previous result.

Registers, counted from the cycle of the transfer or of the strobe; t is 1 where rowers have copies of control, else 0:

    cycle                   register that holds the value from this cycle on
    1                       `busy`; `inverting`: the operation is an inversion
    t + 1                   `x_k`, `y_k`: residues in A, which wait for those in B
    t + 1, after `keep`     `z` of the output: hats of the result in B
    t + 1, after `take`     `z` of the output: residues in A; `error`, `valid`
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from .....engines.coxrower.hardware.machine import Coxrower
from .....engines.coxrower.hardware.operands import entered, near, waiting
from .....functions.rns import INVERSION
from .....rtl.pipeline import delayed
from .....rtl.streams import core_members
from .....schedule import Schedule
from ..parameters import NOT_INVERTIBLE, ProcessorParameters
from ..schedule import PRODUCT
from .machine import InvertingCoxrower
from .parts import PartedCoxrower
from .rounds import SteppedCoxrower

Residues = Sequence[Value]
"""Residues of an operand, in the order of the payload."""


class ProcessorCore(wiring.Component):
    """Streams, the registers of operands in A, which wait for those in B, and those of the result.

    A result in B is written when the extension to A begins, and made valid with the residues in A.
    """

    def __init__(self, p: ProcessorParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        busy, start = Signal(), Signal()  # busy from the transfer of the operands to that of the result
        m.d.comb += [self.i.ready.eq(~busy), start.eq(self.i.valid & ~busy)]
        begin, x, y = self._sources(m, start)
        engine, failed = self._engine(m, begin)
        m.submodules.engine = engine
        self._operands(m, engine, begin, x, y)
        done = delayed(m, engine.take, p.engine.travel, "take")
        with m.If(start):
            m.d.sync += busy.eq(1)
        with m.If(done):
            m.d.sync += [self.o.valid.eq(1), self.o.p.error.eq(Mux(failed, NOT_INVERTIBLE, 0))]
        with m.Elif(self.o.valid & self.o.ready):
            m.d.sync += [self.o.valid.eq(0), busy.eq(0)]
        self._results(m, engine, done)
        return m

    def _sources(self, m: Module, start: Value) -> tuple[Value, Residues, Residues]:
        """Strobe with which the rowers begin, and operands, valid in its cycle."""
        del m
        return start, self.i.p.x, self.i.p.y

    def _engine(self, m: Module, start: Value) -> tuple[Coxrower, Value]:
        """The cox-rower, with or without inversion, and whether an inversion has failed."""
        p = self.p
        if not p.inverts:
            parts = self.schedule.parts
            engine = self._cox_rower() if p.conversion else Coxrower(p.engine, parts.get(PRODUCT, self.schedule))
            m.d.comb += engine.start.eq(start)
            return engine, Const(0)
        engine = self._cox_rower()
        inverting = Signal()  # the operation in flight
        with m.If(start):
            m.d.sync += inverting.eq(self.i.p.op == INVERSION)
        m.d.comb += [engine.start.eq(start), engine.invert.eq(self.i.p.op == INVERSION)]
        return engine, engine.failed & inverting

    def _cox_rower(self) -> PartedCoxrower:
        """The cox-rower that inverts, by passes or by divsteps."""
        return (SteppedCoxrower if self.p.stepped else InvertingCoxrower)(self.p, self.schedule)

    def _operands(self, m: Module, engine: Coxrower, start: Value, x: Residues, y: Residues) -> list[Value]:
        """Operands of every rower: residues in B with the start, then those in A.

        Returns
        -------
        list of Value
            Residues of x in the order of the payload, in the cycle in which the rowers read those in B.
        """
        p = self.p
        read: dict[int, Value] = {}
        for k in range(p.n):
            load = near(m, p.engine, start, f"start_{k}")
            for name, operand, first, held in (
                ("x", x, engine.x, engine.held_x),
                ("y", y, engine.y, engine.held_y),
            ):
                in_b = entered(m, p.engine, operand[p.n + k], f"{name}_{k}_b")
                in_a = entered(m, p.engine, operand[k], f"{name}_{k}_a")
                rest = self._waiting(m, k, name, load, in_b, in_a)
                m.d.comb += [first[k].eq(in_b), held[k].eq(rest)]
                if name == "x":
                    read |= {k: in_a, p.n + k: in_b}
        return [read[k] for k in range(2 * p.n)]

    def _waiting(self, m: Module, k: int, name: str, load: Value, in_b: Value, in_a: Value) -> Value:
        """The residue of an operand that waits in front of rower k, loaded from that in A."""
        del in_b
        return waiting(m, [in_a], self.p.engine.held, load, Const(0), f"{name}_{k}")

    def _results(self, m: Module, engine: Coxrower, done: Value) -> None:
        """Results: hats in B when they are valid, residues in A at the end."""
        p = self.p
        for k in range(p.n):
            with m.If(near(m, p.engine, engine.keep, f"keep_{k}")):
                m.d.sync += self.o.p.z[p.n + k].eq(engine.r[k])
            with m.If(done):
                m.d.sync += self.o.p.z[k].eq(engine.z[k] if p.engine.from_fold else engine.r[k])
