# SPDX-License-Identifier: Apache-2.0
"""Constants of a field in residues.

Every modulus of A and of B has a rower of its own. A number x, as an integer from -εP to μP, is stored

    in A   as x·g, with g² = ±T_a/P, T_a = (A/a)^-1 mod a
    in B   as its hat x·T_b, and as x·A^-1, T_b = (B/b)^-1 mod b

and a sum of products Σ x·y leaves as S = (Σ x·y + Q·P)/A, an integer that all rowers have:

    q̂ = ±Σ (x·g)·(y·g)                                hats of Q in A
    ŝ = Σ x̂·(y·A^-1) + Σ q̂·P·T_b/a - h·P·T_b          hats of S in B; the same sum in the rower
    s = Σ ŝ·g·B/b - h·g·B                             S·g in A
    ŝ·(A·T_b)^-1                                      S·A^-1 in B

So a product by a constant is needed in B alone, where it does not delay what follows. Sources: Kawamura et al.,
EUROCRYPT 2000, for the extensions; Modwright for the scale g, whose sign a rower of a prime 3 modulo 4 has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd

from ...base.json import Constant
from ...contract import Certificate, Inequality, Obligations
from ...contract.obligation import owed_together
from ...plan.pipeline import BLOCK, adder, place_registers
from ...plan.tiling import Tiling
from ...rns import Base
from ...rns.conversion import FromResidues, split
from ...rns.extension import Extension
from ..coxrower.arithmetic import SumFold, SumReduction
from ..coxrower.obligations import rower_folds
from .bases import signed_root

BELOW = Fraction(1, 4)
"""ε: numbers are above -εP."""
READ = 2
"""Cycles from an address to the word of a memory."""
OPERAND = 1
"""Register of an operand of the multiplier, inside the block."""
LIFTED = 3
"""A result that leaves is below 3·P: a number above -P and below 2·P, with P added."""


@dataclass(frozen=True)
class RowerField:
    """Every constant of one field in residues.

    Parameters
    ----------
    modulus : int
        P, an odd prime.
    first, second : Extension
        From A to B with σ = 0, and back, exact.
    lanes : int
        Hats that a rower takes in a cycle.
    most : int
        κ, most products in a sum.
    target : str
        Device family.
    registers : int
        D, registers of the multiplier behind that of its operands.
    constants : mapping of str to int
        Integers by name, from 0 on, by which words are multiplied.
    """

    modulus: int
    first: Extension
    second: Extension
    lanes: int
    most: int
    target: str
    registers: int
    constants: Mapping[str, int] = field(hash=False)

    @property
    def A(self) -> Base:
        """The base whose product is the Montgomery factor."""
        return self.first.source

    @property
    def B(self) -> Base:
        """The other base."""
        return self.second.source

    @property
    def width(self) -> int:
        """Bits of a channel, w."""
        return self.A.width

    @property
    def n(self) -> int:
        """Moduli of a base."""
        return self.A.count

    @property
    def word(self) -> int:
        """Largest value of w bits."""
        return (1 << self.width) - 1

    @property
    def rows(self) -> int:
        """Cycles in which all hats pass over a bus, r."""
        return -(-self.n // self.lanes)

    @property
    def digits(self) -> int:
        """Digits of w bits of a plain number."""
        return -(-self.modulus.bit_length() // self.width)

    @property
    def digit_rows(self) -> int:
        """Cycles in which all digits pass over a bus."""
        return -(-self.digits // self.lanes)

    # --- timing

    @property
    def tiling(self) -> Tiling:
        """The multiplier of a rower: a product for each lane, and their sum."""
        return Tiling(self.width, self.width, self.target, pairs=self.lanes)

    @property
    def places(self) -> tuple[int, ...]:
        """Registers behind the blocks and behind each level of the multiplier's adders."""
        tiling = self.tiling
        return place_registers([BLOCK, *tiling.delays], self.registers, tail=adder(2 * self.width + 3))

    @property
    def summed(self) -> int:
        """Cycles from the address of a factor to the sum that has its product."""
        return READ + OPERAND + self.registers + 1

    @cached_property
    def stages(self) -> int:
        """Stages of a reduction, the most of any rower."""
        return max(plan.stages for plans in (self.in_a, self.in_b) for plan in plans)

    @property
    def result(self) -> int:
        """R, cycles from the address of the last factor of a sum to its residue: the first and last stage take two."""
        return self.summed + self.stages + 2

    @property
    def latency(self) -> int:
        """Cycles from the address of the last factor of a sum to that of the first factor of one that reads S."""
        return 3 * self.result + 2 * (self.rows - 1) + 1

    # --- scales and constants of rowers

    @cached_property
    def roots(self) -> tuple[tuple[int, bool], ...]:
        """The scale g of each modulus of A, and whether products count negative."""
        pairs = zip(self.A.inverses, self.A.moduli, strict=True)
        return tuple(signed_root(-t * pow(self.modulus, -1, a) % a, a) for t, a in pairs)

    @cached_property
    def scales(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Scales of stored residues: g in A, T_b in B."""
        return tuple(g for g, _ in self.roots), self.B.inverses

    @cached_property
    def weights(self) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
        """Factors of the hats from the other base: for each modulus of A those of the hats in B, and the other way."""
        P, product = self.modulus, self.B.product
        into_a = tuple(
            tuple(product // b * g % a for b in self.B.moduli)
            for a, (g, _) in zip(self.A.moduli, self.roots, strict=True)
        )
        into_b = tuple(
            tuple(P * t * pow(a, -1, b) % b for a in self.A.moduli)
            for b, t in zip(self.B.moduli, self.B.inverses, strict=True)
        )
        return into_a, into_b

    @cached_property
    def digit_weights(self) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
        """Factors of the digits of a plain number."""
        powers = [1 << (self.width * k) for k in range(self.digits)]
        bases = zip((self.A, self.B), self.scales, strict=True)
        a, b = (
            tuple(tuple(power * s % m for power in powers) for m, s in zip(base.moduli, scale, strict=True))
            for base, scale in bases
        )
        return a, b

    @cached_property
    def corrections(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Addend for each unit of h."""
        a = tuple(-self.B.product * g % a for a, (g, _) in zip(self.A.moduli, self.roots, strict=True))
        b = tuple(-self.modulus * t % b for b, t in zip(self.B.moduli, self.B.inverses, strict=True))
        return a, b

    @cached_property
    def by_constant(self) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
        """The constants as factors: K·g in A, K·A^-1 in B."""
        every = self.constants.values()
        a = tuple(tuple(k * g % a for k in every) for a, (g, _) in zip(self.A.moduli, self.roots, strict=True))
        b = tuple(tuple(k * pow(self.A.product, -1, b) % b for k in every) for b in self.B.moduli)
        return a, b

    @cached_property
    def second_form(self) -> tuple[int, ...]:
        """Factors (A·T_b)^-1 of the hats of S, for what is stored as the other factor in B."""
        pairs = zip(self.B.moduli, self.B.inverses, strict=True)
        return tuple(pow(self.A.product * t, -1, b) for b, t in pairs)

    # --- the memory of constants: rows of weights, constants, and that of the second form

    @property
    def row_address(self) -> int:
        """Address of the first row of weights, behind those of digits."""
        return self.digit_rows

    def constant_address(self, name: str) -> int:
        """Address of a constant."""
        return self.digit_rows + self.rows + list(self.constants).index(name)

    @property
    def second_form_address(self) -> int:
        """Address of the factor of the second form."""
        return self.digit_rows + self.rows + len(self.constants)

    def memory(self, side: int, channel: int) -> list[int]:
        """Words of a rower's memory of constants, each with a factor for every lane, the first one lowest."""
        rows = [*self._rows(self.digit_weights[side][channel]), *self._rows(self.weights[side][channel])]
        single = [*self.by_constant[side][channel], *([self.second_form[channel]] if side else [0])]
        return [sum(x << self.width * lane for lane, x in enumerate(row)) for row in [*rows, *([x] for x in single)]]

    def _rows(self, factors: Sequence[int]) -> list[Sequence[int]]:
        return [factors[first : first + self.lanes] for first in range(0, len(factors), self.lanes)]

    # --- sums and reductions

    def bias(self, side: int, channel: int) -> int:
        """Multiple of the modulus from which a sum starts, so that it is never negative."""
        m = (self.A, self.B)[side].moduli[channel]
        return -(-self.most * self.word**2 // m) * m

    def sum_bound(self, side: int, channel: int) -> int:
        """Largest sum of a rower. One in B has products and hats, one in A either."""
        products, hats = self.most * self.word**2, self.word * sum(self.weights[side][channel])
        digits = self.word * sum(self.digit_weights[side][channel])
        return self.bias(side, channel) + (max(products + hats, digits) if side else max(products, hats, digits))

    def _plan(self, side: int, channel: int) -> SumReduction:
        base = (self.A, self.B)[side]
        most = base.moduli[channel] - 1
        return SumReduction(SumFold(self.width, base.u[channel], self.sum_bound(side, channel), most))

    @cached_property
    def in_a(self) -> tuple[SumReduction, ...]:
        """Reductions of the rowers of A."""
        return tuple(self._plan(0, k) for k in range(self.n))

    @cached_property
    def in_b(self) -> tuple[SumReduction, ...]:
        """Reductions of the rowers of B."""
        return tuple(self._plan(1, k) for k in range(self.n))

    # --- bounds

    @property
    def growth(self) -> Fraction:
        """Growth 1 + E1 of the quotient in the first extension."""
        return 1 + self.first.error

    @property
    def above(self) -> Fraction:
        """Limit μ: numbers are below μP."""
        return self.growth + BELOW

    @cached_property
    def conversion(self) -> FromResidues:
        """Conversion from the hats of a lifted number in B to the number modulo P, binary."""
        return FromResidues(self.B, self.modulus, LIFTED * self.modulus, self.width, exact=True)

    @cached_property
    def certificate(self) -> Certificate:
        """The conditions under which every sum of products is right."""
        return Certificate((*self._of_bases(), *self._of_cox(), *self.conversion.inequalities()))

    def _of_bases(self) -> tuple[Inequality, ...]:
        A, B, P = self.A.product, self.B.product, self.modulus
        return (
            Inequality("coprime", "gcd(P, A) = 1", gcd(P, A), "=", 1, "P is inverted modulo A"),
            Inequality("bases", "gcd(A, B) = 1", gcd(A, B), "=", 1, "A is inverted modulo B"),
            Inequality(
                "range-A",
                "κ·μ²·P <= ε·A",
                self.most * self.above**2 * P,
                "<=",
                BELOW * A,
                "|Σ x·y| <= κ·(μP)², so that S is above -εP and below (1+E1+ε)P = μP",
                "it is for the largest operands and the largest Q at once",
            ),
            Inequality(
                "two-values",
                "μ < 2",
                self.above,
                "<",
                2,
                "a number above -P and below 2P is 0 modulo P if and only if it is 0 or P",
                "no number comes near μP and is a multiple of P, unless E1 is near 3/4",
            ),
        )

    def _of_cox(self) -> tuple[Inequality, ...]:
        first, second, P = self.first, self.second, self.modulus
        one, high = first.nearly, second.exact(LIFTED * P)[1]
        return (
            Inequality("cox1", one.rule, one.left, one.relation, one.right, one.why, "μ < 2 says that E1 is below 3/4"),
            Inequality(
                "cox2-low",
                "E2 + ε·P/B < σ2 + 2^-f",
                second.error + BELOW * P / self.B.product,
                "<",
                second.sigma + Fraction(1, 1 << second.f),
                "else h of a number above -εP can come out one too small",
            ),
            Inequality("cox2-high", high.rule, high.left, high.relation, high.right, high.why),
        )

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the estimates of the second extension and of the conversion."""
        folds = (f for plan in (*self.in_a, *self.in_b) for f in rower_folds([plan], self.stages))
        below = BELOW * self.modulus / self.B.product
        return owed_together((*folds, self.second.cox.obligation(below), self.conversion.cox.obligation()))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {
            "modulus": self.modulus,
            "channel_bits": self.width,
            "channels": self.n,
            "lanes": self.lanes,
            "base_a": self.A.moduli,
            "base_b": self.B.moduli,
            "roots": self.scales[0],
            "cox_bits": (self.first.f, self.second.f),
            "cox_error": str(self.first.error),
            "second_cox_error": str(self.second.error),
            "sigma": str(self.second.sigma),
            "summands": self.most,
            "constants": tuple(self.constants.values()),
            "multiplier_latency": OPERAND + self.registers,
            "residue_cycles": self.result,
            "product_cycles": self.latency,
            "converter_weights": self.conversion.weights,
            "converter_kappa_weights": self.conversion.kappa_weights,
        }


def plain_digits(p: RowerField, x: int) -> list[int]:
    """Digits of a plain number, least first."""
    return split(x, p.width, p.digits)
