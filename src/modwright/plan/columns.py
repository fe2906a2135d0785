# SPDX-License-Identifier: Apache-2.0
"""A product as columns of digits, so that no carry runs through it.

Both factors are cut into digits of at most a block's operand. Each block's product is cut at a digit: its low half
belongs to column i + j and its high half to column i + j + 1. A column is the sum of its halves, a few bits wider than
a digit: Σ column_k·2^(digit·k) is the product. What is longer than a digit is added where it is needed, once for many
products (`cores.modmul.binary`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .tiling import LOGIC_TILE, TILE_SIZES, Tile

REFERENCE = "ecp5"
"""Target for whose blocks digits and cycles are chosen; all others have the same columns in the same cycles."""

GROUP = 3
"""Summands of a digit that are added in one level: one level of carry-save adders in front of a short chain."""


@dataclass(frozen=True)
class Half:
    """Bits [low, low + width) of the product of a tile, by the tile's index."""

    tile: int
    low: int
    width: int


@dataclass(frozen=True)
class ColumnTiling:
    """Columns of the product of two numbers of equal width.

    Parameters
    ----------
    width : int
        Bits of either factor.
    """

    width: int

    @cached_property
    def digits(self) -> int:
        """Digits of a factor."""
        return -(-self.width // TILE_SIZES[REFERENCE][0])

    @cached_property
    def digit(self) -> int:
        """Bits of a digit; all are equal, and the highest is narrower by `surplus`."""
        widest = TILE_SIZES[REFERENCE][0]
        sliver = self.width - widest * (self.digits - 1) <= LOGIC_TILE  # left to logic, which saves blocks
        return widest if sliver and self.digits > 1 else -(-self.width // self.digits)

    @property
    def surplus(self) -> int:
        """Bits by which all digits together are wider than a factor."""
        return self.digits * self.digit - self.width

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """A tile for each pair of digits."""
        slices = [(low, min(self.digit, self.width - low)) for low in range(0, self.width, self.digit)]
        return tuple(Tile(*a, *b) for a in slices for b in slices)

    @property
    def blocks(self) -> int:
        """Multiplier blocks of the reference target."""
        return sum(not tile.in_logic for tile in self.tiles)

    @cached_property
    def columns(self) -> tuple[tuple[Half, ...], ...]:
        """Halves of each column, from the lowest; twice as many columns as digits."""
        columns: list[list[Half]] = [[] for _ in range(2 * self.digits)]
        for index, tile in enumerate(self.tiles):
            column = tile.offset // self.digit
            columns[column].append(Half(index, 0, min(self.digit, tile.width)))
            if tile.width > self.digit:
                columns[column + 1].append(Half(index, self.digit, tile.width - self.digit))
        return tuple(tuple(column) for column in columns)

    def largest(self, half: Half) -> int:
        """Largest value of a half."""
        tile = self.tiles[half.tile]
        product = ((1 << tile.a_width) - 1) * ((1 << tile.b_width) - 1)
        return min(product >> half.low, (1 << half.width) - 1)

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """Largest value of each column; at least a digit, which a column is where a target has no tiles."""
        sums = (sum(self.largest(half) for half in column) for column in self.columns)
        return tuple(max(total, (1 << self.digit) - 1) for total in sums)

    @cached_property
    def levels(self) -> int:
        """Levels of sums of up to `GROUP` numbers that make one number of the fullest column."""
        count, levels = max(len(column) for column in self.columns), 0
        while count > 1:
            count, levels = -(-count // GROUP), levels + 1
        return levels

    @property
    def latency(self) -> int:
        """Cycles from the factors to the columns: into the blocks, out of them, the way to the adders, the levels."""
        return 3 + self.levels

    def apply(self, a: int, b: int) -> tuple[int, ...]:
        """The columns of a·b in plain integers."""
        products = [
            (a >> tile.a_low & ((1 << tile.a_width) - 1)) * (b >> tile.b_low & ((1 << tile.b_width) - 1))
            for tile in self.tiles
        ]
        return tuple(
            sum(products[half.tile] >> half.low & ((1 << half.width) - 1) for half in column) for column in self.columns
        )
