# SPDX-License-Identifier: Apache-2.0
"""Cores made of cores: a folder for each kind, with `CORES`, and `COMBINATIONS` over parts that a request chooses."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType


def names() -> tuple[str, ...]:
    """Dotted names of the packages, sorted; none of them is imported."""
    return tuple(sorted(f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__) if module.ispkg))


@cache
def combinations() -> tuple[ModuleType, ...]:
    """The imported packages."""
    return tuple(importlib.import_module(name) for name in names())
