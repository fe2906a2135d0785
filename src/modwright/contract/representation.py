# SPDX-License-Identifier: Apache-2.0
"""Representations of a number in a field: as it is, in the Montgomery domain, as residues, as those of coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol


class Channels(Protocol):
    """The base of a representation by residues."""

    @property
    def width(self) -> int:
        """Bits of a residue."""
        ...

    @property
    def u(self) -> Sequence[int]:
        """2^width less the modulus, of each channel."""
        ...

    @cached_property
    def moduli(self) -> Sequence[int]:
        """One modulus a channel, pairwise co-prime."""
        ...

    @property
    def count(self) -> int:
        """Number of channels."""
        ...

    @cached_property
    def product(self) -> int:
        """Product of the moduli."""
        ...

    def from_residues(self, residues: Sequence[int]) -> int:
        """The integer below the product with these residues, any representatives of them."""
        ...


@dataclass(frozen=True)
class Plain:
    """An integer as it is."""


@dataclass(frozen=True)
class Montgomery:
    """x is stored as an integer congruent to x·2^T modulo M.

    Parameters
    ----------
    T : int
    """

    T: int


@dataclass(frozen=True)
class NamedChannels:
    """Some channels of a base, the next ones of a field in its order, as the family calls them.

    Parameters
    ----------
    name : str
        Name of the base in the family's formulas; empty for the only one, or for a redundant residue.
    count : int
        Number of channels.
    scale : str
        Formula of what their residues are stored times, with its name; empty where they are as they are.
    redundant : bool
        Whether this is a residue next to a base, which already determines the number.
    """

    name: str
    count: int
    scale: str = ""
    redundant: bool = False

    @property
    def label(self) -> str:
        """Noun for the terminal and for pages."""
        return "redundant residue" if self.redundant else f"base {self.name}".rstrip()


@dataclass(frozen=True)
class Residues:
    """x is stored as residues of an integer congruent to x·factor modulo M.

    Parameters
    ----------
    base : Channels
    scale : tuple of int
        Channel i stores the integer times scale_i; ones when empty.
    factor : int
    parts : tuple of NamedChannels
        Names of the channels, which together are all of the base; none where it is the only one and has no scale.
    """

    base: Channels
    scale: tuple[int, ...] = ()
    factor: int = 1
    parts: tuple[NamedChannels, ...] = ()


@dataclass(frozen=True)
class Coefficients:
    """x is stored as residues of the coefficients of a polynomial whose value at `radix` is congruent to x modulo M.

    A number has a field for each of its bases, which are co-prime; the limit of its role is that of every coefficient.

    Parameters
    ----------
    base : Channels
        Base of the field.
    radix : int
    degree : int
        Number of coefficients; the field has a group of residues for each, the lowest coefficient first.
    parts : tuple of NamedChannels
        Names of the channels, as those of `Residues`.
    """

    base: Channels
    radix: int
    degree: int
    parts: tuple[NamedChannels, ...] = ()


Domain = Plain | Montgomery | Residues | Coefficients
