# SPDX-License-Identifier: Apache-2.0
"""The clocks of an exponentiation, where they depend on operands."""

from __future__ import annotations

from random import Random

from ...contract import CLOCKS, Statistic
from .codec import ModexpCodec
from .model import ModexpModel
from .parameters import ModexpParameters
from .schedule import make_schedule

BATCH = 10
"""Exponentiations that are kept together: some 20 s of the model at 1024 bits."""


def clock_count(p: ModexpParameters) -> Statistic | None:
    """Of uniform operands, a modulus of n bits among them where it is one; None when the clocks do not vary."""
    schedule = make_schedule(p)
    if schedule.constant_time:
        return None
    model, codec = ModexpModel(p, schedule), ModexpCodec(p)

    def draw(rng: Random) -> int:
        modulus = p.modulus or rng.getrandbits(p.n) | 1 << (p.n - 1) | 1
        case = {"base": rng.randrange(modulus), "exponent": rng.getrandbits(p.exponent_bits), "modulus": modulus}
        return model.run(codec.encode(case)).cycles

    return Statistic(
        name=CLOCKS,
        operands=f"base below M, exponent of {p.exponent_bits} bits, M of {p.n} bits",
        draw=draw,
        clocks=1,
        batch=BATCH,
    )
