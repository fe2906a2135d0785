# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested.

Of `csa` and `booth4-csa`, every run has a wider core and two products at once.
"""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

_SMALL: tuple[Trial, ...] = (
    trial("61", domain=1),
    trial("0xfffffffb", limb=16, bits=40),
    trial("0xfffffffb", limb=16, interleave=2),
)

TRIALS: dict[str, tuple[Trial, ...]] = {
    "modmul/radix2": _SMALL,
    "modmul/csa": (
        long_trial("61", domain=1),
        trial("0xfffffffb", limb=16, bits=40),
        long_trial("0xfffffffb", limb=16, interleave=2),
    ),
    "modmul/csa-high-radix": (
        trial("61", radix=4, bits=8),
        trial("0xfffffffb", radix=8, limb=16, domain=1),
        trial("0xfffffffb", radix=256, limb=16, bits=40),
        trial("0xfffffffb", radix=16, limb=16, ahead=True),
    ),
    "modmul/vlm3": (*_SMALL, trial("0xfffffffb", limb=16, ahead=True)),
    "modmul/booth4-csa": (
        long_trial("61", domain=1),
        long_trial("0xfffffffb", limb=16, bits=40),
        trial("0xfffffffb", limb=16, interleave=2),
        long_trial("0xfffffffb", limb=16, ahead=True),
    ),
    "modmul/booth8-csa": (*_SMALL, trial("0xfffffffb", limb=16, ahead=True)),
}
"""Trials by the name of the core."""
