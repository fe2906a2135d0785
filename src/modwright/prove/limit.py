# SPDX-License-Identifier: Apache-2.0
"""A limit on the time of one proof, for tables of many cores."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

SECONDS: ContextVar[float | None] = ContextVar("seconds", default=None)
"""Seconds that `limited` allows; None for no limit."""


class TimeIsUpError(Exception):
    """The limit was reached; it carries the reason in words."""


@contextmanager
def at_most(seconds: float | None) -> Iterator[None]:
    """Set the limit of `limited` within this context."""
    token = SECONDS.set(seconds)
    try:
        yield
    finally:
        SECONDS.reset(token)


@contextmanager
def limited() -> Iterator[None]:
    """Raise `TimeIsUpError` in code that runs longer than the limit.

    It is raised from a signal handler, so it needs the main thread; elsewhere, and without a limit, nothing is raised.
    A call of a library ends when it returns.
    """
    seconds = SECONDS.get()
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TimeIsUpError(f"no answer within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
