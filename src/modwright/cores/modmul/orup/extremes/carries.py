# SPDX-License-Identifier: Apache-2.0
"""Operands for which a carry of the conversion passes limbs, or just does not: a limb of the last S is all ones with
its carries once in 2^B, so random operands never have one.

They are found backwards. In the result z, a limb that a carry has passed is 0, and one that it has filled up to bit b
is 2^B - 2^b. The chunk below is 0, which with carries in S comes of an overflow: that is the carry. As
z ≡ X·Y/R (mod M~), a random X determines Y; z < 2·M~ is X·Y/R, or M~ more or less, so some X are tried.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import gcd

from .....contract.operands import PAYLOAD
from .....contract.quantities import Case
from .....engines.orup.ahead import OrupParameters
from .....engines.orup.interleaved import GROUP
from ..model import OrupModel, State

TRIED = 64
"""X and z that are tried for each pattern; each second one or so gives z."""


def passed(p: OrupParameters, last: State) -> int:
    """The most limbs in turn, all ones with their carries, that a carry passes in the conversion of the last S."""
    longest = run = carry = 0
    for total in _totals(p, last)[:-1]:
        ones = total == (1 << p.limb) - 1
        run = run + 1 if ones and carry else 0
        longest, carry = max(longest, run), int(total + carry >> p.limb > 0)
    return longest


def most_passed(p: OrupParameters) -> int:
    """The most that there can be: no carry comes into the lowest limb, and none leaves the top one."""
    return max(0, p.limbs - 2)


def stopped(p: OrupParameters, last: State) -> set[tuple[int, int]]:
    """Limbs with a carry from below that they do not pass, by their index, and their only group of bits with a 0."""
    stops, carry = set[tuple[int, int]](), 0
    for g, total in enumerate(_totals(p, last)[:-1]):
        groups = {bit // GROUP for bit in range(p.limb) if not total >> bit & 1}
        if carry and len(groups) == 1 and not total >> p.limb:
            stops.add((g, groups.pop()))
        carry = int(total + carry >> p.limb > 0)
    return stops


def _totals(p: OrupParameters, last: State) -> list[int]:
    """Limbs of the last S with the carries at their bits; one that overflows keeps its bit above."""
    row = sum(carry << (p.w * (j + 1)) for j, carry in enumerate(last.carries))
    mask = (1 << p.limb) - 1
    return [(last.word >> g * p.limb & mask) + (row >> g * p.limb & mask) for g in range(p.limbs)]


# --- operands


def carries(p: OrupParameters, model: OrupModel, M: int) -> dict[str, Case]:
    """Carries that pass each limb alone and all of them, and carries that stop for a single bit in each group of the
    bits of a limb, by name; those that are found."""
    payloads = {name: _solved(p, model, M, limbs) for name, limbs in (_passing(p) | _stopping(p)).items()}
    return {name: {PAYLOAD: payload} for name, payload in payloads.items() if payload is not None}


def _passing(p: OrupParameters) -> dict[str, dict[int, int]]:
    """Limbs of the result that a carry has passed."""
    middle = range(1, p.limbs - 1)
    runs = [*(range(g, g + 1) for g in middle), middle] if len(middle) > 1 else [middle] if middle else []
    return {f"a carry through {_listed(run)}": dict.fromkeys(run, 0) for run in runs}


def _stopping(p: OrupParameters) -> dict[str, dict[int, int]]:
    """Limbs of the result that a carry has filled up to a bit, the first in each group; every other limb at once."""
    stops: dict[str, dict[int, int]] = {}
    for low in range(0, p.limb, GROUP):
        short = (1 << p.limb) - (1 << low)
        for first in (1, 2):
            limbs = range(first, p.limbs - 1, 2)
            if limbs:
                stops[f"a carry into {_listed(limbs)}, ones but for bit {low}"] = dict.fromkeys(limbs, short)
    return stops


def _listed(limbs: Sequence[int]) -> str:
    if len(limbs) == 1:
        return f"limb {limbs[0]}"
    return f"limbs {', '.join(map(str, limbs)) if len(limbs) < 4 else f'{limbs[0]}, {limbs[1]}, .., {limbs[-1]}'}"


def _solved(p: OrupParameters, model: OrupModel, M: int, limbs: Mapping[int, int]) -> dict[str, int] | None:
    """Operands of which the result has these limbs, and 0 in the chunk below each of them; None if none are found."""
    rng, m = random.Random(f"{sorted(limbs.items())} {M}"), pow(1 << p.K, -1, M)
    tilde, limit = (m << p.K) - 1, m << (p.K + 1)
    for _ in range(TRIED):
        z, x = _with_limbs(p, rng.randrange(limit), limbs), rng.randrange(1, limit)
        if z >= limit or gcd(x, tilde) > 1:
            continue
        y = (z << p.T) * pow(x, -1, tilde) % tilde
        payload = {"x": x, "y": y, "m": m, "modulus": M}
        if model.run(payload).payload["z"] == z:
            return payload
    return None


def _with_limbs(p: OrupParameters, z: int, limbs: Mapping[int, int]) -> int:
    dropped, ones = p.k * p.d, (1 << p.limb) - 1
    for g, limb in limbs.items():
        low = g * p.limb + dropped
        below = p.w if g - 1 not in limbs else 0
        z &= ~(ones << low | ((1 << below) - 1) << (low - below))
        z |= limb << low
    return z
