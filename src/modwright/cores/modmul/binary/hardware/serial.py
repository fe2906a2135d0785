# SPDX-License-Identifier: Apache-2.0
"""The serial binary multiplier: one limb multiplier, accumulators, a small memory, a control word for each product.

Registers by cycle, with the step of the schedule; D cycles from a product's word to the product:

    cycle    step                register that holds the value from this cycle on
    1        input               operands as they come, in every cycle
    2        load                x and y; control starts
    D + 2    product 0.0         last of the multiplier: the first product, a number for each column of digits
    D + 3    product 0.0 +       `digit_k`: the sum of a column of limbs so far, digit by digit
    D + 4    product 0.0 limb    `limb`: the limb of the first column, W bits; `over`, `carry`: for the next
    D + 5    word 0              memory: the limb
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring

from .....rtl.control import StreamCore, datapath_members
from .....rtl.copies import copied
from .....rtl.multiplier import ColumnMultiplier
from .....rtl.pipeline import delayed
from .....rtl.player import Player
from .....schedule import Schedule
from ..parameters.serial import SerialParameters
from ..schedule.serial import multiplier_latency
from .comparison import above_or_equal, compare

NARROW = 36
"""Widest sum of a single carry chain, in bits: two digits of a block; a longer one would limit the clock rate."""


class SerialDatapath(wiring.Component):
    """Product x·y mod p without streams.

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
        started = Signal()
        m.d.sync += started.eq(self.start)
        code = self.schedule.microcode
        m.submodules.sequencer = self.control = Player(replace(code, words=code.words[1:]))  # a cycle later
        m.d.comb += self.control.start.eq(started)
        limb = Signal(self.p.limb)  # of the column that was finished
        operands = {name: Signal(self.p.width, name=f"{name}_input") for name in ("x", "y")}
        m.d.sync += [register.eq(getattr(self, name)) for name, register in operands.items()]
        left, right = self._operands(m, started, operands, limb)
        self._add_limb(m, self._accumulate(m, self._multiply(m, left, right)), limb)
        begin, out, end = (self._follow(m, name, 2) for name in ("begin_result", "out", "end_result"))
        bad = self._not_reduced(m, started, operands, begin)
        m.d.comb += [
            self.z.eq(Mux(bad, 0, self._results(m, limb, out))),
            self.error.eq(bad),
            self.done.eq(delayed(m, end, 1, "done")),
        ]
        return m

    def _field(self, name: str) -> Value:
        """A control field in the cycle of a product's issue; 0 for a field that no word of the schedule sets."""
        return self.control.field(name)

    def _follow(self, m: Module, name: str, after: int) -> Value:
        """A control field, `after` cycles after its product has reached the accumulator."""
        return delayed(m, self._field(name), multiplier_latency(self.p) + after, name)

    def _operands(self, m: Module, started: Value, operands: Mapping[str, Value], limb: Value) -> tuple[Value, Value]:
        """The two limbs that are multiplied next, a cycle after control names them.

        Operands wait in registers that load always, so that the way of the handshake ends in front of them.
        """
        p = self.p
        x, y = Signal(p.full, name="x_held"), Signal(p.full, name="y_held")  # y_held = y·2^k
        with m.If(started):
            m.d.sync += [x.eq(operands["x"]), y.eq(operands["y"] << p.shift)]
        constants = Array(Const(c, p.limb) for c in (*p.constants, 0))
        left = self._either(m, "stored", self._memory(m, limb), self._limbs(x)[self._field("x_limb")])
        right = self._either(m, "fixed", constants[self._field("constant")], self._limbs(y)[self._field("y_limb")])
        return left, right

    def _either(self, m: Module, name: str, one: Value, other: Value) -> Value:
        """Choose `one` if the control field is set, else `other`; both are registered, and the choice is in the next
        cycle."""
        held = [Signal(self.p.limb, name=f"{name}_{n}") for n in (1, 0)]
        m.d.sync += [held[0].eq(one), held[1].eq(other)]
        return Mux(delayed(m, self._field(name), 1, name), *held)

    def _limbs(self, value: Value) -> Array[Value]:
        p = self.p
        return Array(value[low : low + p.limb] for low in range(0, p.full, p.limb))

    def _memory(self, m: Module, limb: Value) -> Value:
        """Word at the address `word` of the memory, to which the schedule writes limbs."""
        if not self.p.words:
            return Const(0, self.p.limb)
        m.submodules.words = store = memory.Memory(shape=self.p.limb, depth=self.p.words, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(self._follow(m, "write", 2)),
            write.addr.eq(self._follow(m, "address", 2)),
            write.data.eq(limb),
            read.addr.eq(self._field("word")),
        ]
        return read.data

    def _multiply(self, m: Module, left: Value, right: Value) -> list[Value]:
        """Columns of the product."""
        m.submodules.multiplier = unit = ColumnMultiplier(self.p.columns, self.p.target)
        m.d.comb += [unit.a.eq(left), unit.b.eq(right)]
        return [unit.columns[k] for k in range(len(self.p.columns.columns))]

    def _accumulate(self, m: Module, columns: list[Value]) -> list[Signal]:
        """Sums of a column of limbs, digit by digit; those of the next begin with what lies above this one's limb.

        Each digit has copies of the control fields, so that none has to reach all of them in a cycle.
        """
        p, count = self.p, self.p.columns.digits
        sums = [Signal(range(bound + 1), name=f"digit_{k}") for k, bound in enumerate(p.digit_bounds)]
        fields = Cat(self._field(name) for name in ("add", "begin_column", "begin_pass"))
        ahead = delayed(m, fields, multiplier_latency(p) - 1, "fields")
        for k, (digit, column) in enumerate(zip(sums, columns, strict=True)):
            add, begin_column, begin_pass = copied(m, ahead, p.target, f"control_{k}")
            left = sums[count + k] << p.columns.surplus if k < count else Const(0, 1)
            base = Signal.like(digit, name=f"base_{k}")
            m.d.comb += base.eq(Mux(begin_pass, 0, Mux(begin_column, left, digit)))
            with m.If(add):
                m.d.sync += digit.eq(base + column)
        return sums

    def _add_limb(self, m: Module, sums: list[Signal], limb: Value) -> None:
        """Add up the digits of a limb once their column has ended, with what the limb below has left.

        That is `over`, the part of its highest digit above the limb, and `carry`. Low and high part of each digit lie
        in two rows.
        """
        p, digit, highest = self.p, self.p.columns.digit, sums[self.p.columns.digits - 1]
        inside = digit - p.columns.surplus  # bits of the highest digit in the limb
        over, carry = Signal(len(highest) - inside, name="over"), Signal(range(p.carry_bound + 1), name="carry")
        parts: list[tuple[int, Value]] = [(0, over)]
        for k, total in enumerate(sums[: p.columns.digits - 1]):
            parts += [(k * digit, total[:digit]), ((k + 1) * digit, total[digit:])]
        rows = _rows([*parts, (p.limb - inside, highest[:inside])])
        total = _sum(m, "limb", rows, carry, p.limb)
        m.d.sync += limb.eq(total[: p.limb])
        end_column, end_pass = self._follow(m, "end_column", 1), self._follow(m, "end_pass", 1)
        with m.If(end_column):
            m.d.sync += [
                over.eq(Mux(end_pass, 0, highest[inside:])),
                carry.eq(Mux(end_pass, 0, total[p.limb :])),
            ]

    def _not_reduced(self, m: Module, started: Value, operands: Mapping[str, Value], begin: Value) -> Value:
        """Flag of x ≥ p or y ≥ p, computed in two cycles and stored from the first limb of the result on."""
        flags = [compare(operand, self.p.modulus) for operand in operands.values()]
        held = [Signal(len(f), name=f"flags_{n}") for n, f in enumerate(flags)]
        fresh, compared, kept = (Signal(name=name) for name in ("not_reduced", "compared", "error_held"))
        m.d.sync += [h.eq(f) for h, f in zip(held, flags, strict=True)]
        m.d.sync += compared.eq(started)
        with m.If(compared):
            m.d.sync += fresh.eq(above_or_equal(held[0]) | above_or_equal(held[1]))
        with m.If(begin):
            m.d.sync += kept.eq(fresh)
        return kept

    def _results(self, m: Module, limb: Value, out: Value) -> Value:
        """Result r - j·P for the largest j that leaves it non-negative, without the k zeros of the normalisation.

        r - j·P is the sum of r, the complement of j·P and 1, limb by limb; a carry from the top says that it is not
        negative.
        """
        p = self.p
        column, begin = self._follow(m, "limb", 1), self._follow(m, "begin_result", 1)  # a cycle ahead of the limb
        result = self._limbs_of_result(m, 0, limb, out)
        for j in range(1, p.subtractions + 1):
            complements = Array(Const(~c, p.limb) for c in p.limbs_of(j * p.normal, p.limbs + 1))
            complement = Signal(p.limb, name=f"complement_{j}")
            m.d.sync += complement.eq(complements[column])
            carry = Signal(name=f"result_carry_{j}")  # into the next limb; 1 into the lowest
            fits = Signal(name=f"fits_{j}")  # r >= j·P, by the limbs so far
            difference = _sum(m, f"difference_{j}", [limb, complement], carry, p.limb)
            with m.If(begin | out):
                m.d.sync += carry.eq(begin | difference[p.limb])
            with m.If(out):
                m.d.sync += fits.eq(difference[p.limb])
            result = Mux(fits, self._limbs_of_result(m, j, difference[: p.limb], out), result)
        return result[p.shift :]

    def _limbs_of_result(self, m: Module, j: int, limb: Value, out: Value) -> Value:
        """The n low limbs of r - j·P, which come one by one in the cycles of `out`, and last the one above them."""
        kept, top = Signal(self.p.full, name=f"result_{j}"), Signal(self.p.limb, name=f"top_{j}")
        with m.If(out):
            m.d.sync += Cat(kept, top).eq(Cat(kept, top, limb)[self.p.limb :])
        return kept


def _rows(parts: list[tuple[int, Value]]) -> list[Value]:
    """Parts with their first bits, in as few rows as their overlap allows: first fit by the first bit."""
    rows: list[list[Value]] = []
    ends: list[int] = []
    for low, value in sorted((part for part in parts if len(part[1])), key=lambda part: part[0]):
        row = next((n for n, end in enumerate(ends) if end <= low), len(rows))
        if row == len(rows):
            rows.append([])
            ends.append(0)
        rows[row] += [Const(0, low - ends[row]), value]
        ends[row] = low + len(value)
    return [Cat(*row) for row in rows]


def _sum(m: Module, name: str, rows: list[Value], carry: Value, width: int) -> Value:
    """Sum of rows of `width` bits and a carry, with the carries out of it on top.

    Two rows and a bit are added in two halves, the upper one for both carries (carry-select), so that no chain is
    longer than half of them; a narrow sum and one of more rows are left to synthesis.
    """
    if width <= NARROW or len(rows) > 2 or len(carry) > 1:
        total = Signal(width + len(carry), name=f"{name}_sum")
        m.d.comb += total.eq(sum(rows, carry))
        return total
    half = width // 2
    low = Signal(half + 2, name=f"{name}_low")  # a bit below, in which the carry comes in
    high = [Signal(width - half + 2, name=f"{name}_high_{n}") for n in (0, 1)]
    one, other = rows
    m.d.comb += low.eq(Cat(Const(1, 1), one[:half]) + Cat(carry, other[:half]))
    m.d.comb += [h.eq(Cat(Const(1, 1), one[half:]) + Cat(Const(n, 1), other[half:])) for n, h in enumerate(high)]
    return Cat(low[1:-1], Mux(low[-1], high[1][1:], high[0][1:]))


def build(p: SerialParameters, schedule: Schedule) -> StreamCore:
    """The core with its streams."""
    return StreamCore(p.i, p.o, schedule, SerialDatapath(p, schedule))
