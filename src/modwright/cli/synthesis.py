# SPDX-License-Identifier: Apache-2.0
"""The commands synth and synth-rtl: area and clock rate of a core, or of third-party Verilog."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import TargetMissedError, UsageError
from ..base.json import JsonObject
from .batches import Batch, until_submitted
from .common import JsonOption, parse_options, print_json
from .groups import grouped
from .measured import print_measured
from .placing import Mapping, Placement
from .selection import DeviceSelection, SynthTargetOption

_MOST_CYCLES = 2**53
"""Cycles that a user may state: figures are computed in doubles, which hold integers up to here exactly."""


@grouped
def synth(
    selection: DeviceSelection,
    mapping: Mapping,
    placement: Placement,
    batch: Batch,
    channel: Annotated[
        bool, typer.Option("--channel", help="Place and route one channel instead of the core; marked as such.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the area of a core, and its clock rate on request.

    The area is that of the core after synthesis, without a wrapper. The clock rate is measured after place and route
    (--place), or by static timing of mapped gates (--liberty), or not at all; the path that limits it is shown. Figures
    of whole cores are stored for `modwright compare`. For other Verilog there is synth-rtl, for Vivado there is vivado.
    On a batch system, --submit writes one point for each seed into a shared folder, and the same command with --collect
    reads the results.

    Examples:
      modwright synth modmul/csa -O bits=16
      modwright synth modmul/sor-1m-p -f secp256k1 --target xc7 --json
      modwright synth modmul/csa -O bits=64 --place --seeds 1,2,3
      modwright synth modmul/csa -O bits=64 --place --seeds 4,5,6 --submit seeds
      modwright synth modmul/csa -O bits=16 --target asic --liberty osu018
    """
    from ..measurement import core_figures
    from ..measurement.seeds import KIND, submit

    if placement.place and channel:
        raise UsageError("--place and --channel exclude each other")
    placed = placement.place or channel
    settings = placement.settings_of(mapping, placed=placed, needs="--place or --channel")
    prepared, target = selection.prepare_for_family()
    mapping.check(target)
    placement.check(target, placed=placed)
    if not placed and (batch.submit or batch.collect or batch.dry_run):
        raise UsageError("a batch system is for place and route, which is not requested", "--place or --channel")
    batch.collect_into(KIND, prepared.store)
    if (queue := batch.queue(as_json)) is not None:
        with until_submitted():
            submit(prepared, settings, target, channel=channel, queue=queue)
    figures = core_figures(
        prepared, settings, target=target, place=placement.place, channel=channel, liberty=mapping.library
    )
    show_figures(figures, as_json, placement.freq)


@grouped
def synth_rtl(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Verilog (.v) or SystemVerilog (.sv) sources.")],
    top: Annotated[str, typer.Option("--top", metavar="NAME", help="The top module.")],
    mapping: Mapping,
    placement: Placement,
    clock: Annotated[str, typer.Option("--clock", metavar="NAME", help="The clock port.")] = "clk",
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", metavar="NAME=VALUE", help="A parameter of the top module; repeatable."),
    ] = None,
    cycles: Annotated[
        int | None,
        typer.Option("--cycles", min=1, max=_MOST_CYCLES, metavar="N", help="Latency in cycles, as you state it."),
    ] = None,
    interval: Annotated[
        int | None,
        typer.Option(
            "--interval", min=1, max=_MOST_CYCLES, metavar="N", help="Cycles between two operations, as you state them."
        ),
    ] = None,
    target: SynthTargetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure third-party Verilog: area, and clock rate on request.

    Yosys, the counting rules and place and route are the same as for cores. Cycles are what you state; nothing checks
    them. `modwright compare --rtl` takes the JSON and shows it next to cores.

    Examples:
      modwright synth-rtl a.v b.v --top mult --clock ck --cycles 27 --json
      modwright synth-rtl a.v b.v --top mult --clock ck --place --freq 100
      modwright synth-rtl mult.sv --top mult --target asic --liberty osu018
    """
    from ..measurement import Design, design_figures

    family = target or "ecp5"
    settings = placement.settings_of(mapping, placed=placement.place, needs="--place")
    mapping.check(family)
    placement.check(family, placed=placement.place)
    design = Design(files, top, clock, parse_options(parameter or [], "--parameter"), cycles, interval)
    figures = design_figures(design, settings, target=family, place=placement.place, liberty=mapping.library)
    show_figures(figures, as_json, placement.freq)


def show_figures(figures: JsonObject, as_json: bool, freq: float | None) -> None:
    """Print figures.

    Raises
    ------
    TargetMissedError
        When the design was not placed, or is slower than `freq` MHz.
    """
    from ..report.evidence import NOT_RUN

    if as_json:
        print_json(figures)
    else:
        print_measured(figures)
    placed = figures["place_and_route"]
    if placed == NOT_RUN:
        return
    if "fmax_mhz" not in placed:
        raise TargetMissedError(f"place and route: {placed['reason']}", "--channel, or a larger --device")
    if freq is not None and placed["fmax_mhz"] < freq:
        gates = figures["target"] == "asic"
        reached = (
            "the mapped gates reach" if gates else "the best seed reaches" if placed.get("per_seed") else "it reaches"
        )
        raise TargetMissedError(f"{freq:g} MHz were requested, and {reached} {placed['fmax_mhz']:g} MHz")
