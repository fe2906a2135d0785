# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inversion of a program of field operations: U, V, R, S, and the iterations until V is 0.

What is inside its products, the cores of the multipliers state.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ...contract.quantities import Case, Extremes, Operands, Quantity, Values
from .inversion import states
from .model import FieldModel, P
from .parameters import FieldParameters

UNITS = 64
"""Parts of m in which the registers are counted."""
SAMPLE, TRIED = 20, 6
"""Operations of a run that are observed, and edges that are tried: each is a whole point multiplication in Python."""


def inversion_extremes(model: FieldModel[P], edges: Iterable[Case]) -> Extremes:
    """Extremes of the core with a golden model, tried at the first of its edge cases."""
    p = model.p

    def observe(operands: Operands) -> Values:
        model.run(operands)
        done = model.last
        return {} if done is None or done.inverted is None else inversion_values(p, done.inverted, done.m)

    return Extremes(inversion_quantities(p), observe, lambda: islice(edges, TRIED), SAMPLE)


def inversion_values(p: FieldParameters, d: int, m: int) -> Values:
    """Values of the registers after each iteration of 1/d modulo m."""
    every = list(states(d, m, p.iterations))
    busy = sum(1 for _, v, _, _ in every if v) + (d != 0)
    columns = zip("UVRS", zip(*every, strict=True), strict=True)
    return {**{f"{name}/m": [value * UNITS // m for value in column] for name, column in columns}, "busy": (busy,)}


def inversion_quantities(p: FieldParameters) -> tuple[Quantity, ...]:
    """Ranges of the registers, and of the iterations until V is 0."""
    part = f"in {UNITS}ths of m, rounded down; n + 1 bits"
    return (
        Quantity("U/m", -UNITS, UNITS, f"{part} with the sign"),
        Quantity("V/m", -UNITS, UNITS, f"{part} with the sign"),
        Quantity("R/m", 0, 2 * UNITS - 1, part),
        Quantity("S/m", 0, 2 * UNITS - 1, part),
        Quantity("busy", 0, 2 * p.n, "iterations until V is 0; certificate `inversion`"),
    )
