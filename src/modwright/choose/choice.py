# SPDX-License-Identifier: Apache-2.0
"""A choice: candidates for a task, examined in the order of their promise until the time is over."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..base.errors import ModwrightError, ParameterError, unnamed
from ..base.store import Store
from ..compare import compare
from ..explore.calibration import MOST_PLACED, between, correction, scaled
from ..explore.database import Database
from ..explore.estimate import Estimate
from ..explore.executors import Executor
from ..explore.space import Point, points
from ..explore.stages import Stages
from ..explore.worker import ESTIMATE, SYNTHESIS
from ..measurement import Row, Settings, keep, mean_latency
from ..prepared import prepare
from ..prepared.registry import find
from .answer import SHOWN, Choice, Question
from .candidates import (
    ESTIMATED,
    Candidate,
    Obstacle,
    architectures,
    block_limit,
    curve_for,
    doubt,
    missed,
    of_line,
    unit_of,
)
from .goals import MOVES, SMALLEST
from .parts import least_blocks_of, nearest_of, scaled_by_part
from .times import ALL_DONE, DEFAULTS, DERIVED, VARIANTS_DONE, quick

VARIED = 4
"""Cores whose options are tried: the best by their defaults."""
NEAR = 2
"""Further cores whose options are tried, at least: those whose defaults break a limit and come nearest to it."""
VARIANTS = 24
"""Requests with other options at most, over all of these; more where more cores are tried."""
HOPELESS = 3.0
"""A core is not estimated when records of other sizes say that it costs more than this multiple of the best one."""

_OF_AREA = {"--max-lut", "--max-dsp", "--device"}
"""Options of limits that a synthesis decides."""
_ALL = 3
"""Figures that a candidate needs: LUTs, blocks and clock rate."""


def choose(
    question: Question,
    store: Store,
    database: Database,
    executor: Executor,
    *,
    seconds: float,
    say: Callable[[str], None] = lambda text: None,
) -> Choice:
    """Find the best cores for a work.

    Parameters
    ----------
    question : Question
    store : Store
        With the user's records; gets those of the syntheses that are made.
    database : Database
        Database of estimates, so that a second question is answered at once.
    executor : Executor
        Executor of estimates and syntheses.
    seconds : float
        Time after which the answer is given.
    say : callable
        Called with a line of progress.

    Raises
    ------
    ParameterError
        When no candidate is left; it says which one comes next, and what it breaks.
    """
    stages = Stages(question.work.target, Settings(), database, executor, say)
    search = _Search(question, store, stages, seconds)
    search.gather()
    if question.part.cells:
        search.scale()
        return search.answer()
    search.estimate()
    search.vary()
    search.synthesise()
    search.go_on()
    return search.answer()


class _Search:
    """The candidates by the digest of their request, and what is found about them."""

    def __init__(self, question: Question, store: Store, stages: Stages, seconds: float) -> None:
        self.question, self.store, self.stages = question, store, stages
        self.work, self.goal, self.limits, self.part = question.work, question.goal, question.limits, question.part
        self.family = question.family
        self.start, self.seconds = time.monotonic(), seconds
        self.candidates: dict[str, Candidate] = {}
        self.unable: dict[str, str] = {}
        self.unseen: dict[str, Candidate] = {}
        self.unfinished: dict[str, Candidate] = {}

    def gather(self) -> None:
        """Records of the work, and every other core with its defaults."""
        compared = compare(self.work, self.store, liberty=self.part.name if self.part.cells else None)
        self.unable |= dict(compared.unable)
        own = (line for line in compared.lines if line.core)  # those of others cannot be built here
        own = sorted(own, key=lambda line: "wide LUTs" in line.label)  # one without them comes first
        for line in (line for line in own if self._of_part(compared.rows.get((line.id, line.label)))):
            candidate = self._recorded(self._on_curve(of_line(line, self.part)))
            digest = candidate.request.digest
            if digest not in self.candidates or _known(candidate) > _known(self.candidates[digest]):
                self.candidates[digest] = candidate

    def _of_part(self, row: Row | None) -> bool:
        """Whether a record says something about the part: of gates, the plain form in its own cells does."""
        return not self.part.cells or row is None or (row.liberty == self.part.name and not row.form)

    def scale(self) -> None:
        """Figures in cells of a library of what was not measured in them, by the nearest record of the core."""
        for digest, candidate in list(self.candidates.items()):
            if _known(candidate) < _ALL:
                self.candidates[digest] = self._near(candidate, self.family)
                if self.candidates[digest].cost(self.goal) is None:
                    self.unable[candidate.label] = f"not measured in the cells of {self.part.name}"
                    del self.candidates[digest]

    def _on_curve(self, candidate: Candidate) -> Candidate:
        return replace(candidate, curve=curve_for(candidate.request, self.work))

    def _recorded(self, candidate: Candidate) -> Candidate:
        """A candidate with what records of other widths say, where it was not measured itself."""
        if _known(candidate) == _ALL:
            return candidate
        request = candidate.request
        found = between(find(request.core), self.family, self.work.bits, request.options)
        return candidate if found is None else candidate.with_records(found)

    def estimate(self) -> None:
        """Estimates of the cores of which something is not measured, the most promising first."""
        unknown = (c for c in self.candidates.values() if _known(c) < _ALL and not self._broken(c))
        waiting = sorted(unknown, key=self._hope)
        while waiting:
            least = min(
                (cost for c in self._ranked() if (cost := c.cost(self.goal))), default=self._promise(waiting[0])
            )
            hopeful = [c for c in waiting if self._promise(c) <= HOPELESS * least]
            if not hopeful and len(self._best()) >= SHOWN:
                break
            batch = hopeful or waiting[:SHOWN]
            self._estimate(batch, DEFAULTS)
            waiting = [c for c in waiting if c not in batch]
        for candidate in waiting:
            times = self._promise(candidate) / self._order(self._best()[0])
            self.unable[candidate.label] = (
                f"about {times:.0f} times the cost of the best, by its records of other sizes"
            )
            del self.candidates[candidate.request.digest]

    def _broken(self, candidate: Candidate) -> str:
        """The limits that a candidate breaks, in words; empty when it keeps all that are known."""
        return ", ".join(obstacle.words for obstacle in self._obstacles(candidate))

    def _obstacles(self, candidate: Candidate) -> list[Obstacle]:
        """The limits that a candidate breaks, also by the blocks of its nearest record, or of that of its part."""
        most, option = block_limit(self.part, self.limits)
        obstacles = missed(candidate, self.limits)
        if obstacles or most is None or (candidate.dsp is not None and candidate.dsp.shrunk == 1):
            return obstacles
        anchor = least_blocks_of(candidate.request, self.family, self.work.bits)
        if anchor is None or (anchor.dsp or 0) <= most:
            return []
        blocks = anchor.dsp or 0
        needed = f"at least {blocks:,.0f} {unit_of(blocks, 'DSP blocks')} of at most {most:,}"
        words = f"{needed}, by its record at {anchor.bits:,} bits"
        return [Obstacle(words, blocks / max(most, 1), option)]

    def vary(self) -> None:
        """Estimates of the best cores, and of those nearest to the limits, with other options."""
        names = self._worth_varying()
        if not names or self._until(VARIANTS_DONE) < time.monotonic():
            return
        variants, derived_by = {}, time.monotonic() + DERIVED * self.seconds
        for point in points(self.work, {}, names, max(VARIANTS, VARIANTS * len(names) // VARIED)):
            if time.monotonic() >= derived_by:
                break
            candidate = self._candidate(point)
            if candidate is not None and not self._broken(candidate):
                variants[point.request.digest] = self._recorded(candidate)
        best = min((cost for c in self._ranked() if (cost := c.cost(self.goal))), default=math.inf)
        hopeful = {
            d: c for d, c in variants.items() if d not in self.candidates and self._promise(c) <= HOPELESS * best
        }
        self.candidates |= hopeful
        unknown = {digest: candidate for digest, candidate in hopeful.items() if _known(candidate) < _ALL}
        self._estimate(sorted(unknown.values(), key=self._promise), VARIANTS_DONE)

    def _worth_varying(self) -> list[str]:
        """Architectures whose options are tried: the best `VARIED`, and at least `NEAR` of those that break limits, the
        nearest to them first. A limit that is not a number, such as a constant latency, excludes a core."""
        best = architectures(self._ranked())
        near = [c for c in self.candidates.values() if math.isfinite(self._distance(c)[1])]
        others = [name for name in architectures(sorted(near, key=self._distance)) if name not in best]
        return best[:VARIED] + others[: max(NEAR, VARIED - len(best))]

    def synthesise(self) -> None:
        """The area of the best by estimates, and of those that are the best then, as far as there is time."""
        tried: set[str] = set()
        while True:
            left = self._until(1.0) - time.monotonic()
            hopeful = self._hopeful() if len(self._best()) < SHOWN else []
            untried = [c for c in (*self._best(), *hopeful) if c.request.digest not in tried]
            chosen = [c for c in untried if quick(c, left)][:SHOWN]
            if not chosen:
                return
            tried |= {candidate.request.digest for candidate in chosen}
            for point, outcome in self.stages.run(SYNTHESIS, _points(chosen), self._until(1.0)):
                digest = point.request.digest
                if "record" in outcome:
                    keep(self.store, outcome["record"])
                    area = outcome["record"]["resources"]
                    self.candidates[digest] = self.candidates[digest].with_area(area["lut"], area["dsp"])
                    self.unfinished.pop(digest, None)
                elif "error" not in outcome:
                    self.unfinished[digest] = self.candidates[digest]

    def _hopeful(self) -> list[Candidate]:
        """Candidates that break limits, but only of area and by an estimate, the nearest first."""
        near = (c for c in self.candidates.values() if c.lut is not None and c.lut.source == ESTIMATED)
        broken = ((c, {obstacle.option for obstacle in self._obstacles(c)}) for c in near)
        return sorted((c for c, options in broken if options and options <= _OF_AREA), key=self._distance)

    def go_on(self) -> None:
        """Estimates of what there was no time for, in the time that no synthesis needed."""
        left = sorted(self.unseen.values(), key=self._hope)
        self.unseen.clear()
        self._estimate(left, ALL_DONE)

    def answer(self) -> Choice:
        """The best, or ParameterError."""
        best = self._best()
        if not best:
            raise self._nothing()
        out = {c.label: reason for c in self.candidates.values() if (reason := self._broken(c))}
        unseen = [candidate.label for candidate in self.unseen.values()]
        return Choice(
            self.question,
            tuple(best),
            len(self._ranked()),
            tuple((self.unable | out).items()),
            tuple(unseen),
            tuple(candidate.label for candidate in self.unfinished.values()),
            time.monotonic() - self.start,
        )

    def _nothing(self) -> ParameterError:
        """Why no candidate is left: those that come nearest to the limits."""
        reasons = {c.label: reason for c in self.candidates.values() if (reason := self._broken(c))}
        near = sorted((c for c in self.candidates.values() if c.label in reasons), key=self._distance)
        lines = [f"{c.label}: {reasons[c.label]}" for c in near[:SHOWN]]
        first = ((name, unnamed(reason.splitlines()[0], name)) for name, reason in self.unable.items())
        lines += [f"{name}: {reason}" for name, reason in first][: SHOWN - len(lines)]
        if self.unseen:
            number = len(self.unseen)
            looked = f"{number} candidate{'s were' if number > 1 else ' was'} not looked at"
            lines.append(f"{looked} in {self.seconds:g} s")
        text, hint = f"no core for {self.work.title} keeps the limits", self._way_out(near)
        if not near and not self.unseen:  # no limit was in the way
            text, hint = f"no core is for {self.work.title}", "--field NAME or --modulus N"
            if self.part.cells:
                text = f"no core for {self.work.title} was measured in the cells of {self.part.name}"
                words = ("--target", "asic", "--liberty", self.part.name, "--measure")
                hint = shlex.join(["modwright", "compare", *self.work.words, *words])
        if self.unseen and not near:  # no limit was given, or none was met with
            text, hint = f"no core for {self.work.title} was found in time", "more --seconds"
        elif self.unseen:
            hint += ", or more --seconds"
        return ParameterError("\n  ".join((text, *lines)), hint=hint)

    def _way_out(self, near: Sequence[Candidate]) -> str:
        """The limits to move for the nearest candidate."""
        options = [obstacle.option for obstacle in self._obstacles(near[0])] if near else []
        return " and ".join(f"{MOVES.get(option, 'no')} {option}" for option in dict.fromkeys(options))

    def _distance(self, candidate: Candidate) -> tuple[int, float, float]:
        """How far a candidate is from the limits: how many it breaks, and how many times."""
        beyond = [obstacle.times for obstacle in self._obstacles(candidate)]
        return len(beyond), max(beyond, default=math.inf), self._order(candidate)

    def _order(self, candidate: Candidate) -> float:
        cost = candidate.cost(self.goal)
        return float("inf") if cost is None else cost

    def _ranked(self) -> list[Candidate]:
        """Candidates whose cost is known and that keep the limits, the best first; those of which something is in doubt
        come last."""
        known = [c for c in self.candidates.values() if c.cost(self.goal) is not None and not missed(c, self.limits)]
        return sorted(known, key=lambda c: (self._unsure(c), self._order(c), c.area or 0.0, c.label))

    def _unsure(self, candidate: Candidate) -> bool:
        """Whether what is compared, or a limit that was given, is in doubt; that of the device is not given."""
        anywhere = replace(candidate, part=replace(candidate.part, bounding=False))
        return bool(doubt(anywhere, self.goal, self.limits))

    def _best(self) -> list[Candidate]:
        """The best of each core, at most `SHOWN`."""
        best: dict[str, Candidate] = {}
        for candidate in self._ranked():
            best.setdefault(candidate.core, candidate)
        return list(best.values())[:SHOWN]

    def _until(self, share: float) -> float:
        return self.start + share * self.seconds

    def _estimate(self, candidates: Sequence[Candidate], share: float) -> None:
        for point, outcome in self.stages.run(ESTIMATE, _points(candidates), self._until(share)):
            digest = point.request.digest
            if "estimate" in outcome:
                self.candidates[digest] = self._corrected(self.candidates[digest], Estimate(**outcome["estimate"]))
            elif "error" in outcome:
                self.unable[self.candidates.pop(digest).label] = outcome["error"].splitlines()[0]
            else:
                self.candidates[digest] = self._scaled(self.candidates[digest])
                if self.candidates[digest].cost(self.goal) is None:
                    self.unseen[digest] = self.candidates[digest]

    def _scaled(self, candidate: Candidate) -> Candidate:
        """A candidate that there was no time for, by the nearest record of the core with its options, else of its
        part, which is most of it; as it was without one. Without a record with a clock
        rate on the family, the clock rate is that of the nearest record on `MOST_PLACED`."""
        near = self._near(candidate, self.family)
        if near.fmax is None and (placed := self._near(candidate, MOST_PLACED).fmax) is not None:
            return replace(near, fmax=replace(placed, detail=f"{placed.detail} on {MOST_PLACED}"))
        return near

    def _near(self, candidate: Candidate, target: str) -> Candidate:
        """A candidate with what the nearest record on a family says, of the core or of its part."""
        request = candidate.request
        if found := scaled(find(request.core), target, self.work.bits, request.options):
            return candidate.with_records(found)
        of_part = scaled_by_part(request, target, self.work.bits)
        return candidate if of_part is None else candidate.with_records(of_part, part=True)

    def _corrected(self, candidate: Candidate, guess: Estimate) -> Candidate:
        request = candidate.request
        factors = correction(request.core, self.work.target, self.work.bits, request.options)
        return candidate.with_estimate(guess, factors)

    def _candidate(self, point: Point) -> Candidate | None:
        """A variant with its cycles; None where it cannot be derived."""
        core = find(point.request.core)
        try:
            prepared = prepare(core, point.request, self.store)
        except (ModwrightError, ArithmeticError):  # a division or an infinite delay: options that make no core
            return None
        schedule = prepared.schedule
        pace = schedule.pace_at(mean_latency(prepared)[0])
        return self._on_curve(
            Candidate(point.request, schedule.latency, pace.cycles, pace.kind, schedule.constant_time, self.part)
        )

    def _promise(self, candidate: Candidate) -> float:
        """The cost by records of other sizes: LUTs in proportion to the width, the clock rate as it was; 0 where the
        core has none, so that it is looked at first."""
        return self._promised(candidate, self.work.target)

    def _hope(self, candidate: Candidate) -> float:
        """The same, by records on `MOST_PLACED` where the core has none on its own family: only for an order."""
        return self._promised(candidate, self.work.target) or self._promised(candidate, MOST_PLACED)

    def _promised(self, candidate: Candidate, target: str) -> float:
        figure = "lut" if self.goal.name == SMALLEST else "fmax"
        anchor = nearest_of(candidate.request, target, self.work.bits, figure)
        if anchor is None:
            return 0.0
        if figure == "lut":
            return (anchor.lut or 0.0) * self.work.bits / max(anchor.bits, 1)
        cycles = candidate.cycles if self.goal.cost == "ns" else candidate.interval
        return cycles * 1e3 / (anchor.fmax or 1.0)


def _points(candidates: Iterable[Candidate]) -> Sequence[Point]:
    return [Point(candidate.request) for candidate in candidates]


def _known(candidate: Candidate) -> int:
    """How many of its three figures are known."""
    return sum(figure is not None for figure in (candidate.lut, candidate.dsp, candidate.fmax))
