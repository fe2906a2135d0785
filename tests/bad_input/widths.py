# SPDX-License-Identifier: Apache-2.0
"""Moduli that are far too wide: every core refuses them before it searches, and names its limit."""

from __future__ import annotations

from collections.abc import Iterator

from modwright.prepared.registry import all_cores

from .case import Case

SECONDS = 15.0
"""A core without a limit searches or builds for minutes; a refusal takes hundredths of a second."""

MODULI = ("2^16384-1", "2^16383+27", "2^8192+897")
"""Odd numbers, of which no family takes any."""


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for name, core in sorted(all_cores().items()):
        limit = {"code": 4, "message": "<=", "seconds": SECONDS}
        for modulus in MODULI:
            yield Case(f"params {name} {modulus}", ("params", name, "-m", modulus), **limit)
        yield Case(f"generate {name}", ("generate", name, "-m", MODULI[0], "-o", "out"), **limit)
        if any(option.name == "bits" for option in core.options):
            yield Case(f"bits of {name}", ("synth", name, "-O", "bits=16385"), message="at most", seconds=SECONDS)
