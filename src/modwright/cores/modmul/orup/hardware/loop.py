# SPDX-License-Identifier: Apache-2.0
"""The data path that takes a digit a cycle: S <- floor(S / 2^k) + q·m + b·Y, in chunks with carries between them.

Between two registers of S lie one carry-save adder and one carry chain of a chunk. All that comes before, tiles of the
products and their sums over a chunk, has d registers, which the delayed quotient digit allows.

Registers by cycle, with the step of the schedule; I digits, L limbs of the result, d registers:

    cycle            step            register that holds the value from this cycle on
    1                operands        X, Y of the core; Y and m in the multipliers
    d + 2            digits of X     `addend_j`: q·m + b·Y of digit 0 over a chunk; `digit_j` has b·Y a cycle before
    I + d + 2        S               `word` and `carries`: S after I digits, w·C bits and C - 1 carries
    I + d + 3        last S          register of the converter: the same
    I + L + d + 3    to binary       the same, a limb a cycle without carries
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .....engines.orup.ahead import OrupParameters
from .....rtl.multiplier import DigitMultiplier
from .....rtl.pipeline import delayed

OUTSIDE = 2
"""Registers among the d outside of the products: operand registers of the multipliers, and the sum of the products."""


class QuotientLoop(wiring.Component):
    """Registers of S, and the multipliers of Y and m.

    Attributes
    ----------
    load : in
        Strobe: Y and m are loaded into the multipliers, for digits from the next cycle on.
    y, m : in
        Y and m.
    digit : in, k bits
        Digit b of X; it is added to S at the end of the (d + 1)-th cycle after this one.
    run : in
        Level: S takes a digit in this cycle; it becomes 0 in every other.
    word : out, w·C bits
    carries : out, array of C - 1 carries
        S = word + Σ carries[j]·2^(w(j+1)), 0 <= carries[j] <= c1. The lowest k bits of `word` are those of S: q.
    """

    def __init__(self, p: OrupParameters) -> None:
        self.p = p
        super().__init__(
            {"load": In(1), "y": In(p.operand_bits), "m": In(p.n), "digit": In(p.k), "run": In(1)}
            | {"word": Out(p.w * p.chunks), "carries": Out(data.ArrayLayout(p.carry_width, p.chunks - 1))}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.y_tiles = of_y = DigitMultiplier(p.word_tiling, self._registers[0])
        m.submodules.m_tiles = of_m = DigitMultiplier(p.modulus_tiling, self._registers[0])
        m.d.comb += [
            of_y.load.eq(self.load),
            of_y.word.eq(self.y),
            of_y.digit.eq(self.digit),
            of_m.load.eq(self.load),
            of_m.word.eq(self.m),
            of_m.digit.eq(self.word[: p.k]),
        ]
        y_parts, m_parts = self._parts(m, of_y), self._parts(m, of_m)
        for j in range(p.chunks):
            of_digit = Signal(p.w + 1, name=f"digit_{j}")  # b·Y over the chunk, a cycle ahead of q·m
            addend = Signal(p.addend_width, name=f"addend_{j}")
            m.d.sync += [
                of_digit.eq(y_parts[j][0] + y_parts[j][1]),
                addend.eq(_sum_of_three(m, f"addend_{j}", p.addend_width, of_digit, *m_parts[j])),
            ]
            self._add(m, j, addend)
        return m

    def _add(self, m: Module, j: int, addend: Value) -> None:
        """Chunk j of S, and its carry."""
        p = self.p
        top = j == p.chunks - 1
        shifted = self.word[p.w * j + p.k :][: p.w]
        carry = Const(0, 1) if top else Cat(Const(0, p.w - p.k), self.carries[j])
        width = p.w if top else p.w + p.carry_width
        total = _sum_of_three(m, f"S_{j}", width, shifted, addend, carry)
        here = self.word[p.w * j : p.w * (j + 1)]
        with m.If(self.run):
            m.d.sync += here.eq(total[: p.w])
        with m.Else():
            m.d.sync += here.eq(0)
        if not top:
            with m.If(self.run):
                m.d.sync += self.carries[j].eq(total[p.w :])
            with m.Else():
                m.d.sync += self.carries[j].eq(0)

    @property
    def _registers(self) -> tuple[int, int]:
        """Registers of a product, in the multiplier and behind it: the last of several is for the way to the sum."""
        registers = self.p.d - OUTSIDE
        inside = max(1, registers - 1)
        return inside, registers - inside

    def _parts(self, m: Module, multiplier: DigitMultiplier) -> list[tuple[Value, Value]]:
        """For each chunk, the low part of the product of its tile and the high part of that of the tile below."""
        w, chunks, none = self.p.w, self.p.chunks, Const(0, 1)
        products = [
            delayed(m, multiplier.products[j], self._registers[1], f"product_{j}")
            for j in range(len(multiplier.tiling.tiles))
        ]
        low = [product[:w] for product in products] + [none] * chunks
        high = [none, *(product[w:] for product in products)] + [none] * chunks
        return list(zip(low[:chunks], high[:chunks], strict=True))


def _sum_of_three(m: Module, name: str, width: int, a: Value, b: Value, c: Value) -> Value:
    """Sum a + b + c modulo 2^width: a carry-save adder in front of one carry chain."""
    rows = [Signal(width, name=f"{name}_{row}") for row in "abc"]
    total, majority = Signal(width, name=f"{name}_total"), Signal(width, name=f"{name}_majority")
    result = Signal(width, name=f"{name}_sum")
    half = rows[0] ^ rows[1]
    m.d.comb += [
        *(row.eq(value) for row, value in zip(rows, (a, b, c), strict=True)),
        total.eq(half ^ rows[2]),
        majority.eq((rows[0] & rows[1]) | (half & rows[2])),
        result.eq(total + (majority << 1)),
    ]
    return result
