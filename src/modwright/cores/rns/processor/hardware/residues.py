# SPDX-License-Identifier: Apache-2.0
"""Small residues of a number whose hats pass over the bus, and whether the number is 0, 1 or -1: one hat a cycle.

Registers of n hats, the first of which is on the bus in cycle 0; `COUNTED` of the schedule is the way of the last one:

    cycle    register that holds the value from this cycle on
    1        `low`, `residue`: of the first hat, modulo 2^a and 3^b; `same_NAME`: whether it is that of 0, 1, -1
    2        `twos_sum`, `threes_sum`: of the first hat times its B/b_i; `every_NAME`
    n        the cox's sum
    n + 1    `q`: the multiple of B to subtract; with the sums of all hats, the residues are valid
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....engines.coxrower.steps import COX_ADD
from .....engines.inversion.hardware.rower import lookup
from .....engines.inversion.hardware.small import small_residue
from .....engines.plus_minus import RESIDUES_V1
from ..parameters import ProcessorParameters

FLAGS = {"zero": 0, "one": 1, "minus": -1}
"""Numbers that end an inversion."""


class SmallResidues(wiring.Component):
    """Residues of a number in base B, modulo 2^a and 3^b.

    Attributes
    ----------
    hat : in, w bits
        Hat on the bus.
    code : in
        Operation of the cox: `COX_ADD`, or another code but 0 for the first hat.
    quotient : in
        Quotient that the cox has found.
    keep : in
        Number whose residues are computed; for V1, those of the number less P.
    twos : out, a bits
    threes : out
        Canonical residue modulo 3^b; one bit that is 0 where b = 0.
    zero, one, minus : out
        Flags: the number is 0, 1, -1.
    """

    def __init__(self, p: ProcessorParameters, code: int, quotient: int) -> None:
        self.p = p
        self.two, self.three = 2**p.rules.kind.twos, 3**p.rules.kind.threes
        ports = {"hat": In(p.width), "code": In(code), "quotient": In(quotient), "keep": In(2)}
        residues = {"twos": Out(p.rules.kind.twos), "threes": Out(max(1, (self.three - 1).bit_length()))}
        super().__init__(ports | residues | {name: Out(1) for name in FLAGS})

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        first, row, following = Signal(), Signal(range(p.n)), Signal(range(p.n))
        m.d.comb += [
            first.eq((self.code != 0) & (self.code != COX_ADD)),
            row.eq(Mux(first, 0, following)),
        ]
        with m.If(self.code != 0):
            m.d.sync += following.eq(row + 1)
        first_held, row_held, q = Signal(), Signal.like(row), Signal.like(self.quotient)
        m.d.sync += [first_held.eq(first), row_held.eq(row), q.eq(self.quotient)]
        self._flags(m, row, first_held)
        most, product, P = (1 << len(q)) - 1, p.B.product, p.modulus
        ending = Cat(q, self.keep == RESIDUES_V1)  # in whose table a multiple of B is found
        twos = self._sum_of_twos(m, row_held, first_held)
        ends = [-v * product - less for less in (0, P) for v in range(most + 1)]
        m.d.comb += self.twos.eq(twos + lookup([v % self.two for v in ends], len(twos), ending))
        if self.three > 1:
            threes = self._sum_of_threes(m, row_held, first_held)
            end = lookup([v % self.three for v in ends], len(threes), ending)
            m.d.comb += self.threes.eq(self._modulo_three(threes + end))
        return m

    def _sum_of_twos(self, m: Module, row: Value, first: Value) -> Signal:
        """Register of Σ x̂_i·(B/b_i) modulo 2^a; the factors are odd."""
        bits = self.p.rules.kind.twos
        low, held = Signal(bits, name="low"), Signal(bits, name="twos_sum")
        factor = lookup([c % self.two // 2 for c in self.p.B.cofactors], max(1, bits - 1), row)
        table = [(2 * c + 1) * x % self.two for c in range(self.two // 2) for x in range(self.two)]
        m.d.sync += [
            low.eq(self.hat[:bits]),
            held.eq(Mux(first, 0, held) + lookup(table, bits, Cat(low, factor))),
        ]
        return held

    def _sum_of_threes(self, m: Module, row: Value, first: Value) -> Signal:
        """Register of Σ x̂_i·(B/b_i) modulo 3^b; the factors are not multiples of 3."""
        bits = len(self.threes)
        residue, held = Signal(bits, name="residue"), Signal(bits, name="threes_sum")
        units = [c for c in range(self.three) if c % 3]
        number = lookup([units.index(c % self.three) for c in self.p.B.cofactors], (len(units) - 1).bit_length(), row)
        table = [c * x % self.three for c in units for x in range(1 << bits)]
        m.d.sync += [
            residue.eq(small_residue(m, self.hat, self.three, 1, "residue_now")),
            held.eq(self._modulo_three(Mux(first, 0, held) + lookup(table, bits, Cat(residue, number)))),
        ]
        return held

    def _modulo_three(self, total: Value) -> Value:
        """A sum of two residues, reduced modulo 3^b."""
        return lookup([v % self.three for v in range(2 * self.three - 1)], len(self.threes), Value.cast(total))

    def _flags(self, m: Module, row: Value, first: Value) -> None:
        """Flags that all hats are those of 0, 1, -1."""
        p = self.p
        for name, value in FLAGS.items():
            same, every = Signal(name=f"same_{name}"), Signal(name=f"every_{name}")
            hats = p.hats_in_b(value)
            m.d.sync += [same.eq(is_one_of(p, self.hat, hats, row)), every.eq(same & (first | every))]
            m.d.comb += getattr(self, name).eq(every)


def is_one_of(p: ProcessorParameters, hat: Value, hats: Sequence[int], row: Value) -> Value:
    """Whether the hat on the bus is a representative of the row's."""
    w, others = p.width, [h + m for h, m in zip(hats, p.B.moduli, strict=True)]
    same = hat == lookup(hats, w, row)
    if all(other >> w for other in others):
        return same
    return same | (hat == lookup([o if o >> w == 0 else h for o, h in zip(others, hats, strict=True)], w, row))
