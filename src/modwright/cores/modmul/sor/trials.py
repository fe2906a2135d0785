# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested.

Every run has all of these for the first core, and both forms of operands for the others.
"""

from __future__ import annotations

from ....contract import Trial, long_trial, trial

_BOTH_FORMS: tuple[Trial, ...] = (
    trial("61", width=8, latency=2),
    long_trial("251", width=9, latency=4),
    long_trial("65521", width=10, latency=8),
    long_trial("65521", width=10, io="binary"),
    trial("1009", width=10, io="binary", output="exact"),
    long_trial("1009", width=10, output="exact"),
)

TRIALS: dict[str, tuple[Trial, ...]] = {
    "modmul/sor-1m-n": (
        trial("61", width=8, latency=2),
        trial("251", width=9, latency=4),
        trial("65521", width=10, latency=8),
        trial("65521", width=10, io="binary"),
        trial("1009", width=10, io="binary", output="exact"),
        trial("1009", width=10, output="exact"),
    ),
    "modmul/sor-1m-p": _BOTH_FORMS,
    "modmul/sor-2m": _BOTH_FORMS,
    "modmul/sor-nm": _BOTH_FORMS,
}
"""Trials by the name of the core."""
