# SPDX-License-Identifier: Apache-2.0
"""The driver in C99, and the description of a core that it uses."""

from __future__ import annotations

import re
from pathlib import Path

from .binding import Binding, bind, built_in, unbound
from .description import description

FOLDER = Path(__file__).parent / "c"
SOURCES = (
    "modwright.h",
    "modwright_words.h",
    "modwright_access.h",
    "modwright_modulus.h",
    "modwright_tables.h",
    "modwright_done.h",
    "modwright_product.h",
    "modwright_division.h",
    "modwright_inverse.h",
    "modwright_run.h",
    "modwright.c",
    "modwright_curves.c",
    "modwright_signatures.c",
    "modwright_nonce.c",
    "modwright_bytes.c",
    "modwright_mmio.h",
    "modwright_mmio.c",
    "modwright_linux.h",
    "modwright_linux.c",
)
"""The driver, its bare-metal bus, and its buses on Linux."""


def source(name: str) -> str:
    """The text of a file of the driver."""
    return (FOLDER / name).read_text(encoding="utf-8")


def operations(function: str) -> tuple[str, ...]:
    """List the driver's calls for cores of a function."""
    return tuple(re.findall(rf"^int (mw_{function}(?:_\w+)?)\(", source("modwright.h"), flags=re.MULTILINE))


def parts(function: str) -> tuple[str, ...]:
    """List the C files that these calls need, without one for the bus."""
    definitions = [f"\nint {name}(" for name in operations(function)]
    always = ("modwright.c", "modwright_bytes.c")
    return tuple(
        name
        for name in SOURCES
        if name in always or (name.endswith(".c") and any(call in source(name) for call in definitions))
    )


__all__ = [
    "FOLDER",
    "SOURCES",
    "Binding",
    "bind",
    "built_in",
    "description",
    "operations",
    "parts",
    "source",
    "unbound",
]
