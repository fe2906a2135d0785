# SPDX-License-Identifier: Apache-2.0
"""d and e of the divsteps, modulo M, in slices, a cycle behind f and g; in the end e is halved until |e| < M.

Registers of step s, counted from the first cycle with `loading` low; slices j, one step a cycle:

    cycle        register that holds the value from this cycle on
    s            `choice_0_0`: the choice of step s; `add_0`, `subtract_0`: the correction that makes the sum even
    s + j        `choice_j`, `correction_j`, `carry_j`, `kept_j`: both, and carries of slice j - 1, j > 0
    s + j + 1    `d_j`, `e_j`: slice j after step s
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..parameters import BinaryInversionParameters
from .slices import Choice, added, delayed, extended


@dataclass(frozen=True)
class Correction:
    """M, which makes an odd sum even: added, subtracted, or neither."""

    add: Value
    subtract: Value

    @classmethod
    def of(cls, odd: Value, negative: Value) -> Correction:
        """The correction of an odd sum, by an earlier sign of e."""
        return cls(odd & negative, odd & ~negative)

    def term(self, modulus: Value) -> Value:
        """The term without the carry of its negative."""
        return Mux(self.add, modulus, 0) | Mux(self.subtract, ~modulus, 0)

    def delayed(self, m: Module, name: str) -> Correction:
        """The correction a cycle later."""
        return Correction(delayed(m, self.add, f"{name}_add"), delayed(m, self.subtract, f"{name}_subtract"))


class Cofactors(wiring.Component):
    """Registers of d and e: e ± d or e, halved modulo M in every step.

    Where the sum is odd, M is added to a negative e and subtracted from another, by the sign that e had `stale` steps
    ago. Slice j has d = 0 and e = 2^halvings while `loading` was high j + 1 cycles ago.

    Attributes
    ----------
    loading : in
        Low in the cycles in which slice 0 takes steps.
    m : in, n bits
        M, stable.
    odd, swap : in, a bit a divstep
        Choices of the steps that slice 0 takes in the next cycle: e takes ±d; d and e are exchanged.
    last, negative : in
        Make e take d, or -d with `negative`, in the next step of slice 0, for any choice of the pair: g is 0 by then,
        and the inverse follows from ±d.
    e : out
        Slice j of e, in the cycle behind its last step.
    """

    def __init__(self, p: BinaryInversionParameters) -> None:
        self.p = p
        steps = {"odd": In(p.per_cycle), "swap": In(p.per_cycle), "last": In(1), "negative": In(1)}
        super().__init__({"loading": In(1), "m": In(p.n)} | steps | {"e": Out(p.cofactor_bits)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bounds, initial = self.p.cofactor_slices, Const(self.p.initial, self.p.cofactor_bits)
        top = len(bounds) - 1
        d = [Signal(high - low, name=f"d_{j}") for j, (low, high) in enumerate(bounds)]
        # |d|, |e| < 2^(cofactor_bits - 1); the top bit of e below the top slice is one of a sum of the slice above
        e = [Signal(high - low - (j < top), name=f"e_{j}") for j, (low, high) in enumerate(bounds)]
        lowest = [Signal(name=f"lowest_{j}") for j in range(top + 1)]
        wholes = [e[j] if j == top else Cat(e[j], lowest[j + 1]) for j in range(top + 1)]
        loading, following = self.loading, self._following()
        choices = [choice.delayed(m, f"choice_0_{step}") for step, choice in enumerate(following)]
        first = correction = Correction(Signal(name="add_0"), Signal(name="subtract_0"))
        carries: tuple[Value, Value] = choices[0].negated, first.subtract
        for j, (low, high) in enumerate(bounds):
            modulus = Cat(self.m, Const(0, self.p.cofactor_bits - self.p.n))[low:high]
            after_d, after_e, halved = d[j], wholes[j], Const(0, 1)
            for step, choice in enumerate(choices):
                if step:
                    correction = Correction.of(after_e[0] ^ (choice.taken & after_d[0]), after_e[-1])
                    carries = choice.negated, correction.subtract
                terms = extended(j == top, after_e, choice.of(after_d), correction.term(modulus))
                found = self._sum(m, terms, carries, f"{j}_{step}")
                after_d, after_e = Mux(choice.negated, after_e, after_d), found.halved
                halved, carries = found.lowest, found.carries
            start = initial[low:high]
            m.d.sync += [d[j].eq(Mux(loading, 0, after_d)), e[j].eq(Mux(loading, start, after_e))]
            m.d.comb += lowest[j].eq(Mux(loading, initial[low - 1] if j else 0, halved))
            if j == 0:
                sign = e[top][-1] if top else ~loading & after_e[-1]
                odd = Mux(loading, start[0], after_e[0]) ^ (following[0].taken & ~loading & after_d[0])
                found = Correction.of(odd, sign)
                m.d.sync += [first.add.eq(found.add), first.subtract.eq(found.subtract)]
                correction = first
            loading, choices = delayed(m, loading, f"loading_{j + 1}"), [choices[0].delayed(m, f"choice_{j + 1}")]
            correction = correction.delayed(m, f"correction_{j + 1}")
            carries = delayed(m, carries[0], f"carry_{j + 1}"), delayed(m, carries[1], f"kept_{j + 1}")
        m.d.comb += self.e.eq(Cat(*wholes))
        return m

    def _following(self) -> list[Choice]:
        """Choices of the steps that slice 0 takes in the next cycle."""
        last = Choice(self.last, self.last & self.negative)
        asked = [Choice(odd, swap) for odd, swap in zip(self.odd, self.swap, strict=True)]
        asked[0] = Choice(asked[0].taken | last.taken, asked[0].negated | last.negated)
        return asked

    def _sum(self, m: Module, terms: tuple[Value, ...], carries: tuple[Value, Value], name: str) -> _Sum:
        """e ± d ± M of a slice: one level of full adders and one chain, a carry of each from the slice below."""
        e, x, y = terms
        partial, majority = Signal(len(e), name=f"partial_{name}"), Signal(len(e), name=f"majority_{name}")
        m.d.comb += [partial.eq(e ^ x ^ y), majority.eq((e & x) | (e & y) | (x & y))]
        total = added(m, partial, Cat(carries[1], majority[:-1]), carries[0], f"e_sum_{name}")
        return _Sum(total[1:-1], total[0], (total[-1], majority[-1]))


@dataclass(frozen=True)
class _Sum:
    """The sum of a slice: halved, the bit that the slice below takes, and carries of chain and full adders."""

    halved: Value
    lowest: Value
    carries: tuple[Value, Value]
