# SPDX-License-Identifier: Apache-2.0
"""Write one measured record of a core: `python bench/measure.py CORE --field F -o bench/results/NAME.json`.

See bench/README.md. The record holds no date and no host: the same request, source and tools give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from endings import exit_code
from modwright.base.errors import ModwrightError, UsageError
from modwright.base.store import whole_file
from modwright.cli.common import select
from modwright.measurement import Row, Settings, measure, protocol
from modwright.pipeline import resources_of
from modwright.prepared import Prepared, prepare
from modwright.synthesize import DEVICES, FLOORPLANS, FREQUENCY_MHZ, HARNESSES, PLACED, ROUTERS, RTL_OF
from modwright.synthesize.forms import OPTIONS, need_cells


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, write the record, and return the exit code of the `modwright` command."""
    words = parser().parse_args(arguments)

    def work() -> None:
        write(words.output, measured(words))
        print(words.output)

    return exit_code(work)


def measured(words: argparse.Namespace) -> str:
    """The record, as text."""
    rtl = RTL_OF.get(words.target, words.target)
    core, request = select(words.core, words.field, words.modulus, words.curve, rtl, words.option)
    check(words.target or request.target, words)
    found = record(prepare(core, request), words)
    return json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description="Write one measured record of a core.")
    result.add_argument("core", metavar="CORE", help="name of a core, or a request file (.yaml)")
    result.add_argument("--field", help="a named field")
    result.add_argument("--modulus", help="a modulus")
    result.add_argument("--curve", help="a named curve")
    result.add_argument("--target", choices=list(RTL_OF), help="default: that of the request file, else ecp5")
    result.add_argument("--option", action="append", metavar="NAME=VALUE", help="of the core; repeatable")
    result.add_argument("--place", action="store_true", help="place and route the whole core (ecp5, gowin, nexus)")
    result.add_argument("--channel", action="store_true", help="measure one channel alone (placed as with --place)")
    result.add_argument("--seeds", type=_seeds, metavar="N,N,..", help="default: those of the protocol")
    result.add_argument("--frequency", type=float, default=FREQUENCY_MHZ, metavar="MHZ", help="nextpnr's target")
    result.add_argument("--device", choices=list(DEVICES), help="default: the first of the family")
    result.add_argument("--harness", choices=list(HARNESSES), help="default: out-of-context where there is such")
    result.add_argument("--router", choices=list(ROUTERS), help="default: by the rule of the protocol")
    result.add_argument("--floorplan", choices=FLOORPLANS, help="default: none")
    result.add_argument("--timing-weight", type=int, metavar="N", help="of nextpnr's placer; default: its own")
    result.add_argument("--timeout", type=float, metavar="SECONDS", help="that a seed may take")
    result.add_argument("--wide-lut", action="store_true", help="join LUT4 to wider LUTs (ecp5); may double the area")
    result.add_argument("--booth", action="store_true", help="Booth-recoded multipliers in the cells of a library")
    result.add_argument("--clock-gates", action="store_true", help="gated clocks in the cells of a library")
    result.add_argument("--latches", action="store_true", help="words of memories in latches of a library")
    result.add_argument("--choices", action="store_true", help="map with structural choices to cells of a library")
    result.add_argument("--area", action="store_true", help="map for few gates in the cells of a library")
    result.add_argument("--liberty", metavar="FILE", help="cells for target asic: a Liberty file, or a preset")
    result.add_argument("--keep-seeds", action="store_true", help="place only the seeds that the record at -o lacks")
    result.add_argument("-o", "--output", type=Path, required=True, help="the record, a JSON file")
    return result


def _seeds(text: str) -> tuple[int, ...]:
    return tuple(int(seed) for seed in text.split(","))


def check(target: str, words: argparse.Namespace) -> None:
    """UsageError when the target has no such measurement."""
    if target not in RTL_OF:
        raise UsageError(f"target {target} cannot be measured", f"--target with one of {', '.join(RTL_OF)}")
    if target not in PLACED and words.place:
        raise UsageError(f"target {target} has no place and route", f"--target {' or '.join(PLACED)}")
    if target != "ecp5" and words.wide_lut:
        raise UsageError(f"--wide-lut is for ecp5, and the target is {target}", "--target ecp5")
    need_cells({name: getattr(words, name) for name in OPTIONS}, words.liberty)
    placed = words.place or words.channel
    if words.keep_seeds and not placed:
        raise UsageError("--keep-seeds is for seeds of a placement", "add --place or --channel")
    of_placement = {"floorplan": words.floorplan, "timing-weight": words.timing_weight}
    if alone := [name for name, given in of_placement.items() if given is not None and not placed]:
        raise UsageError(f"--{alone[0]} has no effect alone", "add --place or --channel")
    if target != "asic" and words.liberty:
        raise UsageError(f"--liberty is for asic, and the target is {target}", "--target asic")


def record(prepared: Prepared, words: argparse.Namespace) -> dict[str, Any]:
    """Record that the command line requests."""
    target = words.target or prepared.request.target
    given = {field.name: getattr(words, field.name) for field in fields(Settings)}
    given["seeds"] = words.seeds or seeds_of(prepared, target, words)
    settings = Settings(**given)
    what = {"place": words.place, "channel": words.channel, "liberty": words.liberty}
    return measure(prepared, settings, target=target, earlier=earlier(words), **what)


def earlier(words: argparse.Namespace) -> Row | None:
    """The record that is at the output already, where its seeds are to be kept; UsageError for another file."""
    if not words.keep_seeds or not words.output.exists():
        return None
    try:
        return Row.of(json.loads(words.output.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ModwrightError) as error:
        raise UsageError(f"{words.output} has no record whose seeds can be kept", "no --keep-seeds") from error


def seeds_of(prepared: Prepared, target: str, words: argparse.Namespace) -> tuple[int, ...]:
    """Seeds by the protocol, for the area of the core where it is placed."""
    placed = (words.place or words.channel) and target in PLACED
    lut = resources_of(prepared, target, wide_lut=words.wide_lut).lut if placed else None
    return protocol.seeds(lut or 0)


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
