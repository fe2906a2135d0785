# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inverter: the counter D, f and g, and the sums of d and e, step by step as the registers have
them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import ceil

from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....engines.divsteps import divstep
from ....schedule import Schedule
from .parameters import BinaryInversionParameters

UNITS = 64
"""Parts of M in which f, g and the sums are counted."""
SAMPLE = 300
"""Operations of a run that are observed: some hundred steps each, in Python."""
DRAWN = 60
"""Random operands for each modulus."""


def extremes(p: BinaryInversionParameters, schedule: Schedule) -> Extremes:
    """Extremes of one inverter."""
    del schedule

    def observe(operands: Operands) -> Values:
        a, m = operands["a"], operands.get("m", p.modulus)
        assert isinstance(a, int)
        assert isinstance(m, int)
        return {} if m % 2 == 0 or m < 3 or a >= 2 * m else _steps(p, a, m)

    return Extremes(_quantities(p), observe, lambda: _candidates(p), SAMPLE)


def _steps(p: BinaryInversionParameters, a: int, m: int) -> Values:
    """The registers after each step, with the last ones, in which only e changes."""
    D, f, g, d, e = 0, m, a - m if a >= m else a, 0, p.initial
    found: dict[str, list[int]] = {name: [] for name in ("D", "f/M", "g/M", "e ± d ± M", "e/M")}
    signs = [False] * p.stale + [e < 0]  # of e, as far back as the corrections need it
    waiting = (p.slices - 1) * p.per_cycle
    for step in range(p.steps + waiting + p.halvings):
        if step < p.steps:
            D, f, g, odd, swap = divstep(D, f, g)
            for name, value in (("D", D), ("f/M", f * UNITS // m), ("g/M", g * UNITS // m)):
                found[name].append(value)
        else:
            odd = step == p.steps + waiting  # e takes ±d
            swap = odd and f < 0
        total = e - d if swap else e + (d if odd else 0)
        if total & 1:
            total += m if signs[-1 - p.stale] else -m
        d, e = (e if swap else d), total >> 1
        signs.append(e < 0)
        found["e ± d ± M"].append(total * UNITS // m)
        found["e/M"].append(e * UNITS // m)
    return found | {"last e/M": [e * UNITS // m]}


def _quantities(p: BinaryInversionParameters) -> tuple[Quantity, ...]:
    part = f"in {UNITS}ths of M"
    halvings = (
        f"-D is what D was when f and g changed places; g was halved so often since D was 0, and |g| <= M < 2^{p.n}"
    )
    most = ceil(p.start_reach(p.halving_cycles) * UNITS)
    return (
        Quantity("D", -p.steps, p.steps, "certificate: |D| <= divsteps", (-(p.n - 1), p.steps), halvings),
        Quantity("f/M", -UNITS, UNITS, f"{part}; certificate `range-f`"),
        Quantity("g/M", -UNITS, UNITS, f"{part}; certificate `range-f`"),
        Quantity("e ± d ± M", -2 * most, 2 * most, f"{part}; certificate `range-sum`"),
        Quantity("e/M", -most, most, f"{part}; certificate `range-d`"),
        Quantity("last e/M", -UNITS, UNITS, f"{part}; certificate `halvings`"),
    )


# --- operands


def _candidates(p: BinaryInversionParameters) -> Iterator[Case]:
    """0, powers of two, values near 0, M and 2M, and random ones; modulo M, or modulo the largest and the least."""
    moduli = (p.modulus,) if p.modulus is not None else ((1 << p.n) - 1, 3)
    for m in moduli:
        rng, given = random.Random(m), {} if p.modulus is not None else {"m": m}
        ends = [0, 1, 2, m - 2, m - 1, m, m + 1, 2 * m - 2, 2 * m - 1]
        powers = [value for k in range(m.bit_length()) for value in ((1 << k), m - (1 << k), m + (1 << k))]
        drawn = [rng.randrange(2 * m) for _ in range(DRAWN)]
        every = range(2 * m) if m < 2 * DRAWN else ()
        for a in (*every, *ends, *powers[-12:], *powers[:6], *drawn):
            if 0 <= a < 2 * m:
                yield {PAYLOAD: {"a": a, **given}}
