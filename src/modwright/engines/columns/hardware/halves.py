# SPDX-License-Identifier: Apache-2.0
"""Sums of products of digits of two limbs that are multiplied in halves, three products of half as many digits.

With halves a_0, a_1 and b_0, b_1 of h digits each, L_e, H_e and M_e the sums of a_0·b_0, of a_1·b_1 and of
(a_0 + a_1)·(b_0 + b_1), whose digits have a bit more,

    E_e = L_e + (M_(e-h) - L_(e-h) - H_(e-h)) + H_(e-2h)

so every E_e is that of `products`, digit by digit. Registers, counted from the cycle of the limbs:

    cycle    register that holds the value from this cycle on
    1        `a_plus_I`, `b_plus_I`: sums of digits, operands of M
    6        L_e and H_e
    7        M_e; `outer_E`: E_e without M
    8        `e_E`: the sum E_e

After Karatsuba and Ofman 1962.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value

from .products import DigitProducts, total


class HalfProducts(DigitProducts):
    """Sums E_e = Σ a_i·b_j, i + j = e, of limbs with two halves; parameters and ports are those of `DigitProducts`."""

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        half, middle = p.halves
        units = {"low": half, "high": half, "middle": middle}
        found: dict[str, list[Value]] = {}
        for name, layout in units.items():
            m.submodules[name] = unit = DigitProducts(layout, chained=self.chained)
            for port, limb in (("a", self.a), ("b", self.b)):
                parts = {"low": limb[: half.w], "high": limb[half.w :]}
                operand = parts[name] if name in parts else self._plus(m, limb, port)
                m.d.comb += getattr(unit, port).eq(operand)
            found[name] = list(unit.e)
        for e in range(2 * p.D - 1):
            outer = self._outer(m, found["low"], found["high"], e)
            inner = e - half.D
            terms = [outer, found["middle"][inner]] if 0 <= inner < 2 * half.D - 1 else [outer]
            m.d.sync += self.e[e].eq(total(terms, [], p.sum_bits))
        return m

    def _plus(self, m: Module, limb: Value, port: str) -> Value:
        """Sums of the digits of both halves."""
        p, digits = self.p, []
        for i in range(p.D // 2):
            low, high = (limb[p.b * k : p.b * (k + 1)] for k in (i, i + p.D // 2))
            digit = Signal(p.b + 1, name=f"{port}_plus_{i}", reset_less=True)
            m.d.sync += digit.eq(low + high)
            digits.append(digit)
        return Cat(digits)

    def _outer(self, m: Module, low: list[Value], high: list[Value], e: int) -> Value:
        """Register of E_e without M, modulo 2^sum_bits."""
        bits, h = self.p.sum_bits, self.p.D // 2
        terms = [of[at] for of, at in ((low, e), (high, e - 2 * h)) if 0 <= at < len(of)]
        taken = [of[e - h] for of in (low, high) if 0 <= e - h < len(of)]
        register = Signal(bits, name=f"outer_{e}", reset_less=True)
        less = [~Cat(value, Const(0, bits - len(value))) for value in taken]
        m.d.sync += register.eq(total([*(terms or [Const(0, 1)]), *less], [Const(1, 1)] * len(taken), bits))
        return register
