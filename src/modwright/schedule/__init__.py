# SPDX-License-Identifier: Apache-2.0
"""Schedules: steps on resources, the one source of control, cycle counts and pictures."""

from .builder import StepList
from .microcode import JUMP, ControlWord, Loop, Microcode, Word
from .pace import Pace, spread
from .schedule import Schedule, Step, chain
from .shares import Share, UnitCycles, both, times, total
from .units import COUNTED, WORKING

__all__ = [
    "COUNTED",
    "JUMP",
    "WORKING",
    "ControlWord",
    "Loop",
    "Microcode",
    "Pace",
    "Schedule",
    "Share",
    "Step",
    "StepList",
    "UnitCycles",
    "Word",
    "both",
    "chain",
    "spread",
    "times",
    "total",
]
