# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested.

Every run has each option away from its default in one of the cores, and a composite modulus.
"""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "basext/kbe": (
        long_trial("1009", width=8),
        trial("65521", width=11, latency=4, sigma="3/4"),
        long_trial("61", width=8, channels=2, sigma="0"),
        trial("65521", width=11, channels=5, rowers=2, local=True),
    ),
    "basext/hbe": (
        long_trial("1009", width=9),
        trial("65521", width=12, latency=2, cox="sum"),
        long_trial("61", width=8, channels=2, sigma="0"),
        trial("65521", width=12, c=3, sigma="15/16", local=True),
        long_trial("65521", width=12, c=4, cox="sum", latency=4),
        trial("65521", width=12, channels=6, rowers=2),
    ),
}
"""Trials by the name of the core."""
