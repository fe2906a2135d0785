# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested."""

from __future__ import annotations

from ....contract import Trial, trial

TWO, FOUR = "0xfd035c534fdf", "0xfec0ae899695a52c612ca91dc0cf"
"""The first primes M² - 2 of two moduli of 12 bits, and M^4 - 2 of two of 14 bits, that `rns.hybrid.search` finds."""


TRIALS: dict[str, tuple[Trial, ...]] = {
    "modmul/rns-hpr": (
        trial(TWO, width=16),
        trial(TWO, width=16, c=2, latency=2),
        trial(FOUR, width=20, degree=4, latency=4),
    ),
}
"""Trials by the name of the core."""
