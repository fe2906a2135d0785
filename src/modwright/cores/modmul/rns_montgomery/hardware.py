# SPDX-License-Identifier: Apache-2.0
"""RNS Montgomery multipliers: a cox-rower, and the registers around it.

Registers by cycle, with the step of the schedule: K the cycle of `keep`, E that of the result. With copies of control
in the rowers, those of operands are a cycle later:

    cycle    step         register that holds the value from this cycle on
    1        x, y in A    `x_k`, `y_k`: residues in A, which wait for those in B
    K + 1    ŝ kept       `hat_k`: the result in B, kept while the extension to A runs
    E        push         result queue: that, and the residues in A, which the rowers give in the cycle before
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Member, Out

from ....engines.coxrower.hardware.machine import Coxrower
from ....engines.coxrower.hardware.operands import entered, near, waiting
from ....engines.residue.hardware.converters import FromResiduesDatapath
from ....rtl.pipeline import delayed
from ....schedule import Schedule
from .parameters import MultiplierParameters


class MultiplierDatapath(wiring.Component):
    """Data path: takes pairs x and y with `start`, gives z with `done`, residues in both bases.

    Parameters
    ----------
    p : MultiplierParameters
    schedule : Schedule
        Schedule of the engine.
    """

    def __init__(self, p: MultiplierParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        z = data.ArrayLayout(p.width, 2 * p.n)
        super().__init__({"start": In(1), "done": Out(1), "z": Out(z)} | _operands(p))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        n = self.p.n
        engine = _engine(m, self.p, self.schedule, self)
        m.d.comb += self.done.eq(delayed(m, engine.take, self.p.engine.travel, "take"))
        for k in range(n):
            kept = Signal(self.p.width, name=f"hat_{k}")  # S in B as it is stored, any representative
            with m.If(near(m, self.p.engine, engine.keep, f"keep_{k}")):
                m.d.sync += kept.eq(engine.r[k])
            result = engine.z[k] if self.p.engine.from_fold else engine.r[k]
            m.d.comb += [self.z[k].eq(result), self.z[n + k].eq(kept)]
        return m


class ExactDatapath(wiring.Component):
    """Data path: takes pairs x and y with `start`, gives z with `done`, the binary number below P.

    Parameters
    ----------
    p : MultiplierParameters
    schedule : Schedule
        Schedule whose part `multiply` is that of the engine, with the hats of S in B as results.
    """

    def __init__(self, p: MultiplierParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__({"start": In(1), "done": Out(1), "z": Out(p.conversion.width)} | _operands(p))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        plan = self.p.conversion
        engine = _engine(m, self.p, self.schedule.parts["multiply"], self)
        m.submodules.out = out = FromResiduesDatapath(plan, self.schedule.parts["out"], self.p.target)
        take = delayed(m, engine.take, self.p.engine.travel, "take")
        m.d.comb += [out.start.eq(take), out.xi.eq(engine.r), self.done.eq(out.done), self.z.eq(out.z)]
        return m


def multiplier_datapath(p: MultiplierParameters, schedule: Schedule) -> MultiplierDatapath | ExactDatapath:
    """The data path for the requested result; a result in residues needs the engine alone."""
    return ExactDatapath(p, schedule) if p.exact else MultiplierDatapath(p, schedule)


def _operands(p: MultiplierParameters) -> dict[str, Member]:
    """A port for each operand."""
    return {name: In(data.ArrayLayout(p.width, 2 * p.n)) for pair in p.pairs for name in pair}


def _engine(m: Module, p: MultiplierParameters, schedule: Schedule, path: wiring.Component) -> Coxrower:
    """The engine of a data path, with the registers of waiting operands.

    A rower takes the residues in B first, slot by slot, and of each slot the pairs in turn, then those in A; with roots
    in both bases those in A first.
    """
    m.submodules.engine = engine = Coxrower(p.engine, schedule)
    m.d.comb += engine.start.eq(path.start)
    for k in range(p.engine.rowers):
        start = near(m, p.engine, path.start, f"start_{k}")
        following = near(m, p.engine, engine.following, f"following_{k}")
        for index, (first, held) in enumerate(((engine.x, engine.held_x), (engine.y, engine.held_y))):
            name = f"{'xy'[index]}_{k}"
            residues = [getattr(path, pair[index]) for pair in p.pairs]
            turns = [entered(m, p.engine, x, f"{name}_{n}") for n, x in enumerate(_turns(p, k, residues))]
            rest = waiting(m, turns[1:], p.engine.held, start, following, name)
            m.d.comb += [first[k].eq(turns[0]), held[k].eq(rest)]
    return engine


def _turns(p: MultiplierParameters, rower: int, operands: Sequence[Any]) -> list[Value]:
    """Residues in the order in which a rower takes them; 0 where it has no channel left."""
    turns: list[Value] = []
    for base in (0, 1) if p.doubly else (1, 0):
        for slot in range(p.engine.slots):
            channel = rower + slot * p.engine.rowers
            turns += [x[base * p.n + channel] if channel < p.n else Const(0, p.width) for x in operands]
    return turns
