# SPDX-License-Identifier: Apache-2.0
"""Remaining time of a job, in words; a job that runs may say how much is left of it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

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


_jobs: list[Callable[[], str]] = []


@contextmanager
def with_rest(words: Callable[[], str]) -> Generator[None]:
    """Let `rest` answer for a job while it runs.

    Parameters
    ----------
    words : callable
        Words for the rest of the job, as those of `remaining`; called once a second or so, from any thread.
    """
    _jobs.append(words)
    try:
        yield
    finally:
        _jobs.remove(words)


def rest() -> str:
    """Words for the rest of the job that began last; empty without one."""
    running = _jobs[-1:]  # a job may end in another thread meanwhile
    return running[0]() if running else ""
