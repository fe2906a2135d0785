# SPDX-License-Identifier: Apache-2.0
"""Numbers inside a multiplier of x-coordinates: digits of operands and products, and what is above n bits."""

from __future__ import annotations

from random import Random

from ....contract.operands import PAYLOAD
from ....contract.quantities import Extremes, Operands, Quantity, Values
from ....schedule import Schedule
from .codec import PseudoMersenneCodec
from .model import PseudoMersenneModel
from .parameters import PseudoMersenneParameters

DRAWN = 24
"""Random candidates, next to the edges."""
SAMPLE = 8
"""Operations of a run that are observed: one has thousands of products."""
SMALL = 64
"""Bits of p below which random candidates are tried: an operation of a wide core has thousands of products."""


def extremes(p: PseudoMersenneParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core."""
    seen: dict[str, set[int]] = {}
    digits = PseudoMersenneModel(p, schedule).digits

    def watch(name: str, value: int) -> None:
        seen[name] |= {value} if name == "above" else set(digits.unpack(value))

    model = PseudoMersenneModel(p, schedule, watch)

    def observe(operands: Operands) -> Values:
        seen.update({name: set[int]() for name in ("operand", "product", "above")})
        model.run(operands)
        return {quantity.name: seen[name] for name, quantity in quantities.items()}

    quantities = {
        "operand": Quantity("digit of a sum", 0, p.largest_difference, "certificate `operand`"),
        "product": Quantity("digit of a product", 0, max(p.result), "certificate `operand`"),
        "above": Quantity("part above n bits", 0, p.most_above, "certificate `above`"),
    }

    codec, rng = PseudoMersenneCodec(p), Random(p.modulus)
    plain = {"a24": 2, "clamp": 0, "k": 0, "u": 0}
    drawn = [{PAYLOAD: codec.draw(rng, plain)} for _ in range(DRAWN if p.n < SMALL else 0)]
    return Extremes(tuple(quantities.values()), observe, lambda: [*codec.edges().values(), *drawn], sample=SAMPLE)
