# SPDX-License-Identifier: Apache-2.0
"""The inversion in plain integers: a fixed number of iterations, each with two sums.

Kaliski, "The Montgomery inverse and its applications", IEEE Trans. Computers 44(8), 1995, with signs, and its two
phases in one. For odd m and 0 <= d < m the registers begin as U = -m, V = d, R = 0, S = 1, and an iteration is

    V odd:   t = U + V;  V <- t / 2;  S <- R + S;  (U, R) <- (V, 2S) where t and V have different signs, else R <- 2R
    V even:  V <- V / 2;  R <- 2·(R mod m)

with S and V on the right as they were before. U is odd. U and V have different signs, or V is 0 or both are at
their start, so that U + V is the difference of their magnitudes. After k iterations, modulo m,

    d·S = V·2^k,   d·R = U·2^k          and while V ≠ 0:   |U|·S + |V|·R = m

The product |U·V| is at least halved each time, so V = 0 after 2n iterations or before, n the bits of m. From then on
V is even, and R doubles modulo m. Until then R < m, but that the iteration which makes V 0 may double it: R < 2m
always.

In the end U = ±1, if d is prime to m: R = ±2^k / d. With d = D·R_0, k = 2T and R_0 = 2^T that is ±R_0 / D: the
inverse in the Montgomery domain. d = 0 gives 0.
"""

from __future__ import annotations

from collections.abc import Iterator


def states(d: int, m: int, iterations: int) -> Iterator[tuple[int, int, int, int]]:
    """U, V, R and S after each iteration."""
    u, v, r, s = -m, d, 0, 1
    for _ in range(iterations):
        if v & 1:
            t = u + v
            swap = (t < 0) != (v < 0)
            u, v, r, s = (v if swap else u), t >> 1, 2 * (s if swap else r), r + s
        else:
            v, r = v >> 1, 2 * (r - m if r >= m else r)
        yield u, v, r, s


def registers(d: int, m: int, iterations: int) -> tuple[int, int, int, int]:
    """U, V, R and S after `iterations` iterations, at least one."""
    *_, last = states(d, m, iterations)
    return last


def invert(d: int, m: int, iterations: int) -> tuple[int, bool]:
    """R mod m, and whether U is negative, so that the inverse times 2^iterations is m - R."""
    u, _, r, _ = registers(d, m, iterations)
    return (r - m if r >= m else r), u < 0
