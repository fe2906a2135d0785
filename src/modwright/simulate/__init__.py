# SPDX-License-Identifier: Apache-2.0
"""Simulation: two engines with one result, three levels of check, the oracle and waves."""

from .engine import ENGINES, available_engine, run
from .stimulus import Stalls, Stimulus, Trace
from .verification import Failure, Verification, verify
from .waveform import wave

__all__ = [
    "ENGINES",
    "Failure",
    "Stalls",
    "Stimulus",
    "Trace",
    "Verification",
    "available_engine",
    "run",
    "verify",
    "wave",
]
