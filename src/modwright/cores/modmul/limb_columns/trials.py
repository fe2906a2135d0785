# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of this core is tested."""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

TRIALS: tuple[Trial, ...] = (
    trial("0x1d", digit=2, digits=2, contexts=2),
    trial("0x1d", digit=2, digits=2, contexts=1),
    trial("0xfffffffb", target="ecp5", digit=4, digits=5, contexts=4),
    long_trial("0xe9d", digit=3, digits=3, contexts=1),
    long_trial("0x3d", digit=2, digits=2, bits=7, contexts=3),
    long_trial("0xfffffffb", digit=3, digits=2, contexts=4),
    long_trial("0x1fffffcf", digit=2, digits=2, contexts=2),
)
