# SPDX-License-Identifier: Apache-2.0
"""The limb unit: a value V that is doubled, halved or reduced modulo M, a limb a cycle, in constant time for every V.

Registers of a pass, counted from the cycle after `go`; limbs go round, B bits a cycle, the lowest first:

    cycle    register that holds the value in this cycle
    k < L    `kept` and `reduced`: limbs k to L - 1 of V at their lower ends; `modulus` the same way round
    k + 1    `low`: limb k of V, and the bit above it; `own`: of M
    k + 2    `row`: of 2V, V/2 or V; `addend`: of -M - 1, or of M/2 where V is odd
    k + 3    `carry`: out of the sum of row and addend, whose limb is in `reduced` then, and the row in `kept`
    L + 2    the next pass begins; `carry` says which of both is V

V/2 is (V - 1)/2 + (M - 1)/2 + 1 where V is odd: so a limb of V needs one bit of the limb above it, and none below.
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import level_copy
from ..parameters import STREAM, ModexpParameters
from ..plan.program import Pass, Program

OPERATIONS = ("double", "halve", "fresh", "load")
"""Fields of a control word; none of them: V <- V, and V - M where that is not negative if `reduce` is set."""


class LimbUnit(wiring.Component):
    """Limb unit: each pass computes two candidates, and the right one is V afterwards.

    Attributes
    ----------
    start, end : in
        M is `m` until `start`, and again after `end`; so is V `square`, and what `into_m` takes `unit`, where they come
        on the stream.
    go : in
        `count` passes begin in the next cycle: L + 2 cycles each.
    double, halve, reduce, fresh, load, gather : in
        Operation, stable from `go` to `ending`: V <- 2V mod M for V < M; V/2 mod M, below V/2 + M; V - M unless V <
        M; 1; A. None: V. With `gather`: `inverse` takes whether V is odd.
    clear : in
        Stable from `go` to `ending`: V <- 0 instead of V.
    into_m : in
        Strobe with `go`: `reduces_by` <- V as well.
    a : in, B bits
        Lowest limb of A, which moves while `busy`.
    count : in
        Number of passes, at least 1, with `go`.
    ending : out
        The last cycle of the passes.
    row : out, B bits
        Limb k of V in cycle k + 2 of a pass that keeps V.
    v : out, L·B bits
        V, after a pass that keeps it.
    held_m, reduces_by : out, n bits
        M, between passes; what `into_m` took, or `unit`.
    inverse : out, w bits
        Whether V was odd in each of w passes with `gather`, the first one lowest; where the multiplier takes -M^-1.
    """

    def __init__(self, p: ModexpParameters, program: Program) -> None:
        self.p, self.stream = p, p.constants == STREAM
        most = max((one.count for one in program if isinstance(one, Pass)), default=1)
        strobes = ("start", "end", "go", "double", "halve", "reduce", "fresh", "load", "gather")
        strobes += ("clear", "into_m")
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
        index, left = Signal(range(L + 2)), Signal.like(self.count)  # of the limb; passes to come, with this one
        busy, closing = Signal(), Signal()  # in the last cycle of a pass
        m.d.sync += [
            index.eq(Mux(closing | ~busy, 0, index + 1)),
            closing.eq(index == L),
            self.ending.eq((index == L) & (left == 1)),
        ]
        with m.If(self.go):
            m.d.sync += [busy.eq(1), left.eq(self.count)]
        with m.Elif(closing):
            m.d.sync += [left.eq(left - 1), busy.eq(~self.ending)]
        first, last = Signal(), Signal()  # of the limb in `low`
        m.d.sync += [first.eq(busy & (index == 0)), last.eq(index == L - 1)]
        fields = {name: getattr(self, name) for name in ("double", "halve", "reduce", "fresh", "load", "gather")}
        fields["blank"] = self.clear | self.fresh
        does = {name: Signal(name=f"does_{name}") for name in fields}
        m.d.sync += [does[name].eq(field) for name, field in fields.items()]
        odd = Signal()
        lowest = self._limbs(m, does, closing, (first, last, odd))
        with m.If(index == 0):
            m.d.sync += odd.eq(lowest)
        return m

    def _limbs(self, m: Module, does: Mapping[str, Value], closing: Value, state: tuple[Value, Value, Value]) -> Value:
        """The stages of a limb: choice, row and addend, and their sum; the lowest bit of the limb that is chosen.

        Parameters
        ----------
        m : Module
        does : dict
            Fields of the word.
        closing : Value
        state : tuple
            The limb in `low` is the first; it is the last; V is odd.
        """
        p, (first, last, odd) = self.p, state
        L, B = p.limbs, p.limb
        kept, reduced, modulus = (Signal(L * B, name=name) for name in ("kept", "reduced", "modulus"))
        low, own, own_before, of_a = (Signal(B, name=name) for name in ("low", "own", "own_before", "of_a"))
        of_a_before, total, carry = Signal(B), Signal(B + 3), Signal()
        take = self._take(m, closing, carry, does)
        value = Mux(take, reduced[:B], kept[:B])
        inner = ~last if L > 1 else Const(0, 1)  # a limb is above `low`, at the lower ends of the rings
        m.d.sync += [
            low.eq(value),
            own.eq(modulus[:B]),
            own_before.eq(own),
            of_a.eq(self.a),
            of_a_before.eq(of_a),
        ]
        self._rows(m, does, (first, odd), low, value[0] & inner)
        half = Cat(own[1:], modulus[0] & inner)
        addend, into, on = Signal(B), Signal(), Signal()  # a carry into the first limb; none out of the pass before
        m.d.sync += [
            addend.eq(Mux(does["halve"], half & odd.replicate(B), ~own)),
            into.eq(first & Mux(does["halve"], odd, 1)),
            on.eq(~first),
            carry.eq(total[-1]),
        ]
        # two bits more below: `carry` counts if `on`, and `into` always
        m.d.comb += total.eq(Cat(carry, Const(1, 1), self.row) + Cat(on, into, addend))
        chosen = Mux(does["load"], of_a_before, self.row)
        self._rings(m, (kept, chosen), (reduced, total[2:-1]), (modulus, own_before))
        m.d.comb += [self.v.eq(kept), self.held_m.eq(modulus)]
        return value[0]

    def _take(self, m: Module, closing: Value, carry: Value, does: Mapping[str, Value]) -> Value:
        """Whether V is `reduced`, from the cycle after a pass on: its last carry says so after a subtraction."""
        taken, counts = Signal(name="taken"), Signal(name="carry_counts")
        take = taken | (counts & carry)
        with m.If(self.start):
            m.d.sync += [taken.eq(0), counts.eq(0)]
        with m.Elif(closing):
            m.d.sync += [taken.eq(does["halve"]), counts.eq(does["double"] | does["reduce"])]
        with m.Else():
            m.d.sync += [taken.eq(take), counts.eq(0)]
        return take

    def _rows(
        self, m: Module, does: Mapping[str, Value], state: tuple[Value, Value], low: Signal, above: Value
    ) -> None:
        """`row` from the limb in `low` and its neighbours' next bits."""
        first, odd = state
        top = Signal(name="top")
        m.d.sync += top.eq(low[-1])
        with m.If(does["blank"]):
            m.d.sync += self.row.eq(first & does["fresh"])
        with m.Elif(does["double"]):
            m.d.sync += self.row.eq(Cat(top & ~first, low[:-1]))
        with m.Elif(does["halve"]):
            m.d.sync += self.row.eq(Cat(low[1:], above))
        with m.Else():
            m.d.sync += self.row.eq(low)
        if self.p.inverse and not self.stream:
            with m.If(does["gather"] & first):
                m.d.sync += self.inverse.eq(Cat(self.inverse[1:], odd))

    def _rings(self, m: Module, *rings: tuple[Value, Value]) -> None:
        """Registers that take a limb at the top while `busy`, and their values when idle; controls for each limb."""
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
        """Register of 2^-k modulo M."""
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
