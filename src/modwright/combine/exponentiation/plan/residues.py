# SPDX-License-Identifier: Apache-2.0
"""Ways between plain numbers and the residues of a multiplier with a runtime modulus."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ....contract import Field, Inequality
from ....contract.domain import ResidueDomain
from ....contract.roles import Determined, Table
from ....engines.residue.schedule import from_residues_schedule, to_residues_schedule
from ....rns import Base
from ....rns.conversion import FromResidues, ToResidues
from ....schedule import Schedule

DIGIT = 54
"""Bits of a digit that comes out of residues: three blocks of 18 bits on ECP5."""
LONGEST_LIMB = 80
"""Bits of a limb of the last subtraction: on ECP5 a carry chain of 80 bits between two registers takes 5.3 ns."""


@dataclass(frozen=True)
class Conversion:
    """Both ways, for one multiplier.

    Parameters
    ----------
    domain : ResidueDomain
    bits : int
        n, of M and of the base.
    """

    domain: ResidueDomain
    bits: int

    @cached_property
    def into(self) -> ToResidues:
        """The base into residues."""
        base = self.domain.numbers.base
        return ToResidues(Base(base.width, tuple(base.u)), (1 << self.bits) - 1, 1)

    @cached_property
    def out(self) -> FromResidues:
        """The power, below 2M, as an integer: modulo the product of the whole base it is itself."""
        base = Base(self.domain.last.width, tuple(self.domain.last.u))
        return FromResidues(base, base.product, 2 << self.bits, DIGIT, exact=True)

    @cached_property
    def schedules(self) -> tuple[Schedule, Schedule]:
        """Schedules of both."""
        return to_residues_schedule(self.into), from_residues_schedule(self.out)

    @cached_property
    def entry_cycles(self) -> int:
        """Cycles before the first instruction."""
        return self.schedules[0].step("residues").start

    @cached_property
    def exit_cycles(self) -> int:
        """Cycles behind the last instruction: the conversion, and a subtraction of M limb by limb."""
        return self.schedules[1].step("binary").start + self.limbs + 1

    @property
    def limbs(self) -> int:
        """Limbs of the power below 2M."""
        return -(-(self.bits + 1) // LONGEST_LIMB)

    @property
    def limb(self) -> int:
        """Bits of a limb."""
        return -(-(self.bits + 1) // self.limbs)

    @property
    def factor(self) -> int:
        """F: operands of the multiplier stand for their value over it."""
        return self.domain.numbers.factor

    @property
    def square(self) -> Field:
        """F² modulo M, with the scale of the domain twice: for operands that have none."""
        numbers = self.domain.numbers
        twice = tuple(s * s % m for s, m in zip(numbers.scale, numbers.base.moduli, strict=True))
        parts = tuple(
            replace(part, scale=f"the square of {part.scale}" if part.scale else "") for part in numbers.parts
        )
        role = Table(Determined.FACTOR, numbers.base, twice, self.factor**2, parts)
        return Field("square", numbers.base.width, numbers.base.count, role=role)

    def inequalities(self) -> tuple[Inequality, ...]:
        """Conditions of both ways, for every M < 2^n."""
        entry = Inequality(
            "entry",
            "F >= 2·2^n",
            self.factor,
            ">=",
            2 << self.bits,
            "a base of n bits times F² mod M is below 4M after the first product",
            "the multiplier's `range-A` has 16·2^n / 3 or more",
        )
        sized = "the converter is made for it, so no parameters can break it"
        return (entry, *(replace(row, stronger=sized) for row in self.out.inequalities()))

    def enter(self, x: int) -> int:
        """The word of the residues of a base that the converter gives."""
        return sum(r << (self.into.base.width * k) for k, r in enumerate(self.into.apply(x)))

    def leave(self, word: int, modulus: int) -> int:
        """The power of the last residues of a word, less M where it is not below it: in all limbs, then in n bits."""
        width, count = self.out.base.width, self.out.base.count
        scaled = [word >> (width * (count + k)) & ((1 << width) - 1) for k in range(count)]
        value = self.out.apply(scaled) & ((1 << (self.limbs * self.limb)) - 1)
        return (value - modulus if value >= modulus else value) & ((1 << self.bits) - 1)
