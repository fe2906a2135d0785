# SPDX-License-Identifier: Apache-2.0
"""Groups of options of synthesis and of place and route."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..base.errors import UsageError
from .common import finite

if TYPE_CHECKING:
    from ..measurement import Settings

LibertyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--liberty",
        metavar="FILE",
        help="Cells for asic: a Liberty file (.gz too), or a name such as osu018, sky130, ihp-sg13g2 or asap7; "
        "repeatable for a library of several files.",
    ),
]
RouterOption = Annotated[
    str | None,
    typer.Option(
        "--router",
        metavar="NAME",
        help="router1, router2 or router2-alt.  [default: router1; router2 when over 60 % of the LUTs or of the "
        "multiplier blocks are used, without a floorplan; always router1 for nexus]",
    ),
]
FloorplanOption = Annotated[
    str | None,
    typer.Option(
        "--floorplan",
        metavar="NAME",
        help="fold: the blocks of a row multiplier in the order of its chunks, folded around the lowest one (ecp5); "
        "slices: block RAMs of tables, slice by slice.  [default: nextpnr places all blocks]",
    ),
]
WeightOption = Annotated[
    int | None,
    typer.Option(
        "--timing-weight",
        min=0,
        metavar="N",
        help="Weight of timing against the length of wires in nextpnr's placer.  [default: nextpnr's own, 10]",
    ),
]
FrequencyOption = Annotated[
    float | None,
    typer.Option(
        "--freq", callback=finite, min=1, metavar="MHZ", help="Clock rate that must be reached; else exit code 5."
    ),
]
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", callback=finite, min=1, metavar="SECONDS", help="Longest time for one seed."),
]
SeedsOption = Annotated[str, typer.Option("--seeds", metavar="N,N,..", help="Seeds of the placer; the median counts.")]
PlaceOption = Annotated[bool, typer.Option("--place", help="Place and route the whole design (ecp5, gowin, nexus).")]


@dataclass(frozen=True, kw_only=True)
class Placer:
    """Options of place and route."""

    heading: ClassVar = "Place and route"

    seeds: SeedsOption = "1"
    router: RouterOption = None
    timeout: TimeoutOption = None

    def given(self) -> list[str]:
        """Names of the options whose values are not the defaults."""
        given = {"seeds": self.seeds != "1", "router": self.router is not None, "timeout": self.timeout is not None}
        return [name for name, is_given in given.items() if is_given]

    def settings(self, **more: Any) -> Settings:
        """Settings of a measurement; None in `more` stands for the default."""
        from ..measurement import Settings

        given = {name: value for name, value in more.items() if value is not None}
        return Settings(parse_seeds(self.seeds), router=self.router, timeout=self.timeout, **given)


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """Options of the mapping of a design to cells."""

    heading: ClassVar = "Synthesis"

    wide_lut: Annotated[
        bool, typer.Option("--wide-lut/--no-wide-lut", help="Join LUT4 to wider LUTs (ecp5); may double the area.")
    ] = False
    liberty: LibertyOption = None
    booth: Annotated[
        bool, typer.Option("--booth", help="Booth-recoded multipliers, with --liberty: fewer gates, mostly slower.")
    ] = False
    clock_gates: Annotated[
        bool,
        typer.Option(
            "--clock-gates", help="Registers that share an enable have a gated clock, with --liberty: smaller."
        ),
    ] = False
    latches: Annotated[
        bool, typer.Option("--latches", help="Words of memories are latches, with --liberty: smaller.")
    ] = False
    choices: Annotated[
        bool, typer.Option("--choices", help="Map with structural choices, with --liberty: mostly smaller and faster.")
    ] = False
    area: Annotated[bool, typer.Option("--area", help="Map for few gates, with --liberty: slower.")] = False

    @property
    def library(self) -> str | None:
        """The files of the library, separated as in `PATH`; None for no cells."""
        return joined(self.liberty)

    @property
    def form(self) -> dict[str, bool]:
        """Forms of gates, by name."""
        from ..synthesize.forms import OPTIONS

        return {name: getattr(self, name) for name in OPTIONS}

    def check(self, target: str) -> None:
        """UsageError for an option of another target."""
        from ..synthesize.forms import need_cells

        if self.wide_lut and target != "ecp5":
            raise UsageError(f"--wide-lut is for target ecp5, and the target is {target}", "--target ecp5")
        if self.library is not None and target != "asic":
            raise UsageError(f"--liberty is for target asic, and the target is {target}", "--target asic")
        need_cells(self.form, self.library)


@dataclass(frozen=True, kw_only=True)
class Placement(Placer):
    """Options of place and route of one design."""

    place: PlaceOption = False
    floorplan: FloorplanOption = None
    timing_weight: WeightOption = None
    freq: FrequencyOption = None
    device: Annotated[
        str | None, typer.Option("--device", metavar="NAME", help="25k, 45k, 85k, um5g-85k or gw2a-18.")
    ] = None

    def settings_of(self, mapping: Mapping, *, placed: bool, needs: str) -> Settings:
        """Settings of a measurement.

        Parameters
        ----------
        mapping : Mapping
            Settings of the mapping.
        placed : bool
            Whether anything is placed.
        needs : str
            The options that place something, in words.

        Raises
        ------
        UsageError
            For an option that says nothing alone.
        """
        timed = mapping.library is not None
        given = {"device": self.device is not None, "floorplan": self.floorplan is not None}
        given |= {"timing-weight": self.timing_weight is not None, "freq": self.freq is not None and not timed}
        alone = self.given() + [name for name, is_given in given.items() if is_given]
        if alone and not placed:
            gates = ", or --liberty for gates" if alone[0] == "freq" else ""
            raise UsageError(f"--{alone[0]} has no effect alone", f"add {needs}{gates}")
        more = {"device": self.device, "frequency": self.freq, "floorplan": self.floorplan}
        more |= {"timing_weight": self.timing_weight, **mapping.form}
        return self.settings(wide_lut=mapping.wide_lut, **more)

    def check(self, target: str, *, placed: bool) -> None:
        """UsageError for a target without place and route, or without the device."""
        from ..synthesize import PLACED
        from ..synthesize.devices import find_device

        if placed and target not in PLACED:
            raise UsageError(
                f"place and route is for {', '.join(PLACED)}, and the target is {target}",
                f"--target {' or '.join(PLACED)}",
            )
        if self.device is not None:
            find_device(self.device, target)
        if self.floorplan is not None and target != "ecp5":
            raise UsageError(f"a floorplan is for ecp5, and the target is {target}", "no --floorplan")


def joined(liberty: list[str] | None) -> str | None:
    """Files of one library as one text."""
    return os.pathsep.join(liberty) if liberty else None


def parse_seeds(text: str) -> tuple[int, ...]:
    """`1,2,3` as different integers from 1 on."""
    try:
        seeds = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UsageError(f"--seeds takes integers separated by commas, not {text!r}") from None
    if min(seeds) < 1 or len(set(seeds)) < len(seeds):
        raise UsageError(f"--seeds takes different integers from 1 on, not {text!r}")
    return seeds
