# SPDX-License-Identifier: Apache-2.0
"""Converter from carry-save form to binary, a limb a cycle.

Registers, counted from the cycle in which a limb is selected:

    cycle    register that holds the value from this cycle on
    1        `total_limb`, `carry_limb`, `modulus_limb`: the limb of S and of M; `add`, `first`, `last`: its position
    2        `plain`, `shifted`: at the top, the limb of S and of S ± M; carries of both
    3        `z` in domain 1, behind the last limb: the one of both below M; in domain 2 it is `plain` or `shifted`
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....rtl.copies import copied
from .....rtl.pipeline import delayed
from ..parameters import CarrySaveParameters
from .supply import limbs_of, picked


class LimbConverter(wiring.Component):
    """Converter of S, S + M or S - M to binary; in domain 1, of the one of two that is in [0, M).

    Attributes
    ----------
    select : in
        A limb is taken in this cycle; it is added in the next.
    index : in
        Index of the limb, from 0.
    total, carry, lost : in
        S.
    pick : in
        One-hot index, where a choice has a register.
    m_limb : in
        Limb of M at `index`, a cycle later where a choice has a register.
    zero : in
        Whether the result is 0.
    z : out
        Result, once `done` was.
    done : out
        Pulse; `z` is valid in the next cycle.
    """

    def __init__(self, p: CarrySaveParameters) -> None:
        self.p = p
        super().__init__(
            {"select": In(1), "index": In(range(p.limbs)), "m_limb": In(p.limb), "zero": In(1)}
            | ({"pick": In(p.limbs)} if p.ahead else {})
            | {"total": In(p.sum_width), "carry": In(p.carry_width), "lost": In(1)}
            | {"z": Out(p.operand_bits), "done": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        total, carry, modulus = (Signal(p.limb, name=name) for name in ("total_limb", "carry_limb", "modulus_limb"))
        add, first, last = Signal(), Signal(), Signal()  # the registers hold a limb, the first one, the last one
        signed = self.total.as_signed() if p.cell.signed else self.total
        late = int(p.ahead)  # a choice has a register
        selected = delayed(m, self.select, late, "select")
        m.d.sync += [
            total.eq(self._limb(m, "total", signed)),
            carry.eq(self._limb(m, "carry", self.carry)),
            modulus.eq(self.m_limb),
            add.eq(selected),
            first.eq(delayed(m, self.index == 0, late, "first")),
            last.eq(delayed(m, self.index == p.limbs - 1, late, "last")),
        ]
        # with `ahead` a copy of `add` for each limb of a result
        self._moves = [copied(m, selected, p.target, f"add_{limb}") for limb in range(p.limbs if p.ahead else 0)]
        if p.domain == 2:
            adder = self._shifted if p.offset else self._plain
            result = adder(m, total, carry, modulus, add, first)
            m.d.comb += [self.z.eq(result), self.done.eq(add & last)]
            return m
        plain = self._plain(m, total, carry, modulus, add, first)
        shifted = self._shifted(m, total, carry, modulus, add, first)
        choose = Signal()
        m.d.sync += choose.eq(add & last)
        with m.If(choose):
            # S + M for a negative S; S - M unless it is negative
            m.d.sync += self.z.eq(Mux(plain[-1] if p.offset else ~shifted[-1], shifted, plain))
        m.d.comb += self.done.eq(choose)
        return m

    def _limb(self, m: Module, name: str, value: Value) -> Value:
        limbs = limbs_of(value, self.p)
        if self.p.ahead:
            return picked(m, name, limbs, self.pick)
        return limbs[0] if len(limbs) == 1 else Array(limbs)[self.index]

    def _plain(self, m: Module, total: Value, carry: Value, modulus: Value, add: Value, first: Value) -> Signal:
        """Limb of the sum S."""
        return self._sum(m, "plain", total, carry, add, first)

    def _shifted(self, m: Module, total: Value, carry: Value, modulus: Value, add: Value, first: Value) -> Signal:
        """Limb of S + M, or S - M where S is never negative: three rows, a carry-save adder in front of the chain."""
        B, subtract = self.p.limb, not self.p.offset
        third = ~modulus if subtract else modulus
        half = total ^ carry
        majority = Signal(B, name="majority")
        before = Signal(name="majority_before")  # top bit of the limb before
        m.d.comb += majority.eq((total & carry) | (half & third))
        with m.If(add):
            m.d.sync += before.eq(majority[-1])
        into = Mux(first, Const(subtract, 1), before)
        return self._sum(m, "shifted", (half ^ third)[:B], Cat(into, majority[:-1]), add, first)

    def _sum(self, m: Module, name: str, a: Value, b: Value, add: Value, first: Value) -> Signal:
        """The sum of two words that come limb after limb, in a register of L limbs."""
        B = self.p.limb
        result = Signal(self.p.limbs * B, name=name)
        carry, total = Signal(name=f"{name}_carry"), Signal(B + 1, name=f"{name}_sum")
        m.d.comb += total.eq(a + b + Mux(first, self.lost, carry))
        moved = Cat(result[B:], Mux(self.zero, 0, total[:B]))
        with m.If(add):
            if not self.p.ahead:
                m.d.sync += result.eq(moved)
            m.d.sync += carry.eq(total[-1])
        for number, move in enumerate(self._moves):
            part = slice(number * B, number * B + B)
            with m.If(move):
                m.d.sync += result[part].eq(moved[part])
        return result
