# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of the core is tested."""

from __future__ import annotations

from ....contract import trial

TRIALS = (
    trial("1009", width=11),
    trial("61", width=10, steps=3, latency=2),
    trial("315", width=12, steps=1, k=5, latency=4),
    trial("61", width=10, local=True),
)
