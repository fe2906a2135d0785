# SPDX-License-Identifier: Apache-2.0
"""Schedule of a product: that of a multiplication, one at a time, as the rowers keep the draw of one."""

from __future__ import annotations

from dataclasses import replace

from ....engines.coxrower.multiplying import engine_schedule
from ....schedule import Schedule
from .parameters import RandomBasesParameters


def make_schedule(p: RandomBasesParameters) -> Schedule:
    """The multiplication, of any draw."""
    inner = engine_schedule(p.engine)
    return replace(inner, minimum_interval=inner.latency)
