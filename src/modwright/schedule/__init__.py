# SPDX-License-Identifier: Apache-2.0
"""Schedules: steps on resources, the one source of control, cycle counts and pictures."""

from .microcode import JUMP, ControlWord, Loop, Microcode, Word
from .pace import Pace, spread
from .schedule import Schedule, Step, chain

__all__ = ["JUMP", "ControlWord", "Loop", "Microcode", "Pace", "Schedule", "Step", "Word", "chain", "spread"]
