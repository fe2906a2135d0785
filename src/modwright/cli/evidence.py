# SPDX-License-Identifier: Apache-2.0
"""Commands that gather evidence: simulate, prove, synth, wave."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TargetMissedError, UsageError
from .common import (
    CoreArgument,
    CurveOption,
    FieldOption,
    ForceOption,
    JsonOption,
    ModulusOption,
    OptionsOption,
    SeedOption,
    TargetOption,
    note,
    paragraph,
    prepare_selected,
    print_json,
    select,
    table,
)

if TYPE_CHECKING:
    from ..campaign import Summary
    from ..prepared import Prepared
    from ..simulate.vectors import VectorFile
    from ..synthesize import NotPlaced, Resources, Timing

FAILED = 1
SHOWN = 5
"""Failures that a terminal gets; --json has them all."""
NOT_RUN = "not run"


class Engine(StrEnum):
    """Which simulator runs the core."""

    auto = "auto"
    compiled = "compiled"
    pure = "pure"


def simulate(
    core: CoreArgument,
    field: FieldOption = None,
    modulus: ModulusOption = None,
    curve: CurveOption = None,
    target: TargetOption = None,
    option: OptionsOption = None,
    vectors: Annotated[
        Path | None,
        typer.Option("--vectors", "-v", metavar="FILE", help="JSON file of operands and expected results."),
    ] = None,
    random: Annotated[
        int | None,
        typer.Option("--random", min=1, metavar="N", help="Edge products and N random operands."),
    ] = None,
    seed: SeedOption = 1,
    stalls: Annotated[
        int, typer.Option("--stalls", min=0, max=99, metavar="P", help="Per cent of clocks that stall.")
    ] = 0,
    chain: Annotated[
        bool, typer.Option("--chain", help="Every operation takes the result of the one before it.")
    ] = False,
    engine: Annotated[Engine, typer.Option("--engine", help="The simulator.")] = Engine.auto,
    as_json: JsonOption = False,
) -> None:
    """Simulate a core against its model and the plain function.

    Three levels: the value of the result, the bits of the payload, and the clock in which it is valid. The
    field may be left out when the vector file names it. Exit code 1 when an operation failed.

    \b
    Examples:
      modwright simulate modmul/sor-1m-p -f secp256k1 --random 1000 --stalls 40
      modwright simulate modmul/sor-1m-p --vectors vectors.json --json
    """
    from ..campaign import Run, simulate_file, simulate_random
    from ..simulate.vectors import load

    if (vectors is None) == (random is None):
        raise UsageError("simulate takes --vectors FILE or --random N, and one of them")
    run = Run(engine.value, stalls, seed, chain)
    if vectors is not None:
        file = load(vectors)
        selected = select(core, field, modulus, curve, target, option, _named_by(file))
        summary = simulate_file(*selected, file, run)
    else:
        prepared = prepare_selected(*select(core, field, modulus, curve, target, option))
        summary = simulate_random(prepared, random or 0, run)
    if as_json:
        print_json(summary.to_json())
    else:
        _print_summary(summary)
    if summary.failed:
        raise typer.Exit(FAILED)


def prove(
    core: CoreArgument,
    field: FieldOption = None,
    modulus: ModulusOption = None,
    curve: CurveOption = None,
    target: TargetOption = None,
    option: OptionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prove the lemmas of a core. Exit code 1 when one is refuted.

    \b
    Example:
      modwright prove modmul/sor-1m-p --field secp256k1
    """
    from ..pipeline import proofs_of

    prepared = prepare_selected(*select(core, field, modulus, curve, target, option))
    note(f"proving {prepared.top}")
    proofs = proofs_of(prepared)
    if as_json:
        print_json({"core": prepared.core.name, "proofs": proofs})
    elif proofs:
        rows = [(p["name"], p["status"], "\n".join(filter(None, (p["statement"], p["detail"])))) for p in proofs]
        table(("lemma", "status", "statement"), rows)
    else:
        print(f"{prepared.core.name} has no lemmas to prove")
    if any(proof["status"] == "refuted" for proof in proofs):
        raise typer.Exit(FAILED)


def synth(
    core: CoreArgument,
    field: FieldOption = None,
    modulus: ModulusOption = None,
    curve: CurveOption = None,
    target: TargetOption = None,
    option: OptionsOption = None,
    place: Annotated[bool, typer.Option("--place", help="Place and route the whole core.")] = False,
    channel: Annotated[
        bool, typer.Option("--channel", help="Place and route one channel of the core; says so.")
    ] = False,
    seeds: Annotated[
        str, typer.Option("--seeds", metavar="N,N,..", help="Seeds of the placer; the best counts.")
    ] = "1",
    freq: Annotated[
        float | None,
        typer.Option("--freq", min=1, metavar="MHZ", help="The clock that must be reached; else exit code 5."),
    ] = None,
    device: Annotated[str, typer.Option("--device", metavar="NAME", help="25k, 45k, 85k or um5g-85k.")] = "85k",
    wide_lut: Annotated[
        bool, typer.Option("--wide-lut/--no-wide-lut", help="Join LUT4 to wider LUTs (ecp5); may double the area.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the area of a core, and its clock rate on request.

    Area is that of the bare core after synthesis. A frequency is measured after place and route or not at all.

    \b
    Examples:
      modwright synth modmul/sor-1m-p -f secp256k1 --target xc7 --json
      modwright synth modmul/sor-1m-p -f secp256k1 --place --seeds 1,2,3
    """
    from ..pipeline import channel_timing_of, resources_of, timing_of

    chosen, request = select(core, field, modulus, curve, target, option)
    _check_synthesis(request.target, place, channel, freq)
    options: dict[str, Any] = {"seeds": _parse_seeds(seeds), "device": device, "wide_lut": wide_lut}
    if freq is not None:
        options["frequency"] = freq
    prepared = prepare_selected(chosen, request)
    resources = resources_of(prepared, wide_lut=wide_lut)
    timing = None
    if place or channel:
        timing = (timing_of if place else channel_timing_of)(prepared, **options)
        if timing is None:
            raise UsageError(f"{chosen.name} has no channel that stands for it", "--place")
    record = _synthesis_record(prepared, resources, timing, channel)
    if as_json:
        print_json(record)
    else:
        _print_synthesis(record)
    _check_frequency(record["place_and_route"], freq)


def wave(
    core: CoreArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to make.")],
    field: FieldOption = None,
    modulus: ModulusOption = None,
    curve: CurveOption = None,
    target: TargetOption = None,
    option: OptionsOption = None,
    random: Annotated[int, typer.Option("--random", min=1, max=1000, metavar="N", help="Operations.")] = 2,
    seed: SeedOption = 1,
    force: ForceOption = False,
) -> None:
    """Record waveforms of a few operations.

    For GTKWave or Surfer, with the plain operands and results beside the signals.

    \b
    Example:
      modwright wave modmul/sor-1m-p --field secp256k1 -o waves
    """
    from ..campaign import random_cases
    from ..deliver import check_folder, filled_folder
    from ..simulate import wave as record

    found, request = select(core, field, modulus, curve, target, option)
    check_folder(output, force=force)
    prepared = prepare_selected(found, request)
    note(f"simulating {random} operations of {prepared.top}")
    with filled_folder(output, prepared.digest, force=force) as work:
        names = [path.name for path in record(prepared, random_cases(prepared, random, seed), work)]
    for name in names:
        print(output / name)


def _named_by(file: VectorFile) -> dict[str, str]:
    """The part of a request that a vector file names; with a modulus in every case, that of the first."""
    return file.request or {"modulus": hex(file.cases[0]["modulus"])}


def _print_summary(summary: Summary) -> None:
    from ..campaign import describe_failure

    failures = summary.failed
    for failure in failures[:SHOWN]:
        print(describe_failure(failure))
    if len(failures) > SHOWN:
        print(f"  and {len(failures) - SHOWN} more")
    clocks = summary.cycles
    spread = f"{clocks['min']} / {clocks['median']} / {clocks['max']}" if clocks else "none measured"
    print(f"{summary.core}: {summary.passed} of {summary.cases} operations passed ({', '.join(summary.engines)})")
    print(f"clocks of an operation, least / median / most: {spread}")


def _check_synthesis(target: str, place: bool, channel: bool, freq: float | None) -> None:
    """Refuse combinations of options that mean nothing, before anything is derived."""
    if target == "generic":
        raise UsageError("synthesis is for a device, and the target is generic", "--target ecp5, xc7 or asic")
    if place and channel:
        raise UsageError("--place and --channel exclude each other")
    if (place or channel) and target != "ecp5":
        raise UsageError(f"place and route is for ecp5, and the target is {target}", "--target ecp5")
    if freq is not None and not (place or channel):
        raise UsageError("--freq is checked after place and route", "add --place or --channel")


def _parse_seeds(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UsageError(f"--seeds takes integers separated by commas, not {text!r}") from None


def _synthesis_record(
    prepared: Prepared, resources: Resources, timing: Timing | NotPlaced | None, channel: bool
) -> dict[str, Any]:
    """What `synth --json` prints; a channel's clock never gives a latency."""
    schedule = prepared.schedule
    fmax = getattr(timing, "fmax_mhz", None)
    return {
        "core": prepared.core.name,
        "target": prepared.request.target,
        "lut": resources.lut,
        "ff": resources.ff,
        "dsp": resources.dsp,
        "bram": resources.bram,
        "carry": resources.carry,
        "lutram": resources.lutram,
        "nand2": resources.nand2,
        "fmax_mhz": None if channel else fmax,
        "cycles": schedule.latency,
        "interval": schedule.interval,
        "latency_ns": None if channel or fmax is None else round(schedule.latency / fmax * 1000, 3),
        "timing": NOT_RUN if timing is None else ("channel" if channel else "core"),
        "place_and_route": NOT_RUN if timing is None else timing.to_json(),
        "wide_lut": resources.wide_lut,
        "method": resources.method,
        "tool": resources.tool,
        "digest": prepared.digest,
    }


def _print_synthesis(record: dict[str, Any]) -> None:
    counts = ("lut", "ff", "dsp", "bram", "carry", "lutram", "nand2")
    rows = [(name, str(record[name])) for name in counts if record[name] is not None]
    paragraph(f"{record['core']} on {record['target']}: {record['method']}")
    table(("resource", "count"), rows, right=(1,))
    print(f"latency    {record['cycles']} clocks, an operation every {record['interval']}")
    placed = record["place_and_route"]
    if placed == NOT_RUN:
        print("frequency  not run (--place or --channel)")
    elif "fmax_mhz" not in placed:
        print(f"frequency  not placed: {placed['reason']}")
    else:
        of = "one channel, not the core" if record["timing"] == "channel" else "the whole core"
        print(f"frequency  {placed['fmax_mhz']:.1f} MHz ({of}; median {placed['fmax_median']:.1f})")
        paragraph(placed["method"], " " * 11)
    if record["latency_ns"] is not None:
        print(f"           {record['latency_ns']:.0f} ns from operands to result")


def _check_frequency(placed: Any, freq: float | None) -> None:
    """TargetMissedError when the design was not placed, or is slower than was asked for."""
    if placed == NOT_RUN:
        return
    if "fmax_mhz" not in placed:
        raise TargetMissedError(f"place and route: {placed['reason']}", "--channel, or a larger --device")
    if freq is not None and placed["fmax_mhz"] < freq:
        raise TargetMissedError(f"{freq:g} MHz were asked for, and the best seed reaches {placed['fmax_mhz']:g} MHz")
