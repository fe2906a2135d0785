# SPDX-License-Identifier: Apache-2.0
"""The time that is left of a work of equal parts, in words."""

from __future__ import annotations

_WORTH = 2.0
"""Seconds below which nothing is said."""
_MINUTES = 90.0
"""Seconds above which minutes are said."""


def remaining(seconds: float, done: float, total: float) -> str:
    """Words for the rest of a work, behind a comma; nothing for what is about done, or not begun.

    Parameters
    ----------
    seconds : float
        That the part took that is done.
    done, total : float
        Parts that are done, and all.
    """
    left = seconds / done * (total - done) if done > 0 else 0.0
    if left < _WORTH:
        return ""
    return f", about {left / 60:.0f} min left" if left > _MINUTES else f", about {left:.0f} s left"
