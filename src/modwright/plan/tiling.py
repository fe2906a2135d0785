# SPDX-License-Identifier: Apache-2.0
"""Tiling of wide products for the multiplier blocks of a device.

A product is cut into tiles of the device's native size. The tiles' products are packed into as few rows as their
overlap allows, and the rows are added in a tree of two-input adders (`rtl.multiplier`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .pipeline import adder

TILE_SIZES = {"ecp5": (18, 18), "xc7": (24, 17)}
"""Largest unsigned operands of a block: MULT18X18D (FPGA-TN-02205); DSP48E1, 25x18 signed (UG479).

Other targets get one untiled product and leave its structure to synthesis (array, Booth)."""

LOGIC_TILE = 2
"""A tile at most this narrow on one side is made of logic: two partial products, cheaper than a block."""


@dataclass(frozen=True)
class Tile:
    """Operand slices of one block: bits [a_low, a_low + a_width) of a, and of b likewise."""

    a_low: int
    a_width: int
    b_low: int
    b_width: int

    @property
    def offset(self) -> int:
        """Weight of the tile's product, as a power of two."""
        return self.a_low + self.b_low

    @property
    def width(self) -> int:
        """Bits of the tile's product."""
        return self.a_width + self.b_width

    @property
    def in_logic(self) -> bool:
        """Whether the tile is too narrow for a block."""
        return min(self.a_width, self.b_width) <= LOGIC_TILE


@dataclass(frozen=True)
class Row:
    """A number in the adder tree: bits [offset, offset + width) of the sum."""

    offset: int
    width: int


def _slices(width: int, size: int) -> list[tuple[int, int]]:
    return [(low, min(size, width - low)) for low in range(0, width, size)]


@dataclass(frozen=True)
class Tiling:
    """Tiling of Σ a_k·b_k of `pairs` products for a target.

    Parameters
    ----------
    a_width, b_width : int
        Operand bits.
    target : str
        "ecp5", "xc7", or another: untiled.
    pairs : int
        Number of products that are summed.
    open_rows : int
        Rows that are left at the end, 1 or 2: two when a sum of three follows anyway.
    """

    a_width: int
    b_width: int
    target: str
    pairs: int = 1
    open_rows: int = 1

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """Tiles of one product; of the two ways to turn an oblong block, the one with fewer blocks."""
        size = TILE_SIZES.get(self.target)
        if size is None:
            return (Tile(0, self.a_width, 0, self.b_width),)
        ways = [self._cut(*size), self._cut(size[1], size[0])]
        return min(ways, key=lambda tiles: sum(not t.in_logic for t in tiles))

    def _cut(self, a_size: int, b_size: int) -> tuple[Tile, ...]:
        return tuple(
            Tile(a_low, a_width, b_low, b_width)
            for a_low, a_width in _slices(self.a_width, a_size)
            for b_low, b_width in _slices(self.b_width, b_size)
        )

    @property
    def blocks(self) -> int:
        """Multiplier blocks used."""
        if self.target not in TILE_SIZES:
            return 0
        return self.pairs * sum(not t.in_logic for t in self.tiles)

    @cached_property
    def packing(self) -> tuple[tuple[int, ...], ...]:
        """Tiles (as indices) of each row: first fit by offset, which is optimal for intervals."""
        rows: list[list[int]] = []
        ends: list[int] = []
        for index in sorted(range(len(self.tiles)), key=lambda n: self.tiles[n].offset):
            tile = self.tiles[index]
            row = next((n for n, end in enumerate(ends) if end <= tile.offset), len(rows))
            if row == len(rows):
                rows.append([])
                ends.append(0)
            rows[row].append(index)
            ends[row] = tile.offset + tile.width
        return tuple(tuple(row) for row in rows)

    @property
    def sum_width(self) -> int:
        """Bits of the sum."""
        return (self.pairs * ((1 << self.a_width) - 1) * ((1 << self.b_width) - 1)).bit_length()

    @property
    def levels(self) -> int:
        """Levels of the adder tree."""
        rows = self.pairs * len(self.packing)
        return (-(-rows // self.open_rows) - 1).bit_length()

    @property
    def delays(self) -> list[float]:
        """Estimated delay of each level in ns, for balancing; a quarter of the bits has no partner to add."""
        return [adder((self.a_width + self.b_width) * 3 // 4)] * self.levels


@dataclass(frozen=True)
class DigitTiling:
    """Tiling of the products of a wide word and a digit: tiles of the word, each times the whole digit.

    Parameters
    ----------
    width : int
        Bits of the wide word.
    digit : int
        Bits of the digit.
    tile : int
        Bits of a tile; tile and digit fit a block of the target.
    target : str
        "ecp5", "xc7", or another: the tiles' structure is left to synthesis.
    """

    width: int
    digit: int
    tile: int
    target: str

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """Tile j holds bits [j·tile, (j + 1)·tile) of the word; the last one may be narrower."""
        return tuple(Tile(low, width, 0, self.digit) for low, width in _slices(self.width, self.tile))

    @property
    def blocks(self) -> int:
        """Multiplier blocks used."""
        return sum(not t.in_logic for t in self.tiles) if self.target in TILE_SIZES else 0
