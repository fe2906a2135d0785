# SPDX-License-Identifier: Apache-2.0
"""Inversion by Fermat's theorem in hardware: an RNS multiplier, a memory of operands, and a list of products.

Registers by cycle, with the step of the schedule; C cycles from a product to the next, n products:

    cycle          step          register that holds the value from this cycle on
    1              operand       word 0 of the memory: a
    C + 1          product 1     word `into` of the first product; the multiplier's output has it in the cycle before
    n·C + 2        test for 0    result queue; `held` has the last product and `zero_k` its tests in the cycle before
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring

from ...engines.inversion.hardware.rower import equals
from ...rtl.control import StreamCore, datapath_members
from ...schedule import Schedule
from .parameters import NOT_INVERTIBLE, FermatParameters


class FermatDatapath(wiring.Component):
    """Data path: takes a with `start`, gives z and error with `done`, the schedule's latency - 1 cycles later.

    Attributes
    ----------
    a, z : in and out, 2n residues of w bits
        As the multiplier has them.
    error : out
        No inverse.
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
        x, y, into, last, finished = self._program(m, core.o.valid)
        m.d.comb += [
            write.en.eq(self.start | core.o.valid),
            write.addr.eq(Mux(self.start, 0, into)),
            write.data.eq(Mux(self.start, self.a.as_value(), result)),
            reads[0].addr.eq(x),
            reads[1].addr.eq(y),
            core.i.payload.x.as_value().eq(reads[0].data),
            core.i.payload.y.as_value().eq(reads[1].data),
            core.o.ready.eq(1),
        ]
        issue = Signal()
        m.d.sync += issue.eq(self.start | (core.o.valid & ~last))
        m.d.comb += core.i.valid.eq(issue)
        held = Signal(len(result))
        with m.If(core.o.valid):
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

    def _program(self, m: Module, done: Value) -> tuple[Value, Value, Value, Value, Value]:
        """The words of the product in flight, whether it is the last, and, a cycle after that is done, the end.

        Words are registers, read from the list a product ahead, as they address the whole memory.
        """
        program = self.p.program
        bits = max(1, (self.p.words - 1).bit_length())
        columns = ([one.x for one in program], [one.y for one in program], [one.into for one in program])
        words = x, y, into = tuple(Signal(bits, name=f"word_{name}") for name in ("x", "y", "into"))
        ahead = Signal(range(len(program) + 1), name="product_ahead")
        last, finished = Signal(name="last"), Signal(name="finished")
        m.d.sync += finished.eq(done & last)
        with m.If(self.start):
            m.d.sync += [ahead.eq(1), last.eq(len(program) == 1)]
            m.d.sync += [word.eq(column[0]) for word, column in zip(words, columns, strict=True)]
        with m.Elif(done):
            m.d.sync += [ahead.eq(ahead + 1), last.eq(ahead == len(program) - 1)]
            for word, column in zip(words, columns, strict=True):
                m.d.sync += word.eq(Array(Const(value, bits) for value in column)[ahead])
        return x, y, into, last, finished


def build(p: FermatParameters, schedule: Schedule) -> StreamCore:
    """The core with its streams."""
    return StreamCore(p.i, p.o, schedule, FermatDatapath(p, schedule))
