# SPDX-License-Identifier: Apache-2.0
"""SIGTERM ends a command as Ctrl-C does: its child processes end with it, and nothing is left half-written."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class Terminated(KeyboardInterrupt):
    """The process got SIGTERM."""


def report_signal(end: KeyboardInterrupt) -> int:
    """Say on stderr which signal came; its exit code, as a shell reports it: 128 and the signal's number."""
    terminated = isinstance(end, Terminated)
    print("terminated" if terminated else "interrupted", file=sys.stderr)
    return 128 + (signal.SIGTERM if terminated else signal.SIGINT)


@contextmanager
def ended_by_sigterm() -> Generator[None]:
    """Raise `Terminated` where the body is when the signal comes. Without effect outside the main thread,
    which alone gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


_TWICE = 1.0
"""Seconds in which another SIGTERM is the same one: `timeout` of coreutils sends it to the process and to its group."""


def _raise(_number: int, _frame: FrameType | None) -> None:
    first = time.monotonic()

    def again(number: int, _frame: FrameType | None) -> None:
        if time.monotonic() - first > _TWICE:  # somebody does not want to wait for what is left to do
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, again)
    raise Terminated
