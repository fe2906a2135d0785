# SPDX-License-Identifier: Apache-2.0
"""Schedule of a multiplier: the multiplication, and the converter behind it where the result is exact."""

from __future__ import annotations

from ....engines.coxrower.multiplying import Shape, engine_schedule
from ....engines.residue.schedule import from_residues_schedule
from ....schedule import Schedule, chain
from .parameters import MultiplierParameters


def multiplier_schedule(p: MultiplierParameters) -> Schedule:
    """The multiplication, and the converter behind it where the result is exact."""
    inner = engine_schedule(p.engine, Shape(p.exact, p.rooted, p.doubly))
    if not p.exact:
        return inner
    out = from_residues_schedule(p.conversion)
    begin = inner.latency - 1
    parts = [("multiply", inner, 0), ("out", out, begin)]
    return chain(parts, begin + out.step("binary").start + 1, f"{inner.formula}, and the converter")
