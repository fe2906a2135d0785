# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of this core is tested, each option away from its default, a composite modulus
and the largest one of two moduli."""

from __future__ import annotations

from ....contract import long_trial, trial

TRIALS = (
    trial("1009", width=8),
    long_trial("65521", width=11, latency=4, channels=3),
    trial("255", width=9, local=True),
    trial("16777215", width=8, latency=2, local=True),
)
