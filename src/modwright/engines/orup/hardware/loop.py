# SPDX-License-Identifier: Apache-2.0
"""The row of blocks that the slots take in turn: S <- floor(S / 2^k) + q·m + b·Y, q the lowest digit of S itself.

A step takes P cycles from S to the next S of its slot. With S in its register in cycle 0 of P, and P = 4:

    cycle   b·Y                      q·m                      S
    -1      operands                 -                        -
    0       products                 operands                 shift, carries
    1       sums over a chunk        products                 -
    2       -> with S                sums over a chunk        -> with b·Y
    3       -                        -> with q·m              chunks of S and their carries

Each row names what is computed between two registers: no carry chain is longer than a chunk and its carry. More slots
mean more registers behind the products, for their routes. With fewer, the products begin `lead` cycles earlier
against S, which is shifted, or for P = 2 shifted and summed, in cycle 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....plan.tiling import DigitTiling
from ....rtl.copies import copied
from ....rtl.multiplier import DigitMultiplier
from ....rtl.pipeline import delayed
from ..interleaved import FEWEST_SLOTS, InterleavedParameters

BLOCK_REGISTERS = 1
"""Registers behind the product, inside the block; its operands have registers, too."""


class InterleavedLoop(wiring.Component):
    """Registers of S of the current slot, and the multipliers of Y and m.

    `AHEAD` is the number of cycles by which `fresh` comes sooner than said here.

    Parameters
    ----------
    p : InterleavedParameters
    stretch : int
        Chunks next to each copy of `fresh`, of q and of the digit b; 0 for one register.

    Attributes
    ----------
    digit, y : in
        Copies of digit b of X, and Y, `lead` + 1 cycles before the cycle of S.
    m : in
        Constant m, `lead` cycles before the cycle of S.
    early : in
        Set in the cycle before that of m: the operation has had fewer than d steps, and the quotient digit is 0.
    fresh : in
        Set in the cycle before that of S: the step is the first of its operation, with S = 0.
    word : out, w·C bits
    carries : out, array of C - 1 carries
        S = word + Σ carries[j]·2^(w(j+1)), as in `QuotientLoop`; the last S of an operation is valid in the cycle in
        which the next operation of the slot has its first step.
    """

    AHEAD = 0

    def __init__(self, p: InterleavedParameters, stretch: int = 0) -> None:
        self.p, self.copies = p, -(-p.chunks // stretch) if stretch else 1
        super().__init__(self._ports())

    def _ports(self) -> dict[str, wiring.Member]:
        p = self.p
        inputs = {"digit": In(p.k * self.copies), "y": In(p.operand_bits), "m": In(p.n), "fresh": In(1), "early": In(1)}
        carries = data.ArrayLayout(p.carry_width, p.chunks - 1)
        return {**inputs, "word": Out(p.w * p.chunks), "carries": Out(carries)}

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        copies = self.copies
        q = Signal(p.k * copies, reset_less=True)  # copies of the lowest digit, cleared in the first steps
        (lowest, *_) = self._totals(m, self._fresh(m), q)
        waits = delayed(m, lowest[: p.k], p.slots * p.d - p.lead, "q")  # until m of d steps later is valid
        if copies > 1:
            names = (f"q_{n}" for n in range(copies))
            m.d.comb += q.eq(Cat(copied(m, waits, p.target, name, reset=False, clear=self.early) for name in names))
            return m
        with m.If(self.early):
            m.d.sync += q.eq(0)
        with m.Else():
            m.d.sync += q.eq(waits)
        return m

    def _fresh(self, m: Module) -> list[Value]:
        """Copies of `fresh` a cycle later."""
        if self.copies > 1:
            return [copied(m, self.fresh, self.p.target, f"fresh_{n}") for n in range(self.copies)]
        fresh = Signal()
        m.d.sync += fresh.eq(self.fresh)
        return [fresh]

    def _totals(self, m: Module, fresh: Sequence[Value], q: Value) -> list[Value]:
        """The sum of each chunk, the next S and its carries."""
        p = self.p
        of_y = self._parts(m, "y", p.word_tiling, self.y, self.digit)
        of_m = self._parts(m, "m", p.modulus_tiling, self.m, q)
        totals = []
        for j in range(p.chunks):
            base = Signal((p.largest_shifted + p.largest_part).bit_length(), name=f"base_{j}", reset_less=True)
            total = Signal(p.w + p.carry_width, name=f"total_{j}")
            m.d.sync += base.eq(self._base(m, j, fresh[j * self.copies // p.chunks], of_y[j]))
            m.d.comb += total.eq(base + of_m[j])
            self._keep(m, j, total)
            totals.append(total)
        return totals

    def _base(self, m: Module, j: int, fresh: Value, part: Value) -> Value:
        """Chunk j of floor(S / 2^k) + b·Y."""
        return self._shifted(m, j, fresh) + part

    def _keep(self, m: Module, j: int, total: Value) -> None:
        m.d.sync += self._chunk(j).eq(total)

    def _chunk(self, j: int) -> Value:
        """Chunk j of S and its carry; the top one has none."""
        p = self.p
        here = self.word[p.w * j : p.w * (j + 1)]
        return here if j == p.chunks - 1 else Cat(here, self.carries[j])

    def _shifted(self, m: Module, j: int, fresh: Value) -> Value:
        """Chunk j of floor(S / 2^k) with the carry at its bits, in the cycle after the sums of b·Y."""
        p = self.p
        digits = self.word[p.w * j + p.k :][: p.w]
        carry = Const(0, 1) if j == p.chunks - 1 else Cat(Const(0, p.w - p.k), self.carries[j])
        if p.slots == FEWEST_SLOTS:
            keep = ~fresh
            return (digits & keep.replicate(len(digits))) + (carry & keep.replicate(len(carry)))
        shifted = Signal(p.largest_shifted.bit_length(), name=f"shifted_{j}", reset_less=True)
        with m.If(fresh):
            m.d.sync += shifted.eq(0)
        with m.Else():
            m.d.sync += shifted.eq(digits + carry)
        return delayed(m, shifted, p.slots - 3, f"shifted_{j}")

    def _parts(self, m: Module, name: str, tiling: DigitTiling, word: Value, digit: Value) -> list[Value]:
        """For each chunk, a register of the low part of its tile's product plus the high part of that below."""
        p, none = self.p, Const(0, 1)
        m.submodules[f"{name}_tiles"] = multiplier = DigitMultiplier(tiling, BLOCK_REGISTERS, self.copies)
        m.d.comb += [multiplier.load.eq(1), multiplier.word.eq(word), multiplier.digit.eq(digit)]
        products = [delayed(m, multiplier.products[j], p.way, f"product_{name}_{j}") for j in range(len(tiling.tiles))]
        low = [product[: p.w] for product in products] + [none] * p.chunks
        high = [none, *(product[p.w :] for product in products)] + [none] * p.chunks
        parts = []
        for j in range(p.chunks):
            part = Signal(p.largest_part.bit_length(), name=f"part_{name}_{j}", reset_less=True)
            m.d.sync += part.eq(low[j] + high[j])
            parts.append(part)
        return parts
