# SPDX-License-Identifier: Apache-2.0
"""The command synth: area and clock rate of a core, of anybody's Verilog, or as Vivado reported them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..base.errors import TargetMissedError, UsageError
from .common import (
    CurveOption,
    FieldOption,
    ForceOption,
    JsonOption,
    ModulusOption,
    OptionsOption,
    note,
    parse_options,
    prepare_selected,
    print_json,
    select,
)
from .measured import CHANNEL, CORE, COUNTS, FIXED, MOST, NOT_RUN, STATED, print_measured

if TYPE_CHECKING:
    from ..prepared import Prepared
    from ..synthesize import Resources

_MOST_CLOCKS = 2**53
"""Clocks that a user may state: figures are computed in doubles, which hold integers up to here exactly."""

_PLACING = ("place", "seeds", "freq", "device", "wide_lut")
_BELONGS = {
    "a CORE": (
        "target",
        *_PLACING,
        "field",
        "modulus",
        "curve",
        "option",
        "channel",
        "liberty",
        "vivado",
        "part",
        "force",
    ),
    "--rtl": ("target", *_PLACING, "top", "clock", "parameter", "cycles", "interval"),
    "--import": ("freq",),
}
"""Options of synth by what is measured; `--json` goes with all."""

_NEEDS = {
    "seeds": ("place", "channel"),
    "device": ("place", "channel"),
    "freq": ("place", "channel", "liberty", "vivado", "reports"),
    "part": ("vivado",),
    "force": ("vivado",),
}
"""Options that say something of others only, by those: one of them has to be given."""

_SILENT = {"seeds": "1", "clock": "clk"}
"""Defaults of options that are neither None nor False."""

SynthTargetOption = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="DEVICE", help="ecp5, gowin, xc7, xcup or asic.  [default: ecp5]"),
]
SeedsOption = Annotated[str, typer.Option("--seeds", metavar="N,N,..", help="Seeds of the placer; the best counts.")]
LibertyOption = Annotated[
    str | None,
    typer.Option("--liberty", metavar="FILE", help="Cells for asic: a Liberty file, or a name such as osu018."),
]


def synth(
    core: Annotated[
        str | None,
        typer.Argument(metavar="CORE", help="Name of a core (see `modwright list`), or a request file (.yaml)."),
    ] = None,
    field: FieldOption = None,
    modulus: ModulusOption = None,
    curve: CurveOption = None,
    target: SynthTargetOption = None,
    option: OptionsOption = None,
    place: Annotated[bool, typer.Option("--place", help="Place and route the whole core (ecp5, gowin).")] = False,
    channel: Annotated[
        bool, typer.Option("--channel", help="Place and route one channel of the core; says so.")
    ] = False,
    seeds: SeedsOption = "1",
    freq: Annotated[
        float | None,
        typer.Option("--freq", min=1, metavar="MHZ", help="The clock that must be reached; else exit code 5."),
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", metavar="NAME", help="25k, 45k, 85k, um5g-85k or gw2a-18.")
    ] = None,
    wide_lut: Annotated[
        bool, typer.Option("--wide-lut/--no-wide-lut", help="Join LUT4 to wider LUTs (ecp5); may double the area.")
    ] = False,
    liberty: LibertyOption = None,
    rtl: Annotated[
        list[Path] | None,
        typer.Option("--rtl", metavar="FILE", help="Verilog in place of a core; repeatable."),
    ] = None,
    top: Annotated[str | None, typer.Option("--top", metavar="NAME", help="Top module of --rtl.")] = None,
    clock: Annotated[str, typer.Option("--clock", metavar="NAME", help="Clock port of --rtl.")] = "clk",
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", metavar="NAME=VALUE", help="Of the top module of --rtl.")
    ] = None,
    cycles: Annotated[
        int | None,
        typer.Option("--cycles", min=1, max=_MOST_CLOCKS, metavar="N", help="Clocks of an operation, as you state."),
    ] = None,
    interval: Annotated[
        int | None,
        typer.Option(
            "--interval", min=1, max=_MOST_CLOCKS, metavar="N", help="Clocks between two operations, as you state."
        ),
    ] = None,
    vivado: Annotated[
        Path | None, typer.Option("--vivado", metavar="DIR", help="Write a Vivado project; nothing is measured.")
    ] = None,
    part: Annotated[str | None, typer.Option("--part", metavar="NAME", help="Xilinx part of --vivado.")] = None,
    reports: Annotated[
        Path | None, typer.Option("--import", metavar="DIR", help="Read the reports that Vivado left in a project.")
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the area of a core, and its clock rate on request.

    Area is that of the bare core after synthesis. A frequency is measured after place and route, by static timing of
    mapped gates (--liberty), or not at all. What is measured of a core is kept for `modwright compare`.

    \b
    Examples:
      modwright synth modmul/sor-1m-p -f secp256k1 --target xc7 --json
      modwright synth modmul/sor-1m-p -f secp256k1 --place --seeds 1,2,3
      modwright synth modmul/csa -O bits=256 --target asic --liberty osu018
      modwright synth --rtl a.v --rtl b.v --top mult --clock ck --cycles 27
      modwright synth modmul/binary -f secp256k1 -t xc7 --vivado project
      modwright synth --import project
    """
    if sum(given is not None for given in (core, rtl or None, reports)) != 1:
        raise UsageError("synth measures a CORE, Verilog (--rtl), or reads reports (--import): one of the three")
    words = dict(locals())
    _check_mode("--import" if reports is not None else "--rtl" if rtl else "a CORE", words)
    if reports is not None:
        record = _imported(reports)
    elif rtl:
        _check(target or "ecp5", words)
        record = _foreign(rtl, top, clock, parameter, cycles, interval, target or "ecp5", place, _options(words))
    else:
        assert core is not None
        selected = _selected(core, field, modulus, curve, target, option)
        _check(selected[1], words)
        if vivado is not None:
            return _write_project(*selected, vivado, part, freq, force)
        record = _measured(*selected, place, channel, liberty, _options(words))
    if as_json:
        print_json(record)
    else:
        print_measured(record)
    _check_frequency(record["place_and_route"], freq)
    return None


def _options(words: dict[str, Any]) -> dict[str, Any]:
    """Options of place and route by their names in `synthesize.timing`."""
    chosen = {"seeds": parse_seeds(words["seeds"]), "device": words["device"], "wide_lut": words["wide_lut"]}
    return chosen if words["freq"] is None else chosen | {"frequency": words["freq"]}


def parse_seeds(text: str) -> tuple[int, ...]:
    """`1,2,3` as different integers from 1 on."""
    try:
        seeds = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UsageError(f"--seeds takes integers separated by commas, not {text!r}") from None
    if min(seeds) < 1 or len(set(seeds)) < len(seeds):
        raise UsageError(f"--seeds takes different integers from 1 on, not {text!r}")
    return seeds


def _selected(
    core: str, field: str | None, modulus: str | None, curve: str | None, target: str | None, option: list[str] | None
) -> tuple[Prepared, str]:
    """The core, derived for the multiplier units of the family, and the family."""
    from ..synthesize import RTL_OF

    found, request = select(core, field, modulus, curve, RTL_OF.get(target or "", target), option)
    if request.target == "generic" and target != "gowin":
        raise UsageError("synthesis is for a device, and the target is generic", f"--target {', '.join(RTL_OF)}")
    return prepare_selected(found, request), target or request.target


def _check_mode(mode: str, words: Mapping[str, Any]) -> None:
    """Refuse options that would say nothing: of another mode (`_BELONGS`), or without what they need (`_NEEDS`)."""
    known = {name for names in _BELONGS.values() for name in names}
    given = {name for name, value in words.items() if value not in (None, False, [], _SILENT.get(name))}
    for name in sorted(given & known):
        if name not in _BELONGS[mode]:
            goes = " or ".join(other for other, names in _BELONGS.items() if name in names)
            raise UsageError(f"{_flag(name)} goes with {goes}, and {mode} is given")
        if name in _NEEDS and not given.intersection(_NEEDS[name]):
            useful = [other for other in _NEEDS[name] if other in _BELONGS[mode]]
            raise UsageError(f"{_flag(name)} does nothing alone", f"add {' or '.join(map(_flag, useful))}")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _check(target: str, words: Mapping[str, Any]) -> None:
    """Refuse combinations of options and target that mean nothing, before anything is made."""
    from ..synthesize import PLACED
    from ..synthesize.devices import find_device
    from ..synthesize.vivado import PARTS

    placing = words["place"] or words["channel"]
    if words["place"] and words["channel"]:
        raise UsageError("--place and --channel exclude each other")
    if placing and target not in PLACED:
        raise UsageError(
            f"place and route is for {' and '.join(PLACED)}, and the target is {target}", f"--target {PLACED[0]}"
        )
    if words["device"] is not None:
        find_device(words["device"], target)
    if words["wide_lut"] and target != "ecp5":
        raise UsageError(f"--wide-lut is for target ecp5, and the target is {target}", "--target ecp5")
    if words["liberty"] is not None and target != "asic":
        raise UsageError(f"--liberty is for target asic, and the target is {target}", "--target asic")
    if words["vivado"] is not None and target not in PARTS:
        raise UsageError(f"--vivado is for {' and '.join(PARTS)}, and the target is {target}", "--target xc7")


def _measured(
    prepared: Prepared, target: str, place: bool, channel: bool, liberty: str | None, options: dict[str, Any]
) -> dict[str, Any]:
    """What `synth --json` prints of a core; the whole core's figures are kept for `compare`."""
    from ..measurement import keep
    from ..measurement.record import document
    from ..pipeline import channel_timing_of, gates_of, resources_of, timing_of

    timing = None
    if liberty is not None:
        resources, timing = gates_of(prepared, liberty)
    else:
        resources = resources_of(prepared, target, wide_lut=options["wide_lut"])
    if place or channel:
        timing = (timing_of if place else channel_timing_of)(prepared, target=target, **options)
        if timing is None:
            raise UsageError(f"{prepared.core.name} has no channel that stands for it", "--place")
    if not channel:
        keep(prepared.store, document(prepared, resources, timing, liberty=liberty))
    schedule = prepared.schedule
    return {
        "core": prepared.core.name,
        **_figures(resources, timing, schedule.latency, None, channel),
        **_pace(prepared),
        "digest": prepared.digest,
    }


def _pace(prepared: Prepared) -> dict[str, Any]:
    """Cycles between two operations, of a burst those of one of them: what rates are computed from, and what it is."""
    from ..measurement import known_mean

    mean, _ = known_mean(prepared)
    pace = prepared.schedule.pace_at(mean)
    return {
        "interval": pace.clocks,
        "mean_cycles": mean,
        "interval_most": float(pace.most),
        "interval_kind": pace.kind,
    }


def _figures(
    resources: Resources, timing: Any, cycles: int | None, interval: int | None, channel: bool = False
) -> dict[str, Any]:
    """Counts, clock rate and times; a channel's clock never gives a latency."""
    fmax = None if channel else getattr(timing, "fmax_mhz", None)
    return {
        "target": resources.target,
        **{name: getattr(resources, name) for name in COUNTS},
        "fmax_mhz": fmax,
        "cycles": cycles,
        "interval": interval,
        "latency_ns": None if fmax is None or cycles is None else round(cycles / fmax * 1000, 3),
        "timing": NOT_RUN if timing is None else (CHANNEL if channel else CORE),
        "place_and_route": NOT_RUN if timing is None else timing.to_json(),
        "wide_lut": resources.wide_lut,
        "method": resources.method,
        "rules": resources.rules,
        "tool": resources.tool,
    }


def _foreign(
    files: list[Path],
    top: str | None,
    clock: str,
    parameter: list[str] | None,
    cycles: int | None,
    interval: int | None,
    target: str,
    place: bool,
    options: dict[str, Any],
) -> dict[str, Any]:
    """What is measured of anybody's Verilog; its clocks are what the user states."""
    from .. import synthesize
    from ..base.store import default_store

    if top is None:
        raise UsageError("--rtl needs the name of its top module", "--top NAME")
    if target not in synthesize.RTL_OF:
        raise UsageError(f"unknown target {target!r}", f"one of {', '.join(synthesize.RTL_OF)}")
    store = default_store()
    verilog, name = synthesize.elaborate(files, top, clock, parse_options(parameter or []), timed=place)
    resources = synthesize.resources(verilog, name, target, store=store, wide_lut=options["wide_lut"])
    timing = synthesize.timing_of_foreign(verilog, name, store, target=target, **options) if place else None
    return {
        "format": "modwright-rtl/1",
        "rtl": top,
        "files": [path.name for path in files],
        "parameters": parse_options(parameter or []),
        "sha256": hashlib.sha256(verilog.encode()).hexdigest(),
        **_figures(resources, timing, cycles, interval),
        "cycles_source": NOT_RUN if cycles is None else STATED,
    }


def _write_project(
    prepared: Prepared, target: str, folder: Path, part: str | None, freq: float | None, force: bool
) -> None:
    """A Vivado project in a folder of its own."""
    from ..deliver import check_folder, filled_folder
    from ..synthesize import FREQUENCY_MHZ
    from ..synthesize.vivado import PARTS, project_files

    check_folder(folder, force=force)
    facts = {
        "core": prepared.core.name,
        "target": target,
        "request": prepared.request.to_mapping(),
        "digest": prepared.digest,
        "cycles": prepared.schedule.latency,
        "interval": prepared.schedule.longest_interval,
        "interval_kind": FIXED if prepared.schedule.constant_time else MOST,
    }
    files = project_files(prepared.verilog(), prepared.top, part or PARTS[target], freq or FREQUENCY_MHZ, facts)
    with filled_folder(folder, prepared.digest, force=force) as work:
        for name, text in files.items():
            (work / name).write_text(text, encoding="utf-8")
    for name in files:
        print(folder / name)
    note("run `vivado -mode batch -source run.tcl` there, then `modwright synth --import` with the folder")


def _imported(folder: Path) -> dict[str, Any]:
    """What Vivado reported, in the words of `synth`."""
    from ..synthesize.vivado import read_reports

    found = read_reports(folder)
    facts = found["manifest"]
    cycles = facts.get("cycles")
    return {
        "core": facts.get("core"),
        "target": facts.get("target"),
        **{name: found.get(name) for name in COUNTS},
        "fmax_mhz": found["fmax_mhz"],
        "cycles": cycles,
        "interval": facts.get("interval"),
        "interval_kind": facts.get("interval_kind", FIXED),
        "latency_ns": None if cycles is None else round(cycles / found["fmax_mhz"] * 1000, 3),
        "timing": CORE,
        "place_and_route": {
            "status": "measured",
            "fmax_mhz": found["fmax_mhz"],
            "fmax_median": found["fmax_mhz"],
            "device": found["part"],
            "method": f"imported: {found['tool']}, out of context; period {found['period_ns']:g} ns less the worst "
            f"slack {found['slack_ns']:g} ns",
        },
        "wide_lut": False,
        "method": f"imported from the reports of {found['tool']}, after place and route",
        "tool": {"vivado": found["tool"]},
        "digest": facts.get("digest"),
    }


def _check_frequency(placed: Any, freq: float | None) -> None:
    """TargetMissedError when the design was not placed, or is slower than was asked for."""
    if placed == NOT_RUN:
        return
    if "fmax_mhz" not in placed:
        raise TargetMissedError(f"place and route: {placed['reason']}", "--channel, or a larger --device")
    if freq is not None and placed["fmax_mhz"] < freq:
        raise TargetMissedError(f"{freq:g} MHz were asked for, and the best seed reaches {placed['fmax_mhz']:g} MHz")
