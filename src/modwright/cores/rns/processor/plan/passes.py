# SPDX-License-Identifier: Apache-2.0
"""Constants of plus-minus passes in a rower: in sequence, or in a block RAM, which has room for every multiple of P/D.

In a block RAM the words of 1/D, -1/D and 0 are rows that begin at 1, 2 and 3 times a power of two, so that divisor and
sign are the address of s/D; and a coefficient of P/D, with an offset by D, is the address of its product with P/D.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from .....engines.plus_minus import Kind
from .....rns import Base

COMMON = 2
"""Number that all rowers share unless a coefficient is chosen, so that P is twice P/2; 1 with block RAMs."""
START = "A² + P"
"""Name of the constant from which V1 starts, over the number that all rowers share."""
LEAST_ROW = 8
"""Words before the first row: those of products, and six of passes that do not depend on D."""

Words = tuple[int, ...]
"""A constant modulo every modulus of B."""


def hats_of(base: Base, value: int) -> Words:
    """Canonical hats of an integer."""
    return tuple(value * t % m for t, m in zip(base.inverses, base.moduli, strict=True))


@dataclass(frozen=True)
class PassConstants:
    """Constants of passes.

    Parameters
    ----------
    B : Base
        Base of the hats.
    modulus : int
        Modulus P.
    kind : Kind
        Divisors of a pass.
    start : int
        Start of V1.
    before : int
        Constants of products, which come first.
    blocks : bool
        Whether they are in a block RAM.
    """

    B: Base
    modulus: int
    kind: Kind
    start: int
    before: int
    blocks: bool

    @property
    def least_step(self) -> int:
        """The least D of a plus-minus step; others come behind it in the order of divisors."""
        return min(d for d in self.kind.divisors if d % (6 if self.kind.threes else 4) == 0)

    @property
    def subtracted(self) -> Sequence[int]:
        """The D of plus-minus steps."""
        divisors = self.kind.divisors
        return divisors[divisors.index(self.least_step) :]

    @property
    def common(self) -> int:
        """Number that all rowers have unless a coefficient is chosen."""
        return 1 if self.blocks else COMMON

    @property
    def whole(self) -> str:
        """Name of the constant that gives P times that number."""
        return "P" if self.blocks else "P/2"

    @cached_property
    def factors(self) -> dict[str, Words]:
        """Constants by name, in the order of their addresses; P stands for its hats."""
        start = self._over(self.common, self.hats(self.start + self.modulus))
        shared = {"1": self._same(1), "-1": self._same(-1), START: start, "0": self._same(0)}
        return self._in_rows(shared) if self.blocks else self._in_sequence() | shared

    def _in_sequence(self) -> dict[str, Words]:
        """Those that depend on D."""
        divisors, ones, of_p = self.kind.divisors, self._same(1), self.hats(self.modulus)
        found = {f"1/{d}": self._over(d, ones) for d in divisors}
        found |= {f"-1/{d}": self._over(-d, ones) for d in self.subtracted}
        return found | {f"P/{d}": self._over(d, of_p) for d in divisors}

    def _in_rows(self, shared: dict[str, Words]) -> dict[str, Words]:
        """All of a block RAM."""
        divisors, P = self.kind.divisors, self.modulus
        found = shared | {"P": self.hats(P), "2P": self.hats(2 * P)}
        found |= self._unused(self.row - self.before - len(found), "first row")
        for sign in (1, -1, 0):
            found |= {f"{sign}/{d}": self._over(d, self._same(sign)) for d in divisors}
            found |= self._unused(self.row - len(divisors), f"row of {sign}/D")
        return found | {f"{c}P/{d}": self._over(d, self.hats(c * P)) for d in divisors for c in self.multiples(d)}

    def _unused(self, count: int, name: str) -> dict[str, Words]:
        return {f"unused {k} of the {name}": self._same(0) for k in range(count)}

    @property
    def row(self) -> int:
        """Words from one row to the next, a power of two."""
        return max(LEAST_ROW, 1 << (len(self.kind.divisors) - 1).bit_length())

    def multiples(self, divisor: int) -> range:
        """Every coefficient f + D - 1 - s of P/D, with f in [-ceil(D/2) + 1, floor(D/2)]."""
        signs = (-1, 0, 1) if divisor in self.subtracted else (0,)
        return range(divisor - (divisor + 1) // 2 - max(signs), divisor + divisor // 2 - min(signs))

    @property
    def offsets(self) -> list[int]:
        """Address of the product of a coefficient and P/D, less the coefficient, by D; 0 without a block RAM."""
        if not self.blocks:
            return [0] * len(self.kind.divisors)
        at = {name: self.before + number for number, name in enumerate(self.factors)}
        firsts = [(d, self.multiples(d)[0]) for d in self.kind.divisors]
        return [at[f"{first}P/{d}"] - first for d, first in firsts]

    def _same(self, value: int) -> Words:
        """A number modulo the moduli of B."""
        return tuple(value % m for m in self.B.moduli)

    def _over(self, divisor: int, values: Words) -> Words:
        """Values times the inverse of a divisor, modulo the moduli of B."""
        return tuple(value * pow(divisor, -1, m) % m for value, m in zip(values, self.B.moduli, strict=True))

    def hats(self, value: int) -> Words:
        """Canonical hats of an integer."""
        return hats_of(self.B, value)
