# SPDX-License-Identifier: Apache-2.0
"""Architectures: a folder for each function, in it a folder for each family, found through their `CORES`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from types import ModuleType


@cache
def families() -> tuple[ModuleType, ...]:
    """The packages of `cores/FUNCTION/FAMILY`, sorted by name."""
    functions = [importlib.import_module(f"{__name__}.{name}") for name in _packages(__path__)]
    return tuple(
        importlib.import_module(f"{function.__name__}.{name}")
        for function in functions
        for name in _packages(function.__path__)
    )


def _packages(path: Iterable[str]) -> list[str]:
    return sorted(found.name for found in pkgutil.iter_modules(path) if found.ispkg)
