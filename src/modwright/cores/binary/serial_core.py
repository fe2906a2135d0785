# SPDX-License-Identifier: Apache-2.0
"""The serial binary multiplier: one limb multiplier, one accumulator, a small memory, played by the sequencer."""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ...rtl.control import StreamCore
from ...rtl.multiplier import TiledMultiplier, Tiling
from ...rtl.sequencer import Sequencer
from ...schedule import Schedule
from .comparison import above_or_equal, compare
from .program import SerialParameters
from .serial_schedule import registers_of


class SerialDatapath(wiring.Component):
    """x·y mod p without streams.

    Attributes
    ----------
    start : in
        The operands are given in this clock, at least the schedule's interval after the last ones.
    x, y : in, w bits
    done : out
        The result is given in this clock, the schedule's latency - 1 clocks after its operands.
    z : out, w bits
    error : out
        An operand was not below p.
    """

    def __init__(self, p: SerialParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        w = p.width
        super().__init__({"start": In(1), "x": In(w), "y": In(w), "done": Out(1), "z": Out(w), "error": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.sequencer = control = Sequencer(self.schedule)
        m.d.comb += [control.start.eq(self.start), self.done.eq(control.done)]
        limb = Signal(self.p.limb)  # the accumulator's lowest limb, of the column that was finished
        left, right = self._operands(m, control, limb)
        self._accumulate(m, control, self._multiply(m, left, right), limb)
        bad = self._not_reduced(m, control)
        m.d.comb += [self.z.eq(Mux(bad, 0, self._results(m, control, limb))), self.error.eq(bad)]
        return m

    def _operands(self, m: Module, control: Sequencer, limb: Value) -> tuple[Value, Value]:
        """The two limbs that are multiplied next, registered."""
        p = self.p
        x, y = Signal(p.full, name="x_held"), Signal(p.full, name="y_held")  # y_held = y·2^k
        with m.If(self.start):
            m.d.sync += [x.eq(self.x), y.eq(self.y << p.shift)]
        left, right = Signal(p.limb), Signal(p.limb)
        words = self._memory(m, control, limb)
        m.d.sync += [
            left.eq(Mux(_field(control, "stored"), words, self._limbs(x)[_field(control, "left")])),
            right.eq(
                Mux(
                    _field(control, "constant"),
                    Array(Const(c, p.limb) for c in (*p.constants, 0))[_field(control, "right")],
                    self._limbs(y)[_field(control, "right")],
                )
            ),
        ]
        return left, right

    def _limbs(self, value: Value) -> Array[Value]:
        p = self.p
        return Array(value[low : low + p.limb] for low in range(0, p.full, p.limb))

    def _memory(self, m: Module, control: Sequencer, limb: Value) -> Value:
        """The word that `left` names; limbs are written as the schedule says."""
        if not self.p.words:
            return Const(0, self.p.limb)
        m.submodules.words = store = memory.Memory(shape=self.p.limb, depth=self.p.words, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(control.write),
            write.addr.eq(_field(control, "address")),
            write.data.eq(limb),
            read.addr.eq(_field(control, "left")),
        ]
        return read.data

    def _multiply(self, m: Module, left: Value, right: Value) -> Value:
        p = self.p
        unit = TiledMultiplier(Tiling(p.limb, p.limb, p.target), registers_of(p, p.target))
        m.submodules.multiplier = unit
        m.d.comb += [unit.a[0].eq(left), unit.b[0].eq(right)]
        return unit.p

    def _accumulate(self, m: Module, control: Sequencer, product: Value, limb: Value) -> None:
        """Products of a column add up; a new column starts from the carry, a new pass from 0."""
        p = self.p
        accumulator = Signal(p.accumulator_bound.bit_length())
        carry = Mux(_field(control, "begin_column"), accumulator >> p.limb, accumulator)
        with m.If(control.add):
            m.d.sync += accumulator.eq(Mux(control.begin_pass, 0, carry) + product)
        m.d.comb += limb.eq(accumulator)

    def _not_reduced(self, m: Module, control: Sequencer) -> Value:
        """Whether x ≥ p or y ≥ p, found in two clocks and kept from the first limb of the result on."""
        flags = [compare(operand, self.p.p) for operand in (self.x, self.y)]
        held = [Signal(len(f), name=f"flags_{n}") for n, f in enumerate(flags)]
        fresh, started, kept = Signal(), Signal(), Signal()
        m.d.sync += [h.eq(f) for h, f in zip(held, flags, strict=True)]
        m.d.sync += started.eq(self.start)
        with m.If(started):
            m.d.sync += fresh.eq(above_or_equal(held[0]) | above_or_equal(held[1]))
        with m.If(control.begin_result):
            m.d.sync += kept.eq(fresh)
        return kept

    def _results(self, m: Module, control: Sequencer, limb: Value) -> Value:
        """r - j·P for the largest j that leaves it non-negative, without the k zeros of the normalisation."""
        p = self.p
        result: Value = Const(0, p.full)
        for j in range(p.subtractions + 1):
            subtrahend = Array(Const(c, p.limb) for c in p.limbs_of(j * p.normal, p.limbs + 1))[control.limb]
            kept = Signal(p.full, name=f"result_{j}")  # the n low limbs
            top = Signal(p.limb, name=f"top_{j}")  # the limb above them
            borrow = Signal(name=f"borrow_{j}")  # r < j·P
            difference = Signal(p.limb + 1, name=f"difference_{j}")
            m.d.comb += difference.eq(limb - subtrahend - Mux(control.begin_result, 0, borrow))
            with m.If(control.out):
                m.d.sync += [Cat(kept, top).eq(Cat(kept, top, difference[: p.limb])[p.limb :])]
                m.d.sync += borrow.eq(difference[p.limb])
            result = Mux(borrow, result, kept) if j else kept
        return result[p.shift :]


def _field(control: Sequencer, name: str) -> Value:
    """A control field; one that no word of the schedule sets is 0."""
    return getattr(control, name, Const(0, 1))


def build(p: SerialParameters, schedule: Schedule) -> StreamCore:
    """The core with its streams."""
    return StreamCore(p.i, p.o, schedule, SerialDatapath(p, schedule))
