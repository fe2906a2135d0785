# SPDX-License-Identifier: Apache-2.0
"""Decisions of the scalar: the bits of the ladder, and the states in which a point is at infinity.

The ladder runs over k' = 2^N + ((k - 2^N) mod q), q the order and 2^N >= q. After some bits of k', with the value u,
the state is (Q, R) = (u·P, (u + 1)·P). No coordinates exist where one of them is infinity, that is where u or u + 1
is a multiple of the order of P, so such a state is not kept in coordinates but by name:

    NOTHING   (Q, R) = (0, P)
    FRESH     (Q, R) = (P, 2P), whose coordinates the set-up has left next to the state
    RUNNING   the coordinates of the state

In a mirrored ladder they stand for (-R, -Q) = (v·P, (v + 1)·P) with v = -(u + 1), and a bit b of k' counts as 1 - b:
u' = 2u + b gives v' = 2v + 1 - b. So u + 1 = 0 is v = 0, NOTHING of the mirrored ladder.

With the bit 1 a step makes (Q + R, 2R), with 0 (2Q, Q + R). Q + R is infinity where G = 0 (R = ±Q, and R - Q = P), and
2R is where H = YR² = 0, of the points that the step has exchanged for the bit 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Mode(IntEnum):
    """Meaning of a state of the ladder."""

    RUNNING = 0
    FRESH = 1
    NOTHING = 2


@dataclass(frozen=True)
class Position:
    """Mode and direction of the ladder."""

    mode: Mode
    mirror: bool

    def exchanged(self, bit: bool) -> bool:
        """Whether a step exchanges Q and R."""
        return bit == self.mirror

    def after(self, bit: bool, *, g_zero: bool, h_zero: bool, y_zero: bool) -> Position:
        """State after a step.

        Parameters
        ----------
        bit : bool
            Bit of k'.
        g_zero, h_zero : bool
            G = 0, H = 0 in this step.
        y_zero : bool
            y = 0: 2P is infinity.
        """
        counted = bit != self.mirror
        if self.mode is Mode.NOTHING:
            return begin(self.mirror, y_zero) if counted else self
        if not (g_zero or h_zero):
            return Position(Mode.RUNNING, self.mirror)
        # v' = 0 where the new Q is infinity, v' + 1 = 0 where the new R is
        return Position(Mode.NOTHING, self.mirror ^ (h_zero == counted))


def begin(mirror: bool, y_zero: bool) -> Position:
    """v = 1: (P, 2P), or NOTHING the other way round where 2P is infinity, as then v + 1 = 0."""
    return Position(Mode.NOTHING, not mirror) if y_zero else Position(Mode.FRESH, mirror)


COUNT, ADD, CARRY = 1, 2, 3
"""Steps of a scalar that is lifted in two registers; see `hardware.lifted`."""
PAIR = 2
"""Bits of such a scalar in a cycle."""
REDUCE = 1
"""Step of a scalar that is reduced: a bit of k, in one sum of all bits."""


def scalar_steps(steps: int, lifts: bool) -> tuple[int, ...]:
    """Control field of the scalar in each cycle, for a ladder of so many steps."""
    if not lifts:
        return (REDUCE,) * steps
    pairs = places_of(steps) // PAIR
    return (COUNT,) * pairs + 2 * ((ADD,) * pairs + (CARRY,))


def places_of(steps: int) -> int:
    """Places of each register of a lifted scalar: an even number, for the N bits of the order."""
    return -(-steps // PAIR) * PAIR


def reduced_scalar(k: int, order: int, steps: int) -> int:
    """(k - 2^N) mod q, the bits of k' below its first one.

    The hardware sums bit by bit and adds q only once to what is negative; so with q = 1 it comes to -1, which is as
    good as 0, where no 1 is among the bits."""
    if order == 1:
        return (1 << steps) - 1 if k % (1 << steps) == 0 and not k >> steps else 0
    return (k - (1 << steps)) % order


def lifted_scalar(k: int, order: int, steps: int) -> int:
    """The lower bits of the first of k, k + q' and k + 2q' that has a bit N; q' is the order times 2^s, of N bits.

    There is one: k is below 2^(N+1), and 2q' is 2^N or more. The last one is below 2^(N+1), as k + q' has no bit N."""
    aligned = order << steps - order.bit_length()
    return next(sum_ for times in range(3) if (sum_ := k + times * aligned) >> steps) & (1 << steps) - 1
