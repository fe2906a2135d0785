# SPDX-License-Identifier: Apache-2.0
"""Random operands of cores on residues: any integer below the bound, and any representative in each channel."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from .operands import draw, one_in
from .roles import Channels


def draw_below(rng: Random, bound: int, modulus: int) -> int:
    """An integer in [0, bound): over the whole range, or a reduced one plus any multiple of the modulus, or next to a
    multiple."""
    kind = rng.randrange(4)
    if kind < 2:
        return draw(rng, bound)
    multiple = rng.randrange((bound - 1) // modulus + 1) * modulus
    value = multiple + (draw(rng, modulus) if kind == 2 else rng.randrange(-2, 3))
    return min(max(value, 0), bound - 1)


def draw_residues(rng: Random, base: Channels, x: int, least: int, bound: int, scale: Sequence[int]) -> tuple[int, ...]:
    """Stored residues of x, or one time in four of an integer near x that has a second representative in some channel.

    Parameters
    ----------
    rng : Random
    base : Channels
    x : int
        In [least, bound).
    least, bound : int
        Range [least, bound) of the integer.
    scale : sequence of int
        A channel stores x times this.
    """
    channel = rng.randrange(base.count)
    room, m = base.u[channel], base.moduli[channel]
    if room and one_in(rng, 4):
        residue = rng.randrange(room) * pow(scale[channel], -1, m)
        near = x - (x - residue) % m
        x = near if near >= least else near + m if near + m < bound else x
    return draw_representatives(rng, base, [x * s % m for s, m in zip(scale, base.moduli, strict=True)])


def draw_representatives(rng: Random, base: Channels, residues: Sequence[int]) -> tuple[int, ...]:
    """The same residues, each a representative below 2^width: r, or r plus the modulus where that fits."""
    full = 1 << base.width
    return tuple(r + rng.randrange(1 + (full - 1 - r) // m) * m for r, m in zip(residues, base.moduli, strict=True))
