# SPDX-License-Identifier: Apache-2.0
"""Numbers inside a point multiplier: the inversion's, and over a row multiplier products and words."""

from __future__ import annotations

from itertools import islice

from ....contract.quantities import Extremes, Operands, Quantity, Values
from ....engines.ladder.extremes import SAMPLE, TRIED, UNITS, inversion_extremes
from ....schedule import Schedule
from .codec.codec import EcpmCodec
from .model import EcpmModel
from .model.row import RowLadderModel
from .parameters import EcpmParameters
from .parameters.row import RowLadderParameters


def extremes(p: EcpmParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core."""
    return inversion_extremes(EcpmModel(p, schedule), EcpmCodec(p).edges().values())


def row_extremes(p: RowLadderParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core over a row multiplier."""
    model = RowLadderModel(p, schedule)
    largest = max(limit for values in p.limits.values() for limit in values.values())
    part = f"in {UNITS}ths of U = m·2^K, rounded down"
    word = Quantity("word/U", 0, int(UNITS * largest), f"{part}; certificate `word-limit`")

    def observe(operands: Operands) -> Values:
        model.run(operands)
        field = model.last
        return {} if field is None else {"word/U": (field.largest * UNITS // (field.multiple + 1),)}

    return Extremes((word,), observe, lambda: islice(EcpmCodec(p).edges().values(), TRIED), SAMPLE)
