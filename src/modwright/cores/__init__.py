# SPDX-License-Identifier: Apache-2.0
"""Architectures: a folder for each function, in it a folder for each family, found through their `CORES`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from types import ModuleType


def names() -> tuple[str, ...]:
    """Dotted names of the packages `cores/FUNCTION/FAMILY`, sorted; none of them is imported."""
    functions = (importlib.import_module(f"{__name__}.{name}") for name in _packages(__path__))
    return tuple(f"{function.__name__}.{name}" for function in functions for name in _packages(function.__path__))


@cache
def families() -> tuple[ModuleType, ...]:
    """The packages of `cores/FUNCTION/FAMILY`, sorted by name."""
    return tuple(importlib.import_module(name) for name in names())


def _packages(path: Iterable[str]) -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(path) if module.ispkg)
