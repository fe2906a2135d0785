# SPDX-License-Identifier: Apache-2.0
"""Layered layout of a block picture with orthogonal nets, after Sugiyama, Tagawa and Toda (1981).

Boxes go into layers from left to right; feedback runs backwards in lanes below. A net that passes a layer gets
a pin there; orders within layers lower the crossings (barycentre sweeps); heights follow the neighbours, least
squares with a least distance (pool adjacent violators); between two layers every net has its own vertical
track. The same input gives the same layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from .layout import PIN, SPACING, Item, Layout, free_height
from .routing import route

_SWEEPS = 12


def arrange(
    sizes: Mapping[str, tuple[float, float]],
    inputs: Mapping[str, Sequence[str]],
    last: Sequence[str] = (),
) -> Layout:
    """Lay boxes out.

    Parameters
    ----------
    sizes : mapping
        Width and height of each box, in the order that decides ties.
    inputs : mapping
        For each box, the boxes whose output it reads; cycles are allowed.
    last : sequence of str
        Boxes to put into the last layer (the outputs).

    Returns
    -------
    Layout
        Layout in coordinates from 0.
    """
    edges = [(s, t) for t in sizes for s in dict.fromkeys(inputs[t])]
    backward = _feedback(list(sizes), edges)
    layers = _layers(list(sizes), [e for e in edges if e not in backward], last)
    grid = _grid(sizes, [e for e in edges if e not in backward], layers)
    _lower_crossings(grid)
    _place_heights(grid, {t: sum(1 for e in edges if e[1] == t) for t in sizes})
    boxes = {item.key[0]: item for layer in grid for item in layer if item.is_box}
    return route(grid, boxes, sorted(backward))


def _feedback(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Edges that close a cycle, found by depth-first search in the order of the boxes."""
    targets: dict[str, list[str]] = {name: [] for name in names}
    for source, target in edges:
        targets[source].append(target)
    state = dict.fromkeys(names, "new")
    found: set[tuple[str, str]] = set()
    for root in names:
        if state[root] != "new":
            continue
        state[root] = "open"
        stack = [(root, iter(targets[root]))]
        while stack:
            name, rest = stack[-1]
            target = next(rest, None)
            if target is None:
                state[name] = "done"
                stack.pop()
            elif state[target] == "open":
                found.add((name, target))
            elif state[target] == "new":
                state[target] = "open"
                stack.append((target, iter(targets[target])))
    return found


def _layers(names: Sequence[str], edges: Sequence[tuple[str, str]], last: Sequence[str]) -> dict[str, int]:
    """Longest path from the left; a box that reads nothing is placed just before its first reader."""
    layer = dict.fromkeys(names, 0)
    for _ in names:  # a longest path has fewer edges than boxes
        for source, target in edges:
            layer[target] = max(layer[target], layer[source] + 1)
    read = {target for _, target in edges}
    for name in names:
        readers = [layer[t] for s, t in edges if s == name]
        if name not in read and readers:
            layer[name] = min(readers) - 1
    end = max(layer.values())
    busy = {source for source, _ in edges}
    return {name: end if name in last and name not in busy else at for name, at in layer.items()}


def _grid(
    sizes: Mapping[str, tuple[float, float]], edges: Sequence[tuple[str, str]], layers: Mapping[str, int]
) -> list[list[Item]]:
    """Items by layer, with one pin for each layer that an output passes."""
    grid: list[list[Item]] = [[] for _ in range(1 + max(layers.values()))]
    items: dict[tuple[str, int], Item] = {}

    def item(name: str, layer: int) -> Item:
        key = (name, layer)
        if key not in items:
            size = sizes[name] if layers[name] == layer else (0.0, 0.0)
            items[key] = Item(key, layer, *size)
            grid[layer].append(items[key])
        return items[key]

    for name in sizes:
        item(name, layers[name])
    for source, target in edges:
        end = items[target, layers[target]]
        before = items[source, layers[source]]
        for layer in range(layers[source] + 1, layers[target] + 1):
            after = end if layer == layers[target] else item(source, layer)
            if after not in before.targets:
                before.targets.append(after)
                after.sources.append(before)
            before = after
    return grid


def _lower_crossings(grid: list[list[Item]]) -> None:
    """Reorder layers by the mean place of their neighbours, sweeping both ways; keep the best order."""
    best, least = [list(layer) for layer in grid], _crossings(grid)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        for layer in grid if forward else reversed(grid):
            place = {i: n for other in grid for n, i in enumerate(other)}
            layer.sort(
                key=lambda i, place=place: _mean([place[n] for n in (i.sources if forward else i.targets)], place[i])
            )
        count = _crossings(grid)
        if count < least:
            best, least = [list(layer) for layer in grid], count
    grid[:] = best


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(grid: Sequence[Sequence[Item]]) -> int:
    """Pairs of edges between neighbouring layers that cross."""
    total = 0
    for layer, following in pairwise(grid):
        place = {item: n for n, item in enumerate(following)}
        ends = [[place[t] for t in item.targets] for item in layer]
        total += sum(1 for n, own in enumerate(ends) for later in ends[n + 1 :] for a in own for b in later if a > b)
    return total


def _place_heights(grid: list[list[Item]], inputs: Mapping[str, int]) -> None:
    """Give every item a height near its neighbours'; a box has room for any one of its inputs in its middle."""
    for layer in grid:
        at = 0.0
        for item in layer:
            if item.is_box:
                item.height = max(item.height, (2 * inputs[item.key[0]] - 1) * PIN)
            item.y = at + item.height / 2
            at += item.height + SPACING
    for sweep in range(2 * _SWEEPS):
        forward = sweep % 2 == 1
        for layer in grid if forward else reversed(grid):
            positions = [_anchor(i.sources if forward else i.targets, i.y) for i in layer]
            gaps = [(a.height + b.height) / 2 + SPACING for a, b in pairwise(layer)]
            for item, y in zip(layer, separate(positions, gaps), strict=True):
                item.y = y
    top = min(item.y - item.height / 2 for layer in grid for item in layer)
    for layer in grid:
        for item in layer:
            item.y = round(item.y - top)
    _part_lines(grid)


def _part_lines(grid: Sequence[Sequence[Item]]) -> None:
    """Move passing pins that are level with another net's way out of the layer before, and what follows them."""
    moved: dict[Item, float] = {}
    for before, layer in pairwise(grid):
        for item in layer:
            if item.is_box:
                continue
            source = item.sources[0]
            old = item.y
            if source in moved and moved[source] == old:
                item.y = source.y
            item.y = free_height(item.y, {other.y for other in before if other is not source})
            if item.y != old:
                moved[item] = old


def _anchor(neighbours: Sequence[Item], otherwise: float) -> float:
    """The height of the middle neighbour, of a box rather than of a passing net: one wire becomes straight."""
    heights = sorted(n.y for n in neighbours if n.is_box) or sorted(n.y for n in neighbours)
    return heights[(len(heights) - 1) // 2] if heights else otherwise


def separate(positions: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """Places nearest to the given ones (least squares) with at least the given gaps between neighbours.

    Subtracting the gaps' running sum leaves an isotonic regression, which pooling adjacent violators solves.
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    pools: list[tuple[float, int]] = []  # mean, members
    for value, offset in zip(positions, offsets, strict=True):
        mean, members = value - offset, 1
        while pools and pools[-1][0] > mean:
            other, count = pools.pop()
            mean = (mean * members + other * count) / (members + count)
            members += count
        pools.append((mean, members))
    means = [mean for mean, members in pools for _ in range(members)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]
