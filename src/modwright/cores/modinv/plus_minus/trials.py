# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested.

Of both ternary cores, every run has a composite modulus and a blinded prime.
"""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "bmi": (trial("1009", width=10), trial("63", width=11, latency=2, local=True), trial("61", width=10, blind=True)),
    "btmi": (
        long_trial("1009", width=10),
        trial("77", width=11, latency=4, local=True),
        trial("65521", width=12, blind=True),
    ),
    "btmi-fused": (
        long_trial("1009", width=10),
        trial("25", width=11, latency=2, local=True),
        trial("65521", width=12, blind=True),
    ),
}
"""Trials by the architecture, without `rns-`."""
