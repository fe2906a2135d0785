# SPDX-License-Identifier: Apache-2.0
"""f, g and D of the divsteps, in slices; slice 0 decides whether g is odd and whether f and g are exchanged.

Registers of step s, counted from the first cycle with `loading` low; slices j, one step a cycle:

    cycle        register that holds the value from this cycle on
    s            `odd_0`, `swap_0`: the choice of step s; `D`: that in front of it
    s + j        `choice_j`, `carry_j`: the choice and the carry of slice j - 1, j > 0
    s + j + 1    `f_j`, `g_j`: slice j after step s
    s + L + 2    `unit`: |f| = 1, by `zero` and `ones` of L slices, for an f that later steps do not change
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..parameters import BinaryInversionParameters
from .slices import Choice, added, delayed, extended


class Pair(wiring.Component):
    """Registers of f and g, which start as M and an operand.

    Slice j loads both while `loading` was high j + 1 cycles ago. In every other cycle it takes a
    step, or `per_cycle` of them where it is the only one.

    Attributes
    ----------
    loading : in
        Low in the cycles in which slice 0 takes steps.
    a : in, n bits
        The first g, below M, stable until the top slice has it.
    m : in, n bits
        M, stable.
    odd, swap : out, a bit a divstep
        Choices of the steps that slice 0 takes in this cycle: g is odd; f and g are exchanged.
    negative : out
        Whether f < 0.
    unit : out
        Whether |f| = 1, two cycles later.
    """

    def __init__(self, p: BinaryInversionParameters) -> None:
        self.p = p
        steps = {"odd": Out(p.per_cycle), "swap": Out(p.per_cycle), "negative": Out(1), "unit": Out(1)}
        super().__init__({"loading": In(1), "a": In(p.n), "m": In(p.n)} | steps)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bounds = self.p.pair_slices
        top = len(bounds) - 1
        f = [Signal(high - low, name=f"f_{j}") for j, (low, high) in enumerate(bounds)]
        # |f|, |g| <= M < 2^n, and a sign; the top bit of g below the top slice is one of a sum of the slice above
        g = [Signal(high - low - (j < top), name=f"g_{j}") for j, (low, high) in enumerate(bounds)]
        lowest = [Signal(name=f"lowest_{j}") for j in range(top + 1)]
        decisions = _Decisions(m, self.p)
        loading, choice, carry = self.loading, decisions.choice, decisions.choice.negated
        for j, (low, high) in enumerate(bounds):
            a, modulus = (Cat(value, Const(0, 1))[low:high] for value in (self.a, self.m))
            after_f, after_g = f[j], g[j] if j == top else Cat(g[j], lowest[j + 1])
            halved = out = Const(0, 1)
            for step in range(self.p.per_cycle):
                choice = choice if j else decisions.choice
                negated, term = choice.negated, choice.of(after_f)
                total = added(
                    m, *extended(j == top, after_g, term), carry if not step else negated, f"g_sum_{j}_{step}"
                )
                after_f, halved, out = Mux(negated, after_g, after_f), total[0], total[-1]
                after_g = total[1:-1]
                if j == 0:
                    decisions.follow(m, after_g[0])
            m.d.sync += [f[j].eq(Mux(loading, modulus, after_f)), g[j].eq(Mux(loading, a, after_g))]
            m.d.comb += lowest[j].eq(Mux(loading, self.a[low - 1] if j else 0, halved))
            choice = decisions.first if not j else choice
            loading, choice = delayed(m, loading, f"loading_{j + 1}"), choice.delayed(m, f"choice_{j + 1}")
            carry = delayed(m, out, f"carry_{j + 1}")
        decisions.keep(m, self.loading, self.a[0])
        m.d.comb += [self.odd.eq(Cat(decisions.odd)), self.swap.eq(Cat(decisions.swap)), self.negative.eq(f[top][-1])]
        self._compare(m, f)
        return m

    def _compare(self, m: Module, f: list[Signal]) -> None:
        """Comparison |f| = 1: all bits but the lowest equal the sign. A register for each slice, and one for all."""
        zero, ones = (Signal(len(f), name=name) for name in ("zero", "ones"))
        for j, part in enumerate(f):
            above = part[1:] if not j else part
            m.d.sync += [zero[j].eq(~above.any()), ones[j].eq(above.all())]
        m.d.sync += self.unit.eq(zero.all() | ones.all())


class _Decisions:
    """Choices of the steps of slice 0, each from the lowest bit of g and the sign of D before it.

    The first of a cycle is made in the cycle before and waits in registers; others follow within the cycle.

    Parameters
    ----------
    m : Module
    p : BinaryInversionParameters

    Attributes
    ----------
    first, choice : Choice
        Choices of the first step of this cycle, and of the next step without one.
    odd, swap : list of Value
        Choices of the steps of this cycle.
    """

    def __init__(self, m: Module, p: BinaryInversionParameters) -> None:
        self._bits = p.counter_bits
        self._D = Signal(signed(self._bits), name="D")
        self._now: Value = self._D
        self.first = self.choice = Choice(Signal(name="odd_0"), Signal(name="swap_0"))
        self.odd: list[Value] = []
        self.swap: list[Value] = []

    def follow(self, m: Module, lowest: Value) -> None:
        """Advance to the next step, with `lowest` as its bit 0 of g."""
        number = len(self.odd)
        self.odd.append(self.choice.taken)
        self.swap.append(self.choice.negated)
        after = Signal(signed(self._bits), name=f"D_{number}")
        swap = Signal(name=f"swap_after_{number}")
        m.d.comb += [after.eq(Mux(self.choice.negated, ~self._now, self._now) + 1), swap.eq(lowest & ~after[-1])]
        self._now, self.choice = after, Choice(lowest, swap)

    def keep(self, m: Module, loading: Value, lowest: Value) -> None:
        """Store the choice for the next cycle; after loading, D = 0, and `lowest` is bit 0 of g."""
        m.d.sync += [
            self._D.eq(Mux(loading, 0, self._now)),
            self.first.taken.eq(Mux(loading, lowest, self.choice.taken)),
            self.first.negated.eq(Mux(loading, lowest, self.choice.negated)),
        ]
