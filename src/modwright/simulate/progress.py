# SPDX-License-Identifier: Apache-2.0
"""Progress of a long check on stderr: a bar on a terminal, else a plain line every few seconds."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from ..base.remaining import remaining

_SECONDS = 5.0
"""Seconds between two plain lines; a run that ends sooner prints none."""


class Progress:
    """Counter of operations that were simulated, and of those that were checked after that.

    Parameters
    ----------
    label : str
        Name of the check.
    total : int or None
        Operations in all, None when unknown.
    """

    def __init__(self, label: str, total: int | None) -> None:
        self._label, self._total = label, total
        self._checked = 0
        self._start = self._shown = time.monotonic()
        self._bar = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            # rich takes 100 ms to import, so only where it draws
            from rich.console import Console
            from rich.progress import Progress as Bar

            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._label, total=2 * self._total if self._total else None)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def simulated(self, of_batch: int) -> None:
        """Note the number of operations of the current batch that were simulated."""
        self._show(self._checked + of_batch)

    def checked(self, count: int) -> None:
        """The current batch, of `count` operations, was checked."""
        self._checked += count
        self._show(self._checked)

    def _show(self, simulated: int) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=simulated + self._checked)
        elif time.monotonic() - self._shown >= _SECONDS:
            self._shown = time.monotonic()
            of = f" of {self._total}{self._left(simulated + self._checked)}" if self._total is not None else ""
            print(f"{self._label}: {simulated} simulated, {self._checked} checked{of}", file=sys.stderr, flush=True)

    def _left(self, done: int) -> str:
        """Estimated time of the rest in words, "" when it is short; simulating and checking count alike."""
        assert self._total is not None
        return remaining(self._shown - self._start, done, 2 * self._total)
