# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested.

Of both ternary cores, every run has a composite modulus and a blinded prime.
"""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "modinv/rns-divstep": (
        trial("1009", width=11),
        trial("61", width=10, steps=3, latency=2),
        trial("315", width=12, steps=1, k=5, latency=4),
    ),
    "modinv/rns-flt": (
        trial("1009", width=10),
        trial("61", width=10, latency=4, multiplier="hbe"),
    ),
    "modinv/rns-bmi": (
        trial("1009", width=10),
        trial("63", width=11, latency=2),
        trial("61", width=10, blind=True),
    ),
    "modinv/rns-btmi": (
        long_trial("1009", width=10),
        trial("77", width=11, latency=4),
        trial("65521", width=12, blind=True),
    ),
    "modinv/rns-btmi-fused": (
        long_trial("1009", width=10),
        trial("25", width=11, latency=2),
        trial("65521", width=12, blind=True),
    ),
}
"""By the name of the core."""
