# SPDX-License-Identifier: Apache-2.0
"""Obligations of a core: the statements about its hardware that are to be proved, as data.

Every family's parameters say what they owe (`Parameters.obligations`); `prove` decides each by its type. A core that is
made of others owes what they owe (`compose`), with the name of the part in front. All numbers are plain integers, so
that this module knows neither the folding plans of `rns` nor any solver.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeVar


@dataclass(frozen=True)
class Owed:
    """Base class of all obligations.

    Parameters
    ----------
    part : str
        The part of a composite that owes it, outermost first; empty for the core itself.
    """

    part: str = field(default="", kw_only=True)

    def within(self, whole: str) -> str:
        """The part's name in a whole that calls it `whole`."""
        return ": ".join(filter(None, (whole, self.part)))

    def name_of(self, name: str) -> str:
        """The name of its proof, with the part in front."""
        return ": ".join(filter(None, (self.part, name)))


@dataclass(frozen=True)
class Reduction(Owed):
    """A folding reduction modulo 2^width - u is `mod`, or a representative below 2^width, for every x <= bound."""

    width: int
    u: int
    bound: int


@dataclass(frozen=True)
class FoldWithAddend(Owed):
    """One fold modulo 2^width - u of x <= bound, to which a number of at most `addend` is added."""

    width: int
    u: int
    bound: int
    addend: int


@dataclass(frozen=True)
class ModularSum(Owed):
    """The sum modulo 2^width - u of two canonical numbers is canonical."""

    width: int
    u: int


@dataclass(frozen=True)
class CoxEstimate(Owed):
    """The estimate of α from truncated fractions is exact: floor((Σ floor(γ_i / 2^(w-f)) + D) / 2^f).

    Parameters
    ----------
    f : int
        Fraction bits that are added.
    offset : int
        D.
    error : Fraction
        E, the most by which the sum of truncated fractions is too small.
    below : Fraction
        Distance by which a value may lie below 0, as a share of the base's product; 0 where values are not negative.
    """

    f: int
    offset: int
    error: Fraction
    below: Fraction = Fraction(0)


@dataclass(frozen=True)
class BuiltFold(Owed):
    """One fold modulo 2^width - u of x <= bound, in hardware of an engine's own: y ≡ x, and y <= most.

    Parameters
    ----------
    hardware : str
        The engine and its kind of fold; `prove.folds` has what makes it.
    folds : tuple of (int, int)
        u and largest x of every fold that the hardware chooses among.
    chosen : int
        Index of the one of which the statement is.
    """

    width: int
    u: int
    bound: int
    most: int
    hardware: str
    folds: tuple[tuple[int, int], ...]
    chosen: int


@dataclass(frozen=True)
class NothingOwed(Owed):
    """Statement that no lemma is due, and why; a core that has it has no other."""

    reason: str


NO_CHANNEL = NothingOwed("no residue channel is folded: binary numbers, whose ranges are in the certificate")
"""Reason of cores that work on binary numbers."""

Obligation = Reduction | FoldWithAddend | ModularSum | CoxEstimate | BuiltFold | NothingOwed
Obligations = tuple[Obligation, ...]

_One = TypeVar("_One", bound=Owed)


def owed_by(part: str, obligations: Iterable[_One]) -> tuple[_One, ...]:
    """Obligations of a part, as those of the whole."""
    return tuple(replace(obligation, part=obligation.within(part)) for obligation in obligations)


def owed_together(every: Iterable[Obligation]) -> Obligations:
    """The union, each once and in order; reasons why nothing is due only where nothing is."""
    distinct = tuple(dict.fromkeys(every))
    due = tuple(obligation for obligation in distinct if not isinstance(obligation, NothingOwed))
    return due or distinct
