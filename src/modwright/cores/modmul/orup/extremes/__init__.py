# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the loop: quotient digits, carries of chunks, S as a share of its bound for m and Y, and the
result."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import chain

from .....contract.operands import PAYLOAD
from .....contract.quantities import Case, Extremes, Operands, Quantity, Values
from .....engines.orup.ahead import OrupParameters
from .....engines.orup.interleaved import InterleavedParameters
from .....schedule import Schedule
from ..model import OrupModel, Sums
from .carries import carries, most_passed, passed

UNITS = 64
"""Parts in which shares are counted."""
SAMPLE = 200
"""Operations of a run that are observed: chunk by chunk in Python, each takes some milliseconds."""
MODULI, TRIED = 64, 12
"""Moduli that are tried for a large m, and multipliers for each X."""
CHUNKS = 40_000
"""Most chunks that are summed to find a large sum of one, so that fewer operands are tried for long ones."""
KEPT, DIGITS = 5, 6
"""Beginnings of X that are retained from digit to digit, and digits that are tried after each."""


def extremes(p: OrupParameters, schedule: Schedule) -> Extremes:
    """Extremes of one multiplier."""
    model = OrupModel(p, schedule)

    def observe(operands: Operands) -> Values:
        x, y, m = (_integer(operands[name]) for name in "xym")
        outcome = model.run(operands).payload
        if outcome["error"]:
            return {}
        steps = list(model.steps(x, y, m))
        states = [state for state, _ in steps]
        sums = [model.value(state) for state in states]
        return {
            "q": [s.word & ((1 << p.k) - 1) for s in states],
            "carry": [carry for s in states for carry in s.carries],
            "S/(2^k·(m+Y))": [s * UNITS // ((m + y) << p.k) for s in sums],
            "bits of S": [s.bit_length() for s in sums],
            "z/(2^(K+1)·m)": (_integer(outcome["z"]) * UNITS // (m << (p.K + 1)),),
            **({"limbs passed": (passed(p, states[-1]),)} if isinstance(p, InterleavedParameters) else {}),
            **{_base(j): [chunks[j].base for _, chunks in steps] for j in _ends(p)},
            **{_total(j): [chunks[j].total for _, chunks in steps] for j in _ends(p)},
        }

    return Extremes(
        _quantities(p), observe, lambda: chain(_candidates(p), _tall(p, model)), SAMPLE, lambda: _carries(p, model)
    )


def _carries(p: OrupParameters, model: OrupModel) -> Mapping[str, Case]:
    """Carries through the limbs, where they are compared with ones at once; a limb at a time adds them as they come."""
    return carries(p, model, _moduli(p)[0]) if isinstance(p, InterleavedParameters) else {}


def _ends(p: OrupParameters) -> list[int]:
    """Chunks whose sums are observed: the lowest, and those where m and Y end; all others behave like one of them."""
    of_m, of_y = (-(-bits // p.w) for bits in (p.n, p.operand_bits))
    return [j for j in sorted({0, 1, of_m, of_y - 2, of_y - 1, of_y}) if 0 <= j < p.chunks - 1]


def _base(chunk: int) -> str:
    return f"chunk {chunk} with b·Y"


def _total(chunk: int) -> str:
    return f"chunk {chunk}"


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value


def _quantities(p: OrupParameters) -> tuple[Quantity, ...]:
    # X·Y/R is below 2^(2K+2)·m²/R, and Q·M~/R below 2^K·m: in units of 2^(K+1)·m, below 2^(n+K+1)/R and 1/2
    total = p.largest_chunk_sum(p.largest_carry)
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
        *(
            [Quantity("limbs passed", 0, most_passed(p), "by one carry of the conversion, all ones with their carries")]
            if isinstance(p, InterleavedParameters)
            else []
        ),
        *(
            Quantity(_base(j), 0, total - p.largest_addend // 2, "its part of S / 2^k with the carry, and of b·Y")
            for j in _ends(p)
        ),
        *(Quantity(_total(j), 0, total, "the same with its part of q·m; certificate `chunk`") for j in _ends(p)),
    )


# --- operands


def _candidates(p: OrupParameters) -> Iterator[Case]:
    """X of ones with large Y, for the example and for the modulus with the largest m of some; x·y = 0."""
    for M in _moduli(p):
        m, rng = pow(1 << p.K, -1, M), random.Random(M)
        limit = m << (p.K + 1)
        ones = (1 << (limit.bit_length() - 1)) - 1
        for x in (limit - 1, ones, ones >> p.k):
            for tried in range(max(1, min(TRIED, CHUNKS // (p.digits * p.chunks)))):
                y = limit - 1 - (rng.randrange(max(1, limit // UNITS)) if tried else 0)
                yield {PAYLOAD: {"x": x, "y": y, "m": m, "modulus": M}}
        yield {PAYLOAD: {"x": 0, "y": 0, "m": m, "modulus": M}}


def _moduli(p: OrupParameters) -> list[int]:
    """The example, if there is one, and of some large moduli the one with the largest m."""
    odd = range((1 << p.n) - 1, max(2, (1 << p.n) - 1 - 2 * MODULI), -2)
    largest = max(odd, key=lambda M: pow(1 << p.K, -1, M))
    return list(dict.fromkeys((p.example or largest, largest)))


def _tall(p: OrupParameters, model: OrupModel) -> Iterator[Case]:
    """For each of the sums of a chunk, operands with a large one: products at random seldom have all three addends
    large at once."""
    digits = CHUNKS // (p.chunks * p.digits)  # digits to try in each step of one product
    beginnings, tried = (KEPT, DIGITS) if digits >= KEPT * DIGITS else (1, max(1, min(DIGITS, digits)))
    for j in _ends(p):
        for place in Sums._fields:
            rng = random.Random(f"{place} {j}")
            found = (
                _grown(p, model, rng, j, place, beginnings, tried)
                for _ in range(max(1, digits // (beginnings * tried)))
            )
            yield {PAYLOAD: max(found, key=lambda item: item[0])[1]}


def _grown(
    p: OrupParameters, model: OrupModel, rng: random.Random, j: int, place: str, beginnings: int, tried: int
) -> tuple[int, dict[str, int]]:
    """The largest sum found in a chunk for some Y and m, with its operands.

    X grows digit by digit: the beginnings are retained whose S contributes most to the chunk in the next step.
    """
    operands, ones = _any(p, rng), (1 << p.k) - 1
    y, m = operands["y"], operands["m"]
    best, begun = (-1, operands), [(model.start, 0)]
    for index in range(p.digits):
        longer = []
        for (state, quotients), x in begun:
            for digit in {ones, *(rng.randrange(ones) for _ in range(tried - 1))}:
                with_it = x | digit << (p.k * index)
                if with_it < m << (p.K + 1):
                    following, sums = model.step(state, quotients, digit, y, m)
                    best = max(best, (sums[j]._asdict()[place], operands | {"x": with_it}), key=lambda item: item[0])
                    longer.append((model.shifted(following[0], j), rng.random(), following, with_it))
        longer.sort(key=lambda item: item[:2], reverse=True)
        begun = [(reached, x) for _, _, reached, x in longer[:beginnings]]
    return best


def _any(p: OrupParameters, rng: random.Random) -> dict[str, int]:
    """Operands in range of a modulus, the largest or random ones."""
    M = rng.randrange(1 << (p.n - 1), 1 << p.n) | 1
    m = pow(1 << p.K, -1, M)
    x, y = (rng.randrange(m << (p.K + 1)) for _ in "xy")
    return {"x": x, "y": y, "m": m, "modulus": M}
