# SPDX-License-Identifier: Apache-2.0
"""The rows of blocks, the sums of their columns, and the digits of a product.

Cycles as in `plan.timing`, counted from cycle s of the first digits, of which there are T turns; C = 2 + rows, d the
delay of digit 0:

    cycle              register that holds the value from this cycle on
    s + 1              factors, inside the blocks
    s + 2              products, inside the blocks
    s + C              `column_k`: sums of the halves that belong to a digit; column 0 d cycles later
    s + C + 1          `sum_k`: the sum over all turns until now; sum 0 d cycles later
    s + C + T + d + 1  `made_1_k`: digits behind the first pass; each other pass takes a cycle more
"""

from __future__ import annotations

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .....rtl.copies import copied
from .....rtl.multiplier import make_block
from .....rtl.pipeline import delayed
from ..parameters import PseudoMersenneParameters
from .multiple import multiple

SLICE = 4
"""Columns behind one copy of `first`."""


class Row(wiring.Component):
    """Attributes
    ----------
    first : in
        The columns of the first digits are there a cycle later.
    factors, digits : in
        See `Operands`.
    made : out, digits of v bits
        The product.
    """

    def __init__(self, p: PseudoMersenneParameters) -> None:
        self.p = p
        number = data.ArrayLayout(p.v, p.count)
        super().__init__(
            {"first": In(1), "factors": In(data.ArrayLayout(number, p.rows))}
            | {"digits": In(data.ArrayLayout(p.v, p.rows)), "made": Out(number)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        sums = self._sums(m, self._columns(m))
        digits = self._first_pass(m, sums)
        for number in range(1, p.passes):
            digits = self._pass(m, number, digits)
        m.d.comb += [self.made[k].eq(digit) for k, digit in enumerate(digits)]
        return m

    def _columns(self, m: Module) -> list[Value]:
        """Sums of the halves of products that belong to a digit, over the rows; no carry goes further."""
        p, low, high = self.p, list[list[Value]](), list[list[Value]]()
        for row in range(p.rows):
            products = [make_block(m, self.factors[row][k], self.digits[row], 1, p.target) for k in range(p.count)]
            low.append([product[: p.w] for product in products])
            high.append([product[p.w :] for product in products])
        columns: list[Value] = [self._lowest(m, [row[0] for row in low], [row[-1] for row in high])]
        for k in range(1, p.count):
            halves = [self._total(m, (low[row][k], high[row][k - 1]), f"half_{row}_{k}") for row in range(p.rows)]
            columns.append(halves[0] if p.rows == 1 else self._total(m, halves, f"column_{k}"))
        return columns

    def _total(self, m: Module, terms: list[Value] | tuple[Value, ...], name: str) -> Value:
        """Register of a sum."""
        width = sum((1 << len(term)) - 1 for term in terms).bit_length()
        total = Signal(width, name=name, reset_less=True)
        m.d.sync += total.eq(sum(terms, Const(0, 1)))
        return total

    def _lowest(self, m: Module, low: list[Value], high: list[Value]) -> Value:
        """Column 0: low halves, and f times the high ones that leave at the top."""
        p = self.p
        if p.rows > 1:
            low, high = [self._total(m, low, "lowest")], [self._total(m, high, "highest")]
        return multiple(m, high[0], p.factor, p.delay + 1, "column_0", also=low[0])

    def _sums(self, m: Module, columns: list[Value]) -> list[Value]:
        """Sums over the turns."""
        p, found = self.p, list[Value]()
        zero, other = p.columns
        copies = [copied(m, self.first, p.target, f"first_{number}") for number in range(-(-p.count // SLICE))]
        for k, column in enumerate(columns):
            first = delayed(m, copies[0], p.delay, "first_late") if k == 0 else copies[k // SLICE]
            total = Signal((other if k else zero).bit_length(), name=f"sum_{k}", reset_less=True)
            m.d.sync += total.eq((total & (~first).replicate(len(total))) + column)
            found.append(total)
        return found

    def _first_pass(self, m: Module, sums: list[Value]) -> list[Value]:
        """Digits and what is above them, added to the next ones; all but digit 0 and 1 wait for these."""
        p = self.p
        low, high = [total[: p.w] for total in sums], [total[p.w :] for total in sums]
        folded = multiple(m, high[-1], p.factor, p.delay, "top")
        late = delayed(m, low[1], p.delay, "low_1")
        digits = [self._digit(m, (low[0], folded), 0), self._digit(m, (late, high[0]), 1)]
        for k in range(2, p.count):
            digits.append(delayed(m, self._digit(m, (low[k], high[k - 1]), k), p.delay, f"waiting_{k}"))
        return digits

    def _pass(self, m: Module, number: int, digits: list[Value]) -> list[Value]:
        """The same with digits that are there together."""
        p = self.p
        low, high = [digit[: p.w] for digit in digits], [digit[p.w :] for digit in digits]
        above = [high[-1] * p.factor, *high[:-1]]
        return [self._digit(m, (low[k], above[k]), k, number) for k in range(p.count)]

    def _digit(self, m: Module, terms: tuple[Value, ...], k: int, number: int = 0) -> Value:
        """Register of a digit, in the bits of its largest number."""
        largest = self.p.digits[number][min(k, 2)]
        digit = Signal(largest.bit_length(), name=f"made_{number + 1}_{k}", reset_less=True)
        m.d.sync += digit.eq(sum(terms, Const(0, 1)))
        return digit
