# SPDX-License-Identifier: Apache-2.0
"""Operands that reach the ends of the numbers inside a base extension."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Values
from ....engines.coxrower.extremes import DRAWN, quantities, values
from ....schedule import Schedule
from .codec import ExtensionCodec
from .model import ExtensionModel
from .parameters import ExtensionParameters


def extension_extremes(p: ExtensionParameters, schedule: Schedule) -> Extremes:
    """Extremes of a base extension."""
    model = ExtensionModel(p, schedule)

    def observe(operands: Operands) -> Values:
        return values("X", p.extension, model.hats(operands), "A")

    return Extremes(quantities("X", p.extension, p.limit - 1, "A"), observe, lambda: _of_extension(p))


def _of_extension(p: ExtensionParameters) -> Iterator[Case]:
    """The edges; zero in its other representation; X of hats that are all alike, for each h."""
    yield from ExtensionCodec(p).edges().values()
    yield {PAYLOAD: {"x": p.A.moduli}}
    product = p.A.product
    ends = (p.least, p.limit - 1)
    for h in range(p.n + 1):
        for end in ends:
            share = (h + Fraction(end, product)) / p.n
            hats = [min(max(int(share * a), 0), a - 1) for a in p.A.moduli]
            x = sum(x * c for x, c in zip(hats, p.A.cofactors, strict=True)) - h * product
            if p.least <= x < p.limit:
                yield {"x": x}
    rng = random.Random(p.modulus)
    for _ in range(DRAWN):
        yield {"x": rng.randrange(p.least, p.limit)}
