# SPDX-License-Identifier: Apache-2.0
"""Numbers inside an exponentiation: the digits of the exponent. The multiplier's core states
those inside its products."""

from __future__ import annotations

from collections.abc import Iterator

from ...contract.quantities import Case, Extremes, Operands, Quantity, Values
from ...schedule import Schedule
from .parameters import ModexpParameters


def extremes(p: ModexpParameters, schedule: Schedule) -> Extremes:
    """Extremes of one exponentiator."""
    del schedule
    width, count = p.window, p.digits

    def observe(operands: Operands) -> Values:
        exponent = operands["exponent"]
        assert isinstance(exponent, int)
        digits = [exponent >> (width * k) & ((1 << width) - 1) for k in range(count)]
        return {"digit": digits, "bits of the exponent": (exponent.bit_length(),)}

    quantities = (
        Quantity("digit", 0, (1 << width) - 1, "of the exponent: rows of the table, or the choice of a product"),
        Quantity("bits of the exponent", 0, p.exponent_bits, "its register"),
    )
    return Extremes(quantities, observe, lambda: _candidates(p))


def _candidates(p: ModexpParameters) -> Iterator[Case]:
    """No bit, all bits, and all bits but the first."""
    ones = (1 << p.exponent_bits) - 1
    for exponent in (0, ones, ones >> 1):
        yield {"base": 2, "exponent": exponent}
