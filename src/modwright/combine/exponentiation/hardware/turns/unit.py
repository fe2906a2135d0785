# SPDX-License-Identifier: Apache-2.0
"""The limb unit of an exponentiation in turn: V is halved or reduced modulo M, a limb a cycle, and leaves.

V and M are in memories of limbs. Registers of a pass, counted from the cycle after `go`; B bits a limb, L limbs:

    cycle    register that holds the value in this cycle
    k < L    `index`, and the address of each memory: number of the limb that is read
    k + 1    `low`: limb k of V; `own`: of M
    k + 2    `row`: of V/2 or V; `addend`: of -M - 1, or of M/2 where V is odd
    k + 3    `limb`: limb k of the sum of row and addend; `carry` out of it; `kept_row`: the row
    L + 3    both are in memory, and `take` says which one is V; the next pass begins

V/2 is (V - 1)/2 + (M - 1)/2 + 1 where V is odd: so a limb of V needs one bit of the limb above it, and none below.
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .....rtl.pipeline import delayed
from ...plan.turns import UNIT, Turns

MEMORIES = ("kept", "reduced", "modulus")
"""V as it was, the sum, and M."""


class TurnsUnit(wiring.Component):
    """Passes over V.

    Attributes
    ----------
    put, place, word : in
        V has the limb `word` at `place`; not during passes.
    put_m, place_m, word_m : in
        M has it.
    go : in
        `passes` passes begin in the next cycle: L + 3 cycles each.
    halve, reduce, clear : in
        Stable from `go` to `ending`: V <- V/2 modulo M, below V/2 + M; V - M unless V < M; else V; 0 instead of V.
    passes : in
    row : out, B bits
        Limb k of V in cycle k + 2 of a pass that keeps it.
    leaves : out
        The cycle before the one in which the first limb is in `row`.
    ends, ending : out
        The cycle before the last one of the passes, and that one.
    """

    def __init__(self, turns: Turns, most: int) -> None:
        self.turns = turns
        B, places = turns.limb, range(turns.limbs)
        strobes = ("put", "put_m", "go", "halve", "reduce", "clear")
        super().__init__(
            {name: In(1) for name in strobes}
            | {"place": In(places), "place_m": In(places), "word": In(B), "word_m": In(B)}
            | {"passes": In(most.bit_length()), "row": Out(B), "leaves": Out(1)}
            | {"ends": Out(1), "ending": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m, L = Module(), self.turns.limbs
        last_cycle = L + UNIT - 1
        left, busy = Signal.like(self.passes), Signal()
        closing = Signal()  # the last cycle of a pass
        index, *addresses = (self._count(m, closing | ~busy, name) for name in ("index", *MEMORIES))
        m.d.sync += [
            closing.eq(busy & (index == last_cycle - 1)),
            self.ending.eq(self.ends),
        ]
        m.d.comb += [
            self.ends.eq((index == last_cycle - 1) & (left == 1)),
            self.leaves.eq(busy & (index == 1)),
        ]
        with m.If(self.go):
            m.d.sync += [busy.eq(1), left.eq(self.passes)]
        with m.Elif(closing):
            m.d.sync += [left.eq(left - 1), busy.eq(~self.ending)]
        reading = Signal()
        m.d.comb += reading.eq(busy & (index < L))
        self._limbs(m, index, dict(zip(MEMORIES, addresses, strict=True)), reading, closing)
        return m

    def _count(self, m: Module, begin: Value, name: str) -> Signal:
        """Number of the limb; each memory has a counter next to it, fed by itself."""
        index = Signal(range(self.turns.limbs + UNIT), name=name)
        m.d.sync += index.eq(Mux(begin, 0, index + 1))
        return index

    def _limbs(self, m: Module, index: Value, addresses: Mapping[str, Value], reading: Value, closing: Value) -> None:
        """The stages of a limb."""
        L, B = self.turns.limbs, self.turns.limb
        first, last = Signal(), Signal()  # of the limb in `low`
        m.d.sync += [first.eq(reading & (index == 0)), last.eq(index == L - 1)]
        take, carry, odd, halve = Signal(), Signal(), Signal(), Signal()
        m.d.sync += halve.eq(self.halve)
        kept_row, limb, total = Signal(B), Signal(B), Signal(B + 3)
        written, back = delayed(m, reading, UNIT, "written"), delayed(m, index, UNIT, "back")
        put, place = self.put | written, Mux(self.put, self.place, back)
        kept = self._memory(m, "kept", addresses, (put, place, Mux(self.put, self.word, kept_row)))
        summed = self._memory(m, "reduced", addresses, (written, back, limb))
        modulus = self._memory(m, "modulus", addresses, (self.put_m, self.place_m, self.word_m))
        value, low, own = Mux(take, summed, kept), Signal(B), Signal(B)
        m.d.sync += [low.eq(value), own.eq(modulus)]
        with m.If(index == 0):
            m.d.sync += odd.eq(value[0])
        above = ~last  # a limb is above `low`, and is read in this cycle
        with m.If(self.clear):
            m.d.sync += self.row.eq(0)
        with m.Elif(halve):
            m.d.sync += self.row.eq(Cat(low[1:], value[0] & above))
        with m.Else():
            m.d.sync += self.row.eq(low)
        half = Cat(own[1:], modulus[0] & above)
        addend, into, on = Signal(B), Signal(), Signal()  # a carry into the first limb; none out of the pass before
        m.d.sync += [
            addend.eq(Mux(halve, half & odd.replicate(B), ~own)),
            into.eq(first & Mux(halve, odd, 1)),
            on.eq(~first),
            kept_row.eq(self.row),
            limb.eq(total[2:-1]),
            carry.eq(total[-1]),
        ]
        # two bits more below: `carry` counts if `on`, and `into` always
        m.d.comb += total.eq(Cat(carry, Const(1, 1), self.row) + Cat(on, into, addend))
        with m.If(self.put):
            m.d.sync += take.eq(0)
        with m.Elif(closing):
            m.d.sync += take.eq(halve | (self.reduce & carry))

    def _memory(
        self, m: Module, name: str, addresses: Mapping[str, Value], written: tuple[Value, Value, Value]
    ) -> Value:
        """Memory of L limbs, read in the cycle of its address; strobe, place and word that are written."""
        m.submodules[name] = store = memory.Memory(shape=self.turns.limb, depth=self.turns.limbs, init=[])
        port, read = store.write_port(), store.read_port(domain="comb")
        write, place, word = written
        m.d.comb += [port.en.eq(write), port.addr.eq(place), port.data.eq(word), read.addr.eq(addresses[name])]
        return read.data
