# SPDX-License-Identifier: Apache-2.0
"""Multipliers with their streams: operands, recoder, digit loop, conversion, and their control.

The digits of a product may take any number of cycles: the recoder marks the last one, and the conversion starts
when the loop has taken it. One operation is in the core at a time; or two, each in every second cycle, while the digit
loop is cut in two halves that work on one of them each.

Registers by cycle, with the step of the schedule; J digits, L limbs of the result, with one reduction at the end:

    cycle        step          register that holds the value from this cycle on
    1            operands      `held_y`, `held_m` and the limbs of X
    2            recode X      `digit`: the first of J digits, one a cycle where their number is fixed
    J + 2        S             `total` and `carry` of the loop: S after J digits in carry-save form
    J + L + 3    to binary     limbs of z and of z - m, one of each a cycle
    J + L + 4    below M       z, below m
"""

from __future__ import annotations

from amaranth.hdl import EnableInserter, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....rtl.pairs import PairAdmission
from .....rtl.pipeline import delayed
from .....rtl.streams import core_members
from .....schedule import Schedule
from ..parameters import NIBBLE, CarrySaveParameters
from ..schedule import LOOP_BEHIND
from .ahead_forward import ahead_loop
from .cells import LOOPS
from .converter import LimbConverter
from .loop import StateLoop
from .recoder import FixedRecoder, VariableRecoder, digit_layout
from .supply import OperandSupply

OPERANDS, STATE = ("x", "y", "m"), ("total", "carry", "lost")


def build(p: CarrySaveParameters, schedule: Schedule) -> wiring.Component:
    """The multiplier, for one product at a time or for two."""
    return (CarrySaveCore if p.interleave == 1 else InterleavedCore)(p, schedule)


def digit_loop(p: CarrySaveParameters) -> StateLoop:
    """The data path of the architecture."""
    return ahead_loop(p) if p.ahead else LOOPS[p.cell.name](p)


class Lane(wiring.Component):
    """All of one product but its digit loop.

    Attributes
    ----------
    start : in
        Operands are at `x`, `y`, `m` in this cycle.
    end : in
        With `ahead`, strobe: the result leaves.
    digit, valid, last : out
        Inputs of the loop; see `Recoder`.
    held_y, held_m : out
        Y and M, from the cycle after `start` on.
    total, carry, lost : in
        S, from the cycle after the last digit on.
    done : out
        Pulse; the result is at `z` and `error` from the next cycle until the next start.
    """

    def __init__(self, p: CarrySaveParameters) -> None:
        self.p = p
        w = p.operand_bits
        super().__init__(
            {"start": In(1), "x": In(w), "y": In(w), "m": In(p.n), "held_y": Out(w), "held_m": Out(p.n)}
            | {"digit": Out(digit_layout(p.cell)), "valid": Out(1), "last": Out(1)}
            | {"total": In(p.sum_width), "carry": In(p.carry_width), "lost": In(1)}
            | {"done": Out(1), "z": Out(w), "error": Out(2)}
            | ({"end": In(1)} if p.ahead else {})
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.supply = supply = OperandSupply(p, NIBBLE if p.cell.variable else p.cell.bits)
        m.submodules.recoder = recoder = (VariableRecoder if p.cell.variable else FixedRecoder)(p)
        m.submodules.converter = converter = LimbConverter(p)
        converting = Signal()
        ended = delayed(m, self.last, LOOP_BEHIND if p.ahead else 0, "last_added")
        with m.If(ended):
            m.d.sync += converting.eq(1)
        with m.Elif(supply.index == p.limbs - 1):
            m.d.sync += converting.eq(0)
        m.d.comb += [
            *(getattr(supply, name).eq(getattr(self, name)) for name in OPERANDS),
            supply.start.eq(self.start),
            *([supply.end.eq(self.end)] if p.ahead else []),
            supply.fetch.eq(recoder.fetch),
            supply.shift.eq(recoder.shift),
            supply.advance.eq(converting),
            supply.rewind.eq(ended),
            recoder.start.eq(self.start),
            recoder.limb.eq(supply.limb),
            recoder.next_limb.eq(supply.next_limb),
            recoder.more.eq(supply.index != 0),
            self.digit.eq(recoder.digit),
            self.valid.eq(recoder.valid),
            self.last.eq(recoder.valid & recoder.last),
            self.held_y.eq(supply.held_y),
            self.held_m.eq(supply.held_m),
            converter.select.eq(converting),
            converter.index.eq(supply.index),
            *([converter.pick.eq(supply.pick)] if p.ahead else []),
            converter.m_limb.eq(supply.m_limb),
            converter.zero.eq(delayed(m, supply.error != 0, int(p.ahead), "bad")),
            *(getattr(converter, name).eq(getattr(self, name)) for name in STATE),
            self.done.eq(converter.done),
            self.z.eq(converter.z),
            self.error.eq(supply.error),
        ]
        return m


class CarrySaveCore(wiring.Component):
    """Streams `i` (x, y, m) and `o` (z, m, error); one product at a time."""

    def __init__(self, p: CarrySaveParameters, schedule: Schedule) -> None:
        self.p = p
        self.loop = digit_loop(p)
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, loop = Module(), self.loop
        m.submodules.loop = loop
        m.submodules.lane = lane = Lane(self.p)
        start = self._handshake(m, lane.done)
        m.d.comb += [
            *(getattr(lane, name).eq(getattr(self.i.p, name)) for name in OPERANDS),
            lane.start.eq(start),
            loop.clear.eq(start),
            loop.enable.eq(lane.valid),
            loop.digit.eq(lane.digit),
            loop.y.eq(lane.held_y),
            loop.m.eq(lane.held_m),
            *(getattr(lane, name).eq(getattr(loop, name)) for name in STATE),
            self.o.p.z.eq(lane.z),
            self.o.p.m.eq(lane.held_m),
            self.o.p.error.eq(lane.error),
        ]
        if self.p.ahead:
            m.d.comb += lane.end.eq(self.o.valid & self.o.ready)
        return m

    def _handshake(self, m: Module, done: Signal) -> Signal:
        """Make the handshakes: free, busy, result valid, free; return the strobe of the input transfer."""
        free, start = Signal(init=1), Signal()
        m.d.comb += [self.i.ready.eq(free), start.eq(self.i.valid & free)]
        with m.If(start):
            m.d.sync += free.eq(0)
        with m.If(done):
            m.d.sync += self.o.valid.eq(1)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [self.o.valid.eq(0), free.eq(1)]
        return start


class InterleavedCore(wiring.Component):
    """Streams `i` (x, y, m) and `o` (z, m, error); two products at a time on one digit loop.

    `phase` is 0 in the cycles of the first product's lane and 1 in those of the second one's. A digit is valid at the
    end of its lane's cycle; the first half of the loop takes it in the next cycle, the second half in the one after.
    """

    def __init__(self, p: CarrySaveParameters, schedule: Schedule) -> None:
        self.p = p
        self.loop = digit_loop(p)
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.loop = self.loop
        m.submodules.admission = admission = PairAdmission()
        lanes = (Lane(self.p), Lane(self.p))
        phase, begin = Signal(), admission.start_0
        m.d.sync += phase.eq(begin | ~phase)
        enables = (begin | ~phase, phase & ~begin)
        for name, lane, enable in zip(("first", "second"), lanes, enables, strict=True):
            m.submodules[name] = EnableInserter(enable)(lane)
            m.d.comb += [getattr(lane, operand).eq(getattr(self.i.p, operand)) for operand in OPERANDS]
        m.d.comb += [
            admission.valid.eq(self.i.valid),
            self.i.ready.eq(admission.ready),
            lanes[0].start.eq(admission.start_0),
            lanes[1].start.eq(admission.start_1),
        ]
        self._feed(m, lanes, phase)
        self._collect(m, lanes, phase)
        self._results(m, admission, lanes, enables)
        return m

    def _feed(self, m: Module, lanes: tuple[Lane, Lane], phase: Value) -> None:
        """Feed the first half of the loop from the lane of the cycle before."""
        first, second = lanes
        m.d.comb += [
            self.loop.enable.eq(Mux(phase, first.valid, second.valid)),
            self.loop.digit.as_value().eq(Mux(phase, first.digit.as_value(), second.digit.as_value())),
        ]
        # chosen a cycle ahead, so that the choice is not in the loop
        m.d.sync += [
            self.loop.y.eq(Mux(phase, second.held_y, first.held_y)),
            self.loop.m.eq(Mux(phase, second.held_m, first.held_m)),
        ]

    def _collect(self, m: Module, lanes: tuple[Lane, Lane], phase: Value) -> None:
        """Store S after the last digit for the conversion, while the loop works on the other product."""
        added, ended = Signal(), Signal()  # the last digit is in the second half; S stands in the loop's registers
        m.d.sync += [added.eq(Mux(phase, lanes[0].last, lanes[1].last)), ended.eq(added)]
        for lane, mine in zip(lanes, (phase, ~phase), strict=True):
            for name in STATE:
                kept = Signal.like(getattr(self.loop, name), name=f"{name}_kept")
                with m.If(ended & mine):
                    m.d.sync += kept.eq(getattr(self.loop, name))
                m.d.comb += getattr(lane, name).eq(kept)

    def _results(
        self, m: Module, admission: PairAdmission, lanes: tuple[Lane, Lane], enables: tuple[Value, Value]
    ) -> None:
        """Deliver results in the order of the operands."""
        first, second = lanes
        busy = Signal(name="busy_0"), Signal(name="busy_1")
        turn = busy[0]
        full = (
            self._place(m, first, enables[0], admission.start_0, busy[0], turn),
            self._place(m, second, enables[1], admission.start_1, busy[1], ~turn),
        )
        m.d.comb += [
            admission.busy_0.eq(busy[0]),
            admission.busy_1.eq(busy[1]),
            self.o.valid.eq(Mux(turn, *full)),
            self.o.p.z.eq(Mux(turn, first.z, second.z)),
            self.o.p.m.eq(Mux(turn, first.held_m, second.held_m)),
            self.o.p.error.eq(Mux(turn, first.error, second.error)),
        ]

    def _place(self, m: Module, lane: Lane, enable: Value, start: Value, busy: Signal, turn: Value) -> Signal:
        """Track one product from its start until its result leaves; the signal is 1 while the result is at the
        outputs."""
        full, leaves = Signal(), Signal()
        m.d.comb += leaves.eq(full & turn & self.o.ready)
        with m.If(lane.done & enable):
            m.d.sync += full.eq(1)
        with m.If(start):
            m.d.sync += busy.eq(1)
        with m.If(leaves):
            m.d.sync += [busy.eq(0), full.eq(0)]
        return full
