# SPDX-License-Identifier: Apache-2.0
"""The serial binary multiplier: one limb multiplier, one accumulator, a small memory, a control word for each product.

Registers by cycle, with the step of the schedule; D cycles from a product's word to the product:

    cycle    step             register that holds the value from this cycle on
    1        load             x and y
    D + 1    product 0.0      last of the multiplier: the first product, 2W bits
    D + 2    product 0.0 +    `accumulator`: the sum of a column so far
    D + 3    word 0           memory: the limb of the first column, W bits
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring

from .....plan.tiling import Tiling
from .....rtl.control import StreamCore, datapath_members
from .....rtl.multiplier import TiledMultiplier
from .....rtl.pipeline import delayed
from .....rtl.player import Player
from .....schedule import Schedule
from ..parameters.serial import SerialParameters
from ..schedule.serial import multiplier_latency, registers_of
from .comparison import above_or_equal, compare


class SerialDatapath(wiring.Component):
    """x·y mod p without streams.

    Attributes
    ----------
    start : in
        The operands are given in this cycle, at least the schedule's interval after the last ones.
    x, y : in, w bits
    done : out
        The result is given in this cycle, the schedule's latency - 1 cycles after its operands.
    z : out, w bits
    error : out
        An operand was not below p.
    """

    def __init__(self, p: SerialParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.sequencer = self.control = Player(self.schedule.microcode)
        m.d.comb += self.control.start.eq(self.start)
        limb = Signal(self.p.limb)  # of the column that was finished
        left, right = self._operands(m, limb)
        self._accumulate(m, self._multiply(m, left, right), limb)
        begin, out, end = (self._follow(m, name, 1) for name in ("begin_result", "out", "end_result"))
        bad = self._not_reduced(m, begin)
        m.d.comb += [
            self.z.eq(Mux(bad, 0, self._results(m, limb, begin, out))),
            self.error.eq(bad),
            self.done.eq(delayed(m, end, 1, "done")),
        ]
        return m

    def _field(self, name: str) -> Value:
        """A control field with the issue of a product; one that no word of the schedule sets is 0."""
        return self.control.field(name)

    def _follow(self, m: Module, name: str, after: int) -> Value:
        """A control field, `after` cycles after its product has reached the accumulator."""
        return delayed(m, self._field(name), multiplier_latency(self.p) + after, name)

    def _operands(self, m: Module, limb: Value) -> tuple[Value, Value]:
        """The two limbs that are multiplied next, a cycle after control names them."""
        p = self.p
        x, y = Signal(p.full, name="x_held"), Signal(p.full, name="y_held")  # y_held = y·2^k
        with m.If(self.start):
            m.d.sync += [x.eq(self.x), y.eq(self.y << p.shift)]
        constants = Array(Const(c, p.limb) for c in (*p.constants, 0))
        index = self._field("right")
        left = self._either(m, "stored", self._memory(m, limb), self._limbs(x)[self._field("left")])
        right = self._either(m, "constant", constants[index], self._limbs(y)[index])
        return left, right

    def _either(self, m: Module, name: str, one: Value, other: Value) -> Value:
        """`one` if the control field is set, else `other`; both registered, the choice is left to the next cycle."""
        held = [Signal(self.p.limb, name=f"{name}_{n}") for n in (1, 0)]
        m.d.sync += [held[0].eq(one), held[1].eq(other)]
        return Mux(delayed(m, self._field(name), 1, name), *held)

    def _limbs(self, value: Value) -> Array[Value]:
        p = self.p
        return Array(value[low : low + p.limb] for low in range(0, p.full, p.limb))

    def _memory(self, m: Module, limb: Value) -> Value:
        """The word that `left` names; limbs are written as the schedule says."""
        if not self.p.words:
            return Const(0, self.p.limb)
        m.submodules.words = store = memory.Memory(shape=self.p.limb, depth=self.p.words, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(self._follow(m, "write", 1)),
            write.addr.eq(self._follow(m, "address", 1)),
            write.data.eq(limb),
            read.addr.eq(self._field("left")),
        ]
        return read.data

    def _multiply(self, m: Module, left: Value, right: Value) -> Value:
        p = self.p
        unit = TiledMultiplier(Tiling(p.limb, p.limb, p.target), registers_of(p, p.target))
        m.submodules.multiplier = unit
        m.d.comb += [unit.a[0].eq(left), unit.b[0].eq(right)]
        return unit.p

    def _accumulate(self, m: Module, product: Value, limb: Value) -> None:
        """Products of a column add up; its last one gives the limb and leaves the carry for the next column.

        The accumulator is low + into_low + 2^W·(high + into_high): carries between its halves wait for the next
        product, so no carry chain is longer than a half, and what the next column starts from is chosen behind the
        adders, where control is in time.
        """
        w = self.p.limb
        low, high = Signal(w, name="low"), Signal((self.p.accumulator_bound >> w).bit_length(), name="high")
        into_low, into_high = Signal(name="into_low"), Signal(name="into_high")
        low_sum, high_sum = Signal(w + 1, name="low_sum"), Signal.like(high, name="high_sum")
        end_column, end_pass = self._follow(m, "end_column", 0), self._follow(m, "end_pass", 0)
        m.d.comb += [
            low_sum.eq(low + product[:w] + into_low),
            high_sum.eq(high + product[w:] + into_high),
        ]
        with m.If(self._follow(m, "add", 0)):
            m.d.sync += [
                low.eq(Mux(end_pass, 0, Mux(end_column, high_sum, low_sum))),
                high.eq(Mux(end_pass, 0, Mux(end_column, high_sum >> w, high_sum))),
                into_low.eq(low_sum[w] & end_column & ~end_pass),
                into_high.eq(low_sum[w] & ~end_column),
                limb.eq(low_sum),
            ]

    def _not_reduced(self, m: Module, begin: Value) -> Value:
        """Whether x ≥ p or y ≥ p, found in two cycles and kept from the first limb of the result on."""
        flags = [compare(operand, self.p.modulus) for operand in (self.x, self.y)]
        held = [Signal(len(f), name=f"flags_{n}") for n, f in enumerate(flags)]
        fresh, started, kept = (Signal(name=name) for name in ("not_reduced", "started", "error_held"))
        m.d.sync += [h.eq(f) for h, f in zip(held, flags, strict=True)]
        m.d.sync += started.eq(self.start)
        with m.If(started):
            m.d.sync += fresh.eq(above_or_equal(held[0]) | above_or_equal(held[1]))
        with m.If(begin):
            m.d.sync += kept.eq(fresh)
        return kept

    def _results(self, m: Module, limb: Value, begin: Value, out: Value) -> Value:
        """r - j·P for the largest j that leaves it non-negative, without the k zeros of the normalisation."""
        p = self.p
        column = self._follow(m, "limb", 1)
        result: Value = Const(0, p.full)
        for j in range(p.subtractions + 1):
            subtrahend = Array(Const(c, p.limb) for c in p.limbs_of(j * p.normal, p.limbs + 1))[column]
            kept = Signal(p.full, name=f"result_{j}")  # the n low limbs
            top = Signal(p.limb, name=f"top_{j}")  # the limb above them
            borrow = Signal(name=f"borrow_{j}")  # r < j·P
            difference = Signal(p.limb + 1, name=f"difference_{j}")
            m.d.comb += difference.eq(limb - subtrahend - Mux(begin, 0, borrow))
            with m.If(out):
                m.d.sync += [Cat(kept, top).eq(Cat(kept, top, difference[: p.limb])[p.limb :])]
                m.d.sync += borrow.eq(difference[p.limb])
            result = Mux(borrow, result, kept) if j else kept
        return result[p.shift :]


def build(p: SerialParameters, schedule: Schedule) -> StreamCore:
    """The core with its streams."""
    return StreamCore(p.i, p.o, schedule, SerialDatapath(p, schedule))
