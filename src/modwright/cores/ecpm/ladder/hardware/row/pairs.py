# SPDX-License-Identifier: Apache-2.0
"""The scalar, two bits a cycle: k' = k, k + q' or k + 2q', as `scalar` has it.

Bits come from the right in pairs, and the three sums go into a memory, which gives them from the left. Cycles:

    field `reduce`             in the cycle after the control word
    COUNT, ceil(N/2) times     q goes round; s: the zeros at its upper end
    ADD, ceil((N+1)/2) times   a pair of k and of q' to registers, and in the next cycle that of the sums to the memory;
                               q moves after s/2 of these cycles, and where s is odd, it is a bit late
    AHEAD, once                the address of bit N - 1; `begin` six cycles later or more

Registers behind the memory, by cycle from that of `begin`: 1 `at`; 3 the memory's output; 4 `bit`.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ......rtl.block_memory import BlockMemory
from ......rtl.copies import copied
from ......rtl.pipeline import delayed
from ...parameters.operands import SerialOperands
from ...plan.row.microcode import ADD, AHEAD, COUNT, PAIR_BITS, added_pairs, counted_pairs
from ..common import Scalar
from .scalar import SLICE, SUMS


class PairedScalar(Scalar):
    """The sums, two bits a cycle; `taking` has a bit for each slice of both registers.

    With `enabled`, there is an input `enable`: that which `EnableInserter` gives all registers but the copies on ECP5.
    """

    def __init__(self, p: SerialOperands, enabled: bool = False) -> None:
        self.p, self.enabled = p, enabled
        super().__init__(p, taking="idle", copies=self.slices(p), reduce_bits=2, enabled=enabled)

    def _copied(self, m: Module, value: Value, name: str) -> Signal:
        return copied(m, value, self.p.target, name, enable=self.enable if self.enabled else None)

    @staticmethod
    def slices(p: SerialOperands) -> int:
        """Slices of a register."""
        return -(-PAIR_BITS * added_pairs(p) // SLICE)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        k = Signal(PAIR_BITS * added_pairs(p), reset_less=True)
        q = Signal(PAIR_BITS * counted_pairs(p), reset_less=True)
        self.counts, self.adds, self.ahead = (
            self._copied(m, self.reduce == value, name)
            for value, name in ((COUNT, "counts"), (ADD, "adds"), (AHEAD, "ahead"))
        )
        self.zeros, self.waits = Signal(range(p.order_bits + 3)), Signal()  # s, and whether a pair or more is to wait
        self._count(m, q)
        self._registers(m, k, q)
        adding, of_k, of_q = self._pairs(m, k, q)
        self._store(m, adding, self._sums(m, adding, of_k, of_q))
        return m

    def _count(self, m: Module, q: Signal) -> None:
        """Zeros at the upper end of q, and of the pair that is above it where N is odd; -1 where that counts alone."""
        above = -self.p.order_bits % PAIR_BITS
        zeros, width = self.zeros, len(self.zeros)
        alone, one = (Const(count - above & (1 << width) - 1, width) for count in (0, 1))
        more = zeros != alone if above else Const(1, 1)
        with m.If(self.idle[0]):
            m.d.sync += [zeros.eq(alone), self.waits.eq(0), self.zero.eq(1)]
        with m.Elif(self.counts):
            m.d.sync += [
                zeros.eq(Mux(q[1], alone, Mux(q[0], one, zeros + PAIR_BITS))),
                self.waits.eq(~q[:PAIR_BITS].any() & more),
                self.zero.eq(self.zero & ~q[:PAIR_BITS].any()),
            ]
        with m.Elif(self.adds & self.waits):
            m.d.sync += [zeros.eq(zeros - PAIR_BITS), self.waits.eq(zeros[PAIR_BITS:].any())]

    def _registers(self, m: Module, k: Signal, q: Signal) -> None:
        """Registers of k and q, which move to the right by a pair; q goes round while it is counted."""
        around = q[:PAIR_BITS] & self.counts.replicate(PAIR_BITS)
        for register, value, top, counted in ((k, self.k, Const(0, PAIR_BITS), False), (q, self.order, around, True)):
            moved, given = Cat(register[PAIR_BITS:], top), Cat(value, Const(0, len(register)))
            for number, low in enumerate(range(0, len(register), SLICE)):
                part = slice(low, min(low + SLICE, len(register)))
                name = f"{'q' if counted else 'k'}_moves_{number}"
                moves: Value = self._copied(m, self.reduce == ADD, f"{name}_add")
                if counted:
                    moves = (moves & ~self.waits) | self._copied(m, self.reduce == COUNT, name)
                with m.If(self.idle[number] | moves):
                    m.d.sync += register[part].eq(Mux(self.idle[number], given[part], moved[part]))

    def _pairs(self, m: Module, k: Signal, q: Signal) -> tuple[Signal, Signal, Signal]:
        """Registers: a pair is added; that of k, and that of q', whose lower bit may be the upper one before it."""
        adding, of_k, of_q = Signal(), Signal(PAIR_BITS), Signal(PAIR_BITS)
        before, moves = Signal(), self.adds & ~self.waits
        late = self.zeros[0]
        with m.If(self.idle[0]):
            m.d.sync += before.eq(0)
        with m.Elif(moves):
            m.d.sync += before.eq(q[1])
        pair = Mux(late, Cat(before, q[0]), q[:PAIR_BITS])
        m.d.sync += [adding.eq(self.adds), of_k.eq(k[:PAIR_BITS]), of_q.eq(Mux(self.waits, 0, pair))]
        return adding, of_k, of_q

    def _sums(self, m: Module, adding: Signal, of_k: Signal, of_q: Signal) -> list[Value]:
        """The lower bit of k and both sums, and the upper one."""
        before, carry, carry_2 = Signal(), Signal(), Signal()
        one, two = of_k + of_q + carry, of_k + Cat(before, of_q[0]) + carry_2
        with m.If(self.idle[0]):
            m.d.sync += [before.eq(0), carry.eq(0), carry_2.eq(0)]
        with m.Elif(adding):
            m.d.sync += [before.eq(of_q[1]), carry.eq(one[PAIR_BITS]), carry_2.eq(two[PAIR_BITS])]
        return [Cat(of_k[bit], one[bit], two[bit]) for bit in range(PAIR_BITS)]

    def _store(self, m: Module, adding: Value, bits: list[Value]) -> None:
        """The pairs of the sums, the uppermost one in word 0; `at` counts bits from its upper one on."""
        p, N, pairs = self.p, self.p.order_bits, added_pairs(self.p)
        at, next_bit = Signal(range(PAIR_BITS * pairs)), Signal()
        m.submodules.sums = sums = BlockMemory(PAIR_BITS * SUMS, 1 << len(at) - 1, p.target)
        tops = Signal(SUMS)  # bit N of each sum, after the last pair
        with m.If(self.idle[0]):
            m.d.sync += at.eq(PAIR_BITS * (pairs - 1))
        with m.Elif(self.ahead):
            m.d.sync += at.eq(PAIR_BITS * pairs - N)
        with m.Elif(adding):
            m.d.sync += at.eq(at - PAIR_BITS)
        with m.Elif(self.begin):
            m.d.sync += at.eq(at + 1)
        with m.If(adding):
            m.d.sync += tops.eq(bits[N % PAIR_BITS])
        later = int(self.enabled)  # a register, as there is time for it
        m.d.comb += [
            sums.read.eq(at[1:]),
            sums.into.eq(delayed(m, at[1:], later, "into")),
            sums.write.eq(delayed(m, adding, later, "write")),
            sums.word.eq(delayed(m, Cat(*bits), later, "word")),
        ]
        found = Mux(at[0], sums.found[:SUMS], sums.found[SUMS:])
        m.d.comb += next_bit.eq(Mux(tops[0], found[0], Mux(tops[1], found[1], found[2])))
        m.d.sync += self.bit.eq(next_bit)
