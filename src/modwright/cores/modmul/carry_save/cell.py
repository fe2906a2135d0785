# SPDX-License-Identifier: Apache-2.0
"""Digits of X and quotients of the architectures, as `Cell`s."""

from __future__ import annotations

from dataclasses import dataclass

from .plan import LONGEST


@dataclass(frozen=True)
class Cell:
    """Step of an architecture for a digit.

    Parameters
    ----------
    name : str
        The part of the core's name after the slash.
    bits : int
        k, bits of X in a digit; of VLM3's, the most.
    digits, quotients : (int, int)
        Least and largest d and q.
    variable : bool
        A digit takes 1 to k bits.
    carry_save : bool
        S is a sum and a carry word; otherwise it is binary.
    """

    name: str
    bits: int
    digits: tuple[int, int]
    quotients: tuple[int, int]
    variable: bool = False
    carry_save: bool = True

    @property
    def signed(self) -> bool:
        """Whether d or q, and with them S, can be negative."""
        return min(*self.digits, *self.quotients) < 0

    @property
    def shift(self) -> int:
        """Least shift of S in a cycle."""
        return 1 if self.variable else self.bits


RADIX2 = Cell("radix2", 1, (0, 1), (0, 1), carry_save=False)
CSA = Cell("csa", 1, (0, 1), (0, 1))
VLM3 = Cell("vlm3", LONGEST, (-4, 4), (0, 7), variable=True)
BOOTH4 = Cell("booth4-csa", 2, (-2, 2), (-1, 2))
BOOTH8 = Cell("booth8-csa", 3, (-4, 4), (0, 7))


def high_radix(radix: int) -> Cell:
    """The cell of Algorithm 3 for a power of two."""
    return Cell("csa-high-radix", radix.bit_length() - 1, (0, radix - 1), (0, radix - 1))
