# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested.

Every run has each option away from its default in one of the cores, and a composite modulus.
"""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "modmul/rns-kbe": (
        long_trial("1009", width=9),
        long_trial("65521", width=12, latency=5),
        trial("15", width=10, local=True),
        trial("65521", width=12, channels=5, rowers=2, kappa=2),
        long_trial("1009", width=12, first="none"),
        trial("1009", width=10, output="exact"),
        trial("1009", width=10, roots=True),
        trial("1009", width=10, roots=True, second_roots=True),
    ),
    "modmul/rns-hbe": (
        trial("1009", width=10),
        long_trial("65521", width=13, latency=2, cox="sum", sigma="7/8"),
        long_trial("15", width=10, latency=4),
        long_trial("65521", width=13, c=3, kappa=3, local=True),
        trial("65521", width=13, c=4, channels=8, rowers=4, first="none", local=True),
        trial("65521", width=13, channels=6, rowers=4, kappa=2, output="exact"),
        long_trial("65521", width=13, roots=True, kappa=2, rowers=4, channels=6),
        long_trial("1009", width=12, roots=True, output="exact", local=True),
        long_trial("1009", width=12, roots=True, second_roots=True, output="exact"),
        long_trial("65521", width=12, roots=True, second_roots=True, local=True),
    ),
}
"""Trials by the name of the core."""
