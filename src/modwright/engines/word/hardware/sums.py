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
    8       `same[K]`: so it was for all limbs of candidate K

Limbs in halves are as long as two. Their sum has two chains: both halves are at `low` and `high` in cycle 5, and what
the lower one carries is added in the cycle after it: `total` holds the sum from cycle 6 on, and all that follows comes
a cycle later, too.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value
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
        m.d.sync += addend.eq(self.found)
        if p.skew:
            m.d.comb += total.eq(self._in_halves(m, addend, minus, counts, carries))
        else:
            self._whole(m, addend, minus, total, counts, carries)
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

    def _whole(self, m: Module, addend: Value, minus: Value, total: Value, counts: Value, carries: Value) -> None:
        """The register of the sum, one chain."""
        left, carry = Signal(), Signal()
        above = total[self.p.w :] & carries.replicate(ABOVE)
        m.d.sync += [
            total.eq(signed_plus(m, addend, minus, total, counts, carry, self.p.target)),
            left.eq(above[1]),
            carry.eq(self.one | above.any() | left),
        ]

    def _in_halves(self, m: Module, addend: Value, minus: Value, counts: Value, carries: Value) -> Value:
        """The sum of the upper half, which the lower one's carry reaches a cycle later, and of that one.

        The carry out of both does not wait for that: it is 1 more where the upper half has ones only.
        """
        p, half = self.p, self.p.w // 2
        sums = list[Signal]()
        left, carry = Signal(name="left"), Signal(name="carry")
        for name, part, into in (("low", addend[:half], carry), ("high", addend[half:], Const(0, 1))):
            register = Signal(len(part) + ABOVE, name=name, reset_less=True)
            m.d.sync += register.eq(signed_plus(m, part, minus, register, counts, into, p.target))
            sums.append(register)
        low, high = sums
        middle, top, bits = low[half:], high[-ABOVE:], high[:-ABOVE]
        over = (middle[0] & bits.all()) | (middle[1] & bits[1:].all())
        m.d.sync += [
            left.eq((top[1] | (top[0] & over)) & carries),
            carry.eq(self.one | ((top.any() | over) & carries) | left),
        ]
        upper = Signal(len(high), name="upper", reset_less=True)
        m.d.sync += upper.eq(high + middle)
        return Cat(delayed(m, low[:half], 1, "lower"), upper)
