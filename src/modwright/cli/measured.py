# SPDX-License-Identifier: Apache-2.0
"""Measured figures as text: what the command synth prints."""

from __future__ import annotations

from typing import Any

from .common import paragraph, table

NOT_RUN = "not run"
COUNTS = ("lut", "ff", "dsp", "bram", "carry", "lutram", "nand2")
STATED = "stated by the user, not checked"
CORE, CHANNEL = "core", "channel"
FIXED, MEAN, MOST = "fixed", "mean", "most"
"""The names of `schedule.pace`, which is not imported for a help text."""


def print_measured(record: dict[str, Any]) -> None:
    """Print a record of `synth`."""
    rows = [(name, str(record[name])) for name in COUNTS if record[name] is not None]
    paragraph(f"{record.get('core') or record.get('rtl')} on {record['target']}: {record['method']}")
    table(("resource", "count"), rows, right=(1,))
    stated = " (stated by you)" if record.get("cycles_source") == STATED else ""
    if record["cycles"] is not None:
        print(f"latency    {_latency(record)}{stated}")
    placed = record["place_and_route"]
    if placed == NOT_RUN:
        print("frequency  not run (--place or --channel)")
    elif "fmax_mhz" not in placed:
        print(f"frequency  not placed: {placed['reason']}")
    else:
        of = "one channel, not the core" if record["timing"] == CHANNEL else "the whole core"
        print(f"frequency  {placed['fmax_mhz']:.1f} MHz ({of}; median {placed['fmax_median']:.1f})")
        paragraph(placed["method"], " " * 11)
    if record["latency_ns"] is not None:
        print(f"           {_at_most(record)}{record['latency_ns']:.0f} ns from operands to result")


def _latency(record: dict[str, Any]) -> str:
    """Cycles of an operation and of the way to the next one; of anybody's Verilog as stated."""
    text = f"{_at_most(record)}{record['cycles']} cycles"
    if record["interval"] is None:
        return text
    kind = {MEAN: " in the mean", MOST: " at most"}.get(record.get("interval_kind", FIXED), "")
    interval = record["interval"]
    return f"{text}, an operation every {interval:,.{0 if interval == int(interval) else 1}f}{kind}"


def _at_most(record: dict[str, Any]) -> str:
    """Words before the latency of a core whose cycles vary."""
    return "" if record.get("interval_kind", FIXED) == FIXED else "at most "
