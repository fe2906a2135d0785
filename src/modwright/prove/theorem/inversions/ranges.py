# SPDX-License-Identifier: Apache-2.0
"""Ranges of the cofactors d and e, as multiples of the modulus M, in fractions.

A step halves e, e ± d, or one of these ± M: M is subtracted where the sum is odd and e was not negative s steps ago,
else added. Let W bound |±d ± M|. If e was not negative k steps ago, then e >= -(1 - 2^-k)·W now: after the first of
these steps e >= (0 - W)/2, and each next one halves the distance to -W. The same holds with other signs.
"""

from __future__ import annotations

from fractions import Fraction


def reach(age: int) -> int:
    """The least bound of |d|, |e| / M that holds in every state if it holds in one, with a sign of e that is `age`
    steps old; a larger bound does so, too.

    Where M is subtracted, e was not negative `age` steps ago: so the next e is at least
    -(1 - 2^-(age+1))·(bound + 1)·M, which is -bound·M or more from bound = 2^(age+1) - 1 on, and at most
    (bound + bound)·M/2.
    """
    return (2 << age) - 1


def after_halvings(bound: Fraction, age: int, steps: int) -> Fraction:
    """A bound of |e| / M after steps in which d is not added, from `bound`.

    In the first `age` of them the sign is of a state before. Afterwards e is halved, or a number between 0 and
    -(1 - 2^-(age+1))·M, by W = M.
    """
    for step in range(steps):
        bound = (bound + 1) / 2 if step < age else max(bound / 2, 1 - Fraction(1, 2 << age))
    return bound
