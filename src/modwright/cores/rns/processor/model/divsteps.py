# SPDX-License-Identifier: Apache-2.0
"""Inversion by divsteps: f and g as integers, on which alone the matrices depend, and d and e as hats, too."""

from __future__ import annotations

from .....contract import PayloadValue
from ..parameters import NOT_INVERTIBLE, ProcessorParameters
from ..plan.divsteps import (
    BACK,
    BACK_MINUS,
    HALF_OFFSET,
    HALF_START,
    INTO_Q,
    INTO_S,
    NOTHING,
    OF_P,
    SCALE,
    Divsteps,
    Rounds,
)
from ..plan.passes import COMMON
from .hats import times, to_binary_hats

Hats = tuple[int, ...]


def by_divsteps(p: ProcessorParameters, plan: Divsteps, x: Hats) -> dict[str, PayloadValue]:
    """Output payload of an inversion."""
    engine = p.engine
    _, s = to_binary_hats(p, x)
    state = Rounds(plan, sum(hat * m_over for hat, m_over in zip(s, p.B.cofactors, strict=True)) % p.B.product)
    d, e = (_scaled(p, times(p.constants[name], [COMMON] * p.n)) for name in (NOTHING, HALF_START))
    for _ in range(plan.rounds):
        u, v, q, r, c_d, c_e = state.step()
        d, e = (_scaled(p, _sum(p, (d, a), (e, b), c)) for a, b, c in ((u, v, c_d), (q, r, c_e)))
    by_sign = {0: NOTHING, 1: BACK, -1: BACK_MINUS}[state.sign]
    offset = times(p.constants[HALF_OFFSET], [COMMON if state.sign else 0] * p.n)
    products = zip(times(d, p.constants[by_sign]), offset, strict=True)
    z = engine.reduce(1, [product + more for product, more in products])
    into_q = engine.reduce(0, times(engine.extend(1, z), p.constants[INTO_Q]))
    s = engine.extend(0, into_q, times(z, p.constants[INTO_S]))
    return {"z": (*engine.extend(1, s), *s), "error": 0 if state.sign else NOT_INVERTIBLE}


def _sum(p: ProcessorParameters, first: tuple[Hats, int], second: tuple[Hats, int], c: int) -> list[int]:
    """Sums of two stored numbers times signed coefficients, and of c·P/2^k."""
    sums = times(p.constants[OF_P], [c] * p.n)
    for hats, coefficient in (first, second):
        signed = [coefficient + (b if coefficient < 0 else 0) for b in p.B.moduli]
        sums = [total + product for total, product in zip(sums, times(hats, signed), strict=True)]
    return sums


def _scaled(p: ProcessorParameters, sums: list[int]) -> Hats:
    """Hats of a number times 2^-k, as they are stored."""
    return p.engine.reduce(1, times(p.engine.reduce(1, sums), p.constants[SCALE]))
