# SPDX-License-Identifier: Apache-2.0
"""SIGTERM ends a command as Ctrl-C does: what it started ends with it, and nothing is left half-written."""

from __future__ import annotations

import signal
import sys
import threading
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
    """Raise `Terminated` where the body is when the signal comes. Does nothing but in the main thread, which
    alone gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _raise(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one ends the process at once
    raise Terminated
