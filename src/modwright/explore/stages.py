# SPDX-License-Identifier: Apache-2.0
"""The stages of an exploration: tasks of every point, through the database, on an executor, until a time at most."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice

from ..base.json import JsonObject
from ..base.remaining import remaining
from ..base.store import digest_of, source_digest, version_of
from ..measurement import Settings
from ..synthesize import PACKAGES, PLACED
from .database import Database
from .executors import Executor, OutOfTimeError
from .space import Point
from .worker import PLACE

_SHOWN_SECONDS = 10.0


class Stages:
    """Runs one stage after the other, through the database.

    Parameters
    ----------
    target : str
        Device family.
    settings : Settings
        Settings of synthesis, and of place and route.
    database : Database
        Results of earlier runs, and of other processes.
    executor : Executor
        Executor of the tasks.
    say : callable
        Called with a line of progress.
    """

    def __init__(
        self, target: str, settings: Settings, database: Database, executor: Executor, say: Callable[[str], None]
    ) -> None:
        self.target, self.settings, self.database, self.executor, self.say = target, settings, database, executor, say
        tools = [version_of(name) for name in ("amaranth", "pyosys")]
        if target in PLACED:
            tools.append(version_of(PACKAGES[target]))
        self._basis = [source_digest(), target, tools]
        self._passing: dict[str, dict[str, object]] = {}  # failures of this run, which another run tries again

    def key(self, stage: str, point: Point) -> str:
        """Digest of all that a result depends on."""
        settings = asdict(self.settings) if stage == PLACE else self.settings.wide_lut
        return digest_of(stage, point.request.to_mapping(), self._basis, settings)

    def run(self, stage: str, points: Sequence[Point], until: float = math.inf) -> list[tuple[Point, JsonObject]]:
        """Outcome of a stage for every point, in order; empty for what was not done by `until`, of `time.monotonic`."""
        keys = {self.key(stage, point): point for point in points}
        progress = Progress(stage, len(keys), self.say)
        while True:
            missing = [key for key in keys if key not in self._passing and self.database.result(key) is None]
            progress.known(len(keys) - len(missing))
            if not missing or time.monotonic() >= until:
                break
            ours = list(islice((k for k in missing if self._claim(stage, k, keys[k])), self.executor.batch))
            if not ours:  # another process has them: wait for its results, or for its claims to expire
                time.sleep(1)
                continue
            try:
                self._run(stage, {key: keys[key] for key in ours}, progress, until)
            except OutOfTimeError:
                break
        return [(keys[key], self._passing.get(key) or self.database.result(key) or {}) for key in keys]

    def _claim(self, stage: str, key: str, point: Point) -> bool:
        return self.database.claim(key, stage, point.request.core)

    def _run(self, stage: str, points: dict[str, Point], progress: Progress, until: float) -> None:
        settings = asdict(self.settings)

        def beat() -> None:
            self.database.renew()
            if time.monotonic() >= until:
                raise OutOfTimeError

        tasks = [(key, stage, point.request.to_mapping(), self.target, settings) for key, point in points.items()]
        try:
            for key, outcome in self.executor.results(tasks, beat):
                if "passing" in outcome:
                    self._passing[key] = outcome
                else:
                    self.database.put(key, outcome)
                progress.step(outcome)
        finally:
            self.database.release()


class Progress:
    """Progress of a stage: points done, and an estimate of the time that the rest takes."""

    def __init__(self, stage: str, total: int, say: Callable[[str], None]) -> None:
        self.stage, self.total, self.say = stage, total, say
        self.done = self.failed = self.refused = self.fresh = 0
        self.start = self.shown = time.monotonic()

    def known(self, done: int) -> None:
        """Note the number of points whose results are in the database."""
        self.done = done
        if 0 < done == self.total:
            self._show("")

    def step(self, outcome: Mapping[str, object]) -> None:
        """Count one more point: done, refused because no parameters satisfy its options, or failed."""
        self.done, self.fresh = self.done + 1, self.fresh + 1
        refused = "refused" in outcome
        self.refused += refused
        self.failed += "error" in outcome and not refused
        now = time.monotonic()
        if now - self.shown < _SHOWN_SECONDS or self.done == self.total:
            return
        self.shown = now
        self._show(remaining(now - self.start, self.fresh, self.fresh + self.total - self.done))

    def _show(self, rest: str) -> None:
        refused = f", {self.refused} refused" if self.refused else ""
        failed = f", {self.failed} failed" if self.failed else ""
        self.say(f"{self.stage}: {self.done} of {self.total}{refused}{failed}{rest}")
