# SPDX-License-Identifier: Apache-2.0
"""The scalar: k' = k, k + q' or k + 2q', the first with a bit N, where q' = q·2^s has N bits (`plan.ladder.lifted`).

Bits come from the right, one a cycle, and the three sums go into a memory, which gives them from the left. Cycles:

    field `reduce`      in the cycle after the control word
    COUNT, N times      q goes round; s: the zeros at its upper end
    ADD, N + 1 times    a bit of k and of both sums to the memory; q moves after s of these cycles
    AHEAD, twice        the next address, that of bit N - 1 at last; `begin` six cycles later or more

Registers behind the memory, by cycle from that of `begin`: 1 `at`; 3 the memory's output; 4 `bit`.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ......rtl.block_memory import BlockMemory
from ......rtl.copies import copied
from ...parameters.operands import SerialOperands
from ...plan.row.microcode import ADD, AHEAD, COUNT
from ..common import Scalar

SLICE = 64
"""Bits of a register behind one copy of a control signal."""
SUMS = 3
"""Candidates for k': k and two sums."""


class SerialScalar(Scalar):
    """The sums bit by bit; `taking` has a bit for each slice of both registers."""

    def __init__(self, p: SerialOperands) -> None:
        self.p = p
        super().__init__(p, taking="idle", copies=self.slices(p), reduce_bits=2)

    @staticmethod
    def slices(p: SerialOperands) -> int:
        """Slices of a register."""
        return -(-(p.order_bits + 1) // SLICE)

    def elaborate(self, platform: object) -> Module:
        m, p, N = Module(), self.p, self.p.order_bits
        k, q = Signal(N + 1, reset_less=True), Signal(N, reset_less=True)
        counts, adds, ahead = (
            copied(m, self.reduce == value, p.target, name)
            for value, name in ((COUNT, "counts"), (ADD, "adds"), (AHEAD, "ahead"))
        )
        taking = self.idle[0]
        zeros, waits = Signal(range(N + 1)), Signal()  # s, and whether there is a cycle more to wait
        with m.If(taking):
            m.d.sync += [zeros.eq(0), waits.eq(0), self.zero.eq(1)]
        with m.Elif(counts):
            m.d.sync += [zeros.eq(Mux(q[0], 0, zeros + 1)), waits.eq(~q[0]), self.zero.eq(self.zero & ~q[0])]
        with m.Elif(adds & waits):
            m.d.sync += [zeros.eq(zeros - 1), waits.eq(zeros != 1)]
        self._registers(m, k, q, q[0] & counts, waits)
        addend, before, carry, carry_2 = q[0] & ~waits, Signal(), Signal(), Signal()
        one, two = k[0] + addend + carry, k[0] + before + carry_2
        with m.If(taking):
            m.d.sync += [before.eq(0), carry.eq(0), carry_2.eq(0)]
        with m.Elif(adds):
            m.d.sync += [before.eq(addend), carry.eq(one[1]), carry_2.eq(two[1])]
        self._store(m, taking, adds, ahead, Cat(k[0], one[0], two[0]))
        return m

    def _registers(self, m: Module, k: Signal, q: Signal, around: Value, waits: Value) -> None:
        """Registers of k and q, which move to the right; `around` comes into q."""
        p, N = self.p, self.p.order_bits
        for register, value, top, counted in ((k, self.k, Const(0, 1), False), (q, self.order, around, True)):
            moved, given = Cat(register[1:], top), Cat(value, Const(0, N + 1))
            for number, low in enumerate(range(0, len(register), SLICE)):
                part = slice(low, min(low + SLICE, len(register)))
                name = f"{'q' if counted else 'k'}_moves_{number}"
                adds = copied(m, self.reduce == ADD, p.target, f"{name}_add")
                moves: Value = adds
                if counted:
                    moves = (adds & ~waits) | copied(m, self.reduce == COUNT, p.target, name)
                with m.If(self.idle[number] | moves):
                    m.d.sync += register[part].eq(Mux(self.idle[number], given[part], moved[part]))

    def _store(self, m: Module, taking: Value, adds: Value, ahead: Value, bits: Value) -> None:
        """The bits of the sums in pairs: that of an even address, and above it that of the cycle before."""
        p, N = self.p, self.p.order_bits
        at, next_bit = Signal(range(N + 1)), Signal()
        m.submodules.sums = sums = BlockMemory(2 * SUMS, 1 << len(at) - 1, p.target)
        before, tops = Signal(SUMS), Signal(SUMS)  # of the last cycle; bit N of each sum, after the last one
        with m.If(taking):
            m.d.sync += at.eq(N)
        with m.Elif(adds):
            m.d.sync += [at.eq(at - 1), before.eq(bits), tops.eq(bits)]
        with m.Elif(ahead | self.begin):
            m.d.sync += at.eq(at + 1)
        m.d.comb += [
            sums.read.eq(at[1:]),
            sums.into.eq(at[1:]),
            sums.write.eq(adds),
            sums.word.eq(Cat(bits, before)),
        ]
        found = Mux(at[0], sums.found[SUMS:], sums.found[:SUMS])
        m.d.comb += next_bit.eq(Mux(tops[0], found[0], Mux(tops[1], found[1], found[2])))
        m.d.sync += self.bit.eq(next_bit)
