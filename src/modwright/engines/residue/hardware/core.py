# SPDX-License-Identifier: Apache-2.0
"""A residue multiplier between converters, as one data path and as a core with streams.

Data paths in a chain, each started by `done` of the one before; the registers in between are theirs. `bad`, delayed
with the product, reports an operand that was not below p.
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring

from ....rtl.control import StreamCore, datapath_members
from ....rtl.pipeline import delayed
from ....schedule import Schedule
from ..parameters import ConvertedParameters, M, ResidueMultiplier
from .converters import FromResiduesDatapath, ToResiduesDatapath


class ConvertedDatapath(wiring.Component):
    """Chain of the data paths: takes operands with `start`, gives z and error with `done`."""

    def __init__(self, p: ConvertedParameters[ResidueMultiplier], inner: wiring.Component, schedule: Schedule) -> None:
        self.p, self.inner, self.schedule = p, inner, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, inner = self.p, self.inner
        m.submodules.multiplier = inner
        m.submodules.out = out = FromResiduesDatapath(p.from_residues, self.schedule.parts["out"], p.inner.target)
        m.d.comb += [out.start.eq(inner.done), *(out.xi[j].eq(inner.z[j]) for j in range(p.N))]
        if p.binary:
            self._binary(m, out)
        else:
            self._residues(m, out)
        return m

    def _binary(self, m: Module, out: FromResiduesDatapath) -> None:
        schedule = self.schedule.parts["in"]
        m.submodules.convert = convert = ToResiduesDatapath(self.p.to_residues, schedule)
        wait = self.schedule.latency - 1 - schedule.step("residues").start
        bad = delayed(m, convert.bad, wait, "bad")
        m.d.comb += [
            convert.start.eq(self.start),
            convert.x.eq(self.x),
            convert.y.eq(self.y),
            self.inner.start.eq(convert.done),
            *(self.inner.x[j].eq(convert.rx[j]) for j in range(self.p.N)),
            *(self.inner.y[j].eq(convert.ry[j]) for j in range(self.p.N)),
            self.done.eq(out.done),
            self.z.eq(Mux(bad, 0, out.z)),
            self.error.eq(bad),
        ]

    def _residues(self, m: Module, out: FromResiduesDatapath) -> None:
        m.submodules.convert = convert = ToResiduesDatapath(self.p.to_residues, self.schedule.parts["back"])
        m.d.comb += [
            self.inner.start.eq(self.start),
            *(self.inner.x[j].eq(self.x[j]) for j in range(self.p.N)),
            *(self.inner.y[j].eq(self.y[j]) for j in range(self.p.N)),
            convert.start.eq(out.done),
            convert.x.eq(out.z),
            self.done.eq(convert.done),
            *(self.z[j].eq(convert.rx[j]) for j in range(self.p.N)),
        ]


def make_core(
    p: M | ConvertedParameters[M],
    schedule: Schedule,
    datapath: Callable[[M, Schedule], wiring.Component],
) -> StreamCore:
    """The core with streams, with or without converters."""
    if not isinstance(p, ConvertedParameters):
        return StreamCore(p.i, p.o, schedule, datapath(p, schedule))
    inner = datapath(p.inner, schedule.parts["multiply"])
    return StreamCore(p.i, p.o, schedule, ConvertedDatapath(p, inner, schedule))
