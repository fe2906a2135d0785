# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested."""

from __future__ import annotations

from ....contract import Trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "ecpm/ladder": (
        trial("13", limb=3),
        trial("11", limb=2, unit="scan", macs=2, blinding=True),
    ),
    "ecpm/r64-ladder": (trial("13", limb=3),),
    "ecpm/row-ladder": (trial("13", digit=3, tile=4), trial("13", digit=3, tile=4, contexts=2)),
    "ecpm/word-ladder": (trial("13", digit=3, digits=2),),
    "ecpm/rns-ladder": (trial("13", width=8),),
}
"""Trials by the name of the core."""
