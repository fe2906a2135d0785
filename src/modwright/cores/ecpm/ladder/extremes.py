# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inversion of a point multiplication: U, V, R, S, and the iterations until V is 0.

What is inside its products, the cores of the multipliers state.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....schedule import Schedule
from .codec.codec import EcpmCodec
from .model import EcpmModel, Field
from .parameters import EcpmParameters
from .plan.inversion import states

UNITS = 64
"""Parts of m in which the registers are counted."""
SAMPLE, TRIED = 20, 6
"""Operations of a run that are observed, and edges that are tried: each is a whole point multiplication in Python."""


class _WithLastField(EcpmModel):
    """The model, with the field of the last operation."""

    last: Field | None = None

    def field_of(self, m: int) -> Field:
        self.last = super().field_of(m)
        return self.last


def extremes(p: EcpmParameters, schedule: Schedule) -> Extremes:
    """Extremes of one point multiplier."""
    model = _WithLastField(p, schedule)

    def observe(operands: Operands) -> Values:
        model.last = None
        model.run(operands)
        done = model.last
        return {} if done is None or done.inverted is None else _inversion(p, done.inverted, done.m)

    return Extremes(_quantities(p), observe, lambda: _candidates(p), SAMPLE)


def _inversion(p: EcpmParameters, d: int, m: int) -> Values:
    every = list(states(d, m, p.iterations))
    busy = sum(1 for _, v, _, _ in every if v) + (d != 0)
    columns = zip("UVRS", zip(*every, strict=True), strict=True)
    return {**{f"{name}/m": [value * UNITS // m for value in column] for name, column in columns}, "busy": (busy,)}


def _quantities(p: EcpmParameters) -> tuple[Quantity, ...]:
    part = f"in {UNITS}ths of m, rounded down; n + 1 bits"
    return (
        Quantity("U/m", -UNITS, UNITS, f"{part} with the sign"),
        Quantity("V/m", -UNITS, UNITS, f"{part} with the sign"),
        Quantity("R/m", 0, 2 * UNITS - 1, part),
        Quantity("S/m", 0, 2 * UNITS - 1, part),
        Quantity("busy", 0, 2 * p.n, "iterations until V is 0; certificate `inversion`"),
    )


def _candidates(p: EcpmParameters) -> Iterator[Case]:
    """The first edges, where a curve is known."""
    return islice(iter(EcpmCodec(p).edges().values()), TRIED)
