# SPDX-License-Identifier: Apache-2.0
"""Operands of inverters in residues at which numbers inside an operation come near their ends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import gcd

from ...contract.operands import PAYLOAD
from ...contract.quantities import Case
from ...rns import Base

UNITS = 64
"""Parts of P in which values are counted."""
SAMPLE = 200
"""Operations of a run that are observed."""
DRAWN = 60
"""Random operands among the candidates."""


def value_of(base: Base, residues: object) -> int:
    """Integer with the given residues."""
    assert isinstance(residues, tuple)
    return base.from_residues(residues)


def candidates(base: Base, P: int, *, blind: bool = False) -> Iterator[Case]:
    """0, values near P and 2P, powers of 2 and 3, and random ones; blinded, with r of 1, near P, and random."""
    rng = random.Random(P)
    powers = [a for k in range(P.bit_length()) for a in (1 << k, 3**k, P - (1 << k), P + (1 << k))]
    ends = [0, 1, 2, P - 2, P - 1, P, P + 1, 2 * P - 2, 2 * P - 1]
    for a in (*ends, *powers[:24], *powers[-24:], *(rng.randrange(2 * P) for _ in range(DRAWN))):
        if not 0 <= a < 2 * P:
            continue
        if not blind:
            yield {PAYLOAD: {"a": base.to_residues(a)}}
            continue
        for r in (1, P - 1, rng.randrange(1, P)):
            if gcd(r, P) == 1:
                yield {PAYLOAD: {"a": base.to_residues(a), "r": base.to_residues(r)}}
