# SPDX-License-Identifier: Apache-2.0
"""Converters between binary numbers and residues, data paths for the schedules of `engines.residue.schedule`.

To residues, by cycle, with the step of the schedule; K digits of two operands:

    cycle     step      register that holds the value from this cycle on
    1         load      `operand_x`, `operand_y`: the operands; a digit leaves at the top every second cycle
    2         x0·u+d    `value_j`: r·u + d for the first digit, r = 0
    3         <x0>      `residue_j`: that, folded; x's and y's in turn
    2K + 2    hold x    `held_j`: residues of x; `residue_j`: those of y

From residues, counted from the start; N moduli:

    cycle    register that holds the value from this cycle on
    1        `xi_j`: ξ_j; they turn by a place with each product
    j + 2    `alpha_sum`: D and the top bits of ξ_0 to ξ_j, j < N
    j + 6    `total`: the products of the first row up to j, of ξ_j, then of α
    last     `result` and `reduced`: a digit each row, of the result and of that less p; `borrow` chooses
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....plan.pipeline import BLOCK, adder, place_registers
from ....plan.tiling import Tiling
from ....rns.conversion import FromResidues, ToResidues, split
from ....rtl.folding import fold, times
from ....rtl.multiplier import TiledMultiplier
from ....rtl.player import Player
from ....schedule import Schedule
from ..schedule import FROM_SCALED, PRODUCT_LATENCY


class ToResiduesDatapath(wiring.Component):
    """Data path: takes x (and y) with `start`, gives residues and `bad` with `done`.

    Attributes
    ----------
    x, y : in, bits of p
    done : out
        Pulse in the cycle of the schedule's step `residues`.
    rx, ry : out, N residues of n bits; any representatives
    bad : out
        Whether an operand is not below p.
    """

    def __init__(self, plan: ToResidues, schedule: Schedule) -> None:
        self.plan, self.schedule = plan, schedule
        self.names = "xy"[: plan.operands]
        residues = data.ArrayLayout(plan.base.width, plan.base.count)
        members = {"start": In(1), "done": Out(1), "bad": Out(1)}
        members |= {name: In(plan.modulus.bit_length()) for name in self.names}
        members |= {f"r{name}": Out(residues) for name in self.names}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.sequencer = control = Player(self.schedule.microcode)
        m.d.comb += [control.start.eq(self.start), self.done.eq(control.finish)]
        n = self.plan.base.width
        kept = {name: Signal(self.plan.digits * n, name=f"operand_{name}") for name in self.names}
        for name, register in kept.items():
            with m.If(self.start):
                m.d.sync += register.eq(getattr(self, name))
            with m.Elif(getattr(control, f"digit_{name}")):
                m.d.sync += register.eq(register << n)
        digits = {name: register[-n:] for name, register in kept.items()}
        digit = digits["x"] if len(digits) == 1 else Mux(control.digit_y, digits["y"], digits["x"])
        for channel in range(self.plan.base.count):
            self._channel(m, control, digit, channel)
        self._compare(m, control, digits)
        return m

    def _channel(self, m: Module, control: Player, digit: Value, channel: int) -> None:
        """Two cycles a digit: r·u + d, then its folds."""
        plan = self.plan.plan(channel)
        value = Signal(plan.bound.bit_length(), name=f"value_{channel}")
        residue = Signal(plan.width, name=f"residue_{channel}")
        m.d.sync += value.eq(times(Mux(control.first, 0, residue), plan.u) + digit)
        folded: Value = value
        for number, step in enumerate(plan.folds):
            folded = fold(m, step, folded, f"folded_{channel}_{number}")
        m.d.sync += residue.eq(folded)
        if self.plan.operands == 1:
            m.d.comb += self.rx[channel].eq(residue)
            return
        held = Signal(plan.width, name=f"held_{channel}")
        with m.If(control.hold):
            m.d.sync += held.eq(residue)
        m.d.comb += [self.rx[channel].eq(held), self.ry[channel].eq(residue)]

    def _compare(self, m: Module, control: Player, digits: dict[str, Value]) -> None:
        """Each operand against p, digit by digit from the top: the first difference decides."""
        n = self.plan.base.width
        limits = Array(Const(d, n) for d in split(self.plan.modulus, n, self.plan.digits))
        limit = limits[control.index]
        bad: list[Value] = []
        for name, digit in digits.items():
            below, equal = Signal(name=f"{name}_below"), Signal(name=f"{name}_equal")
            with m.If(getattr(control, f"digit_{name}")):
                m.d.sync += [
                    below.eq((~control.first & below) | ((control.first | equal) & (digit < limit))),
                    equal.eq((control.first | equal) & (digit == limit)),
                ]
            bad.append(~below)
        if self.plan.operands == 2:
            held = Signal(name="x_bad")
            with m.If(control.hold):
                m.d.sync += held.eq(bad[0])
            bad[0] = held
        m.d.comb += self.bad.eq(Cat(*bad).any())


class FromResiduesDatapath(wiring.Component):
    """Data path: takes ξ with `start`, gives the binary number with `done`.

    Attributes
    ----------
    xi : in, N values of n bits
    done : out
        Pulse in the cycle of the schedule's step `binary`.
    z : out
        Result, below p when the plan is exact, else below the plan's bound.
    """

    def __init__(self, plan: FromResidues, schedule: Schedule, target: str) -> None:
        self.plan, self.schedule, self.target = plan, schedule, target
        scaled = data.ArrayLayout(plan.base.width, plan.base.count)
        super().__init__({"start": In(1), "xi": In(scaled), "done": Out(1), "z": Out(plan.width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.sequencer = control = Player(self.schedule.microcode)
        m.d.comb += [control.start.eq(self.start), self.done.eq(control.finish)]
        head = self._ring(m, control)
        alpha = self._alpha(m, control, head)
        kappa = Signal(max(1, self.plan.largest_kappa.bit_length()), name="kappa")
        factor = Array([head, alpha, kappa])[control.source]
        total = self._sum(m, control, factor)
        with m.If(control.keep_kappa):
            m.d.sync += kappa.eq(total >> self.plan.digit)
        self._emit(m, control, total[: self.plan.digit])
        return m

    def _ring(self, m: Module, control: Player) -> Value:
        """Ring of the ξ_j, which turns once a row."""
        width, count = self.plan.base.width, self.plan.base.count
        ring = [Signal(width, name=f"xi_{j}") for j in range(count)]
        turn = control.multiply & (control.source == FROM_SCALED)
        for j, register in enumerate(ring):
            with m.If(self.start):
                m.d.sync += register.eq(self.xi[j])
            with m.Elif(turn):
                m.d.sync += register.eq(ring[(j + 1) % count])
        return ring[0]

    def _alpha(self, m: Module, control: Player, head: Value) -> Value:
        """Estimate α = floor((Σ tops + D) / 2^f), summed in the first row."""
        cox = self.plan.cox
        total = Signal(range(cox.largest_sum + 1), name="alpha_sum")
        with m.If(control.sum_alpha):
            m.d.sync += total.eq(Mux(control.first_alpha, cox.offset, total) + head[-cox.f :])
        return total[cox.f :]

    def _sum(self, m: Module, control: Player, factor: Value) -> Value:
        """Sum of the row's products and the carry of the previous row."""
        plan = self.plan
        tiling = Tiling(plan.factor_width, plan.digit, self.target)
        registers = place_registers([BLOCK, *tiling.delays], PRODUCT_LATENCY - 1, tail=adder(tiling.sum_width))
        m.submodules.multiplier = unit = TiledMultiplier(tiling, registers)
        digits = Array(Const(d, plan.digit) for row in plan.table for d in row)
        m.d.comb += [unit.a[0].eq(factor), unit.b[0].eq(digits[control.address])]
        products = plan.base.count + 2
        bound = 2 * products << tiling.sum_width  # a row's products and a carry that is smaller than they are
        total = Signal(bound.bit_length(), name="total")
        carried = Mux(control.fresh, 0, total >> plan.digit)
        with m.If(control.accumulate):
            m.d.sync += total.eq(Mux(control.begin, carried, total) + unit.p)
        return total

    def _emit(self, m: Module, control: Player, digit: Value) -> None:
        """Shift digits into the result register, and those less p into another; at the end the borrow chooses."""
        plan = self.plan
        d = plan.digit
        result, reduced = Signal(plan.rows * d), Signal(plan.rows * d)
        borrow = Signal()
        limits = Array(Const(x, d) for x in split(plan.modulus, d, plan.rows))
        difference = Signal(d + 1)
        m.d.comb += difference.eq(digit - limits[control.row] - Mux(control.emit_first, 0, borrow))
        with m.If(control.emit):
            m.d.sync += [
                result.eq(Cat(result[d:], digit)),
                reduced.eq(Cat(reduced[d:], difference[:d])),
                borrow.eq(difference[d]),
            ]
        m.d.comb += self.z.eq(Mux(borrow, result, reduced) if plan.exact else result)
