# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested."""

from __future__ import annotations

from ....contract import trial

TRIALS = (
    trial("13", limb=3),
    trial("11", limb=2, unit="scan", macs=2, check=True),
)
