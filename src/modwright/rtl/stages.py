# SPDX-License-Identifier: Apache-2.0
"""Remaining time of a run of Yosys, by the passes that its log names."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path

from ..base.remaining import remaining

_PASS = re.compile(rb"^[\d.]+ Executing (\w+)", re.MULTILINE)
_OVERLAP = 200
"""Bytes of the log that are read again, so that no line is seen in halves only."""


class Stages:
    """Time that is left of a run, by the last stage that its log has begun.

    Parameters
    ----------
    log : Path
        Log that grows.
    parts : mapping of str to float
        Part of the time that is over when a pass begins for the first time, by the pass; without it nothing is said.
    """

    def __init__(self, log: Path, parts: Mapping[str, float]) -> None:
        self._log, self._parts = log, parts
        self._start = time.monotonic()
        self._seen = 0
        self._total = 0.0
        self._reached = 0.0

    def rest(self) -> str:
        """Words for the time that is left; empty before the first stage."""
        elapsed = time.monotonic() - self._start
        for name in self._new_passes():
            part = self._parts.get(name, 0.0)
            if part > self._reached:
                self._reached, self._total = part, elapsed / part
        return remaining(elapsed, elapsed, self._total)

    def _new_passes(self) -> list[str]:
        if not self._parts or not self._log.exists():
            return []
        with self._log.open("rb") as file:
            file.seek(max(0, self._seen - _OVERLAP))
            text = file.read()
            self._seen = file.tell()
        return [name.decode() for name in _PASS.findall(text)]
