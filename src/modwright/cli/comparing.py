# SPDX-License-Identifier: Apache-2.0
"""The command compare: architectures for the same task, in one table."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from ..base.errors import UsageError
from ..base.json import JsonMapping, JsonObject
from ..base.words import counted
from .common import JsonOption, check_different, finite, note, print_json
from .groups import grouped
from .placing import LibertyOption, Placer, joined
from .selection import WorkSelection

if TYPE_CHECKING:
    from ..base.store import Store
    from ..compare import Comparison
    from ..measurement import Settings


class Front(StrEnum):
    """Time axis of the front."""

    latency = "latency"
    throughput = "throughput"


class Key(StrEnum):
    """Key that rows are sorted by."""

    label = "label"
    cycles = "cycles"
    clocks = "clocks"  # the name of earlier versions
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


_SORTS = f"The column that sorts: {', '.join(key for key in Key if key != Key.clocks)}."
_KEYS = {"cycles": "clocks", "fmax_mhz": "fmax_median"}
"""Columns whose key in JSON and CSV is not their heading."""
_OF_GATES = frozenset({Key.nand2})
_OF_LUTS = frozenset({Key.lut, Key.dsp, Key.lut_ns, Key.dsp_ns})
"""Columns that stay empty on the other kind of target."""


@dataclass(frozen=True, kw_only=True)
class Measuring(Placer):
    """Options of the measurement of what has no record."""

    heading: ClassVar = "Measuring"

    measure: Annotated[bool, typer.Option("--measure", help="Measure every row without a record; may take hours.")] = (
        False
    )
    freq: Annotated[
        float | None, typer.Option("--freq", callback=finite, min=1, metavar="MHZ", help="Target clock of --measure.")
    ] = None
    liberty: LibertyOption = None

    def chosen(self, target: str) -> Settings | None:
        """Settings of the measurement; None when nothing is measured."""
        from ..synthesize import PLACED, find_liberty

        alone = self.given() + ["freq"] * (self.freq is not None)
        if alone and not self.measure:
            raise UsageError(f"--{alone[0]} has no effect alone", "add --measure")
        if self.given() and target not in PLACED:
            raise UsageError(f"--{self.given()[0]} is for place and route, and the target is {target}")
        if (cells := joined(self.liberty)) is not None:
            if not (self.measure and target == "asic"):
                raise UsageError("--liberty is for measuring in gates", "--target asic --measure")
            find_liberty(cells)  # refused before any measuring
        return self.settings(frequency=self.freq) if self.measure else None


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows of the comparison, their order, and which of them are the front."""

    heading: ClassVar = "Rows"

    rtl: Annotated[
        list[str] | None,
        typer.Option("--rtl", metavar="[NAME=]FILE", help="A row of `modwright synth-rtl .. --json`; repeatable."),
    ] = None
    front: Annotated[Front, typer.Option("--front", help="The time of the Pareto front.")] = Front.latency
    sort: Annotated[Key, typer.Option("--sort", metavar="COLUMN", help=_SORTS)] = Key.ns

    def check(self, target: str) -> None:
        """UsageError for a column that a target does not have, and for two rows of one file or name."""
        absent, there = (_OF_LUTS, _OF_GATES) if target == "asic" else (_OF_GATES, _OF_LUTS)
        if self.sort in absent:
            hint = f"{', '.join(sorted(there))}, ns, cycles, .."
            raise UsageError(f"--sort {self.sort}: no core has this figure on target {target}", hint)
        given = self.rtl or ()
        check_different(given, "--rtl")
        check_different([name for text in given if (name := text.rpartition("=")[0])], "the name of --rtl")


@dataclass(frozen=True, kw_only=True)
class Pages:
    """Files that are written besides the text."""

    heading: ClassVar = "Files"

    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write every figure as CSV.")] = None
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no network.")
    ] = None
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write the plot of the front.")] = None

    def check(self) -> None:
        """Refuse a file that cannot be written, before the work."""
        from ..base.store import check_writable

        check_writable(self.csv, self.svg, self.html)

    def write(self, comparison: Comparison, document: JsonMapping, front: Front, store: Store) -> None:
        """Write each requested file."""
        from .. import pages
        from ..compare import datasheets, provenance

        if self.csv is not None:
            write(self.csv, pages.as_csv(document))
        if self.svg is not None:
            write(self.svg, pages.plot(document, "ns" if front is Front.latency else "interval_ns"))
        if self.html is not None:
            command = shlex.join(["modwright", *sys.argv[1:]])
            write(self.html, pages.page(document, datasheets(comparison, store), provenance(comparison, [command])))


@grouped
def compare(
    selection: WorkSelection, rows: Rows, measuring: Measuring, pages: Pages, as_json: JsonOption = False
) -> None:
    """Compare all architectures that can do a task.

    Figures come from the records of Modwright and from your own (`modwright synth`). A row without a record says "not
    run"; --measure measures it. The front is the rows that no other row beats in time, LUTs and DSP blocks, or in time
    and gates of the same cell library.

    Examples:
      modwright compare --function modmul --field secp256k1 --target ecp5
      modwright compare --function modexp --bits 1024 --html modexp.html
      modwright compare --function modmul --bits 256 --rtl theirs=peer.json
    """
    from ..base.store import default_store
    from ..compare import compare as gather
    from ..compare import read_foreign

    work, store = selection.work(), default_store()
    rows.check(work.target)
    pages.check()
    found = gather(
        work,
        store,
        foreign=[read_foreign(text) for text in rows.rtl or ()],
        settings=measuring.chosen(work.target),
        liberty=joined(measuring.liberty),
        constant_latency=selection.constant_latency,
        front=rows.front.value,
        key=_KEYS.get(rows.sort.value, rows.sort.value),
        progress=note,
    )
    document = found.to_json()
    pages.write(found, document, rows.front, store)
    if as_json:
        print_json(document)
    else:
        _print(f"{work.title}: {counted(len(found.lines), 'design')}\n", document)
        _name_choose(found, selection)


def _print(title: str, document: JsonObject) -> None:
    from ..pages import as_text

    print(title)
    print(as_text(document), end="")


def _name_choose(comparison: Comparison, selection: WorkSelection) -> None:
    """Say that nothing has an area, or most have none, and which command finds one without measuring all."""
    without, every = sum(line.lut is None and line.nand2 is None for line in comparison.lines), len(comparison.lines)
    if 2 * without <= every:
        return
    work = comparison.work
    pairs = ((f"--{name}", getattr(selection, name)) for name in ("field", "modulus", "curve", "bits"))
    words = ["--function", work.function, *(str(word) for pair in pairs if pair[1] for word in pair)]
    words += [] if work.target == "ecp5" else ["--device", work.target]
    words += ["--constant-latency"] if selection.constant_latency else []
    if without == every:
        effect = "None of these was measured", "so there are no areas, and no order by them"
    else:
        effect = f"{without} of {every} were not measured", "so they have no areas, and no place in an order by them"
    print(f"\n{effect[0]} for {work.named} on {work.target}, {effect[1]}.")
    if work.target != "asic":
        print(f"Estimates in a minute: {shlex.join(['modwright', 'choose', *words, '--smallest'])}")
    print("Measured: the same command with --measure, which may take hours.")


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all; its name goes to stderr."""
    from ..base.store import whole_file

    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
    note(f"wrote {path}")
