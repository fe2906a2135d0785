# SPDX-License-Identifier: Apache-2.0
"""Base extensions as they were measured, next to those of a paper by high-level synthesis.

Placed and routed on ECP5; on series 7, the paper's family, areas only. Slices and LUT4, and the times of two devices,
are different things, and so no ratio is taken across them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..base.json import JsonMapping
from ..base.table import Items, Table
from ..functions.basext import FUNCTION
from ..measurement.rows import Row, changed
from ..pages.datasheet import count, figure
from ..report.evidence import NOT_RUN
from .cells import fmax, measured_with

MEASURED, PAPER = "measured", "paper"
DEVICES = {"ecp5": "ECP5", "xc7": "series 7, not placed"}
"""Devices of the measured rows."""
COMMON = "local=false"
"""Rowers with one control word and one bus for all: on ECP5, those that were not placed with their own since."""
HEADINGS = (
    "bits", "modulus", "w", "n", "extension", "source", "device", "cycles", "DSP", "DSP × cycles", "LUT", "FF",
    "slices", "Fmax, MHz", "ns",
)  # fmt: skip


def base_extensions(rows: Iterable[Row], paper: JsonMapping) -> Table:
    """Every extension of the paper: ours on both devices, with the paper's number of channels, and then the paper's."""
    found = [r for r in rows if r.function == FUNCTION.name]
    lines: list[Sequence[str]] = []
    shown: list[Row] = []
    for printed in paper["rows"]:
        bits, width, kind, slices, dsp, _, period, cycles, time = printed
        channels = fewest(int(bits), int(width))
        head = (width, str(channels), kind)
        for target, device in DEVICES.items():
            every = (r for r in found if _is(r, kind.lower(), target, int(bits), int(width), channels))
            row = min(every, key=_local, default=None)
            wires = f", `{COMMON}`" if row and _local(row) == COMMON else ""
            lines.append((bits, _modulus(row), *head, MEASURED, device + wires, *_figures(row, target)))
            shown += [row] if row else []
        product = count(int(dsp) * int(cycles))
        clock = figure(1e3 / float(period))
        lines.append((bits, "", *head, PAPER, "XC7Z020", cycles, dsp, product, "", "", slices, clock, time))
    below = [
        measured_with(shown),
        f"Paper: {paper['source']}. {paper['note']}",
        Items("What is wrong in the paper", tuple(paper["errata"])),
    ]
    return Table.of(HEADINGS, lines, {"modulus", "extension", "source", "device"}, below=below)


EXACT = ("kbe", "hbe", "shenoy-kumaresan", "mixed-radix")
"""Extensions by an estimate, and those without one."""
EXACT_HEADINGS = (
    "modulus", "extension", "device", "cycles", "interval", "DSP", "DSP × cycles", "LUT", "FF", "Fmax, MHz", "ns",
)  # fmt: skip
BITS, CHANNEL = 256, 17
"""Size at which all of them were measured."""


def exact_extensions(rows: Iterable[Row]) -> Table:
    """Extensions without an estimate next to KBE and HBE, all with one number of channels."""
    found = [r for r in rows if r.function == FUNCTION.name]
    lines: list[Sequence[str]] = []
    shown: list[Row] = []
    for kind in EXACT:
        for target, device in DEVICES.items():
            every = (r for r in found if _is(r, kind, target, BITS, CHANNEL, fewest(BITS, CHANNEL)))
            row = min(every, key=_local, default=None)
            cycles, dsp, product, lut, ff, _, clock, time = _figures(row, target)
            interval = NOT_RUN if row is None else count(row.schedule["interval_cycles"])
            lines.append(
                (_modulus(row), f"`basext/{kind}`", device, cycles, interval, dsp, product, lut, ff, clock, time)
            )
            shown += [row] if row else []
    return Table.of(EXACT_HEADINGS, lines, {"modulus", "extension", "device"}, below=[measured_with(shown)])


def fewest(bits: int, width: int) -> int:
    """The paper's n: the smallest even number with n·w above the bits."""
    return 2 * (bits // (2 * width) + 1)


def _modulus(row: Row | None) -> str:
    return NOT_RUN if row is None else row.modulus


def _local(row: Row) -> str:
    """The option `local` where it is not the default one, which comes first."""
    return next((word for word in changed(row.request) if word.partition("=")[0] == "local"), "")


def _is(row: Row, core: str, target: str, bits: int, width: int, channels: int) -> bool:
    options = row.request["options"]
    others = {word.partition("=")[0] for word in changed(row.request)} - {"width", "channels", "local"}
    requested = (row.core, row.target, row.bits, options["width"], options["channels"])
    return requested == (core, target, bits, width, channels) and not others


def _figures(row: Row | None, target: str) -> tuple[str, ...]:
    """Cycles to ns; series 7 has no times."""
    if row is None:
        times = (NOT_RUN, NOT_RUN) if target == "ecp5" else ("", "")
        return (*[NOT_RUN] * 5, "", *times)
    cycles, dsp = row.schedule["latency_cycles"], row.resources["dsp"]
    area = (count(row.resources["lut"]), count(row.resources["ff"]), "")
    times = ("", "") if target != "ecp5" else (fmax(row.timing), figure(row.latency_ns) if row.placed else NOT_RUN)
    return (count(cycles), count(dsp), count(dsp * cycles), *area, *times)
