# SPDX-License-Identifier: Apache-2.0
"""report.json: everything that is known about one core; every table and picture is rendered from it."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.json import JsonObject
from ..base.store import version_of
from ..contract import Block, Payload
from ..contract.roles import ErrorCode
from ..schedule import Pace
from . import evidence

if TYPE_CHECKING:
    from ..prepared import Prepared

FORMAT = "modwright-report/1"
"""Changes when a reader of an older report would misread a newer one."""


@cache
def schema() -> JsonObject:
    """The published JSON schema of a report (draft 2020-12)."""
    return json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))


def validate(report: JsonObject) -> None:
    """Check a report against the schema; ValueError names the place of the first violation."""
    from jsonschema import (
        Draft202012Validator,
    )  # which most commands never need, and which takes a tenth of their start

    errors = sorted(Draft202012Validator(schema()).iter_errors(report), key=lambda e: e.json_path)
    if errors:
        raise ValueError(f"report.json: {errors[0].json_path}: {errors[0].message}")


def build_report(
    prepared: Prepared,
    *,
    verification: object = None,
    resources: object = None,
    timing: object = None,
    channel_timing: object = None,
    proofs: object = None,
    dependence: object = None,
    xc7: object = None,
    mutation: object = None,
) -> JsonObject:
    """Gather everything into one document that keeps `schema`.

    Parameters
    ----------
    prepared : Prepared
        The core with its parameters and schedule.
    verification : Verification or sequence of them, optional
        Simulation against the model and the plain function. A mapping with the same fields serves too, and
        may add `name`, `engine`, `stalls`, `seeds` and `initial_state`.
    resources : Resources, optional
        Cells of the bare core on the request's target.
    timing, channel_timing : Timing or NotPlaced, optional
        Place and route of the whole core, and of one representative channel. Only the first gives a
        latency in nanoseconds.
    proofs : sequence of Proof, optional
        Formal proofs.
    dependence : Dependence, optional
        Addresses and enables that depend on operands, searched in the netlist.
    xc7 : Resources, optional
        Cells of the bare core on series 7, when that is not the target.
    mutation : mapping, optional
        A record of `mutate`.

    Returns
    -------
    dict
        JSON values only. What is None here reads "not run" there.
    """
    core, schedule = prepared.core, prepared.schedule
    core_timing = evidence.timing(timing)
    report = {
        "format": FORMAT,
        "core": core.name,
        "summary": core.summary,
        "source": core.source,
        "version": version_of("modwright"),
        "digest": prepared.digest,
        "top": prepared.top,
        "request": evidence.plain(prepared.request.to_mapping()),
        "modulus": _modulus(prepared),
        "contract": _contract(prepared),
        "parameters": evidence.plain(prepared.parameters.describe()),
        "certificate": prepared.parameters.certificate.to_json(),
        "schedule": evidence.plain(schedule.to_json()),
        "blocks": _blocks(prepared),
        "verification": evidence.verification(verification),
        "proofs": evidence.proofs(proofs),
        "dependence": evidence.NOT_RUN if dependence is None else evidence.plain(dependence),
        "mutation": evidence.mutation(mutation),
        "resources": evidence.resources(prepared.request.target, resources, xc7),
        "timing": {"core": core_timing, "channel": evidence.timing(channel_timing)},
        "latency_ns": evidence.latency_ns(schedule.latency, core_timing),
    }
    validate(report)
    return report


def _modulus(prepared: Prepared) -> JsonObject | None:
    """The modulus of the request, in hex whatever its size."""
    modulus = prepared.request.modulus
    if modulus is None:
        return None
    return {
        "name": modulus.name,
        "value": hex(modulus.value),
        "bits": modulus.value.bit_length(),
        "source": modulus.source,
        "runtime": prepared.core.runtime_modulus,
    }


def _contract(prepared: Prepared) -> JsonObject:
    """Contract as a user of the core relies on it."""
    schedule, parameters = prepared.schedule, prepared.parameters
    return {
        "streams": {"i": _stream(parameters.i), "o": _stream(parameters.o)},
        "latency": schedule.latency,
        "shortest_latency": schedule.shortest_latency,
        "mean_latency": _number(prepared.mean_latency),
        "interval": schedule.interval,
        "longest_interval": schedule.longest_interval,
        "pace": _pace(prepared.pace),
        "burst": schedule.burst,
        "forbidden": sorted(schedule.forbidden),
        "formula": schedule.formula,
        "constant_latency": schedule.constant_time,
        "constant_time": schedule.constant_time,
        "data_dependent": [step.name for step in schedule.steps if step.depends_on_data],
        "errors": _errors(prepared),
    }


def _number(value: float | Fraction | None) -> float | int | None:
    """A whole number where it is one, else rounded to a thousandth of a cycle."""
    if value is None:
        return None
    return int(value) if value == int(value) else round(float(value), 3)


def _pace(pace: Pace) -> JsonObject:
    """Cycles between two operations at full rate; rates come from `cycles`."""
    figures = {"least": pace.least, "mean": pace.mean, "most": pace.most, "clocks": pace.cycles}
    return {name: _number(value) for name, value in figures.items()} | {"kind": pace.kind}


def _stream(payload: Payload) -> JsonObject:
    """Fields of a payload; `limit` is the exclusive upper bound of an element, in hex."""
    fields = [
        {
            "name": f.name,
            "width": f.width,
            "count": f.count,
            "bits": f.bits,
            "lsb": payload.offsets[f.name],
            "limit": hex(f.limit),
            "full": f.limit == 1 << f.width,
            "note": f.note,
        }
        for f in payload.fields
    ]
    return {"width": payload.width, "fields": fields}


def _errors(prepared: Prepared) -> list[JsonObject]:
    """Names of the codes of the output field `error`."""
    codes = (item for _, role in prepared.parameters.o.having(ErrorCode) for item in role.codes.items())
    return [{"code": code, "name": str(error)} for code, error in sorted(codes)]


def _blocks(prepared: Prepared) -> list[JsonObject]:
    """The boxes of the block picture; ValueError when one reads a box that is not there."""
    if prepared.core.blocks is None:
        return []
    blocks: list[Block] = list(prepared.core.blocks(prepared.parameters, prepared.schedule))
    names = {block.name for block in blocks}
    if len(names) != len(blocks):
        raise ValueError(f"{prepared.core.name}: two blocks have the same name")
    for block in blocks:
        for source in block.inputs:
            if source not in names:
                raise ValueError(f"{prepared.core.name}: block {block.name} reads {source}, which is not a block")
    return [evidence.plain(block) for block in blocks]
