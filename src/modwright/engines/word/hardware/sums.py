# SPDX-License-Identifier: Apache-2.0
"""Sums of limbs and of complements of limbs, one a cycle, and tests whether a sum has all ones.

A difference is a sum with a complement and 1. The carry from limb to limb, a sum of two limbs leaves 0 or 1, a sum of
three 2 as well; 1 of it comes in with the second limb of the sum above, and another 1 with the third one, so that no
logic is in front of the chain. Cycles from that of the control word of a limb
(`engines.word.control`):

    cycle   register that holds the value from this cycle on
    3       `found`: the limb
    4       `addend`: the limb; `minus_copy`: its complement counts; `counts`, `carries_copy`, for the sum with it;
            `carry`: into it
    5       `total`: the sum with it
    6       `near`: groups of bits of the sum are ones
    7       `ones`: all of them are
    8       `same_K`: so it was for all limbs of candidate K
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.chains import signed_plus
from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ..parameters import TESTED, WordParameters

GROUP = 4
"""Bits of a sum that one LUT looks at."""
ABOVE = 2
"""Bits of a sum of three limbs above them."""


class WordSums(wiring.Component):
    """Attributes
    ----------
    found : in
        A limb.
    minus : in
        The complement of the limb that is at `found` in the next cycle counts.
    opens, carries, one : in
        A sum begins with the limb that is at `addend` in the next cycle; with the carry of the sum that is there now;
        with 1.
    test, test_first : in
        Candidate whose limb `ones` is about, from 1 on, and whether it is the first one.
    addend : out
        The limb.
    sum : out
    negative : out
        The sum has no carry: what was subtracted is larger.
    zero : out
        All limbs of a candidate were ones.
    """

    def __init__(self, p: WordParameters) -> None:
        self.p = p
        strobes = ("minus", "opens", "carries", "one", "test_first")
        super().__init__(
            {"found": In(p.w), "test": In(range(TESTED + 1))}
            | {name: In(1) for name in strobes}
            | {"addend": Out(p.w), "sum": Out(p.w), "negative": Out(1), "zero": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        addend, total = Signal(p.w, reset_less=True), Signal(p.w + ABOVE, reset_less=True)
        minus = copied(m, delayed(m, self.minus, 1, "minus"), p.target, "minus_copy")
        counts = copied(m, ~self.opens, p.target, "counts")
        carries = copied(m, self.carries, p.target, "carries_copy")
        left, carry = Signal(), Signal()
        above = total[p.w :] & carries.replicate(ABOVE)
        m.d.sync += [
            addend.eq(self.found),
            total.eq(signed_plus(m, addend, minus, total, counts, carry, p.target)),
            left.eq(above[1]),
            carry.eq(self.one | above.any() | left),
        ]
        m.d.comb += [self.addend.eq(addend), self.sum.eq(total), self.negative.eq(~total[p.w])]
        groups = [total[low : min(low + GROUP, p.w)].all() for low in range(0, p.w, GROUP)]
        near, ones = Signal(len(groups), reset_less=True), Signal(reset_less=True)
        m.d.sync += [near.eq(Cat(groups)), ones.eq(near.all())]
        same = Signal(TESTED)
        for number in range(TESTED):
            with m.If(self.test == number + 1):
                m.d.sync += same[number].eq((self.test_first | same[number]) & ones)
        m.d.comb += self.zero.eq(same.any())
        return m
