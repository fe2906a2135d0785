# SPDX-License-Identifier: Apache-2.0
"""Cores made of cores."""

from __future__ import annotations

from types import ModuleType

from . import exponentiation, fermat


def combinations() -> tuple[ModuleType, ...]:
    """The packages that make cores of the families' cores; each has `CORES`."""
    return (exponentiation, fermat)
