# SPDX-License-Identifier: Apache-2.0
"""An exponentiator with its streams: sequencers, multipliers, and their connections.

One exponentiation at a time; or two, a cycle apart on a multiplier that interleaves two products, or the interval of a
multiplier that takes products in turn.

Registers, counted from the cycle in which a multiplier has a result:

    cycle    register that holds the value from this cycle on
    0        `due_NUMBER`: there is one, where its cycle is known; else `last` names its sequencer
    1        `z_PORT`: the result, which registers of operands take in the next cycle
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Component

from ....contract import Payload
from ....rtl.copies import held_copy
from ....rtl.pairs import PairAdmission
from ....rtl.pipeline import delayed
from ....rtl.streams import core_members
from ....schedule import Schedule
from ..parameters import ModexpParameters
from ..plan.multiplier import ERROR, INVERSE, MODULUS, SCALED, TAG
from ..plan.program import program_of
from .operands import slices
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
        """Operands go to the sequencer, or to both in turn."""
        first, *others = self.sequencers
        word, payload = self.i.payload.as_value(), self.p.i
        for sequencer in self.sequencers:
            m.d.comb += sequencer.base.eq(word[: self.p.base.width])
            words = self.p.multiplier.residues.words if self.p.multiplier.residues else ()
            for name in ("exponent", MODULUS, "square", "unit", "inverse", *words):
                if name in payload.offsets:
                    m.d.comb += getattr(sequencer, name).eq(_slice(word, payload, name))
        if not others:
            m.d.comb += [self.i.ready.eq(~first.busy), first.start.eq(self.i.valid & ~first.busy)]
            return
        second = others[0]
        m.submodules.admission = admission = PairAdmission(self.p.apart)
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
        """A multiplier; with two sequencers, the operands of the one that has a product to offer."""
        inner = self.p.multiplier
        core = inner.core.build(inner.parameters, inner.schedule)
        m.submodules[f"multiplier_{port}"] = core
        given = core.i.payload.as_value()
        issues = [getattr(sequencer, f"issue_{port}") for sequencer in self.sequencers]
        m.d.comb += [core.i.valid.eq(Cat(issues).any()), core.o.ready.eq(1)]
        _spread(m, given, inner.parameters.i, inner.x, self._chosen(m, "x"))
        _spread(m, given, inner.parameters.i, inner.y, self._any("b" if port else "y"))
        if inner.domain:
            fields = {TAG: "held_m", MODULUS: "reduces_by"} if inner.tagged else {MODULUS: "held_m"}
            if self.p.inverse:
                fields |= {INVERSE: "held_inverse"} | ({SCALED: "reduces_by"} if self.p.scaled else {})
            for field, name in fields.items():
                m.d.comb += _slice(given, inner.parameters.i, field).eq(self._chosen(m, name))
        if inner.residues:
            for name in (MODULUS, *inner.residues.words):
                m.d.comb += _slice(given, inner.parameters.i, name).eq(self._chosen(m, f"held_{name}"))
        self._results(m, port, core)

    def _chosen(self, m: Module, name: str) -> Value:
        """An output of the sequencer with a product to offer, selected by a copy of the control near each slice."""
        words = [getattr(sequencer, name) for sequencer in self.sequencers]
        if len(words) == 1:
            return words[0]
        chosen: Value = Const(0, len(words[0]))
        for number, (sequencer, word) in enumerate(zip(self.sequencers, words, strict=True)):
            parts = []
            for part in slices(len(word)):
                on = held_copy(m, sequencer.select, sequencer.offers, f"{name}_{number}_{part.start}")
                parts.append(word[part] & on.replicate(part.stop - part.start))
            chosen = chosen | Cat(parts)
        return chosen

    def _any(self, name: str) -> Value:
        """OR of an output of the sequencers, which is 0 in all but the one with a product to offer."""
        chosen: Value = Const(0, 1)
        for sequencer in self.sequencers:
            chosen = chosen | getattr(sequencer, name)
        return chosen

    def _results(self, m: Module, port: int, core: Component) -> None:
        """Results, a register behind the multiplier, to the sequencer whose product was first."""
        inner = self.p.multiplier
        result = core.o.payload.as_value()
        z = Signal(inner.z.width, name=f"z_{port}")
        m.d.sync += z.eq(Cat(_slice(result, inner.parameters.o, field.name) for field in inner.z.fields))
        ready = Const(1, 1) if self.p.alone else core.i.ready  # certificate row `ready`
        issued = []
        for sequencer in self.sequencers:
            issued.append(getattr(sequencer, f"issue_{port}") & ready)
            m.d.comb += getattr(sequencer, f"ready_{port}").eq(ready)
            m.d.comb += getattr(sequencer, f"z_{port}").eq(z)
            m.d.comb += getattr(sequencer, f"error_{port}").eq(_slice(result, inner.parameters.o, ERROR))
        if self.p.alone and inner.schedule.constant_time:
            found = [self._due(m, issue, f"{port}_{number}") for number, issue in enumerate(issued)]
        else:
            found = self._owners(m, issued, core.o.valid)
        for sequencer, done in zip(self.sequencers, found, strict=True):
            m.d.comb += getattr(sequencer, f"done_{port}").eq(done)

    def _due(self, m: Module, issued: Value, name: str) -> Value:
        """The cycle in which the result of a product is valid, from a counter: a register near the sequencer."""
        latency = self.p.multiplier.latency
        if latency == 1:
            return delayed(m, issued, 1, f"due_{name}")
        left, due = Signal(range(latency), name=f"left_{name}"), Signal(name=f"due_{name}")
        m.d.sync += [left.eq(Mux(issued, latency - 1, Mux(left == 0, 0, left - 1))), due.eq(left == 1)]
        return due

    def _owners(self, m: Module, issued: Sequence[Value], done: Value) -> list[Value]:
        """For each sequencer, whether its result is valid: of two, the one whose product was issued first."""
        if len(issued) == 1:
            return [done]
        waiting, last = Signal(2), Signal()  # products in flight; the next result is the second sequencer's
        after = Signal(2)
        m.d.comb += after.eq((waiting & ~(Cat(~last, last) & done.replicate(2))) | Cat(issued))
        m.d.sync += waiting.eq(after)
        with m.If((waiting == 0) | done):
            m.d.sync += last.eq(~after[0])
        return [done & ~last, done & last]


def _slice(word: Value, payload: Payload, name: str) -> Value:
    """A field of a packed payload."""
    low = payload.offsets[name]
    return word[low : low + payload[name].bits]


def _spread(m: Module, word: Value, payload: Payload, fields: Payload, operand: Value) -> None:
    """An operand word over its fields of a packed payload."""
    for name, low in fields.offsets.items():
        m.d.comb += _slice(word, payload, name).eq(operand[low : low + fields[name].bits])
