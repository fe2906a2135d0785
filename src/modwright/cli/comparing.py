# SPDX-License-Identifier: Apache-2.0
"""The command compare: architectures on the same work, side by side."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import UsageError
from ..catalog.expression import MAXIMUM_BITS
from .common import CurveOption, FieldOption, JsonOption, ModulusOption, note, print_json
from .synthesis import LibertyOption, SeedsOption, SynthTargetOption, parse_seeds

FunctionOption = Annotated[
    str, typer.Option("--function", metavar="NAME", help="modmul, modinv, modexp, ecpm or another.")
]
BitsOption = Annotated[
    int | None,
    typer.Option(
        "--bits", min=2, max=MAXIMUM_BITS, metavar="N", help="A width, for cores that take the modulus at run time."
    ),
]

ConstantLatencyOption = Annotated[
    bool,
    typer.Option("--constant-latency", "--constant-time", help="Only what takes the same cycles for all operands."),
]


class Front(StrEnum):
    """What is the time of the front."""

    latency = "latency"
    throughput = "throughput"


class Key(StrEnum):
    """What the rows are sorted by."""

    label = "label"
    clocks = "clocks"
    interval = "interval"
    lut = "lut"
    ff = "ff"
    dsp = "dsp"
    nand2 = "nand2"
    fmax_mhz = "fmax_mhz"
    ns = "ns"
    per_second = "per_second"
    dsp_ns = "dsp_ns"
    lut_ns = "lut_ns"


def compare(
    function: FunctionOption,
    field: FieldOption = None,
    modulus: ModulusOption = None,
    curve: CurveOption = None,
    bits: BitsOption = None,
    target: SynthTargetOption = None,
    rtl: Annotated[
        list[str] | None,
        typer.Option("--rtl", metavar="[NAME=]FILE", help="A row of `modwright synth --rtl .. --json`; repeatable."),
    ] = None,
    measure: Annotated[bool, typer.Option("--measure", help="Measure what has no record; may take hours.")] = False,
    seeds: SeedsOption = "1",
    freq: Annotated[
        float | None, typer.Option("--freq", min=1, metavar="MHZ", help="Target clock of --measure.")
    ] = None,
    router: Annotated[
        str, typer.Option("--router", metavar="NAME", help="router1, or router2 for full devices.")
    ] = "router1",
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=1, metavar="SECONDS", help="That a seed of --measure may take.")
    ] = None,
    liberty: LibertyOption = None,
    constant_latency: ConstantLatencyOption = False,
    front: Annotated[Front, typer.Option("--front", help="The time of the Pareto front.")] = Front.latency,
    sort: Annotated[Key, typer.Option("--sort", help="The column that sorts.")] = Key.ns,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write every figure as CSV.")] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no network.")
    ] = None,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write the plot of the front.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Put every architecture that can do some work side by side.

    Figures come from the records of Modwright and from your own (`modwright synth`). What has no record says "not
    run"; --measure makes it. A front is what no other row beats in time, LUTs and DSP blocks.

    \b
    Examples:
      modwright compare --function modmul --field secp256k1 --target ecp5
      modwright compare --function modexp --bits 1024 --html modexp.html
      modwright compare --function modmul --bits 256 --rtl theirs=peer.json
    """
    from .. import pages
    from ..base.store import check_writable, default_store
    from ..compare import Work, datasheets, made, read_foreign
    from ..compare import compare as gather
    from ..measurement import Settings
    from ..synthesize import FREQUENCY_MHZ

    work = Work.make(function, target or "ecp5", field=field, modulus=modulus, curve=curve, bits=bits)
    if liberty is not None and not (measure and work.target == "asic"):
        raise UsageError("--liberty names the cells that are measured with", "--target asic --measure")
    check_writable(csv, svg, html)
    settings = Settings(parse_seeds(seeds), freq or FREQUENCY_MHZ, router=router, timeout=timeout) if measure else None
    store = default_store()
    found = gather(
        work,
        store,
        foreign=[read_foreign(text) for text in rtl or ()],
        settings=settings,
        liberty=liberty,
        constant_latency=constant_latency,
        front=front.value,
        key=sort.value,
        progress=note,
    )
    document = found.to_json()
    if csv is not None:
        write(csv, pages.as_csv(document))
    if svg is not None:
        write(svg, pages.plot(document, "ns" if front is Front.latency else "interval_ns"))
    if html is not None:
        command = shlex.join(["modwright", *sys.argv[1:]])
        write(html, pages.page(document, datasheets(found, store), made(found, [command])))
    if as_json:
        print_json(document)
    else:
        print(f"{work.title}: {len(found.lines)} designs\n")
        print(pages.as_text(document), end="")


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all; its name goes to stderr."""
    from ..base.store import whole_file

    with whole_file(path) as beside:
        beside.write_text(text, encoding="utf-8")
    note(f"wrote {path}")
