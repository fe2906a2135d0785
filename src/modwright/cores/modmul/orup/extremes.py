# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the loop: quotient digits, carries of chunks, S as a share of what m and Y allow, and the result."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....schedule import Schedule
from .model import OrupModel
from .parameters.ahead import OrupParameters

UNITS = 64
"""Parts in which shares are counted."""
SAMPLE = 200
"""Operations of a run that are observed: chunk by chunk in Python, each takes some milliseconds."""
MODULI, TRIED = 64, 12
"""Moduli that are tried for a large m, and multipliers for each X."""
CHUNKS = 20_000
"""Chunks of all digits of those products, so that long operands take no more time: fewer are tried then."""


def extremes(p: OrupParameters, schedule: Schedule) -> Extremes:
    """Extremes of one multiplier."""
    model = OrupModel(p, schedule)

    def observe(operands: Operands) -> Values:
        x, y, m = (_integer(operands[name]) for name in "xym")
        outcome = model.run(operands).payload
        if outcome["error"]:
            return {}
        states = list(model.states(x, y, m))
        sums = [model.value(state) for state in states]
        return {
            "q": [s.word & ((1 << p.k) - 1) for s in states],
            "carry": [carry for s in states for carry in s.carries],
            "S/(2^k·(m+Y))": [s * UNITS // ((m + y) << p.k) for s in sums],
            "bits of S": [s.bit_length() for s in sums],
            "z/(2^(K+1)·m)": (_integer(outcome["z"]) * UNITS // (m << (p.K + 1)),),
        }

    return Extremes(_quantities(p), observe, lambda: _candidates(p), SAMPLE)


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value


def _quantities(p: OrupParameters) -> tuple[Quantity, ...]:
    # X·Y/R is below 2^(2K+2)·m²/R, and Q·M~/R below 2^K·m: in units of 2^(K+1)·m, below 2^(n+K+1)/R and 1/2
    result = min(UNITS, UNITS // 2 + -(-(UNITS << (p.n + p.K + 1)) >> p.T)) - 1
    return (
        Quantity("q", 0, (1 << p.k) - 1, "quotient digits, the lowest digit of S"),
        Quantity("carry", 0, p.largest_carry, "out of a chunk; certificate `carry`"),
        Quantity("S/(2^k·(m+Y))", 0, UNITS - 1, f"in {UNITS}ths; certificate `step` for this m and Y"),
        Quantity(
            "bits of S", 0, p.largest_sum.bit_length(), f"for m of {p.n} bits and Y of {p.operand_bits}, all ones"
        ),
        Quantity(
            "z/(2^(K+1)·m)",
            0,
            UNITS - 1,
            f"in {UNITS}ths; certificate `result`",
            (0, result) if result < UNITS - 1 else None,
            f"X·Y/R is below 2^(n+K+1-kN) of it, with k·N = {p.T}" if result < UNITS - 1 else "",
        ),
    )


# --- operands


def _candidates(p: OrupParameters) -> Iterator[Case]:
    """X of ones with large Y, for the example and for the modulus with the largest m of some; x·y = 0."""
    odd = range((1 << p.n) - 1, max(2, (1 << p.n) - 1 - 2 * MODULI), -2)
    largest = max(odd, key=lambda M: pow(1 << p.K, -1, M))
    for M in dict.fromkeys((p.example or largest, largest)):
        m, rng = pow(1 << p.K, -1, M), random.Random(M)
        limit = m << (p.K + 1)
        ones = (1 << (limit.bit_length() - 1)) - 1
        for x in (limit - 1, ones, ones >> p.k):
            for tried in range(max(1, min(TRIED, CHUNKS // (p.digits * p.chunks)))):
                y = limit - 1 - (rng.randrange(limit // UNITS) if tried else 0)
                yield {PAYLOAD: {"x": x, "y": y, "m": m, "modulus": M}}
        yield {PAYLOAD: {"x": 0, "y": 0, "m": m, "modulus": M}}
