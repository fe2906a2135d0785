# SPDX-License-Identifier: Apache-2.0
"""Numbers inside a hybrid product: hats, sums of each cox, h, and the carries t between positions."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....rns.extension import Extension
from ....schedule import Schedule
from .codec import hybrid_codec
from .model import HybridModel
from .parameters import HybridParameters

DRAWN = 200
"""Random operands among the candidates."""
SAMPLE = 2000
"""Operations of a run that are observed: each takes about as long as the model's."""


def extremes(p: HybridParameters, schedule: Schedule) -> Extremes:
    """Extremes of one multiplier."""
    model = HybridModel(p, schedule)
    first, second = p.engine.extensions

    def observe(operands: Operands) -> Values:
        _, hats, q = model.positions(operands)
        found = {name: [v for row in rows for v in row] for name, rows in (("hats of r", hats), ("hats of q", q))}
        for name, extension, rows in (("r", first, hats), ("q", second, q)):
            sums = [sum(extension.tops(row), extension.offset) for row in rows]
            found |= {f"cox of {name}": sums, f"h of {name}": [s >> extension.f for s in sums]}
        return {**found, "t": [model.carry(row) for row in q]}

    largest_t = p.hybrid.largest_q // p.hybrid.radix
    quantities = (*_of("r", first), *_of("q", second), Quantity("t", 0, largest_t, "floor(q/M), at most rounded down"))
    return Extremes(quantities, observe, lambda: _candidates(p), SAMPLE)


def _of(name: str, extension: Extension) -> tuple[Quantity, ...]:
    most = sum(extension.tops(extension.largest_hats), extension.offset)
    return (
        Quantity(f"hats of {name}", 0, (1 << extension.width) - 1, "any representatives of w bits"),
        Quantity(f"cox of {name}", extension.offset, most, f"Σ of the tops of the hats, and 2^f·σ; f is {extension.f}"),
        Quantity(f"h of {name}", 0, extension.largest_h, "rows of the table of multiples of the base's product"),
    )


# --- operands


def _candidates(p: HybridParameters) -> Iterator[Case]:
    """All coefficients 0 or largest, in each position, and random ones."""
    top, rng = p.bound - 1, random.Random(p.modulus)
    ends = [[value] * p.degree for value in (0, 1, top)]
    ends += [[top if k == place else 0 for k in range(p.degree)] for place in range(p.degree)]
    for x in ends:
        yield from (_case(p, x, y) for y in ends)
    for _ in range(DRAWN):
        x, y = ([rng.randrange(p.bound) for _ in range(p.degree)] for _ in range(2))
        yield _case(p, x, y)


def _case(p: HybridParameters, x: list[int], y: list[int]) -> Case:
    operands = hybrid_codec(p).operands
    return {PAYLOAD: {**operands["x"].write(x), **operands["y"].write(y)}}
