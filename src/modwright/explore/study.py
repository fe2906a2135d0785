# SPDX-License-Identifier: Apache-2.0
"""One exploration: estimate every point, synthesise what may lie on the front, place it on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..base.json import JsonObject
from ..base.store import Store
from ..compare import Work
from ..measurement import Settings, keep
from ..report.evidence import NOT_RUN, clock_rate
from .database import Database
from .executors import Executor
from .space import Point
from .stages import Stages
from .worker import ESTIMATE, PLACE, SYNTHESIS

MARGIN = 0.25
"""A point is left out when another one has no more of any estimated cost, and its product of time and LUTs is
larger than the other one's by this share or more: estimates of variants of one core err together."""

SLACK, SLACK_OF = 2.4, {"xc7": 4.7}
"""Factor by which an estimate of LUTs may be too high, and that of a family with LUTs of six inputs: above that of
every record (a test). Before synthesis, constraints on LUTs leave out only points that exceed them by more."""


@dataclass(frozen=True)
class Constraints:
    """Limits that a point must satisfy.

    Parameters
    ----------
    max_dsp, max_lut : int or None
        Limits, checked on the estimate, that of LUTs with its slack, and exactly after synthesis.
    min_fmax : float or None
        Clock rate in MHz, checked after place and route.
    constant_latency : bool
        Whether to admit only cores without a step that depends on operand values.
    """

    max_dsp: int | None = None
    max_lut: int | None = None
    min_fmax: float | None = None
    constant_latency: bool = False


@dataclass(frozen=True)
class Result:
    """Result of one point, as far as it is known.

    Parameters
    ----------
    point : Point
        The architecture and its options.
    estimate : dict or None
        Estimate of `worker.run`.
    record : dict or None
        The measured record, with or without a placement.
    left_out : str
        Reason for which no further stage ran; empty for a point that reached the last one.
    front : bool
        Whether no other point beats it, in the figures of the last stage.
    """

    point: Point
    estimate: JsonObject | None = None
    record: JsonObject | None = None
    left_out: str = ""
    front: bool = False

    def to_json(self) -> JsonObject:
        """Plain values; estimated figures have names of their own."""
        guess = (self.estimate or {}).get("estimate", {})
        known, record = self.estimate or {}, self.record or {}
        resources = record.get("resources", {})
        timing = record.get("timing")
        placed = timing if isinstance(timing, dict) else {}
        fmax, clocks = _fmax(self.record), known.get("clocks")
        return {
            "architecture": self.point.request.core,
            "label": self.point.label,
            "options": dict(self.point.request.options),
            "clocks": clocks,
            "interval": known.get("interval"),
            "interval_most": known.get("interval_most"),
            "interval_kind": known.get("interval_kind", ""),
            "constant_latency": known.get("constant_time"),
            "constant_time": known.get("constant_time"),
            "estimated_lut": guess.get("lut"),
            "estimated_ff": guess.get("ff"),
            "estimated_dsp": guess.get("dsp"),
            "estimated_ns": round(clocks * guess["period_ns"], 1) if guess and clocks else None,
            **{name: resources.get(name) for name in ("lut", "ff", "dsp", "bram")},
            "fmax_mhz": placed.get("fmax_mhz"),
            "fmax_median": fmax,
            "ns": round(clocks * 1e3 / fmax, 3) if fmax and clocks else None,
            "front": self.front,
            "left_out": self.left_out or placed.get("reason", ""),
        }


@dataclass(frozen=True)
class Study:
    """Study: the space that is explored, and the settings of the exploration.

    Parameters
    ----------
    work : Work
        Task of the study.
    points : sequence of Point
        See `space.points`.
    constraints : Constraints
        Limits that a point must satisfy.
    place : bool
        Whether to place and route the points that may lie on the front.
    settings : Settings
        Settings of place and route.
    margin : float
        See `MARGIN`.
    """

    work: Work
    points: Sequence[Point]
    constraints: Constraints = field(default_factory=Constraints)
    place: bool = False
    settings: Settings = field(default_factory=Settings)
    margin: float = MARGIN


def explore(
    study: Study, database: Database, executor: Executor, store: Store, say: Callable[[str], None] = lambda text: None
) -> list[Result]:
    """Run a study. Points in the database are not run again, and each result is stored as soon as it is known.

    Parameters
    ----------
    study : Study
        Study to run.
    database : Database
        Results of earlier runs, and of other processes.
    executor : Executor
        Executor of the tasks.
    store : Store
        Store for the records of placed points, for `modwright compare`.
    say : callable
        Called with a line of progress.
    """
    stage = Stages(study.work.target, study.settings, database, executor, say)
    results = [Result(point, estimate=found) for point, found in stage.run(ESTIMATE, study.points)]
    results = _marked([_checked(result, study) for result in results], _estimated_costs, study.margin)
    results = _measured(stage, SYNTHESIS, results)
    results = _marked([_checked(result, study) for result in results], _synthesised_costs, 0)
    if study.place:
        results = _measured(stage, PLACE, results)
        for result in results:
            if result.record is not None and isinstance(result.record["timing"], dict):
                keep(store, result.record)
        results = _marked([_checked(result, study) for result in results], _placed_costs, 0)
    return results


def _measured(stage: Stages, name: str, results: Sequence[Result]) -> list[Result]:
    """The results with the records of a stage; those that were left out stay as they are."""
    remaining = {id(result.point): result for result in results if not result.left_out}
    found = dict(zip(remaining, stage.run(name, [r.point for r in remaining.values()]), strict=True))
    done = []
    for result in results:
        if id(result.point) not in remaining:
            done.append(result)
            continue
        outcome = found[id(result.point)][1]
        done.append(replace(result, record=outcome.get("record", result.record), left_out=outcome.get("error", "")))
    return done


def _checked(result: Result, study: Study) -> Result:
    """A result with the constraint that it breaks, if it does."""
    if result.left_out:
        return result
    known, record, limits = result.estimate or {}, result.record, study.constraints
    if "error" in known:
        return replace(result, left_out=known["error"].splitlines()[0])
    if limits.constant_latency and not known["constant_time"]:
        return replace(result, left_out="no constant latency")
    guess, slack = known["estimate"], SLACK_OF.get(study.work.target, SLACK)
    lut, dsp = (guess["lut"] / slack, guess["dsp"]) if record is None else _area(record)
    if limits.max_dsp is not None and dsp is not None and dsp > limits.max_dsp:
        return replace(result, left_out=f"{dsp} DSP of at most {limits.max_dsp}")
    if limits.max_lut is not None and lut is not None and lut > limits.max_lut:
        measured = "" if record is not None else f" at least, if {guess['lut']} is {slack} times too many"
        return replace(result, left_out=f"{lut:.0f} LUT{measured} of at most {limits.max_lut}")
    fmax = _fmax(record)
    if limits.min_fmax is not None and fmax is not None and fmax < limits.min_fmax:
        return replace(result, left_out=f"{fmax:g} MHz of at least {limits.min_fmax:g}")
    return result


def _area(record: JsonObject) -> tuple[int | None, int | None]:
    return record["resources"]["lut"], record["resources"]["dsp"]


def _fmax(record: JsonObject | None) -> float | None:
    timing = NOT_RUN if record is None else record["timing"]
    return None if isinstance(timing, str) or "fmax_mhz" not in timing else clock_rate(timing)


Costs = tuple[float, float, float]
"""Time, LUTs, blocks."""


def _estimated_costs(result: Result) -> Costs | None:
    known = result.estimate or {}
    if "estimate" not in known:
        return None
    guess = known["estimate"]
    return known["clocks"] * guess["period_ns"], guess["lut"], guess["dsp"]


def _synthesised_costs(result: Result) -> Costs | None:
    """Costs after synthesis, with the estimated time."""
    guess = _estimated_costs(result)
    if guess is None or result.record is None:
        return None
    lut, dsp = _area(result.record)
    return guess[0], lut if lut is not None else guess[1], dsp or 0


def _placed_costs(result: Result) -> Costs | None:
    fmax = _fmax(result.record)
    if fmax is None or result.record is None or result.estimate is None:
        return None
    lut, dsp = _area(result.record)
    return result.estimate["clocks"] * 1e3 / fmax, lut or 0, dsp or 0


def _marked(results: Sequence[Result], costs_of: Callable[[Result], Costs | None], margin: float) -> list[Result]:
    """The results with the front marked, and a reason for those that another one beats by the margin."""
    costs = [None if result.left_out else costs_of(result) for result in results]
    marked = []
    for result, own in zip(results, costs, strict=True):
        if own is None:
            marked.append(replace(result, front=False))
            continue
        better = [n for n, other in enumerate(costs) if other is not None and _beats(other, own)]
        clear = next((n for n in better if _product(own) >= (1 + margin) * _product(costs[n])), None)
        left_out = "" if clear is None else f"beaten by {results[clear].point.label}"
        marked.append(replace(result, front=not better, left_out=left_out))
    return marked


def _beats(one: Costs, other: Costs) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and one != other


def _product(costs: Costs | None) -> float:
    return 0.0 if costs is None else costs[0] * max(costs[1], 1)
