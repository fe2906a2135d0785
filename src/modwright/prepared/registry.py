# SPDX-License-Identifier: Apache-2.0
"""The one registry: every core by name, of the families in `cores` and the combinations in `combine`.

`entries` are the registered names: cores, and combinations such as modexp/window, which are cores once a part is
chosen. `all_cores` are the cores, those of each combination with each part included. `find` imports only the packages
that it needs.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType

from .. import combine, cores
from ..base.errors import UsageError, quoted
from ..base.json import JsonObject
from ..contract import AnyCore, Combination, name_over
from .index import Entry, combinations_of, entries


def packages() -> tuple[ModuleType, ...]:
    """Every package that defines cores."""
    return (*cores.families(), *combine.combinations())


def cores_of(package: ModuleType) -> tuple[AnyCore, ...]:
    """The cores that a package defines, those of its combinations with each part included."""
    over = {entry.name: entry.parts for entry in entries()}
    return (
        *package.CORES,
        *(_over(combination.name, part) for combination in combinations_of(package) for part in over[combination.name]),
    )


@cache
def all_cores() -> dict[str, AnyCore]:
    """Every core by name, sorted."""
    found: dict[str, AnyCore] = {}
    for package in packages():
        for core in cores_of(package):
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


def find(name: str, part: str | None = None) -> AnyCore:
    """Look a core up by its name or an alias.

    Parameters
    ----------
    name : str
        Such as modmul/binary or modexp/csa-window; or modexp/window with a part.
    part : str, optional
        Name of the core that a combination works over.

    Raises
    ------
    UsageError
        With the nearest names, where one is near.
    """
    entry = entry_of(name)
    if entry is not None and entry.part:
        if part is None:
            example = entry.parts[0]
            hint = f"{entry.part}={example}, or {name_over(name, example)}"
            raise UsageError(f"{name} works over a {entry.part}, and none is named", hint)
        name = name_over(name, find(part).name)
    return _listed(name) or _among_all(name)


def find_combination(name: str) -> Combination | None:
    """The combination that is registered with a name; None where there is none."""
    entry = entry_of(name)
    if entry is None or not entry.part:
        return None
    return _defined(entry)


def _defined(entry: Entry) -> Combination:
    return next(
        combination
        for combination in combinations_of(importlib.import_module(entry.module))
        if combination.name == entry.name
    )


def find_requested(document: Mapping[str, object]) -> tuple[AnyCore, JsonObject]:
    """The core of a request in its YAML form, and the request with the core's own name.

    An option that names the part of a combination is part of that name.
    """
    name, options = str(document["core"]), document.get("options")
    entry = entry_of(name)
    if entry is None or not entry.part or not isinstance(options, Mapping):
        return find(name), dict(document)
    others = {key: value for key, value in options.items() if key != entry.part}
    chosen = options.get(entry.part)
    core = find(name, None if chosen is None else str(chosen))
    return core, {**document, "core": core.name, "options": others}


def entry_of(name: str) -> Entry | None:
    """The registered entry with a name or an alias."""
    return next((entry for entry in entries() if name == entry.name or name in entry.aliases), None)


def name_of_today(name: str) -> str:
    """The name of a core by any of its names, from the list; a name that is not in the list as it is."""
    entry = entry_of(name)
    if entry is not None:
        return entry.name
    found = _combined(entries()).get(name)
    return name if found is None else name_over(*found)


def _listed(name: str) -> AnyCore | None:
    """A core by what the list of names says of it; None for a name that it does not explain."""
    entry = entry_of(name)
    if entry is not None and entry.module and not entry.part:
        defined = importlib.import_module(entry.module).CORES
        return next((core for core in defined if core.name == entry.name), None)
    found = _combined(entries()).get(name)
    return None if found is None else _over(*found)


@cache
def _combined(listed: tuple[Entry, ...]) -> dict[str, tuple[str, str]]:
    """Combination and part by every name of the core of both."""
    also = {entry.name: entry.aliases for entry in listed}
    pairs = ((entry.name, part) for entry in listed for part in entry.parts)
    return {
        name_over(combination, name): (combination, part) for combination, part in pairs for name in (part, *also[part])
    }


@cache
def _over(combination: str, part: str) -> AnyCore:
    entry = entry_of(combination)
    assert entry is not None
    return _defined(entry).over(find(part))


def _among_all(name: str) -> AnyCore:
    known = all_cores()
    name = aliases().get(name, name)
    if name in known:
        return known[name]
    if any(core.function == name for core in known.values()):
        raise UsageError(f"{name} is a function; a core is needed", f"modwright list {name}")
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
    for candidate in known:
        own, _, rest = candidate.partition("/")
        likeness = _likeness(architecture, rest)
        if likeness >= least and (not sign or _likeness(function, own) >= _TYPO):
            found.append((-likeness, candidate))
    return [candidate for _, candidate in sorted(found)[:3]]


def _likeness(one: str, other: str) -> float:
    """From 0 to 1; 0 at once for texts of very different lengths."""
    matcher = difflib.SequenceMatcher(None, one.casefold(), other)
    return matcher.ratio() if matcher.real_quick_ratio() >= _TYPO else 0.0
