# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of this core is tested, each option away from its default."""

from __future__ import annotations

from ....contract import long_trial, trial

TRIALS = (
    trial("1009", width=10),
    long_trial("65521", width=12, latency=4, draws=8, seed=3),
    trial("15", width=10, local=True, draws=2),
    long_trial("65521", width=13, channels=3, t=8),
)
