# SPDX-License-Identifier: Apache-2.0
"""The one registry: every core by name. A family is a folder of `cores` whose package defines `CORES`."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

from . import cores
from .contract import Core
from .errors import UsageError


@cache
def all_cores() -> dict[str, Core]:
    """Every registered core by name, sorted."""
    found: dict[str, Core] = {}
    for family in (module for module in pkgutil.iter_modules(cores.__path__) if module.ispkg):
        for core in importlib.import_module(f"{cores.__name__}.{family.name}").CORES:
            if core.name in found:
                raise ValueError(f"two cores are called {core.name}")
            found[core.name] = core
    return dict(sorted(found.items()))


def find(name: str) -> Core:
    """Look a core up; UsageError with the nearest names."""
    known = all_cores()
    if name in known:
        return known[name]
    if any(core.function == name for core in known.values()):
        raise UsageError(f"{name} is a function, and a core of it is needed", f"modwright list {name}")
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    raise UsageError(f"no core is called {name!r}", f"{', '.join(near)}" if near else "modwright list shows the cores")
