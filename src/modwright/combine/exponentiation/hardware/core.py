# SPDX-License-Identifier: Apache-2.0
"""An exponentiator with its streams: engines, multipliers, and what links them.

One exponentiation at a time; or two, a cycle apart, on a multiplier that interleaves two products.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from ....contract import Payload
from ....rtl.pairs import PairAdmission
from ....rtl.streams import core_members
from ....schedule import Schedule
from ..parameters import ModexpParameters
from ..plan.multiplier import ERROR, INVERSE, MODULUS, SCALED, TAG
from ..plan.program import program_of
from .sequencer import Sequencer


class ModexpCore(wiring.Component):
    """Streams `i` (base, exponent, modulus) and `o` (z, error)."""

    def __init__(self, p: ModexpParameters, schedule: Schedule) -> None:
        self.p = p
        program = program_of(p)
        self.sequencers = [Sequencer(p, program) for _ in range(p.lanes)]
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules += self.sequencers
        for port in range(p.ports):
            self._multiplier(m, port)
        self._admit(m)
        self._release(m)
        return m

    # --- streams

    def _admit(self, m: Module) -> None:
        """Operands go to the engine, or to both in turn."""
        first, *others = self.sequencers
        word, payload = self.i.payload.as_value(), self.p.i
        for sequencer in self.sequencers:
            m.d.comb += sequencer.base.eq(word[: self.p.base.width])
            for name in ("exponent", MODULUS, "square", "unit", "inverse"):
                if name in payload.offsets:
                    m.d.comb += getattr(sequencer, name).eq(_slice(word, payload, name))
        if not others:
            m.d.comb += [self.i.ready.eq(~first.busy), first.start.eq(self.i.valid & ~first.busy)]
            return
        second = others[0]
        m.submodules.admission = admission = PairAdmission()
        m.d.comb += [
            admission.valid.eq(self.i.valid),
            admission.busy_0.eq(first.busy),
            admission.busy_1.eq(second.busy),
            self.i.ready.eq(admission.ready),
            first.start.eq(admission.start_0),
            second.start.eq(admission.start_1),
        ]

    def _release(self, m: Module) -> None:
        """Results in the order of the operands."""
        first, last = self.sequencers[0], self.sequencers[-1]
        assert self.p.o.fields[-1].name == ERROR, "z is below it in the payload"
        turn = Const(1, 1) if last is first else first.busy
        results = [Cat(sequencer.z, sequencer.error) for sequencer in (first, last)]
        m.d.comb += [
            self.o.valid.eq(Mux(turn, first.finished, last.finished)),
            self.o.payload.as_value().eq(Mux(turn, *results)),
            first.take.eq(turn & first.finished & self.o.ready),
        ]
        if last is not first:
            m.d.comb += last.take.eq(~turn & last.finished & self.o.ready)

    # --- multipliers

    def _multiplier(self, m: Module, port: int) -> None:
        """A multiplier; with two engines, the first one's product goes first, and so does its result."""
        inner = self.p.multiplier
        core = inner.core.build(inner.parameters, inner.schedule)
        m.submodules[f"multiplier_{port}"] = core
        first, last = self.sequencers[0], self.sequencers[-1]
        issue, ready, done = (f"{name}_{port}" for name in ("issue", "ready", "done"))
        chosen = getattr(first, issue)
        given = core.i.payload.as_value()

        def select(name: str) -> Value:
            return getattr(first, name) if first is last else Mux(chosen, getattr(first, name), getattr(last, name))

        m.d.comb += [core.i.valid.eq(chosen | getattr(last, issue)), core.o.ready.eq(1)]
        _spread(m, given, inner.parameters.i, inner.x, select(f"x_{port}"))
        _spread(m, given, inner.parameters.i, inner.y, select(f"y_{port}"))
        if inner.domain:
            fields = {TAG: "held_m", MODULUS: "reduces_by"} if inner.tagged else {MODULUS: "held_m"}
            if self.p.inverse:
                fields |= {INVERSE: "held_inverse"} | ({SCALED: "reduces_by"} if self.p.scaled else {})
            for field, name in fields.items():
                m.d.comb += _slice(given, inner.parameters.i, field).eq(select(name))
        mine = self._turn(m, chosen & core.i.ready, core.o.valid)
        m.d.comb += [getattr(first, ready).eq(core.i.ready), getattr(first, done).eq(core.o.valid & mine)]
        if last is not first:
            m.d.comb += [
                getattr(last, ready).eq(core.i.ready & ~chosen),
                getattr(last, done).eq(core.o.valid & ~mine),
            ]
        result = core.o.payload.as_value()
        for sequencer in self.sequencers:
            z = Cat(_slice(result, inner.parameters.o, field.name) for field in inner.z.fields)
            m.d.comb += getattr(sequencer, f"z_{port}").eq(z)
            m.d.comb += getattr(sequencer, f"error_{port}").eq(_slice(result, inner.parameters.o, ERROR))

    def _turn(self, m: Module, issued: Value, done: Value) -> Value:
        """Whether the next result is the first engine's: it has a product in flight."""
        if len(self.sequencers) == 1:
            return Const(1, 1)
        under_way = Signal()
        with m.If(issued):
            m.d.sync += under_way.eq(1)
        with m.Elif(done):
            m.d.sync += under_way.eq(0)
        return under_way


def _slice(word: Value, payload: Payload, name: str) -> Value:
    """A field of a packed payload."""
    low = payload.offsets[name]
    return word[low : low + payload[name].bits]


def _spread(m: Module, word: Value, payload: Payload, fields: Payload, operand: Value) -> None:
    """An operand word over its fields of a packed payload."""
    for name, low in fields.offsets.items():
        m.d.comb += _slice(word, payload, name).eq(operand[low : low + fields[name].bits])
