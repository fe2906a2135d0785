# SPDX-License-Identifier: Apache-2.0
"""Work on one point: a function of plain values, so that any process or machine can run it."""

from __future__ import annotations

from ..base.errors import ModwrightError, ParameterError, UsageError
from ..base.json import JsonMapping, JsonObject
from ..contract.request import Request
from ..measurement import Settings, mean_latency
from ..measurement.record import measure
from ..prepared import Prepared, prepare
from ..prepared.registry import find
from .estimate import estimate

ESTIMATE, SYNTHESIS, PLACE = "estimate", "synthesis", "place"
STAGES = (ESTIMATE, SYNTHESIS, PLACE)


def run(stage: str, request: JsonMapping, target: str, settings: JsonMapping) -> JsonObject:
    """Do one stage of one point.

    Parameters
    ----------
    stage : str
        One of `STAGES`.
    request : mapping
        Mapping of `Request.to_mapping`.
    target : str
        Device family.
    settings : mapping
        Settings of place and route, by the names of `measurement.Settings`.

    Returns
    -------
    dict
        `{"estimate": ..}` with what `cycles` says, or `{"record": ..}` of the last two stages; `{"error": message,
        "refused": True}` when no parameters satisfy the options, as for many points of a sweep; with `"passing": True`
        instead after any other failure, so that another run tries it again.
    """
    try:
        core = find(request["core"])
        prepared = prepare(core, Request.from_mapping(core, request))
        if stage == ESTIMATE:
            return {"estimate": estimate(prepared, target).to_json(), **cycles(prepared)}
        chosen = Settings(**{**settings, "seeds": tuple(settings["seeds"])})
        return {"record": measure(prepared, chosen, target=target, place=stage == PLACE)}
    except (ParameterError, UsageError) as error:
        return {"error": error.message, "refused": True}
    except ModwrightError as error:
        return {"error": error.message, "passing": True}
    except Exception as error:  # a fault of one core, or a full disk, costs one point and not the sweep
        return {"error": f"{type(error).__name__}: {error}", "passing": True}


def cycles(prepared: Prepared) -> JsonObject:
    """Cycles of the schedule: the most of an operation; between two, the mean, or the most where it is not known."""
    schedule = prepared.schedule
    pace = schedule.pace_at(mean_latency(prepared)[0])
    return {
        "clocks": schedule.latency,
        "interval": pace.cycles,
        "interval_most": float(pace.most),
        "interval_kind": pace.kind,
        "constant_time": schedule.constant_time,
    }
