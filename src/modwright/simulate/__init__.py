# SPDX-License-Identifier: Apache-2.0
"""Simulation: two simulators with one result, three levels of check, the oracle and waves."""

from .simulator import SIMULATORS, available_simulator, run
from .stimulus import Stalls, Stimulus, Trace
from .verification import Failure, Verification, verify
from .waveform import wave

__all__ = [
    "SIMULATORS",
    "Failure",
    "Stalls",
    "Stimulus",
    "Trace",
    "Verification",
    "available_simulator",
    "run",
    "verify",
    "wave",
]
