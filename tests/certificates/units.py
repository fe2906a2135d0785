# SPDX-License-Identifier: Apache-2.0
"""Units of a channel: a reduction that is made for smaller numbers than come."""

from __future__ import annotations

from modwright.cores.unit.channel.parameters import UnitParameters

from .directed import Directed, altered, derived, directed


def product_wrong(p: UnitParameters) -> str | None:
    """A product that is not canonical, or another one."""
    limit = p.operand_limit
    for x in range(limit):
        for y in range(limit):
            if p.reduce(x * y) != x * y % p.modulus:
                return f"{x}·{y} becomes {p.reduce(x * y)} modulo {p.modulus}"
    return None


@directed("channel", "range")
def folds(_: str) -> Directed:
    """Folds of numbers below 2m only."""
    good = derived("unit/multiplier", 13)
    return Directed(good, altered(good, bound=2 * good.modulus - 1), product_wrong)
