# SPDX-License-Identifier: Apache-2.0
"""RNS Montgomery multipliers with a runtime modulus: a cox-rower, and the registers around it.

Registers by cycle, with the step of the schedule: K the cycle of `keep`, E that of the result; with two slots, M that
of `advance` and N that of `settle`. With copies of control in the rowers, those of operands are a cycle later:

    cycle    step         register that holds the value from this cycle on
    1        x, y in B    `x_k`, `y_k`: residues in B, which wait for the product in A
    1        f            `f_k`, `g_k`: words of P in a rower
    M + 1    g: advance   `g_advance_k`, and later `g_again_k`: g, so that that of the next operation may come
    K + 1    ŝ kept       `hat_k`: the result in B, kept while the extension to A runs
    N + 1    ŝ moved      `hat_moved_k`: the same, so that the next operation's may be kept
    E        push         result queue: that, and the residues in A, which the rowers give in the cycle before
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....contract import Payload
from ....engines.coxrower.hardware.machine import Coxrower
from ....engines.coxrower.hardware.operands import entered, near, waiting
from ....rtl.control import in_flight
from ....rtl.pipeline import delayed
from ....rtl.streams import ResultQueue
from ....schedule import Schedule
from .parameters import RuntimeParameters
from .schedule import MOVES


class RuntimeDatapath(wiring.Component):
    """Data path: takes x, y and P with its words with `start`, gives z with `done`, residues in both bases.

    Parameters
    ----------
    p : RuntimeParameters
    schedule : Schedule
    """

    def __init__(self, p: RuntimeParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        residues, words = data.ArrayLayout(p.width, 2 * p.n), data.ArrayLayout(p.width, p.n)
        operands = {name: In(residues) for name in "xy"} | {name: In(words) for name in "fg"} | {"m": In(p.bits)}
        results = {"z": Out(residues), "modulus": Out(p.bits), "error": Out(1)}
        super().__init__({"start": In(1), "done": Out(1)} | operands | results)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, engine = self.p, Coxrower(self.p.engine, self.schedule)
        m.submodules.engine = engine
        m.d.comb += [engine.start.eq(self.start), self.done.eq(delayed(m, engine.take, p.engine.travel, "take"))]
        for k in range(p.n):
            self._enter(m, engine, k)
        self._remember(m)
        for k in range(p.n):
            kept = Signal(p.width, name=f"hat_{k}")  # <S·T_b>, any representative
            with m.If(near(m, p.engine, engine.keep, f"keep_{k}")):
                m.d.sync += kept.eq(engine.r[k])
            result = engine.z[k] if p.engine.from_fold else engine.r[k]
            if p.slots > 1:
                kept = self._moved(m, kept, engine.settle, f"hat_moved_{k}")
            m.d.comb += [self.z[k].eq(self._unless_bad(result)), self.z[p.n + k].eq(self._unless_bad(kept))]
        return m

    def _enter(self, m: Module, engine: Coxrower, k: int) -> None:
        """Operands and words of one rower: residues in A first."""
        p = self.p
        start = near(m, p.engine, self.start, f"start_{k}")
        following = near(m, p.engine, engine.following, f"following_{k}")
        for name, first, held in (("x", engine.x, engine.held_x), ("y", engine.y, engine.held_y)):
            operand = getattr(self, name)
            in_a, in_b = (entered(m, p.engine, operand[k + base], f"{name}_{k}_{base}") for base in (0, p.n))
            m.d.comb += [first[k].eq(in_a), held[k].eq(waiting(m, [in_b], 1, start, following, f"{name}_{k}"))]
        f, g = (self._word(m, name, k, start) for name in "fg")
        if p.slots > 1:
            for field in MOVES:
                g = self._moved(m, g, getattr(engine, field), f"g_{field}_{k}")
        m.d.comb += [engine.given[k][0].eq(f), engine.given[k][1].eq(g)]

    def _moved(self, m: Module, value: Signal, strobe: Value, name: str) -> Signal:
        """A second register, to which a value moves before the next operation's comes."""
        moved = Signal.like(value, name=name)
        with m.If(near(m, self.p.engine, strobe, f"{name}_strobe")):
            m.d.sync += moved.eq(value)
        return moved

    def _word(self, m: Module, name: str, k: int, start: Value) -> Signal:
        """The register of a word of P."""
        kept = Signal(self.p.width, name=f"{name}_{k}")
        word = entered(m, self.p.engine, getattr(self, name)[k], f"{name}_{k}")
        with m.If(start):
            m.d.sync += kept.eq(word)
        return kept

    def _remember(self, m: Module) -> None:
        """P of every operation in flight, and whether it is bad, in the order of the results."""
        p = self.p
        m.submodules.moduli = queue = ResultQueue(
            Payload(tuple(f for f in p.o.fields if f.name != "z")), in_flight(self.schedule)
        )
        least = p.modulus_role.least
        low = (least - 1).bit_length()
        small = ~self.m[low:].any() & (self.m[:low] < least)  # no chain over the whole of P
        m.d.comb += [
            queue.push.eq(self.start),
            queue.data.modulus.eq(self.m),
            queue.data.error.eq(~self.m[0] | small),
            queue.o.ready.eq(self.done),
            self.modulus.eq(queue.o.p.modulus),
            self.error.eq(queue.o.p.error),
        ]

    def _unless_bad(self, residue: Value) -> Value:
        return Mux(self.error, 0, residue)
