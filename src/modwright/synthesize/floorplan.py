# SPDX-License-Identifier: Apache-2.0
"""Places of blocks on ECP5 that nextpnr gets before its placement, which spreads them and does not bring them together.

fold      Multiplier blocks of a row multiplier. It has blocks for each chunk of Y and of m next to each other: each
          chunk of S goes to the chunk below, and the quotient digit from the lowest chunk to all. The blocks get their
          sites in the order of the chunks, along a path in the device's rows of blocks that is folded around its start,
          so that the lowest chunk is in the middle of all. With one row the path goes to both sides of the start in
          turn; with two to the right, back in the other row, and home from the left; with three, back in the row with
          the smallest number, and the third row is filled in turn with the first on the left, and then to the right.
slices    Block RAMs of tables whose words are added, slice by slice: those that read the same address are the slices of
          one table. All blocks of a slice get sites next to each other, in one half of a row, and the next slice the
          half next to it or below. Multiplier blocks get sites in the order of their numbers, so that those of a
          product are next to each other: in as few rows as they need, the middle ones, to the right in one and back in
          the next.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TypedDict

from ..base.errors import UsageError
from .devices import Device

MOST = (12, 64)
"""Most multiplier blocks for which one row is taken, and two."""

MULTIPLIER, MEMORY = "MULT18X18D", "DP16KD"
_BLOCK = re.compile(r"(?P<row>.*_tiles)\.U\$(?P<tile>\d+)")
"""Instance of a block in a `rtl.multiplier.DigitMultiplier`, which adds them in the order of its tiles."""
_ADDRESS = re.compile(r"AD[AB]\d+")
_NUMBER = re.compile(r"(\d+)")

GROUP = ((0, "MULT18_0"), (1, "MULT18_1"), (4, "MULT18_4"), (5, "MULT18_5"))
MEMORY_GROUP = ((0, "EBR0"), (2, "EBR1"), (4, "EBR2"), (6, "EBR3"))
"""Column, from the first of the group, and name of each of four blocks in nine columns (Project Trellis)."""

Group = tuple[tuple[int, str], ...]
Places = Iterator[tuple[int, int]]
"""Numbers of rows, and places in them from the start on."""


class Cell(TypedDict):
    """A cell of a netlist, as Yosys writes it."""

    type: str
    attributes: dict[str, str]
    connections: dict[str, list[int | str]]


Cells = Mapping[str, Cell]
"""Cells of a netlist by name."""


@dataclass(frozen=True)
class Sites:
    """Sites of a device's blocks.

    Parameters
    ----------
    columns : tuple of int
        First column of each group of four.
    rows : tuple of int
        Rows with multiplier blocks, the middle one first.
    memory_rows : tuple of int
        Rows with block RAMs.
    """

    columns: tuple[int, ...]
    rows: tuple[int, ...]
    memory_rows: tuple[int, ...]

    def name(self, row: int, number: int, group: Group) -> str:
        """nextpnr's name of a site, by its row and its number in it."""
        which, block = divmod(number, len(group))
        column, cell = group[block]
        return f"X{self.columns[which] + column}/Y{row}/{cell}"

    @property
    def per_row(self) -> int:
        """Blocks in a row."""
        return len(self.columns) * len(GROUP)


_LARGE = Sites((4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114), (34, 58, 10), (22, 46, 70, 82))
SITES = {
    "25k": Sites((4, 13, 22, 33, 42, 51, 60), (13,), (25, 37)),
    "45k": Sites((4, 13, 22, 31, 42, 51, 60, 69, 78), (22, 46), (10, 34, 58)),
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
    sites = _sites_for(device, count)
    rows = rows_for(count, sites)
    half = -(-count // (4 * rows)) * 2  # on either side of the start: whole pairs, which share tiles
    path = islice(_PATHS[rows - 1](half), count)
    return [sites.name(sites.rows[row], sites.per_row // 2 + column, GROUP) for row, column in path]


def _sites_for(device: Device, count: int) -> Sites:
    """The device's sites, where it has enough for so many blocks."""
    sites = SITES[device.name]
    if count > sites.per_row * len(sites.rows):
        raise UsageError(f"a floorplan for {count} blocks does not fit {device.part}, which has {device.dsp}")
    return sites


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
    """To the right, back in the last row, to the middle in the others in turn, to the right in the second."""
    yield from ((0, column) for column in range(half))
    yield from ((2, column) for column in reversed(range(-half, half)))
    for column in range(-half, 0, 2):
        yield from ((row, column + n) for row in (0, 1) for n in (0, 1))
    yield from ((1, column) for column in range(half))


_PATHS = (_one, _two, _three)


def blocks_in_order(cells: Iterable[str]) -> list[str]:
    """Names of the blocks of a row multiplier, those of a chunk next to each other, from the lowest chunk on."""
    found = [match for match in map(_BLOCK.fullmatch, cells) if match]
    return [match[0] for match in sorted(found, key=lambda match: (int(match["tile"]), match["row"]))]


def _fold(cells: Cells, device: Device) -> dict[str, str]:
    """Sites of the blocks of a row multiplier."""
    blocks = blocks_in_order(name for name, cell in cells.items() if cell["type"] == MULTIPLIER)
    return dict(zip(blocks, folded(device, len(blocks)), strict=True))


def tables_in_order(cells: Cells) -> list[list[str]]:
    """Names of the block RAMs of each table, its slices from the lowest one on."""
    tables: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for name in sorted((n for n, cell in cells.items() if cell["type"] == MEMORY), key=_by_number):
        pins = sorted(cells[name]["connections"].items())
        tables[tuple(bit for pin, bits in pins if _ADDRESS.fullmatch(pin) for bit in bits)].append(name)
    return list(tables.values())


def _by_number(name: str) -> list[str | int]:
    """The parts of a name, with numbers by their value."""
    return [int(part) if part.isdecimal() else part for part in _NUMBER.split(name)]


def halves(device: Device) -> list[list[str]]:
    """Sites of block RAMs in each half of a row; each half is next to the one after it, or above it."""
    sites = SITES[device.name]
    half, found = sites.per_row // 2, []
    for number in range(2 * len(sites.memory_rows)):
        row = number // 2
        start = half * ((number + row) % 2)
        found.append([sites.name(sites.memory_rows[row], start + n, MEMORY_GROUP) for n in range(half)])
    return found


def in_turns(device: Device, count: int) -> list[str]:
    """Names of `count` sites in as few rows as they need, as many in each, to the right in one and back in the next.

    Raises
    ------
    UsageError
        When the device has too few.
    """
    sites = _sites_for(device, count)
    rows = -(-count // sites.per_row)
    each = -(-count // (2 * max(1, rows))) * 2  # whole pairs, which share tiles
    start = (sites.per_row - each) // 4 * 2
    columns = range(start, start + each)
    path = ((row, column) for n, row in enumerate(sites.rows[:rows]) for column in (columns, columns[::-1])[n % 2])
    return [sites.name(row, column, GROUP) for row, column in islice(path, count)]


def _slices(cells: Cells, device: Device) -> dict[str, str]:
    """Sites of the slices of tables, and of multiplier blocks."""
    places, tables = halves(device), tables_in_order(cells)
    most = max(map(len, tables), default=0)
    if len(tables) > len(places[0]) or most > len(places):
        raise UsageError(
            f"a floorplan of slices on {device.part} is for at most {len(places[0])} tables of {len(places)} slices, "
            f"and there are {len(tables)} of up to {most}",
            "fewer tables, or no --floorplan",
        )
    if not tables:
        return {}
    blocks = sorted((name for name, cell in cells.items() if cell["type"] == MULTIPLIER), key=_by_number)
    found = dict(zip(blocks, in_turns(device, len(blocks)), strict=True))
    return found | {name: places[n][t] for t, table in enumerate(tables) for n, name in enumerate(table)}


FLOORPLANS = {"fold": _fold, "slices": _slices}
"""Sites of blocks, by name of the floorplan."""

NEEDED = {"fold": "row of multiplier blocks", "slices": "table in block RAMs"}
"""Blocks that each floorplan is for, in words."""


def sites_of(cells: Cells, top: str, device: Device, floorplan: str) -> dict[str, str]:
    """A site for each block of a netlist that the floorplan places, by the name of its cell.

    Raises
    ------
    UsageError
        When the netlist has none, or the device too few sites.
    """
    sites = FLOORPLANS[floorplan](cells, device)
    if not sites:
        raise UsageError(f"{top} has no {NEEDED[floorplan]}, which a floorplan could place", "no --floorplan")
    return sites


def place_blocks(netlist: str, top: str, device: Device, floorplan: str) -> str:
    """The netlist, Yosys JSON, with the sites of `sites_of`."""
    document = json.loads(netlist)
    cells: Cells = document["modules"][top]["cells"]
    for name, site in sites_of(cells, top, device, floorplan).items():
        cells[name]["attributes"]["BEL"] = site
    return json.dumps(document)
