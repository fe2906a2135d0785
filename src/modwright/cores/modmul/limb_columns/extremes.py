# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the unit: digits of columns and their carry, limbs that are folded, and the result in parts of m."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ....contract import integer
from ....contract.codec import FieldCodec
from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....engines.columns.parameters import DOMAIN
from ....schedule import Schedule
from .model import LimbColumnsModel, columns, result
from .parameters import LimbColumnParameters

UNITS = 64
"""Parts of m in which the result is counted."""
SAMPLE = 200
"""Operations of a run that are observed: product by product in Python, each takes longer than all other checks."""
TRIED = 60
"""Operands that are tried for each modulus."""


def extremes(p: LimbColumnParameters, schedule: Schedule) -> Extremes:
    """Extremes of one multiplier."""
    model = LimbColumnsModel(p, schedule)

    def observe(operands: Operands) -> Values:
        if model.run(operands).payload["error"]:
            return {}
        values = {name: integer(value) for name, value in operands.items()}
        states = list(columns(p, values))
        return {
            "bits of a digit": [digit.bit_length() for state in states for digit in state.digits],
            "carry": [state.carry for state in states],
            "t": [state.word for state in states[: p.s + 1]],
            "z/m": (result(p, values) * UNITS // values["m"],),
        }

    return Extremes(_quantities(p), observe, lambda: _candidates(p), SAMPLE)


def _quantities(p: LimbColumnParameters) -> tuple[Quantity, ...]:
    digit, carry = p.largest_digits
    return (
        Quantity("bits of a digit", 0, digit.bit_length(), "a digit of a column; certificate `digit`"),
        Quantity("carry", 0, carry, "what the lower digits have above the word; certificate `carry`"),
        Quantity("t", 0, (1 << p.w) - 1, "limbs that are folded, and the quotient"),
        Quantity("z/m", 0, UNITS * DOMAIN - 1, f"in {UNITS}ths of m; certificate `chain`"),
    )


def _candidates(p: LimbColumnParameters) -> Iterator[Case]:
    """Operands at their ends, and products that make every folded limb all ones, as x·y ≡ m modulo R."""
    codec, largest = FieldCodec(p, example=p.example), (1 << p.n) - 1
    for m in dict.fromkeys((p.example or largest, largest)):
        rng, top = random.Random(m), DOMAIN * m
        constants = codec.constants(m)
        yield {PAYLOAD: {"x": 0, "y": 0, **constants}}
        for tried in range(TRIED):
            x = top - 1 - tried
            if x > 0 and x % 2 and (y := m * pow(x, -1, 1 << p.T) % (1 << p.T)) < top:
                yield {PAYLOAD: {"x": x, "y": y, **constants}}
            yield {PAYLOAD: {"x": top - 1 - rng.randrange(m), "y": top - 1 - rng.randrange(m), **constants}}
            yield {PAYLOAD: {"x": rng.randrange(top), "y": rng.randrange(top), **constants}}
