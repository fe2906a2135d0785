# SPDX-License-Identifier: Apache-2.0
"""Places of multiplier blocks on ECP5: those that are neighbours in a row multiplier are neighbours on the device.

A row multiplier has blocks for each chunk of Y and of m next to each other: each chunk of S goes to the chunk below,
and the quotient digit from the lowest chunk to all. nextpnr's analytic placement spreads such blocks over the device,
and does not move them near each other afterwards. Here they get their sites before it, in the order of the chunks,
along a path in the device's rows of blocks that is folded around its start: the lowest chunk is in the middle of all.

With one row the path goes to both sides of the start in turn; with two to the right, back in the other row, and home
from the left; with three, the third row is filled in turn with the first on the left, and then to the right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from ..base.errors import UsageError
from .devices import Device

FLOORPLANS = ("fold",)
"""Names of the floorplans."""

MOST = (12, 64)
"""Most blocks for which one row is taken, and two."""

CELL = "MULT18X18D"
_BLOCK = re.compile(r"(?P<row>.*_tiles)\.U\$(?P<tile>\d+)")
"""Instance of a block in a `rtl.multiplier.DigitMultiplier`, which adds them in the order of its tiles."""

GROUP = ((0, "MULT18_0"), (1, "MULT18_1"), (4, "MULT18_4"), (5, "MULT18_5"))
"""Column, from the first of the group, and name of each of four blocks that share tiles (Project Trellis, DSP)."""


Places = Iterator[tuple[int, int]]
"""Numbers of rows, and places in them from the start on."""


@dataclass(frozen=True)
class Sites:
    """Sites of a device's blocks.

    Parameters
    ----------
    columns : tuple of int
        First column of each group of four.
    rows : tuple of int
        Rows with blocks, the middle one first.
    """

    columns: tuple[int, ...]
    rows: tuple[int, ...]

    def name(self, row: int, number: int) -> str:
        """nextpnr's name of a site, by the number of the row and that of the site in it."""
        group, block = divmod(number, len(GROUP))
        column, cell = GROUP[block]
        return f"X{self.columns[group] + column}/Y{self.rows[row]}/{cell}"

    @property
    def per_row(self) -> int:
        """Blocks in a row."""
        return len(self.columns) * len(GROUP)


_LARGE = Sites((4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114), (34, 58, 10))
SITES = {
    "25k": Sites((4, 13, 22, 33, 42, 51, 60), (13,)),
    "45k": Sites((4, 13, 22, 31, 42, 51, 60, 69, 78), (22, 46)),
    "85k": _LARGE,
    "um5g-85k": _LARGE,
}
"""By device: where nextpnr places as many blocks as it has."""


def folded(device: Device, count: int) -> list[str]:
    """Names of `count` sites, each next to those before and behind it, around the first one.

    Raises
    ------
    UsageError
        When the device has too few.
    """
    sites = SITES[device.name]
    if count > sites.per_row * len(sites.rows):
        raise UsageError(f"a floorplan for {count} blocks does not fit {device.part}, which has {device.dsp}")
    rows = rows_for(count, sites)
    half = -(-count // (4 * rows)) * 2  # on either side of the start: whole pairs, which share tiles
    return [sites.name(row, sites.per_row // 2 + column) for row, column in islice(_PATHS[rows - 1](half), count)]


def rows_for(count: int, sites: Sites) -> int:
    """Number of rows that the path takes."""
    return min(len(sites.rows), 1 + sum(count > most for most in MOST))


def _one(half: int) -> Places:
    """From the start to the right and to the left in turn, two blocks at a time."""
    for step in range(0, half, 2):
        yield from ((0, step), (0, step + 1), (0, -2 - step), (0, -1 - step))


def _two(half: int) -> Places:
    """To the right, back in the other row to the left, and to the start."""
    yield from ((0, column) for column in range(half))
    yield from ((1, column) for column in reversed(range(-half, half)))
    yield from ((0, column) for column in range(-half, 0))


def _three(half: int) -> Places:
    """To the right, back in the second row, to the middle in the others in turn, to the right in the third."""
    yield from ((0, column) for column in range(half))
    yield from ((1, column) for column in reversed(range(-half, half)))
    for column in range(-half, 0, 2):
        yield from ((row, column + n) for row in (0, 2) for n in (0, 1))
    yield from ((2, column) for column in range(half))


_PATHS = (_one, _two, _three)


def blocks_in_order(cells: Iterable[str]) -> list[str]:
    """Names of the blocks of a row multiplier, those of a chunk next to each other, from the lowest chunk on."""
    found = [match for match in map(_BLOCK.fullmatch, cells) if match]
    return [match[0] for match in sorted(found, key=lambda match: (int(match["tile"]), match["row"]))]


def place_blocks(netlist: str, top: str, device: Device) -> str:
    """The netlist, Yosys JSON, with a site for each block of a row multiplier.

    Raises
    ------
    UsageError
        When the netlist has none, or the device too few sites.
    """
    document = json.loads(netlist)
    cells = document["modules"][top]["cells"]
    blocks = blocks_in_order(name for name, cell in cells.items() if cell["type"] == CELL)
    if not blocks:
        raise UsageError(f"{top} has no row of multiplier blocks, which a floorplan could place", "no --floorplan")
    for name, site in zip(blocks, folded(device, len(blocks)), strict=True):
        cells[name]["attributes"]["BEL"] = site
    return json.dumps(document)
