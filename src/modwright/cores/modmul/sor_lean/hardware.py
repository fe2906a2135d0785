# SPDX-License-Identifier: Apache-2.0
"""The lean sum-of-residues multiplier in hardware.

A channel is one pipeline: product (or sum of two), accumulator, folds, result register. Its L registers count from
the operands at the multiplier blocks to the result register; for the last product the result queue takes the place of
the result register.

Registers by cycle, with the step of the schedule, for one multiplier and operands stored times their roots; N channels:

    cycle         step    register that holds the value from this cycle on
    L             γ       `r` of a channel: γ_i, n bits; in `gamma_k` until its round
    L + 1         α1      `alpha_sum`: the offset and the top bits of γ_1, then those of every γ_i
    2L            A1      `r`: γ_1·w_1, which nothing reads; `accumulator`, before it in the pipeline, sums the rounds
    2L + N - 1    z       result queue: all rounds and <-α·M>_p, reduced; n bits
"""

from __future__ import annotations

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....plan.pipeline import BLOCK, adder, place_registers
from ....plan.tiling import Tiling
from ....rtl.channel import SELECT
from ....rtl.control import rounds
from ....rtl.folding import fold, fold_delay, reduction
from ....rtl.multiplier import TiledMultiplier
from ....rtl.pipeline import delayed
from ....rtl.player import Player
from ....schedule import Schedule
from .parameters import LeanParameters


class LeanChannel(wiring.Component):
    """One channel.

    Attributes
    ----------
    x, y : in, n bits
        Operand residues, stored times their roots or plain; a plain y is wanted L cycles after x.
    gamma : in, one n-bit γ_i for each multiplier
    row : in
        Row of the table of corrections, in time for the first fold of the last product.
    second, weigh, group, keep, finish : in
        Control words of the schedule, in the cycle of issue.
    r : out, n bits
        Result, L cycles after the operands.
    z : out, n bits
        The same, one cycle before.
    """

    def __init__(self, p: LeanParameters, channel: int) -> None:
        self.p, self.channel = p, channel
        n = p.n
        self.tiling = Tiling(n, n, p.target, p.multipliers, open_rows=2)
        self.first = p.first_fold(channel)
        self.rest = reduction(p.rest_plan(channel), canonical_result=False)
        delays = [BLOCK, *self.tiling.delays, adder(3 * n // 2 + n // 4, 3)]
        delays += [fold_delay(self.first, 1), *(stage.delay for stage in self.rest)]
        end = frozenset({len(delays) - 1})
        self.registers = place_registers(delays, p.latency - 1, tail=SELECT, forced=end)
        super().__init__(
            {
                "x": In(n),
                "y": In(n),
                "gamma": In(data.ArrayLayout(n, p.multipliers)),
                "row": In(range(max(2, p.largest_index + 1))),
                "second": In(1),
                "weigh": In(1),
                "group": In(range(max(2, p.groups))),
                "keep": In(1),
                "finish": In(1),
                "r": Out(n),
                "z": Out(n),
            }
        )

    @property
    def before_sum(self) -> int:
        """Registers between the operands and the accumulator's adder."""
        return 1 + sum(self.registers[: 1 + self.tiling.levels])

    @property
    def before_fold(self) -> int:
        """Registers between the operands and the first fold."""
        return self.before_sum + self.registers[1 + self.tiling.levels]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        value = self._accumulate(m, self._product(m))
        stage = 2 + self.tiling.levels
        value = fold(m, self.first, value, "fold_0", self._correction(m), self.p.base.moduli[self.channel] - 1)
        for number, step in enumerate(self.rest):
            value = delayed(m, value, self.registers[stage + number], f"folded_{number}")
            value = step.apply(m, value, f"fold_{number + 1}")
        m.d.comb += self.z.eq(value)
        m.d.sync += self.r.eq(self.z)
        return m

    def _product(self, m: Module) -> Value:
        """x·y, or the γ_i·w_i of a round."""
        p = self.p
        m.submodules.product = product = TiledMultiplier(self.tiling, self.registers[: 1 + self.tiling.levels])
        for index in range(p.multipliers):
            ids = [group * p.multipliers + index for group in range(p.groups)]
            stored = [p.stored(p.weights[i], self.channel) if i < p.N else 0 for i in ids]
            weight = Array(Const(w, p.n) for w in stored)[self.group]
            x, y = self._operands() if index == 0 else (Const(0, p.n), Const(0, p.n))
            m.d.comb += [
                product.a[index].eq(Mux(self.weigh, self.gamma[index], x)),
                product.b[index].eq(Mux(self.weigh, weight, y)),
            ]
        return product.p + product.q

    def _operands(self) -> tuple[Value, Value]:
        """x and y; plain ones in two products, x·M^-1 and that by y."""
        if self.p.rooted:
            return self.x, self.y
        return Mux(self.second, self.r, self.x), Mux(self.second, self.y, self.p.base.inverses[self.channel])

    def _accumulate(self, m: Module, product: Value) -> Value:
        """Product, plus the sum before where `keep` says so; as a register or in front of it."""
        width = self.first.bound.bit_length()
        total, held = Signal(width, name="total"), Signal(width, name="accumulator")
        keep = delayed(m, self.keep, self.before_sum, "keep")
        m.d.comb += total.eq(product + Mux(keep, held, 0))
        m.d.sync += held.eq(total)
        registers = self.registers[1 + self.tiling.levels]
        return delayed(m, held, registers - 1, "sum") if registers else total

    def _correction(self, m: Module) -> Value:
        """<-αM>_p for the last sum, 0 for every other value that passes the first fold."""
        p = self.p
        table = Array(Const(p.stored(c, self.channel), p.n) for c in p.corrections)
        finish = delayed(m, self.finish, self.before_fold, "finish")
        value: Value = table[self.row]
        if self.before_fold > 1:
            ahead = Signal(p.n, name="correction")
            m.d.sync += ahead.eq(value)
            value = ahead
        return Mux(finish, value, 0)


class LeanDatapath(wiring.Component):
    """All channels, with α: takes x and y with `start`, gives z with `done`."""

    def __init__(self, p: LeanParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        residues = data.ArrayLayout(p.n, p.N)
        super().__init__({"start": In(1), "x": In(residues), "y": In(residues), "done": Out(1), "z": Out(residues)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        m.submodules.sequencer = control = Player(self.schedule.microcode)
        m.d.comb += [control.start.eq(self.start), self.done.eq(control.take)]
        channels = [LeanChannel(p, channel) for channel in range(p.N)]
        results = [c.r for c in channels]
        gammas = rounds(m, results, p.n, p.multipliers, load=control.load, shift=control.weigh, name="gamma")
        row = self._alpha(m, control, gammas)
        operands_y = self.y if p.rooted else self._held(m)
        for index, channel in enumerate(channels):
            m.submodules[f"channel_{index}"] = channel
            m.d.comb += [
                channel.x.eq(self.x[index]),
                channel.y.eq(operands_y[index]),
                channel.second.eq(control.field("second")),
                channel.row.eq(row),
                channel.weigh.eq(control.weigh),
                channel.group.eq(control.group),
                channel.keep.eq(control.keep),
                channel.finish.eq(control.finish),
                self.z[index].eq(channel.z),
                *(channel.gamma[k].eq(gamma) for k, gamma in enumerate(gammas)),
            ]
        return m

    def _held(self, m: Module) -> Value:
        """y, kept for the second product."""
        held = Signal.like(self.y, name="y_held")
        with m.If(self.start):
            m.d.sync += held.eq(self.y)
        return held

    def _alpha(self, m: Module, control: Player, gammas: list[Value]) -> Value:
        """(Σ tops + D) >> q, summed as the γ_i pass; a negative channel's top is complemented."""
        p = self.p
        total = Signal(range((p.largest_index + 1) << p.q), name="alpha_sum")
        terms = []
        for index, gamma in enumerate(gammas):
            ids = [group * p.multipliers + index for group in range(p.groups)]
            minus = Array(Const(i < p.N and p.negative[i], 1) for i in ids)[control.group]
            terms.append(gamma[p.n - p.q :] ^ minus.replicate(p.q))
        with m.If(control.weigh):
            m.d.sync += total.eq(Mux(control.load, p.offset, total) + sum(terms[1:], terms[0]))
        return total[p.q :]
