# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested."""

from __future__ import annotations

from ....contract import long_trial, trial

TRIALS = (
    trial("31", rows=1),
    trial("2^13-1", width=5),
    long_trial("509", target="ecp5", width=5),
)
