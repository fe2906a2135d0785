# SPDX-License-Identifier: Apache-2.0
"""Inversion by Fermat's theorem in hardware: an RNS multiplier, a memory of operands, and a control word for each
product.

Registers by cycle, with the step of the schedule; C cycles from a product to the next, n products:

    cycle          step          register that holds the value from this cycle on
    1              operand       word 0 of the memory: a
    C + 1          product 1     word `into` of the first product; the multiplier's output has it in the cycle before
    n·C + 2        test for 0    result queue; `held` has the last product and `zero_k` its tests in the cycle before
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring

from ...engines.inversion.hardware.rower import equals
from ...rtl.control import StreamCore, datapath_members
from ...rtl.pipeline import delayed
from ...rtl.step_player import StepPlayer
from ...schedule import Schedule
from .parameters import NOT_INVERTIBLE, FermatParameters
from .plan import words_of


class FermatDatapath(wiring.Component):
    """Data path: takes a with `start`, gives z and error with `done`, the schedule's latency - 1 cycles later.

    Attributes
    ----------
    a, z : in and out, 2n residues of w bits
        Operand and result in the multiplier's representation.
    error : out
        The operand has no inverse.
    """

    def __init__(self, p: FermatParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.multiplier = core = p.core.build(p.inner, p.schedule)
        result = core.o.payload.z.as_value()
        m.submodules.memory = store = memory.Memory(shape=len(result), depth=p.words, init=[])
        write = store.write_port()
        reads = [store.read_port(domain="comb") for _ in range(2)]
        m.submodules.player = player = StepPlayer(words_of(p.program))
        done, last = core.o.valid, player.field("last")
        m.d.comb += [
            write.en.eq(self.start | done),
            write.addr.eq(Mux(self.start, 0, player.field("into"))),
            write.data.eq(Mux(self.start, self.a.as_value(), result)),
            reads[0].addr.eq(player.field("x")),
            reads[1].addr.eq(player.field("y")),
            core.i.payload.x.as_value().eq(reads[0].data),
            core.i.payload.y.as_value().eq(reads[1].data),
            core.o.ready.eq(1),
            core.i.valid.eq(player.fresh),
            player.start.eq(self.start),
            player.next.eq(done & ~last),
            player.stop.eq(done & last),
        ]
        finished = delayed(m, player.stop, 1, "finished")
        held = Signal(len(result))
        with m.If(done):
            m.d.sync += held.eq(result)
        zeros = []
        for number, residues in enumerate(p.zeros):
            flags = [
                equals(core.o.payload.z[k], residue, modulus)
                for k, (residue, modulus) in enumerate(zip(residues, p.inner.A.moduli, strict=True))
            ]
            zero = Signal(name=f"zero_{number}")
            m.d.sync += zero.eq(Cat(*flags).all())
            zeros.append(zero)
        bad = Signal()
        m.d.comb += [
            bad.eq(Cat(*zeros).any()),
            self.done.eq(finished),
            self.error.eq(Mux(bad, NOT_INVERTIBLE, 0)),
            self.z.as_value().eq(Mux(bad, 0, held)),
        ]
        return m


def build(p: FermatParameters, schedule: Schedule) -> StreamCore:
    """The core with its streams."""
    return StreamCore(p.i, p.o, schedule, FermatDatapath(p, schedule))
