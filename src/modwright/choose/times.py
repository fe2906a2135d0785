# SPDX-License-Identifier: Apache-2.0
"""The time of a choice: its shares, and that of a synthesis."""

from __future__ import annotations

from .candidates import ESTIMATED, Candidate

DEFAULTS, VARIANTS_DONE, ALL_DONE = 0.4, 0.55, 0.95
"""Shares of the time by which the defaults, the variants, and what is left after syntheses have been estimated."""
DERIVED = 0.05
"""Share of the time in which schedules of variants are made: those of a point multiplication take seconds each."""
_SYNTHESIS_SECONDS, _SECONDS_OF_LUT = 3.0, 0.0015
"""CPU time of a synthesis for ECP5: without logic, and for each LUT; `modmul/csa` of 381 bits takes 7 s."""


def quick(candidate: Candidate, seconds: float) -> bool:
    """Whether the area of a candidate is an estimate, and a synthesis is likely to end within the seconds given."""
    figure = candidate.lut
    if figure is None or figure.source != ESTIMATED:
        return False
    return _SYNTHESIS_SECONDS + _SECONDS_OF_LUT * figure.value <= seconds
