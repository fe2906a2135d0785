# SPDX-License-Identifier: Apache-2.0
"""Schedules: steps on resources, the one source of control, cycle counts and pictures."""

from .schedule import Schedule, Step, chain

__all__ = ["Schedule", "Step", "chain"]
