# SPDX-License-Identifier: Apache-2.0
"""The cycles of an exponentiation, where they depend on operands."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from ...base.errors import show_integer
from ...contract import CYCLES, Distribution, Statistic
from .codec import ModexpCodec
from .model import ModexpModel
from .parameters import ModexpParameters
from .schedule import make_schedule, ones, run_with

BATCH = 10
"""Exponentiations that are stored together: some 20 s of the model at 1024 bits."""


def cycle_count(p: ModexpParameters) -> Statistic | None:
    """Statistic over uniform operands, a runtime modulus of n bits among them; None when the cycles do not vary."""
    schedule = make_schedule(p)
    if schedule.constant_time:
        return None
    model, codec = ModexpModel(p, schedule), ModexpCodec(p)
    modulus = f"M of {p.n} bits" if p.modulus is None else f"M = {show_integer(p.modulus)}"

    def draw(rng: Random) -> int:
        m = p.modulus or rng.getrandbits(p.n) | 1 << (p.n - 1) | 1
        case = {"base": rng.randrange(m), "exponent": rng.getrandbits(p.exponent_bits), "modulus": m}
        return model.run(codec.encode(case)).cycles

    return Statistic(
        name=CYCLES,
        operands=f"base below M, exponent of {p.exponent_bits} bits, {modulus}",
        draw=draw,
        cycles=1,
        exact=_exact(p) if p.multiplier.schedule.constant_time else None,
        batch=BATCH,
    )


def _exact(p: ModexpParameters) -> Distribution:
    """Exact distribution over uniform exponents, where every product takes the same cycles.

    A run by e > 0, of L bits and h ones, takes c + s·L + m·h cycles: leading zeros are skipped, and every bit
    takes the same cycles but for the product of a one. L bits come with probability 2^(L - 1 - n), and with h - 1 ones
    in the L - 1 bits below the first, binomially.
    """
    cycles = [run_with(p, p.multiplier.latency, exponent).cycle for exponent in range(4 if p.exponent_bits > 1 else 2)]
    none, one, *more = cycles
    of_bit, of_one = (more[0] - one, more[1] - more[0]) if more else (0, 0)
    n, rest = p.exponent_bits, one - of_bit - of_one
    twice, fourfold = 2 * none, 4 * none**2  # sums over all exponents, of 2 c and of 4 c^2
    for length in range(1, n + 1):
        expected = 2 * (rest + of_bit * length) + of_one * (length + 1)
        twice += expected << (length - 1)
        fourfold += expected**2 + of_one**2 * (length - 1) << (length - 1)
    mean = Fraction(twice, 2 << n)
    most = run_with(p, p.multiplier.latency, ones(p)).cycle
    return Distribution(mean, Fraction(fourfold, 4 << n) - mean**2, min(none, one), most)
