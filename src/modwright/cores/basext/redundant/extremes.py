# SPDX-License-Identifier: Apache-2.0
"""Operands that reach the ends of the numbers inside an extension by a redundant residue."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....schedule import Schedule
from .codec import redundant_edges
from .model import RedundantModel
from .parameters import RedundantParameters

DRAWN = 200
"""Random operands among the candidates: at small widths they reach most ends."""


def redundant_extremes(p: RedundantParameters, schedule: Schedule) -> Extremes:
    """Hats, and the multiple h of A."""
    model = RedundantModel(p, schedule)
    hats = Quantity("hats of X", 0, (1 << p.width) - 1, "any representatives of w bits")
    multiple = Quantity("h of X", 0, p.extension.largest_h, "certificate `redundant`")

    def observe(operands: Operands) -> Values:
        found, h = model.inside(operands)
        return {hats.name: found, multiple.name: (h,)}

    return Extremes((hats, multiple), observe, lambda: _candidates(p))


def _candidates(p: RedundantParameters) -> Iterator[Case]:
    """The edges; zero in its other representation; random operands."""
    yield from redundant_edges(p).values()
    yield {PAYLOAD: {"x": (*p.A.moduli, 0)}}
    rng = random.Random(p.modulus)
    for _ in range(DRAWN):
        yield {"x": rng.randrange(p.limit)}
