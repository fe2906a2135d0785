# SPDX-License-Identifier: Apache-2.0
"""The number of digits of a multiplier operand, with which the cycles of VLM3 vary."""

from __future__ import annotations

from fractions import Fraction

from ....contract import Distribution, Statistic
from .parameters import CarrySaveParameters
from .plan import digit_statistics, recode

PUBLISHED = "Rezai and Keshavarzi 2015, section III, n/3 digits"


def digit_count(p: CarrySaveParameters) -> Statistic:
    """J of X uniform in [0, 2^w), w the bits of an operand: n in domain 1, n + 1 in domain 2."""
    found = digit_statistics(p.operand_bits, p.T)
    return Statistic(
        name="digits of X",
        operands=f"X uniform in [0, 2^{p.operand_bits}), cut for {p.T} places",
        draw=lambda rng: sum(1 for _ in recode(rng.getrandbits(p.operand_bits), p.T)),
        cycles=p.interleave,
        exact=Distribution(found.mean, found.variance, found.least, found.most),
        published=((PUBLISHED, Fraction(p.n, 3)),),
    )
