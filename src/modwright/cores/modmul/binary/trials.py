# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested."""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "modmul/binary": (
        trial("61"),
        trial("251", target="ecp5", reduction="barrett", karatsuba=1, segment=8),
        trial("251", target="ecp5", tables=1, segment=8),
    ),
    "modmul/binary-serial": (
        trial("61", limb=4),
        trial("251", target="ecp5", reduction="barrett", limb=4),
        long_trial("61"),
    ),
}
"""Trials by the name of the core."""
