# SPDX-License-Identifier: Apache-2.0
"""The command lines that make the measured records and the sampled counts."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping

from ..base.json import JsonMapping
from ..measurement import protocol
from ..measurement.rows import Row, changed
from ..report.evidence import NOT_PLACED, NOT_RUN
from ..synthesize import FREQUENCY_MHZ, router_by_rule
from ..synthesize.devices import DEVICES, FIRST
from ..synthesize.forms import FORMS, OPTIONS


def commands(records: Mapping[str, JsonMapping]) -> Iterator[str]:
    """Command that makes each record, with every setting that is not the default."""
    for name, record in records.items():
        yield shlex.join(["python", "bench/measure.py", *_arguments(record), "-o", f"bench/results/{name}"])


def campaigns(statistics: Mapping[str, JsonMapping]) -> Iterator[str]:
    """Command that makes each sampled count."""
    for name, record in statistics.items():
        request = record["request"]
        words = ["modwright", "campaign", request["core"]]
        for key in ("field", "modulus", "curve"):
            if key in request:
                words += [f"--{key}", request[key]]
        for word in changed(request):
            words += ["--option", word]
        words += ["--samples", str(record["samples"])]
        if record["seed"] != 1:
            words += ["--seed", str(record["seed"])]
        yield shlex.join([*words, "-o", f"bench/statistics/{name.partition('/')[0]}"])


def _arguments(record: JsonMapping) -> Iterator[str]:
    request = record["request"]
    yield request["core"]
    for key in ("field", "modulus", "curve"):
        if key in request:
            yield from (f"--{key}", request[key])
    yield from ("--target", record["resources"]["target"])
    for word in changed(request):
        yield from ("--option", word)
    if "liberty" in record:
        yield from ("--liberty", record["liberty"])
        form = Row.of(record).form
        yield from (option for name, option in OPTIONS.items() if FORMS[name] in form)
        return
    if record["timing"] != NOT_RUN:
        yield "--place"
    if record["channel_timing"] != NOT_RUN or "channel_resources" in record:
        yield "--channel"
    if Row.of(record).wide_lut:
        yield "--wide-lut"
    chosen = [t for t in (record["timing"], record["channel_timing"]) if t != NOT_RUN]
    if chosen:
        yield from _settings(record["resources"], max(chosen, key=lambda t: t["status"] != NOT_PLACED))


def _settings(resources: JsonMapping, timing: JsonMapping) -> Iterator[str]:
    """The settings of a place and route that are not the defaults of bench/measure.py: those of the protocol."""
    device = next(device for device in DEVICES.values() if device.part == timing["device"])
    if device.name != FIRST[device.family]:
        yield from ("--device", device.name)
    if timing["status"] == NOT_PLACED:
        return
    seeds = _commas(s["seed"] for s in timing["per_seed"])
    settings = (
        ("--seeds", seeds, _commas(protocol.seeds(resources["lut"]))),
        ("--frequency", f"{timing['frequency_mhz']:g}", f"{FREQUENCY_MHZ:g}"),
        ("--harness", timing["harness"], "out-of-context" if device.family == "ecp5" else "shift"),
        ("--router", timing["router"], router_by_rule(resources, device, timing.get("floorplan"))),
    )
    for flag, value, default in settings:
        if value != default:
            yield from (flag, value)
    if "floorplan" in timing:
        yield from ("--floorplan", timing["floorplan"])
    if "timing_weight" in timing:
        yield from ("--timing-weight", f"{timing['timing_weight']}")


def _commas(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))
