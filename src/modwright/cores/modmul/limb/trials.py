# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested.

Every run has each unit alone and with two multipliers, every division into limbs, and blocks of ECP5 under both ways of
scanning.
"""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "modmul/r64": (
        trial("0xe9d", limb=4),
        long_trial("0x3d", limb=2, bits=7),
        long_trial("0x3d", limb=3, bits=6),
        trial("0xfffffffb", target="ecp5", limb=8),
    ),
    "modmul/limb-scan": (
        trial("0xe9d", limb=4),
        long_trial("0x3d", limb=2, bits=7),
        long_trial("0x3d", limb=3, bits=6),
        long_trial("0xe9d", limb=4, macs=2),
        trial("0x3d", limb=2, bits=7, macs=2),
        long_trial("0x3d", limb=3, bits=6, macs=2),
        long_trial("0xfffffffb", target="ecp5", limb=8),
    ),
    "modmul/limb-fold": (
        long_trial("0xe9d", limb=4),
        trial("0x3d", limb=2, bits=7),
        long_trial("0x3d", limb=3, bits=6),
        long_trial("0xe9d", limb=4, macs=2),
        long_trial("0x3d", limb=2, bits=7, macs=2),
        trial("0x3d", limb=3, bits=6, macs=2),
        long_trial("0xfffffffb", target="ecp5", limb=8),
    ),
    "modmul/limb-fold-karatsuba": (
        long_trial("0xe9d", limb=4),
        long_trial("0x3d", limb=2, bits=7),
        trial("0x3d", limb=3, bits=6),
        trial("0xe9d", limb=4, macs=2),
        long_trial("0x3d", limb=2, bits=7, macs=2),
        long_trial("0x3d", limb=3, bits=6, macs=2),
        trial("0xfffffffb", target="ecp5", limb=8),
    ),
}
"""Trials by the name of the core."""
