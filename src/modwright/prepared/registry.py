# SPDX-License-Identifier: Apache-2.0
"""The one registry: every core by name, of the families in `cores` and the combinations in `combine`."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cache
from types import ModuleType

from ..base.errors import UsageError, quoted
from ..combine import combinations
from ..combine.exponentiation import METHOD_NAMES
from ..contract import AnyCore
from ..cores import families


def packages() -> tuple[ModuleType, ...]:
    """Every package that defines cores."""
    return (*families(), *combinations())


@cache
def all_cores() -> dict[str, AnyCore]:
    """Every registered core by name, sorted."""
    found: dict[str, AnyCore] = {}
    for package in packages():
        for core in package.CORES:
            if core.name in found:
                raise ValueError(f"two cores are called {core.name}")
            found[core.name] = core
    return dict(sorted(found.items()))


@cache
def aliases() -> dict[str, str]:
    """Every other name of a core, with the name that it stands for."""
    known, found = all_cores(), {}
    for core in known.values():
        for alias in core.aliases:
            if alias in known or alias in found:
                raise ValueError(f"two cores are called {alias}")
            found[alias] = core.name
    return found


def takes_multiplier(name: str) -> bool:
    """Whether a name is that of a method of exponentiation, modexp/METHOD, which needs a multiplier to be a core."""
    return name in METHOD_NAMES


def find(name: str, multiplier: str | None = None) -> AnyCore:
    """Look a core up by its name or an alias.

    Parameters
    ----------
    name : str
        Such as modmul/binary; or modexp/METHOD with a multiplier.
    multiplier : str, optional
        Name of the core that a method works over.

    Raises
    ------
    UsageError
        With the nearest names, where one is near.
    """
    known = all_cores()
    if takes_multiplier(name):
        if multiplier is None:
            example = f"multiplier=modmul/booth8-csa, or modexp/booth8-csa-{name.partition('/')[2]}"
            raise UsageError(f"{name} works over a multiplier, and none is named", example)
        function, _, method = name.partition("/")
        name = f"{function}/{find(multiplier).name.partition('/')[2]}-{method}"
    name = aliases().get(name, name)
    if name in known:
        return known[name]
    if any(core.function == name for core in known.values()):
        raise UsageError(f"{name} is a function, and a core of it is needed", f"modwright list {name}")
    near = _near(name, [*known, *aliases()])
    raise UsageError(f"no core is called {quoted(name)}", ", ".join(near) or "modwright list shows the cores")


_TYPO = 0.6
"""Likeness, from 0 to 1, of a function or an architecture to what was meant, where both are given."""
_ALONE = 0.8
"""The same of an architecture without its function, where less would find any short name near any other."""


def _near(name: str, known: Sequence[str]) -> list[str]:
    """At most three names that a misspelt one may stand for, the nearest first."""
    function, sign, architecture = name.rpartition("/")
    least = _TYPO if sign else _ALONE
    found = []
    for one in known:
        own, _, rest = one.partition("/")
        likeness = _likeness(architecture, rest)
        if likeness >= least and (not sign or _likeness(function, own) >= _TYPO):
            found.append((-likeness, one))
    return [one for _, one in sorted(found)[:3]]


def _likeness(one: str, other: str) -> float:
    """From 0 to 1; 0 at once for texts of very different lengths."""
    matcher = difflib.SequenceMatcher(None, one.casefold(), other)
    return matcher.ratio() if matcher.real_quick_ratio() >= _TYPO else 0.0
