# SPDX-License-Identifier: Apache-2.0
"""Numbers inside products: hats and cox of both extensions, of every draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from ....contract import integer
from ....contract.operands import PAYLOAD
from ....contract.quantities import Extremes, Operands
from ....contract.quantities import Values as Found
from ....engines.coxrower.extremes import DRAWN, quantities, values
from ....schedule import Schedule
from .codec import RandomBasesCodec
from .parameters import RandomBasesParameters

SAMPLE = 2000
"""Products of a run that are observed."""


def extremes(p: RandomBasesParameters, schedule: Schedule) -> Extremes:
    """Extremes of the bases of draw 0, in which the rowers have their first moduli in A."""
    del schedule
    part, codec = p.drawn[0], RandomBasesCodec(p)
    first, second = part.reduction.first, part.reduction.second

    def observe(operands: Operands) -> Found:
        if integer(operands["draw"]):
            return {}
        q, s = part.hats(operands)
        return {**values("Q", first, q, "A"), **values("S", second, s, "B")}

    rows = quantities("Q", first, part.A.product - 1, "A") + quantities("S", second, part.bound - 1, "B")
    return Extremes(rows, observe, lambda: _candidates(p, codec), SAMPLE)


def _candidates(p: RandomBasesParameters, codec: RandomBasesCodec) -> Iterator[Mapping[str, object]]:
    """The edges in every draw, and random operands over the whole contract."""
    for case in codec.edges().values():
        for number in range(len(p.drawn)):
            yield {PAYLOAD: codec.encode({**case, "draw": number})}
    rng = Random(p.modulus)
    for _ in range(DRAWN):
        yield {PAYLOAD: codec.draw(rng, {})}
