# SPDX-License-Identifier: Apache-2.0
"""The lean sum-of-residues multiplier in hardware.

A channel is one pipeline: product (or sum of two), accumulator, folds, result register. Its L registers count from
the choice of the operands to the result register; for the last product the result queue takes the place of the result
register. The γ_i turn in a ring, each from one channel to the next, so that every channel weighs all of them and no
wire crosses the device; the first channel has them in their order, and there α is made. Control fields have a copy in
each channel.

Registers by cycle, with the step of the schedule, for one multiplier and operands stored times their roots; N channels:

    cycle         step    register that holds the value from this cycle on
    L             γ       `r` of a channel: γ_i, n bits; in `gamma_i`, a ring, until every channel had it
    L + 1         α1      `alpha_sum`: the offset and the top bits of γ_1, then those of every γ_i
    2L            A1      `r`: γ_j·w_j in channel j, which nothing reads; `accumulator`, before it in the pipeline, sums
    2L + N - 1    z       result queue: all rounds and <-α·M>_p, reduced; n bits
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....plan.pipeline import BLOCK, SELECT, WAY, adder, place_registers
from ....plan.tiling import Tiling
from ....rtl.channel import BLOCK_INPUT
from ....rtl.control import datapath_members, ring
from ....rtl.copies import copied
from ....rtl.folding import Piece, folding, pieces_of, pipelined, reduction
from ....rtl.multiplier import TiledMultiplier
from ....rtl.pipeline import delayed
from ....rtl.player import Player
from ....schedule import Schedule
from .parameters import LeanParameters

TRAVEL = 1
"""Registers that a control field passes between the player and a channel: the player is as much ahead."""


class LeanChannel(wiring.Component):
    """One channel.

    Attributes
    ----------
    x, y : in, n bits
        Operand residues, stored times their roots or plain; a plain y is wanted L cycles after x.
    gamma : in, one n-bit γ_i for each multiplier
        Those that this channel weighs in the cycle of issue.
    row : in
        Row of the table of corrections, for the last product.
    second, load, weigh, group, keep, finish : in
        Control fields of the schedule, one cycle before the cycle of issue.
    loads, weighs : out
        Two of them in the cycle of issue, for the channel's place in the ring of γ_i.
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
        stages = [SELECT, WAY, BLOCK, WAY, *self.tiling.delays, adder(3 * n // 2 + n // 4, 3)]
        stages += [piece.delay for piece in self._pieces(Const(0, n))]
        ends = frozenset({BLOCK_INPUT, len(stages) - 1})
        self.registers = place_registers(stages, p.latency, tail=0.0, forced=ends)
        self.fields = {"second": 1, "load": 1, "weigh": 1, "keep": 1, "finish": 1}
        self.fields |= {"group": (max(2, p.groups) - 1).bit_length()}
        super().__init__(
            {
                "x": In(n),
                "y": In(n),
                "gamma": In(data.ArrayLayout(n, p.multipliers)),
                "row": In(range(max(2, p.largest_index + 1))),
                **{name: In(width) for name, width in self.fields.items()},
                "loads": Out(1),
                "weighs": Out(1),
                "r": Out(n),
                "z": Out(n),
            }
        )

    def _pieces(self, addend: Value) -> list[Piece]:
        """The reduction; the first fold takes the correction along."""
        first = folding(self.first, addend, self.p.base.moduli[self.channel] - 1)
        return pieces_of([first, *reduction(self.p.rest_plan(self.channel), canonical_result=False)])

    @property
    def before_sum(self) -> int:
        """Registers between the operands and the accumulator's adder."""
        return sum(self.registers[: 4 + self.tiling.levels])

    @property
    def before_fold(self) -> int:
        """Registers between the operands and the first fold."""
        return self.before_sum + self.registers[4 + self.tiling.levels]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        control = {name: copied(m, getattr(self, name), self.p.target, f"copy_{name}") for name in self.fields}
        m.d.comb += [self.loads.eq(control["load"]), self.weighs.eq(control["weigh"])]
        total = self._accumulate(m, self._product(m, control), control["keep"])
        *inner, end = self.registers[5 + self.tiling.levels :]
        pieces = self._pieces(self._correction(m, control["finish"]))
        m.d.comb += self.z.eq(pipelined(m, pieces, (*inner, 0), total, "fold"))
        m.d.sync += self.r.eq(delayed(m, self.z, end - 1, "ended"))
        return m

    def _product(self, m: Module, control: Mapping[str, Value]) -> Value:
        """x·y, or the γ_i·w_i of a round."""
        p, front = self.p, self.registers[0]
        inside = (self.registers[2], *self.registers[4 : 4 + self.tiling.levels])
        m.submodules.product = product = TiledMultiplier(self.tiling, inside, way=self.registers[3])
        for index in range(p.multipliers):
            weight = Array(Const(w, p.n) for w in p.weights_in_turn(self.channel, index))[control["group"]]
            x, y = self._operands(control["second"]) if index == 0 else (Const(0, p.n), Const(0, p.n))
            a = Mux(control["weigh"], self.gamma[index], x)
            b = Mux(control["weigh"], weight, y)
            m.d.comb += [
                product.a[index].eq(delayed(m, a, front, f"a_{index}")),
                product.b[index].eq(delayed(m, b, front, f"b_{index}")),
            ]
        return product.p + product.q

    def _operands(self, second: Value) -> tuple[Value, Value]:
        """x and y; plain ones in two products, x·M^-1 and that by y."""
        if self.p.rooted:
            return self.x, self.y
        return Mux(second, self.r, self.x), Mux(second, self.y, self.p.base.inverses[self.channel])

    def _accumulate(self, m: Module, product: Value, keep: Value) -> Value:
        """Product, plus the sum before where `keep` says so; as a register or in front of it."""
        width = self.first.bound.bit_length()
        total, held = Signal(width, name="total"), Signal(width, name="accumulator")
        keep = delayed(m, keep, self.before_sum, "keep_held")
        m.d.comb += total.eq(product + Mux(keep, held, 0))
        m.d.sync += held.eq(total)
        registers = self.registers[4 + self.tiling.levels]
        return delayed(m, held, registers - 1, "sum") if registers else total

    def _correction(self, m: Module, finish: Value) -> Value:
        """<-αM>_p for the last sum, 0 for every other value that passes the first fold.

        α is complete one cycle after the issue of the last product: what is left before the first fold has room for a
        copy of the row, and for a register behind the table.
        """
        p = self.p
        room = self.before_fold - 1
        row = copied(m, self.row, p.target, "copy_row") if room > 1 else self.row
        value: Value = Array(Const(p.stored(c, self.channel), p.n) for c in p.corrections)[row]
        value = delayed(m, value, min(1, room), "correction")
        return Mux(delayed(m, finish, self.before_fold, "finish_held"), value, 0)


class LeanDatapath(wiring.Component):
    """All channels, with α: takes x and y with `start`, gives z with `done`."""

    def __init__(self, p: LeanParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        m.submodules.sequencer = control = Player(self.schedule.microcode.ahead(TRAVEL))
        m.d.comb += [control.start.eq(self.start), self.done.eq(copied(m, control.take, p.target, "copy_take"))]
        channels = [LeanChannel(p, channel) for channel in range(p.N)]
        loads, weighs = [c.loads for c in channels], [c.weighs for c in channels]
        gammas = ring(m, [c.r for c in channels], p.multipliers, load=loads, shift=weighs, name="gamma")
        row = self._alpha(m, control, gammas[0])
        operands_y = self.y if p.rooted else self._held(m)
        for index, channel in enumerate(channels):
            m.submodules[f"channel_{index}"] = channel
            m.d.comb += [
                channel.x.eq(self.x[index]),
                channel.y.eq(operands_y[index]),
                channel.row.eq(row),
                *(getattr(channel, name).eq(control.field(name)) for name in channel.fields),
                self.z[index].eq(channel.z),
                *(channel.gamma[k].eq(gamma) for k, gamma in enumerate(gammas[index])),
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
        load, weigh, group = (
            copied(m, control.field(name), p.target, f"alpha_{name}") for name in ("load", "weigh", "group")
        )
        terms = []
        for index, gamma in enumerate(gammas):
            turns = p.turns(index)
            minus = Array(Const(t is not None and p.negative[t], 1) for t in turns)[group]
            top = gamma[p.n - p.q :] ^ minus.replicate(p.q)
            terms.append(Mux(group == p.groups - 1, 0, top) if turns[-1] is None else top)
        with m.If(weigh):
            m.d.sync += total.eq(Mux(load, p.offset, total) + sum(terms[1:], terms[0]))
        return total[p.q :]
