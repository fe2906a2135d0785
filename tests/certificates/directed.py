# SPDX-License-Identifier: Apache-2.0
"""Directed configurations: for an inequality of a certificate, parameters that just break it, and what goes wrong.

A configuration is a pair of parameters: good ones, whose certificate holds, and their nearest neighbours for which one
inequality fails. `wrong` tries operands on the golden model, or on the registers that it describes, and says what went
wrong: nothing with the good parameters, something with the broken ones.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from modwright.contract import Certificate, Inequality
from modwright.contract.request import Request
from modwright.prepared.registry import find


@dataclass(frozen=True)
class Directed:
    """One configuration.

    Parameters
    ----------
    good, broken : Any
        Parameters, or whatever else has a `certificate`.
    wrong : callable
        What goes wrong with given parameters, in words; None when nothing was found.
    also : frozenset of str
        Other inequalities that the same change breaks.
    """

    good: Any
    broken: Any
    wrong: Callable[[Any], str | None]
    also: frozenset[str] = frozenset()


CONFIGURATIONS: dict[tuple[str, str], Callable[[], Directed]] = {}
"""By family and name of the inequality."""


def directed(family: str, *names: str) -> Callable[[Callable[[str], Directed]], Callable[[str], Directed]]:
    """Register a function, which is given the name of the inequality."""

    def register(make: Callable[[str], Directed]) -> Callable[[str], Directed]:
        for name in names:
            CONFIGURATIONS[family, name] = lambda name=name: make(name)
        return make

    return register


def derived(name: str, modulus: int, **options: Any) -> Any:
    """Parameters of a core for a modulus, for the target "generic"."""
    core = find(name)
    document = {"core": name, "modulus": str(modulus), "target": "generic", "options": options}
    return core.derive(Request.from_mapping(core, document))


def altered(parameters: Any, **changes: Any) -> Any:
    """The parameters with other values of properties, or other methods where a change can be called."""
    kind = type(parameters)
    members = {
        name: change if callable(change) else property(lambda _, value=change: value)
        for name, change in changes.items()
    }
    given = {field.name: getattr(parameters, field.name) for field in dataclasses.fields(parameters)}
    return type(kind.__name__, (kind,), members)(**given)


def failing(certificate: Certificate) -> set[str]:
    """Names of the inequalities that do not hold."""
    return {one.name for one in certificate.inequalities if not one.holds}


def row(parameters: Any, name: str) -> Inequality:
    """An inequality by its name."""
    return next(one for one in parameters.certificate.inequalities if one.name == name)


@dataclass(frozen=True)
class Part:
    """A part of a core with inequalities of its own."""

    part: Any

    @property
    def certificate(self) -> Certificate:
        """Its inequalities."""
        return Certificate(tuple(self.part.inequalities()))


def first_broken(candidates: Any, name: str) -> Any:
    """The first of ever worse parameters for which an inequality fails."""
    return next(one for one in candidates if not row(one, name).holds)
