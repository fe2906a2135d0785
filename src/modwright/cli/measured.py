# SPDX-License-Identifier: Apache-2.0
"""Measured figures as text: what the commands synth, synth-rtl and vivado import print."""

from __future__ import annotations

from ..base.json import JsonMapping, JsonObject
from .common import paragraph, table


def print_measured(figures: JsonObject) -> None:
    """Print figures as `measurement.core_figures` has them."""
    from ..measurement.figures import COUNTS, STATED

    rows = [(name, str(figures[name])) for name in COUNTS if figures[name] is not None]
    paragraph(f"{figures.get('core') or figures.get('rtl')} on {figures['target']}: {figures['method']}")
    table(("resource", "count"), rows, right=(1,))
    stated = " (stated by you)" if figures.get("cycles_source") == STATED else ""
    if figures["cycles"] is not None:
        print(f"latency    {_latency(figures)}{stated}")
    elif figures["interval"] is not None:
        print(f"interval   {figures['interval']} cycles, and no latency is stated")
    _print_clock(figures)
    if figures["latency_ns"] is not None:
        print(f"           {_at_most(figures)}{figures['latency_ns']:.0f} ns from operands to result")


def _print_clock(figures: JsonObject) -> None:
    """Clock rate, how it was measured, and what limits it."""
    from ..measurement.figures import CHANNEL
    from ..pages.datasheet import clock_spread
    from ..report.evidence import NOT_RUN

    placed = figures["place_and_route"]
    if placed == NOT_RUN:
        how = _how_to_run(figures["target"], "rtl" in figures)
        print(f"frequency  not run ({how})")
    elif "fmax_mhz" not in placed:
        print(f"frequency  not placed: {placed['reason']}")
    else:
        of = "one channel, not the core" if figures["timing"] == CHANNEL else "the whole core"
        print(f"frequency  {clock_spread(placed)} MHz, {of}")
        router = f"; {placed['router']}" if "router" in placed else ""
        plan = f"; floorplan {placed['floorplan']}" if placed.get("floorplan") else ""
        weight = f"; timing weight {placed['timing_weight']}" if "timing_weight" in placed else ""
        paragraph(f"{placed['method']}{router}{plan}{weight}", " " * 11)
        for other in placed.get("conditions", ()):
            print(f"           {other['fmax_mhz']:.1f} MHz {_condition(other)}")
        if figures["limit"]:
            paragraph(figures["limit"], "limit      ", " " * 11)


def _condition(rate: JsonMapping) -> str:
    """Wire load and library of a clock rate by static timing."""
    wires = f"with wire load {rate['wire_load']}" if rate["wire_load"] else "without wires"
    return f"{wires}, {rate['library']}"


def _how_to_run(target: str, foreign: bool) -> str:
    """The options that measure the clock rate."""
    if target == "asic":
        return "--liberty"
    return "--place" if foreign else "--place or --channel"


def _latency(figures: JsonObject) -> str:
    """Latency, and cycles to the next operation; of third-party Verilog as stated."""
    from ..schedule.pace import FIXED, MEAN, MOST

    text = f"{_at_most(figures)}{figures['cycles']} cycles"
    if figures["interval"] is None:
        return text
    kind = {MEAN: " in the mean", MOST: " at most"}.get(figures.get("interval_kind", FIXED), "")
    interval = figures["interval"]
    return f"{text}, an operation every {interval:,.{0 if interval == int(interval) else 1}f}{kind}"


def _at_most(figures: JsonObject) -> str:
    """Words before the latency of a core whose cycles vary."""
    from ..schedule.pace import FIXED

    return "" if figures.get("interval_kind", FIXED) == FIXED else "at most "
