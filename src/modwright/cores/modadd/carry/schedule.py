# SPDX-License-Identifier: Apache-2.0
"""Steps of a modular addition: the sum in cycle 0, the subtraction and the choice in cycle 1."""

from __future__ import annotations

from ....schedule import Schedule, Step
from .parameters import AdderParameters


def make_schedule(p: AdderParameters) -> Schedule:
    """Schedule of one sum; a sum starts in every cycle."""
    del p
    steps = (
        Step("x + y", "adder", 0),
        Step("x + y - p", "subtractor", 1, control={"done": 1}, after=("x + y",)),
    )
    return Schedule(steps, 2, "2")
