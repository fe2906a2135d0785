# SPDX-License-Identifier: Apache-2.0
"""The one adapter between what simulation, proof and synthesis return and plain JSON records.

Their dataclasses are read by field name, so that this layer imports none of them and a result that was kept
as JSON reads the same as a fresh one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Required, TypedDict

from ..base.json import JsonObject, plain
from ..contract.quantities import merged

NOT_RUN = "not run"
NOTHING_OWED = "nothing owed"
NOT_PROVED = "not proved"
NOT_PLACED = "not placed"
NOT_STATED = "not stated"
NONE_STATED = "none stated"
NOT_KNOWN = "not known"


def verification(given: object) -> Any:
    """One verification or several: each run, and the sums; `NOT_RUN` when there is none."""
    if given is None:
        return NOT_RUN
    runs = [_run(plain(run)) for run in (given if isinstance(given, list | tuple) else [given])]
    if not runs:
        return NOT_RUN
    return {
        "cases": sum(run["cases"] for run in runs),
        "passed": sum(run["passed"] for run in runs),
        "runs": runs,
        "extremes": merged(run.get("extremes", ()) for run in runs) or NONE_STATED,
    }


def _run(record: JsonObject) -> JsonObject:
    """One run, with what it does not say marked as such."""
    result = dict.fromkeys(("engine", "seeds", "initial_state", "resets"), NOT_STATED) | record
    result["stalls"] = record.get("stalls", NOT_STATED) or "none"
    return result


def resources(target: str, given: object, xc7: object) -> JsonObject:
    """Resources by target: the request's own and series 7, each measured or `NOT_RUN`.

    A request for no device (`generic`) is measured on one; then that one stands in its place.
    """
    measured = [plain(placement) for placement in (given, xc7) if placement is not None]
    result: JsonObject = {"xc7": NOT_RUN} if given is not None else {target: NOT_RUN, "xc7": NOT_RUN}
    return result | {record["target"]: record for record in measured}


def main_target(report: JsonObject) -> str:
    """The target whose resources head the report: the request's own, or the device that stands in its place."""
    own, measured = report["request"]["target"], report["resources"]
    return own if own in measured else min(set(measured) - {"xc7"})


def timing(given: object) -> Any:
    """A place and route: measured, or why it was not placed; `NOT_RUN` when there is none."""
    if given is None:
        return NOT_RUN
    record = {key: value for key, value in plain(given).items() if key != "placed"}
    return {"status": "measured" if "fmax_mhz" in record else NOT_PLACED, **record}


class Seed(TypedDict):
    """One seed of a place and route: its clock rate in MHz, None where it failed."""

    fmax_mhz: float | None


class Placed(TypedDict, total=False):
    """Clock rates in MHz of a place and route: the best, the median, and by seed; with which router, harness,
    floorplan and weight of timing."""

    fmax_mhz: Required[float]
    fmax_median: float | None
    per_seed: Sequence[Seed]
    router: str
    harness: str
    floorplan: str
    timing_weight: int


def clock_rate(measured: Placed) -> float:
    """Clock rate in MHz that every time is computed from: the median over the seeds that were placed.

    The best of several seeds rises with their number; the median does not, so that figures of few and of many seeds
    stand in one column.
    """
    return measured.get("fmax_median") or measured["fmax_mhz"]


def seed_rates(measured: Placed) -> list[float]:
    """Clock rates in MHz of the seeds that were placed."""
    return [rate for seed in measured.get("per_seed", ()) if (rate := seed["fmax_mhz"]) is not None]


_USUAL = ("router1", "out-of-context")
"""Router and harness of most records."""


def conditions(measured: Placed) -> list[str]:
    """Number of seeds in words, router and harness where they are not those of most records, and floorplan and weight
    of timing where they are given."""
    seeds = [_seeds(measured)] if "per_seed" in measured else []
    plan = [f"floorplan {measured['floorplan']}"] if "floorplan" in measured else []
    weight = [f"timing weight {measured['timing_weight']}"] if "timing_weight" in measured else []
    words = (measured.get("router"), measured.get("harness"))
    return seeds + [word for word in words if word and word not in _USUAL] + plan + weight


def _seeds(measured: Placed) -> str:
    """Number of seeds, and how many of them were placed where some were not."""
    placed, tried = len(seed_rates(measured)), len(measured.get("per_seed", ()))
    if placed < tried:
        return f"{placed} of {tried} seeds"
    return "one seed" if tried == 1 else f"{tried} seeds"


def latency_ns(cycles: int, core_timing: Any) -> Any:
    """Cycles over the clock rate of the whole core, in ns; a channel's never enters."""
    if core_timing == NOT_RUN:
        return NOT_RUN
    if core_timing["status"] == NOT_PLACED:
        return NOT_PLACED
    return round(cycles / clock_rate(core_timing) * 1e3, 3)


def proofs(given: Any) -> Any:
    """The proofs without their run times, which differ from run to run; `NOT_RUN` when there are none."""
    if given is None:
        return NOT_RUN
    return [{key: v for key, v in plain(proof).items() if key != "seconds"} for proof in given]


_MUTATION = ("mutants", "killed", "equivalent", "killed_percent", "seed", "random")


def mutation(given: Any) -> Any:
    """The figures of a run of `mutate`, with the survivors counted; `NOT_RUN` when there was none."""
    if given is None:
        return NOT_RUN
    return plain({name: given[name] for name in _MUTATION} | {"survived": len(given["survived"])})
