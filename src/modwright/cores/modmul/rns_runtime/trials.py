# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested, each option away from its default in one of them."""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "modmul/rns-kbe-runtime": (
        trial("15", width=8),
        long_trial("1009", width=12, channels=3, latency=5),
        trial("65521", bits=17, width=12, local=True, sigma="7/8"),
    ),
    "modmul/rns-hbe-runtime": (
        trial("1009", width=12),
        long_trial("65521", width=13, latency=2, cox="sum"),
        long_trial("65521", width=13, c=3, local=True),
        trial("65521", width=13, c=4, channels=8, slots=2),
        long_trial("65521", width=13, c=2, channels=6, slots=2, local=True),
    ),
}
"""By the name of the core."""
