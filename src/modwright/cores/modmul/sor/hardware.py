# SPDX-License-Identifier: Apache-2.0
"""Sum-of-residues multipliers in hardware: Figures 1, 4 and 5 of Mehrabi 2019 and the fully parallel form.

Each channel holds the RNS multipliers' part for its modulus and an accumulator. α, κ and the γ_i are shared: γ_i goes
from its channel to all channels. Which product is made when comes from the schedule's control words.

Registers by cycle, with the step of the schedule, for one multiplier; the operands come in cycle 0, L is the latency of
a product, I the distance of two, N the number of channels:

    cycle                   step      register that holds the value from this cycle on
    L                       Z         last of a channel's multiplier: Z_i = <x·y>, below m_i
    2L                      γ         the same: γ_i = <Z_i·M_i^-1>, below m_i; in `gamma_k` until its round
    2L + 1                  α1        `alpha_sum`: D and the top q bits of γ_1, then those of every γ_i
    3L                      L1        last of the multiplier: <γ_1·w_1>; a round every I cycles
    3L + 1                  A1        `accumulator`: the same, then the sum of the rounds, below m_i
    3L + 1                  K1        `kappa_sum`: γ_1·K_1, then the sum of the rounds
    2L + (N - 1)·I + 2      <-αM>     `correction`: <-α·M>_p in this channel, below m_i
    3L + (N - 1)·I + 2      A+α       `accumulator`: the sum and the correction
    4L + (N - 1)·I + 1      κ·(-p)    last of the multiplier: <κ·(-p)>
    4L + (N - 1)·I + 2      z         result queue: z_i, below m_i; the accumulator is 0 again
"""

from __future__ import annotations

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....plan.pipeline import BLOCK, adder, place_registers
from ....plan.tiling import Tiling
from ....rtl.channel import ChannelMultiplier
from ....rtl.control import rounds
from ....rtl.folding import fold, modular_sum, reduction
from ....rtl.multiplier import TiledMultiplier
from ....rtl.player import Player
from ....schedule import Schedule
from .parameters import SorParameters
from .schedule import SELECT_GAMMA, SELECT_KAPPA, SELECT_WEIGHT


class SorChannel(wiring.Component):
    """One channel: its RNS multipliers and its accumulator.

    Attributes
    ----------
    x, y : in, n bits
        Operand residues, any representatives.
    gamma : in, one n-bit γ_i for each multiplier
    kappa : in, n bits
        κ in this channel, any representative.
    alpha : in, N values' index
        α.
    select, group, accumulate, take, add_alpha : in
        Control words of the schedule; `take` also clears the accumulator.
    r : out, n bits
        Result of the first multiplier, < m.
    z : out, n bits
        Accumulator plus the term that arrives in this cycle, < m.
    """

    def __init__(self, p: SorParameters, channel: int) -> None:
        self.p, self.channel = p, channel
        n = p.n
        super().__init__(
            {
                "x": In(n),
                "y": In(n),
                "gamma": In(data.ArrayLayout(n, p.multipliers)),
                "kappa": In(n),
                "alpha": In(range(max(2, p.N))),
                "select": In(2),
                "group": In(range(max(2, p.groups))),
                "accumulate": In(1),
                "take": In(1),
                "add_alpha": In(1),
                "r": Out(n),
                "z": Out(n),
            }
        )

    @property
    def m(self) -> int:
        """The modulus of the channel."""
        return self.p.base.moduli[self.channel]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        results = [self._multiplier(m, index) for index in range(self.p.multipliers)]
        m.d.comb += self.r.eq(results[0])
        self._accumulator(m, self._term(m, results))
        return m

    def _term(self, m: Module, results: list[Value]) -> Value:
        """Addend of one round: the only result, or the sum of all, a cycle later."""
        p = self.p
        if len(results) == 1:
            return results[0]
        if len(results) == 2:
            total: Value = modular_sum(m, p.n, p.base.u[self.channel], results[0], results[1], "pair")
        else:
            total = sum(results[1:], results[0])
        term = Signal((p.term_bound(self.channel)).bit_length(), name="term")
        m.d.sync += term.eq(total)
        return term

    def _multiplier(self, m: Module, index: int) -> Value:
        p, channel = self.p, self.channel
        unit = ChannelMultiplier(p.product_plan(channel), p.target, p.latency, canonical_result=True)
        m.submodules[f"multiplier_{index}"] = unit
        ids = [group * p.multipliers + index for group in range(p.groups)]
        weights = [p.stored(p.weights[i], channel) if i < p.N else 0 for i in ids]
        weight = Array(Const(w, p.n) for w in weights)[self.group]
        if index:
            wanted = self.select == SELECT_WEIGHT
            m.d.comb += [unit.a.eq(self.gamma[index]), unit.b.eq(Mux(wanted, weight, 0))]
            return unit.r
        with m.Switch(self.select):
            with m.Case(SELECT_GAMMA):
                m.d.comb += [unit.a.eq(unit.r), unit.b.eq(p.base.inverses[channel])]
            with m.Case(SELECT_WEIGHT):
                m.d.comb += [unit.a.eq(self.gamma[0]), unit.b.eq(weight)]
            with m.Case(SELECT_KAPPA):
                m.d.comb += [unit.a.eq(self.kappa), unit.b.eq(p.stored(-p.modulus, channel))]
            with m.Default():
                m.d.comb += [unit.a.eq(self.x), unit.b.eq(self.y)]
        return unit.r

    def _accumulator(self, m: Module, term: Value) -> None:
        """A <- A + term or A + <-αM>_p, canonical after every addition; z is what A would become."""
        p = self.p
        u = p.base.u[self.channel]
        held = Signal(p.n, name="accumulator")  # < m
        corrections = Array(Const(p.stored(c, self.channel), p.n) for c in p.corrections)
        correction = Signal(p.n)  # < m; follows α by one cycle
        m.d.sync += correction.eq(corrections[self.alpha])
        added = Mux(self.add_alpha, correction, term)
        if p.multipliers <= 2:
            m.d.comb += self.z.eq(modular_sum(m, p.n, u, held, added, "reduced"))
        else:
            plan = p.sum_plan(self.channel)
            value: Value = Signal(plan.bound.bit_length(), name="total")
            m.d.comb += value.eq(held + added)
            for number, stage in enumerate(reduction(plan, canonical_result=True)):
                value = stage.apply(m, value, f"reduced_{number}")
            m.d.comb += self.z.eq(value)
        with m.If(self.take):
            m.d.sync += held.eq(0)
        with m.Elif(self.accumulate):
            m.d.sync += held.eq(self.z)


class SorDatapath(wiring.Component):
    """All channels, with α and κ: takes x and y with `start`, gives z with `done`."""

    def __init__(self, p: SorParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        residues = data.ArrayLayout(p.n, p.N)
        super().__init__({"start": In(1), "x": In(residues), "y": In(residues), "done": Out(1), "z": Out(residues)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        m.submodules.sequencer = control = Player(self.schedule.microcode)
        m.d.comb += [control.start.eq(self.start), self.done.eq(control.take)]
        channels = [SorChannel(p, channel) for channel in range(p.N)]
        results = [c.r for c in channels]
        gammas = rounds(m, results, p.n, p.multipliers, load=control.load, shift=control.shift, name="gamma")
        kappa = self._kappa(m, control, gammas)
        alpha = self._alpha(m, control, gammas)
        for index, channel in enumerate(channels):
            m.submodules[f"channel_{index}"] = channel
            m.d.comb += [
                channel.x.eq(self.x[index]),
                channel.y.eq(self.y[index]),
                channel.kappa.eq(self._kappa_in_channel(m, kappa, index)),
                channel.alpha.eq(alpha),
                channel.select.eq(control.select),
                channel.group.eq(control.group),
                channel.accumulate.eq(control.accumulate),
                channel.take.eq(control.take),
                channel.add_alpha.eq(control.alpha),
                self.z[index].eq(channel.z),
                *(channel.gamma[k].eq(gamma) for k, gamma in enumerate(gammas)),
            ]
        return m

    def _alpha(self, m: Module, control: Player, gammas: list[Value]) -> Value:
        """floor((Σ floor(γ_i / 2^(n-q)) + D) / 2^q), summed as the γ_i pass."""
        p = self.p
        total = Signal(range(p.cox.largest_sum + 1), name="alpha_sum")
        tops = sum((gamma[p.n - p.q :] for gamma in gammas[1:]), gammas[0][p.n - p.q :])
        with m.If(control.shift):
            m.d.sync += total.eq(Mux(control.load, p.offset, total) + tops)
        return total[p.q :]

    def _kappa(self, m: Module, control: Player, gammas: list[Value]) -> Value:
        """floor(2^-T Σ γ_i·K_i): multiplied next to the channels, accumulated with them."""
        p = self.p
        tiling = Tiling(p.n, p.kappa_width, p.target, p.multipliers)
        extra = 0 if p.multipliers == 1 else 1  # the terms of the channels pass one more register, too
        registers = place_registers([BLOCK, *tiling.delays], p.latency - 1 + extra, tail=adder(p.n))
        unit = TiledMultiplier(tiling, registers)
        m.submodules.kappa_multiplier = unit
        for index, gamma in enumerate(gammas):
            ids = [group * p.multipliers + index for group in range(p.groups)]
            weights = Array(Const(p.kappa_weights[i] if i < p.N else 0, p.kappa_width) for i in ids)
            m.d.comb += [unit.a[index].eq(gamma), unit.b[index].eq(weights[control.group])]
        total = Signal(max(1, p.kappa_sum.bit_length()), name="kappa_sum")
        with m.If(control.clear_kappa):
            m.d.sync += total.eq(0)
        with m.Elif(control.accumulate_kappa):
            m.d.sync += total.eq(total + unit.p)
        return total[p.T :]

    def _kappa_in_channel(self, m: Module, kappa: Value, channel: int) -> Value:
        value = kappa
        for number, step in enumerate(self.p.kappa_plan(channel).folds):
            value = fold(m, step, value, f"kappa_{channel}_fold_{number}")
        return value
