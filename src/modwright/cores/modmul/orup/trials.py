# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested."""

from __future__ import annotations

from ....contract import Trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "modmul/orup-dsp": (
        trial("61", digit=3, delay=3, limb=8),
        trial("0xfffffffb", digit=5, tile=8, limb=16, bits=40),
        trial("0xfffffffb", target="xc7"),
    ),
    "modmul/orup-interleaved": (
        trial("61", digit=3),
        trial("0xfffffffb", digit=5, tile=8, bits=40, slots=6),
        trial("0xfffffffb", digit=5, tile=8, bits=40, slots=2),
    ),
}
"""Trials by the name of the core."""
