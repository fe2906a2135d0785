# SPDX-License-Identifier: Apache-2.0
"""Sum-of-residues multipliers in hardware: Figures 1, 4 and 5 of Mehrabi 2019 and the fully parallel form.

Each channel holds the RNS multipliers' part for its modulus and an accumulator. α and κ are shared. The γ_i turn in a
ring, each from one channel to the next, so that every channel weighs all of them and no wire crosses the device; the
first channel has them in their order, and there α and κ are made. Control fields have a copy in each channel.

Registers by cycle, with the step of the schedule, for one multiplier; the operands come in cycle 0, L is the latency of
a product, I the distance of two, N the number of channels, a the cycles of an accumulator's adder, k those in which κ
comes into the channels:

    cycle                       step      register that holds the value from this cycle on
    L                           Z         last of a channel's multiplier: Z_i = <x·y>, below m_i
    2L                          γ         the same: γ_i = <Z_i·M_i^-1>, below m_i; in `gamma_j`, a ring, for all rounds
    2L + 1                      α1        `alpha_sum`: D and the top q bits of γ_1, then those of every γ_i
    3L                          L1        last of the multiplier: <γ_j·w_j> in channel j; a round every I cycles
    3L + a                      A1        `accumulator`: the same, then the sum of the rounds, below m_i
    3L + a                      K1        `kappa_sum`: γ_1·K_1, then the sum of the rounds
    2L + (N - 1)·I + 3          <-αM>     `correction`: <-α·M>_p in this channel, below m_i; from its copy of α
    3L + (N - 1)·I + a + 1      A+α       `accumulator`: the sum and the correction
    4L + (N - 1)·I + a + k      κ·(-p)    last of the multiplier: <κ·(-p)>
    4L + (N - 1)·I + 2a + k     z         result queue: z_i, below m_i; the accumulator is 0 again
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....plan.pipeline import BLOCK, SELECT, WAY, adder, place_registers
from ....plan.tiling import Tiling
from ....rtl.channel import BLOCK_INPUT, ChannelMultiplier
from ....rtl.control import datapath_members, ring
from ....rtl.copies import copied
from ....rtl.folding import modular_sum, pieces_of, pipelined, reduction
from ....rtl.multiplier import TiledMultiplier
from ....rtl.pipeline import delayed
from ....rtl.player import Player
from ....schedule import Schedule
from .parameters import SorParameters
from .schedule import SELECT_GAMMA, SELECT_KAPPA, SELECT_WEIGHT

TRAVEL = 1
"""Registers that a control field passes between the player and a channel: the player is as much ahead."""


class SorChannel(wiring.Component):
    """One channel: its RNS multipliers and its accumulator.

    Attributes
    ----------
    x, y : in, n bits
        Operand residues, any representatives.
    gamma : in, one n-bit γ_i for each multiplier
        Those that this channel weighs in the cycle of issue.
    kappa : in, the bits of the largest κ
        κ; `p.kappa_cycles` cycles later the operand of its product.
    alpha : in, N values' index
        α.
    select, load, shift, group, accumulate, take, alpha_added : in
        Control fields of the schedule, one cycle before the cycle in which their unit works; `take` also clears the
        accumulator.
    loads, shifts : out
        Two of them in the cycle of issue, for the channel's place in the ring of γ_i.
    r : out, n bits
        Result of the first multiplier, < m.
    z : out, n bits
        Accumulator plus the term that arrives in this cycle, < m.
    """

    def __init__(self, p: SorParameters, channel: int) -> None:
        self.p, self.channel = p, channel
        n = p.n
        self.fields = {"load": 1, "shift": 1, "accumulate": 1, "take": 1, "alpha_added": 1, "select": 2}
        self.fields |= {"group": (max(2, p.groups) - 1).bit_length()}
        super().__init__(
            {
                "x": In(n),
                "y": In(n),
                "gamma": In(data.ArrayLayout(n, p.multipliers)),
                "kappa": In(max(1, p.kappa_bound.bit_length())),
                "alpha": In(range(max(2, p.N))),
                **{name: In(width) for name, width in self.fields.items()},
                "loads": Out(1),
                "shifts": Out(1),
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
        control = {name: copied(m, getattr(self, name), self.p.target, f"copy_{name}") for name in self.fields}
        m.d.comb += [self.loads.eq(control["load"]), self.shifts.eq(control["shift"])]
        results = [self._multiplier(m, index, control) for index in range(self.p.multipliers)]
        m.d.comb += self.r.eq(results[0])
        self._accumulator(m, self._term(m, results), control)
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

    def _multiplier(self, m: Module, index: int, control: Mapping[str, Value]) -> Value:
        p, channel = self.p, self.channel
        unit = ChannelMultiplier(p.product_plan(channel), p.target, p.latency, canonical_result=True)
        m.submodules[f"multiplier_{index}"] = unit
        weight = Array(Const(w, p.n) for w in p.weights_in_turn(channel, index))[control["group"]]
        if index:
            wanted = control["select"] == SELECT_WEIGHT
            m.d.comb += [unit.a.eq(self.gamma[index]), unit.b.eq(Mux(wanted, weight, 0))]
            return unit.r
        kappa = self._kappa(m)
        with m.Switch(control["select"]):
            with m.Case(SELECT_GAMMA):
                m.d.comb += [unit.a.eq(unit.r), unit.b.eq(p.base.inverses[channel])]
            with m.Case(SELECT_WEIGHT):
                m.d.comb += [unit.a.eq(self.gamma[0]), unit.b.eq(weight)]
            with m.Case(SELECT_KAPPA):
                m.d.comb += [unit.a.eq(kappa), unit.b.eq(p.stored(-p.modulus, channel))]
            with m.Default():
                m.d.comb += [unit.a.eq(self.x), unit.b.eq(self.y)]
        return unit.r

    def _kappa(self, m: Module) -> Value:
        """κ as an operand of this channel: a copy of it, and its reduction with a register behind each piece."""
        pieces = pieces_of(reduction(self.p.kappa_plan(self.channel), canonical_result=False))
        cycles = self.p.kappa_cycles
        if not cycles:
            return pipelined(m, pieces, [0] * len(pieces), self.kappa, "kappa")
        near = copied(m, self.kappa, self.p.target, "copy_kappa")
        registers = [int(number < cycles) for number in range(1, 1 + len(pieces))]
        value = pipelined(m, pieces, registers, near, "kappa")
        return delayed(m, value, cycles - 1 - sum(registers), "kappa_held")

    def _accumulator(self, m: Module, term: Value, control: Mapping[str, Value]) -> None:
        """A <- A + term or A + <-αM>_p, canonical after every addition; z is what A would become."""
        p = self.p
        u = p.base.u[self.channel]
        held = Signal(p.n, name="accumulator")  # < m
        corrections = Array(Const(p.stored(c, self.channel), p.n) for c in p.corrections)
        row = copied(m, self.alpha, p.target, "copy_alpha")
        correction = Signal(p.n)  # < m; follows α by two cycles
        m.d.sync += correction.eq(corrections[row])
        added: Value = Mux(control["alpha_added"], correction, term)
        if p.multipliers == 1:
            added = delayed(m, added, p.adder - 1, "added")
        if p.multipliers <= 2:
            m.d.comb += self.z.eq(modular_sum(m, p.n, u, held, added, "reduced"))
        else:
            plan = p.sum_plan(self.channel)
            value: Value = Signal(plan.bound.bit_length(), name="total")
            m.d.comb += value.eq(held + added)
            for number, stage in enumerate(reduction(plan, canonical_result=True)):
                value = stage.apply(m, value, f"reduced_{number}")
            m.d.comb += self.z.eq(value)
        with m.If(control["take"]):
            m.d.sync += held.eq(0)
        with m.Elif(control["accumulate"]):
            m.d.sync += held.eq(self.z)


class SorDatapath(wiring.Component):
    """All channels, with α and κ: takes x and y with `start`, gives z with `done`."""

    def __init__(self, p: SorParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        m.submodules.sequencer = control = Player(self.schedule.microcode.ahead(TRAVEL))
        m.d.comb += [control.start.eq(self.start), self.done.eq(self._copy(m, control, "take"))]
        channels = [SorChannel(p, channel) for channel in range(p.N)]
        loads, shifts = [c.loads for c in channels], [c.shifts for c in channels]
        gammas = ring(m, [c.r for c in channels], p.multipliers, load=loads, shift=shifts, name="gamma")
        group = self._copy(m, control, "group")
        kappa = self._kappa(m, control, gammas[0], group)
        alpha = self._alpha(m, control, gammas[0], group)
        for index, channel in enumerate(channels):
            m.submodules[f"channel_{index}"] = channel
            m.d.comb += [
                channel.x.eq(self.x[index]),
                channel.y.eq(self.y[index]),
                channel.kappa.eq(kappa),
                channel.alpha.eq(alpha),
                *(getattr(channel, name).eq(control.field(name)) for name in channel.fields),
                self.z[index].eq(channel.z),
                *(channel.gamma[k].eq(gamma) for k, gamma in enumerate(gammas[index])),
            ]
        return m

    def _copy(self, m: Module, control: Player, name: str) -> Value:
        """A control field for what is not in a channel."""
        return copied(m, control.field(name), self.p.target, f"copy_{name}")

    def _alpha(self, m: Module, control: Player, gammas: list[Value], group: Value) -> Value:
        """floor((Σ floor(γ_i / 2^(n-q)) + D) / 2^q), summed as the γ_i pass the first channel."""
        p = self.p
        total = Signal(range(p.cox.largest_sum + 1), name="alpha_sum")
        tops = [gamma[p.n - p.q :] for gamma in gammas]
        for index in range(p.multipliers):
            if p.turns(index)[-1] is None:
                tops[index] = Mux(group == p.groups - 1, 0, tops[index])
        load, shift = self._copy(m, control, "load"), self._copy(m, control, "shift")
        with m.If(shift):
            m.d.sync += total.eq(Mux(load, p.offset, total) + sum(tops[1:], tops[0]))
        return total[p.q :]

    def _kappa(self, m: Module, control: Player, gammas: list[Value], group: Value) -> Value:
        """floor(2^-T Σ γ_i·K_i): multiplied next to the first channel, accumulated with the channels."""
        p = self.p
        tiling = Tiling(p.n, p.kappa_width, p.target, p.multipliers)
        stages = [SELECT, WAY, BLOCK, WAY, *tiling.delays]
        # The terms of the channels pass the registers of a two-cycle adder, too.
        registers = place_registers(
            stages, p.latency + p.adder - 1, tail=adder(p.kappa_sum.bit_length()), forced=frozenset({BLOCK_INPUT})
        )
        front, _, block, way, *levels = registers
        unit = TiledMultiplier(tiling, (block, *levels), way=way)
        m.submodules.kappa_multiplier = unit
        for index, gamma in enumerate(gammas):
            turns = p.turns(index)
            weights = Array(Const(0 if t is None else p.kappa_weights[t], p.kappa_width) for t in turns)
            m.d.comb += [
                unit.a[index].eq(delayed(m, gamma, front, f"kappa_a_{index}")),
                unit.b[index].eq(delayed(m, weights[group], front, f"kappa_b_{index}")),
            ]
        total = Signal(max(1, p.kappa_sum.bit_length()), name="kappa_sum")
        clear, accumulate = (self._copy(m, control, name) for name in ("clear_kappa", "accumulate_kappa"))
        with m.If(clear):
            m.d.sync += total.eq(0)
        with m.Elif(accumulate):
            m.d.sync += total.eq(total + unit.p)
        return total[p.T :]
