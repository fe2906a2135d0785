# SPDX-License-Identifier: Apache-2.0
"""The limb unit: a value V that is doubled, halved or reduced modulo M, a limb a cycle, whatever V is.

Registers of a pass, counted from the cycle after `go`; limbs go round, B bits a cycle, the lowest first:

    in cycle k < L     `kept` and `reduced`: limbs k to L - 1 of V, then limbs 0 to k - 1 of what V becomes and of that
                       minus M; `modulus` the same way round; `carry`, `top` and `odd`: those of limb k - 1
    in cycle L         `kept`: 2V or V, `reduced`: that minus M, `take`: which one is V; halving takes one cycle more
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..parameters import ModexpParameters
from ..plan.program import DOUBLE, HALVE, Pass, Program


class LimbUnit(wiring.Component):
    """Two candidates are made in every pass, and the one that is right is V afterwards.

    Attributes
    ----------
    start : in
        M is at `m` in this cycle.
    load : in
        V <- `value`; not while `busy`.
    go : in
        `count` passes begin in the next cycle: L cycles each, L + 1 to halve.
    fresh : in
        With `go`: V <- 1 first.
    double, halve : in
        With `go`: V <- 2V mod M for V < M; V <- V/2 mod M, below V/2 + M. Neither: V <- V - M unless V < M.
    count : in
        At least 1.
    v : out, L·B bits
        V, while not `busy`.
    held_m : out, n bits
        M, while not `busy`.
    inverse : out, w bits
        Whether V was odd in each of the last w halvings, the first one lowest; where the multiplier takes -M^-1.
    busy : out
        From the cycle after `go` to that of the last pass.
    """

    def __init__(self, p: ModexpParameters, program: Program, value_bits: int) -> None:
        self.p = p
        passes = [1, *(one.count for one in program if isinstance(one, Pass))]
        strobes = {name: In(1) for name in ("start", "load", "go", "fresh", "double", "halve")}
        super().__init__(
            strobes
            | {"m": In(p.n), "value": In(value_bits), "count": In(max(passes).bit_length())}
            | {"v": Out(p.limbs * p.limb), "held_m": Out(p.n), "busy": Out(1)}
            | ({"inverse": Out(p.inverse)} if p.inverse else {})
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        B, L = p.limb, p.limbs
        kept, reduced = Signal(L * B), Signal(L * B)  # 2V, V/2 or V; and that minus M
        take = Signal()  # V is `reduced`
        modulus = Signal(L * B)  # goes round by a limb a cycle
        double, halve = Signal(), Signal()
        index, left = Signal(L.bit_length()), Signal.like(self.count)  # of the limb; passes to come, with this one
        first, last, behind = Signal(), Signal(), Signal()  # `behind`: the cycle after the last limb, when halving
        low, row, total = Signal(B), Signal(B), Signal(B + 1)
        top, carry, odd, held = Signal(), Signal(), Signal(), Signal(B)  # of the limb before
        is_odd = Mux(first, low[0], odd)
        m.d.comb += [
            self.v.eq(Mux(take, reduced, kept)),
            self.held_m.eq(modulus),
            self.busy.eq(left != 0),
            first.eq(index == 0),
            behind.eq(index == L),
            last.eq(Mux(halve, behind, index == L - 1)),
            low.eq(Mux(take, reduced[:B], kept[:B])),
            row.eq(Mux(double, Cat(top, low[:-1]), low)),
            total.eq(row + Mux(halve, modulus[:B] & is_odd.replicate(B), ~modulus[:B]) + Mux(first, ~halve, carry)),
        ]
        halved = Cat(held[1:], Mux(behind, carry, total[0]))
        with m.If(self.busy):
            m.d.sync += [
                kept.eq(Cat(kept[B:], Mux(halve, halved, row))),
                reduced.eq(Cat(reduced[B:], total[:B])),
                top.eq(low[-1] & ~last),
                carry.eq(total[-1]),
                odd.eq(is_odd),
                held.eq(total[:B]),
                index.eq(Mux(last, 0, index + 1)),
            ]
            if p.inverse:
                with m.If(halve & first):
                    m.d.sync += self.inverse.eq(Cat(self.inverse[1:], is_odd))
            with m.If(~behind):
                m.d.sync += modulus.eq(Cat(modulus[B:], modulus[:B]))
            with m.If(last):
                m.d.sync += [take.eq(total[-1] & ~halve), left.eq(left - 1)]
        with m.If(self.go):
            m.d.sync += [left.eq(self.count), double.eq(self.double), halve.eq(self.halve)]
        with m.If(self.load | (self.go & self.fresh)):
            m.d.sync += [kept.eq(Mux(self.load, self.value, 1)), take.eq(0)]
        with m.If(self.start):
            m.d.sync += modulus.eq(self.m)
        return m


def strobes(operation: str) -> tuple[int, int]:
    """`double` and `halve` of an operation."""
    return int(operation == DOUBLE), int(operation == HALVE)
