# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested."""

from __future__ import annotations

from ....contract import Trial, trial

TRIALS: dict[str, tuple[Trial, ...]] = {
    "modinv/binary-divstep": (
        trial("1009"),
        trial("1009", slices=3),
        trial("315", steps=3),
        trial("3", steps=2),
    ),
    "modinv/binary-divstep-rt": (
        trial("251", steps=2),
        trial("45", bits=9, slices=2),
    ),
}
"""Trials by the name of the core."""
