# SPDX-License-Identifier: Apache-2.0
"""Boxes, nets and distances of a layered layout."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

SPACING = 20.0
"""Least distance between two boxes of a layer."""
TRACK = 10.0
"""Distance between two vertical tracks."""
CLEAR = 16.0  # between a box and the nearest track
PIN = 11.0  # least distance of two inputs of a box
LANE = 12.0  # between feedback lanes
NUDGE = 3.0  # parts two nets that would share a line between two layers
Point = tuple[float, float]


@dataclass(eq=False)
class Item:
    """A box, or a place where a net passes a layer (`size` zero)."""

    key: tuple[str, int]
    layer: int
    width: float = 0.0
    height: float = 0.0
    left: float = 0.0
    y: float = 0.0
    """Vertical centre."""
    sources: list[Item] = field(default_factory=list)
    targets: list[Item] = field(default_factory=list)
    ports: dict[tuple[str, int], float] = field(default_factory=dict)
    """Height of the input from each source."""

    @property
    def is_box(self) -> bool:
        return self.width > 0

    @property
    def right(self) -> float:
        return self.left + self.width


@dataclass
class Net:
    """The part of one output between two layers: a vertical track and what it joins."""

    source: str
    ins: list[Point] = field(default_factory=list)
    """Ends at the left of the track: (x where the stub begins, y)."""
    outs: list[tuple[float, float, bool]] = field(default_factory=list)
    """Ends at the right: (x where the stub ends, y, whether it enters a box)."""
    lanes: list[float] = field(default_factory=list)
    """Heights at which a feedback lane joins."""
    x: float = 0.0

    @property
    def heights(self) -> list[float]:
        return [y for _, y in self.ins] + [out[1] for out in self.outs] + self.lanes

    @property
    def span(self) -> tuple[float, float]:
        return min(self.heights), max(self.heights)

    @property
    def straight(self) -> bool:
        """True where no track is needed."""
        low, high = self.span
        return low == high


@dataclass(frozen=True)
class Layout:
    """Boxes, wires as polylines, arrow heads and junctions."""

    boxes: dict[str, Item]
    wires: list[tuple[str, list[Point]]]
    heads: list[Point]
    junctions: list[Point]
    width: float
    height: float


def free_height(y: float, taken: Collection[float]) -> float:
    """The first height from y on, in small steps, that is not taken."""
    while y in taken:
        y += NUDGE
    return y
