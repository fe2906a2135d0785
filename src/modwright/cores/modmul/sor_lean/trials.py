# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested.

Every run has both forms of operands, and several multipliers.
"""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "modmul/sor-lean": (
        trial("61", width=8, latency=2),
        trial("251", width=10, latency=5, multipliers=2),
        long_trial("65521", width=12, io="binary"),
        trial("1009", width=12, io="binary", output="exact"),
        long_trial("1009", width=11, output="exact", multipliers=2),
    ),
}
"""Trials by the name of the core."""
