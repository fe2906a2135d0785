# SPDX-License-Identifier: Apache-2.0
"""Cores made of others: certificate, constants and obligations of the whole are its own and those of its parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Protocol, TypeVar

from ..base.errors import ParameterError
from ..base.json import Constant
from .certificate import Certificate, Inequality
from .obligation import Obligations, owed_by, owed_together


class Part(Protocol):
    """Facts that a composite inherits from each of its parts; every core's parameters have them."""

    @cached_property
    def certificate(self) -> Certificate:
        """The inequalities, all of which hold."""
        ...

    def describe(self) -> Mapping[str, Constant]:
        """Every constant."""
        ...

    def obligations(self) -> Obligations:
        """The statements that are to be proved."""
        ...


class Composite(ABC):
    """Parameters with parts, to be derived from.

    A derived class gives `parts`, what is its own (`own_inequalities`, `own_description`, `own_obligations`), and the
    rest of `Parameters`. What a part gives is named `part: name`; a part without a name keeps its own names.
    """

    @property
    @abstractmethod
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """Name and parameters of each part."""

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Conditions of the whole, in addition to those of its parts."""
        return ()

    def own_description(self) -> Mapping[str, Constant]:
        """Constants of the whole, in addition to those of its parts."""
        return {}

    def own_obligations(self) -> Obligations:
        """Obligations of the whole, in addition to those of its parts."""
        return ()

    @cached_property
    def certificate(self) -> Certificate:
        """Conditions of the whole, then those of each part."""
        inherited = (
            replace(inequality, name=_within(name, inequality.name))
            for name, part in self.parts
            for inequality in part.certificate.inequalities
        )
        return Certificate((*self.own_inequalities(), *inherited))

    def describe(self) -> dict[str, Constant]:
        """Constants of the whole, then those of each part."""
        found = dict(self.own_description())
        for name, part in self.parts:
            found |= {_within(name, key): value for key, value in part.describe().items()}
        return found

    def obligations(self) -> Obligations:
        """Obligations of the whole, then those of each part."""
        inherited = (obligation for name, part in self.parts for obligation in owed_by(name, part.obligations()))
        return owed_together((*self.own_obligations(), *inherited))


P = TypeVar("P", bound=Part)


def certified(p: P, what: str, hint: str = "") -> P:
    """Parameters whose certificate holds; ParameterError of its first inequality that fails, and of `what`, else."""
    problem = p.certificate.failing
    if problem is not None:
        raise problem.refusal(f"{what}: {problem.why}", hint)
    return p


def first_certified(candidates: Iterable[P | ParameterError], refused: Callable[[Inequality], ParameterError]) -> P:
    """Parameters of the first candidate whose certificate holds; a candidate that has no parameters is its error.

    Raises
    ------
    ParameterError
        Where no certificate holds: `refused` of the inequality that fails for the last candidate, which is the largest;
        the first error where no candidate has parameters.
    """
    failure: ParameterError | None = None
    for candidate in candidates:
        if isinstance(candidate, ParameterError):
            failure = failure or candidate
            continue
        problem = candidate.certificate.failing
        if problem is None:
            return candidate
        failure = refused(problem)
    assert failure is not None, "no candidates"
    raise failure


def _within(part: str, name: str) -> str:
    return f"{part}: {name}" if part else name
