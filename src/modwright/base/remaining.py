# SPDX-License-Identifier: Apache-2.0
"""Remaining time of a job of equal parts, in words."""

from __future__ import annotations

_WORTH = 2.0
"""Seconds below which no time is shown."""
_MINUTES = 90.0
"""Seconds above which minutes are shown."""


def remaining(seconds: float, done: float, total: float) -> str:
    """Words for the rest of a job, after a comma; empty when it is almost done, or has not begun.

    Parameters
    ----------
    seconds : float
        Time that the finished parts took.
    done, total : float
        Parts that are done, and all.
    """
    left = seconds / done * (total - done) if done > 0 else 0.0
    if left < _WORTH:
        return ""
    return f", about {left / 60:.0f} min left" if left > _MINUTES else f", about {left:.0f} s left"
