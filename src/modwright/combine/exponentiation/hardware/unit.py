# SPDX-License-Identifier: Apache-2.0
"""The limb unit: a value V that is doubled, halved or reduced modulo M, a limb a cycle, whatever V is.

Registers of a pass, counted from the cycle after `go`; limbs go round, B bits a cycle, the lowest first:

    in cycle k < L     `kept` and `reduced`: limbs k to L - 1 of V at their lower ends; `modulus` the same way round
    in cycle k + 1     `row`: limb k of 2V, V/2 or V; `addend`: of -M - 1, or of M/2 where V is odd; `carry`
    in cycle L + 1     `kept`: the rows, `reduced`: their sums with the addends, `take`: which one is V

V/2 is (V - 1)/2 + (M - 1)/2 + 1 where V is odd: so a limb of V needs one bit of the limb above it, and none below.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import level_copy
from ..parameters import STREAM, ModexpParameters
from ..plan.program import Pass, Program

OPERATIONS = ("double", "halve", "fresh", "load")
"""Fields of a control word; none of them: V <- V, and V - M where that is not negative if `reduce` is set."""


class LimbUnit(wiring.Component):
    """Two candidates are made in every pass, and the one that is right is V afterwards.

    Attributes
    ----------
    start, end : in
        M is `m` until `start`, and again after `end`; so is V `square`, and what `into_m` takes `unit`, where they come
        on the stream.
    go : in
        `count` passes begin in the next cycle: L + 1 cycles each.
    double, halve, reduce, fresh, load : in
        While `busy`: V <- 2V mod M for V < M; V/2 mod M, below V/2 + M; V - M unless V < M; 1; A. None: V.
    clear : in
        While `busy`: V <- 0 instead of V.
    into_m : in
        With `go`: `reduces_by` <- V as well.
    a : in, B bits
        Lowest limb of A, which moves while `busy`.
    count : in
        At least 1, with `go`.
    ending : out
        The last cycle of the passes.
    row : out, B bits
        Limb k of V in cycle k + 1 of a pass that keeps V.
    v : out, L·B bits
        V, after a pass that keeps it.
    held_m, reduces_by : out, n bits
        M, between passes; what `into_m` took, or `unit`.
    inverse : out, w bits
        Whether V was odd in each of the last w halvings, the first one lowest; where the multiplier takes -M^-1.
    """

    def __init__(self, p: ModexpParameters, program: Program) -> None:
        self.p, self.stream = p, p.constants == STREAM
        most = max((one.count for one in program if isinstance(one, Pass)), default=1)
        strobes = ("start", "end", "go", "double", "halve", "reduce", "fresh", "load", "clear", "into_m")
        super().__init__(
            {name: In(1) for name in strobes}
            | {"m": In(p.n), "a": In(p.limb), "count": In(most.bit_length()), "ending": Out(1), "row": Out(p.limb)}
            | {"v": Out(p.limbs * p.limb), "held_m": Out(p.n)}
            | ({"square": In(p.n)} if self.stream else {})
            | ({"reduces_by": Out(p.n)} if p.scaled else {})
            | ({"unit": In(p.n)} if p.scaled and self.stream else {})
            | ({"inverse": Out(p.inverse)} if p.inverse and not self.stream else {})
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        L = p.limbs
        index, left = Signal(range(L + 1)), Signal.like(self.count)  # of the limb; passes to come, with this one
        busy, first, closing = Signal(), Signal(), Signal()
        m.d.comb += [
            first.eq(index == 0),
            closing.eq(index == L),
            self.ending.eq(busy & closing & (left == 1)),
        ]
        m.d.sync += index.eq(Mux(closing | ~busy, 0, index + 1))
        with m.If(self.go):
            m.d.sync += [busy.eq(1), left.eq(self.count)]
        with m.Elif(busy & closing):
            m.d.sync += [left.eq(left - 1), busy.eq(left != 1)]
        self._limbs(m, busy, first, closing, index == L - 1)
        return m

    def _limbs(self, m: Module, busy: Value, first: Value, closing: Value, last: Value) -> None:
        """Both stages of a limb: its row and addend, and their sum."""
        p = self.p
        L, B = p.limbs, p.limb
        kept, reduced, modulus = (Signal(L * B, name=name) for name in ("kept", "reduced", "modulus"))
        take, carry, top, odd = Signal(), Signal(), Signal(), Signal()
        addend, own, of_a, total = Signal(B), Signal(B), Signal(B), Signal(B + 1)
        value = Mux(take, reduced[: B + 1], kept[: B + 1])  # with the lowest bit of the limb above
        low, above = value[:B], (value[B] & ~last if L > 1 else Const(0, 1))
        half = Cat(modulus[1:B], modulus[B] & ~last if L > 1 else Const(0, 1))
        is_odd = Mux(first, low[0], odd)
        m.d.comb += total.eq(self.row + addend + carry)
        m.d.sync += [
            odd.eq(is_odd),
            top.eq(low[-1] & busy & ~closing),
            own.eq(modulus[:B]),
            of_a.eq(self.a),
            addend.eq(Mux(self.halve, half & is_odd.replicate(B), ~modulus[:B])),
            carry.eq(Mux(first, Mux(self.halve, is_odd, 1), total[-1])),
        ]
        with m.If(self.clear | self.fresh):
            m.d.sync += self.row.eq(first & self.fresh)
        with m.Elif(self.double):
            m.d.sync += self.row.eq(Cat(top, low[:-1]))
        with m.Elif(self.halve):
            m.d.sync += self.row.eq(Cat(low[1:], above))
        with m.Else():
            m.d.sync += self.row.eq(low)
        with m.If(self.start):
            m.d.sync += take.eq(0)
        with m.Elif(busy & closing):
            m.d.sync += take.eq(((self.double | self.reduce) & total[-1]) | self.halve)
        if p.inverse and not self.stream:
            with m.If(busy & self.halve & first):
                m.d.sync += self.inverse.eq(Cat(self.inverse[1:], is_odd))
        self._rings(m, (kept, Mux(self.load, of_a, self.row)), (reduced, total[:B]), (modulus, own))
        m.d.comb += [self.v.eq(kept), self.held_m.eq(modulus)]

    def _rings(self, m: Module, *rings: tuple[Value, Value]) -> None:
        """Registers that take a limb at the top while `busy`, and what they are when idle; controls for each limb."""
        p = self.p
        L, B = p.limbs, p.limb
        (kept, _), _, (modulus, _) = rings
        initial = [(modulus, self.m), *([(kept, self.square)] if self.stream else [])]
        for number in range(L):
            part = slice(number * B, number * B + B)
            idle = level_copy(m, self.end, self.start, f"idle_{number}", init=1)
            moving = level_copy(m, self.go, self.ending, f"moving_{number}")
            with m.If(idle):
                m.d.sync += [ring[part].eq(Cat(given, Const(0, L * B))[part]) for ring, given in initial]
            with m.Elif(moving):
                m.d.sync += [ring[part].eq(Cat(ring, given)[B:][part]) for ring, given in rings]
        if p.scaled:
            self._scaled(m)

    def _scaled(self, m: Module) -> None:
        """2^-k modulo M."""
        p = self.p
        L, B = p.limbs, p.limb
        scaled = Signal(L * B, name="scaled")
        for number in range(L):
            part = slice(number * B, number * B + B)
            if self.stream:
                with m.If(level_copy(m, self.end, self.start, f"scaled_idle_{number}", init=1)):
                    m.d.sync += scaled[part].eq(Cat(self.unit, Const(0, L * B))[part])
            else:
                with m.If(level_copy(m, self.go & self.into_m, self.ending, f"scaling_{number}")):
                    m.d.sync += scaled[part].eq(Cat(scaled, self.row)[B:][part])
        m.d.comb += self.reduces_by.eq(scaled)
