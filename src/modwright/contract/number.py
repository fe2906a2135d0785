# SPDX-License-Identifier: Apache-2.0
"""One operand or result in its field: from a plain integer to the stored one and its bits, and back, by the role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

from .drawing import draw_below, draw_residues
from .operands import Residues as Group
from .operands import draw, one_in, residues_of
from .payload import Field, PayloadValue
from .roles import Modulus, Montgomery, Multiple, Operand, Power, Residues, Result


@dataclass(frozen=True)
class Number:
    """One integer in one field.

    The stored integer is congruent to the plain one times the factor of the domain, modulo M; the field has its bits,
    or its residues.

    Parameters
    ----------
    field : Field
    role : Operand or Result
    """

    field: Field
    role: Operand | Result

    @property
    def name(self) -> str:
        """Name in a case or in the results."""
        return self.role.name

    @property
    def residues(self) -> Residues | None:
        """The representation by residues, None for a field of bits."""
        return self.role.domain if isinstance(self.role.domain, Residues) else None

    @property
    def least(self) -> int:
        """Stored integers are at least this."""
        return self.role.least if isinstance(self.role, Operand) else 0

    @cached_property
    def scale(self) -> tuple[int, ...]:
        """Factor of each channel."""
        assert self.residues is not None
        return self.residues.scale or (1,) * self.residues.base.count

    # --- domains

    def factor(self, m: int) -> int:
        """Factor of a plain integer, modulo M."""
        match self.role.domain:
            case Montgomery(T):
                return pow(2, T, m)
            case Residues(factor=factor):
                return factor
            case _:
                return 1

    def enter(self, x: int, m: int) -> int:
        """The stored integer of a plain one: of any size in the Montgomery domain, else one in the same multiple of M,
        so that an operand at its limit stays there."""
        factor = self.factor(m)
        if isinstance(self.role.domain, Montgomery):
            return x * factor % m
        if factor == 1:
            return x
        stored = x - x % m + x * factor % m
        return stored if stored < self.limit({}, m) else stored - m

    def leave(self, stored: int, m: int) -> int:
        """The plain integer of a stored one: reduced where the domain has a factor, else as it is."""
        factor = self.factor(m)
        return stored if factor == 1 and self.plain else stored * pow(factor, -1, m) % m

    @property
    def plain(self) -> bool:
        """Whether the stored integer is the plain one."""
        return not isinstance(self.role.domain, Montgomery)

    def limit(self, constants: Mapping[Modulus | Power, int], m: int) -> int:
        """Exclusive limit of the stored integer, next to constants that may be wrong."""
        limit = self.role.limit
        if not isinstance(limit, Multiple):
            return limit
        of = limit.of
        if of in constants:
            return limit.factor * constants[of]
        return limit.factor * (m if isinstance(of, Modulus) else pow(2, of.exponent, m))

    # --- fields

    def write(self, stored: int) -> PayloadValue:
        """The field of a stored integer, residues canonical."""
        if self.residues is None:
            return stored
        return tuple(stored * s % m for s, m in zip(self.scale, self.residues.base.moduli, strict=True))

    def read(self, value: PayloadValue) -> int:
        """The stored integer of a field; the one from `least` up that the residues stand for."""
        if isinstance(value, int):
            return value
        assert self.residues is not None
        base = self.residues.base
        found = base.from_residues([r * u for r, u in zip(value, self._unscale, strict=True)])
        return found - base.product if found >= base.product + self.least else found

    @cached_property
    def _unscale(self) -> tuple[int, ...]:
        assert self.residues is not None
        return tuple(pow(s, -1, m) for s, m in zip(self.scale, self.residues.base.moduli, strict=True))

    @property
    def group(self) -> Group | None:
        """Residues of one integer, for a solver; None for a field of bits, or a limit that depends on M."""
        limit = self.role.limit
        if self.residues is None or not isinstance(limit, int):
            return None
        return residues_of(self.field.name, self.residues.base.moduli, limit, self.scale, self.least)

    def draw_residues(self, rng: Random, m: int) -> PayloadValue:
        """Any representatives of any stored integer in range."""
        limit = self.limit({}, m)
        negative = self.least < 0 and one_in(rng, 4)
        stored = -1 - draw(rng, -self.least) if negative else draw_below(rng, limit, m)
        return self.represent(rng, stored, m)

    def represent(self, rng: Random, stored: int, m: int) -> PayloadValue:
        """Any representatives of a stored integer, or now and then of one next to it."""
        assert self.residues is not None
        limit = self.limit({}, m)
        return draw_residues(rng, self.residues.base, stored, self.least, limit, self.scale)
