# SPDX-License-Identifier: Apache-2.0
"""Layered layout of a block picture with orthogonal nets, after Sugiyama, Tagawa and Toda (1981).

Boxes go into layers from left to right; feedback runs backwards in lanes below. A net that passes a layer gets
a pin there; orders within layers lower the crossings (barycentre sweeps); heights follow the neighbours, least
squares with a least distance (pool adjacent violators); between two layers every net has a vertical track of
its own. The same input gives the same layout.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

SPACING = 20.0
"""Least distance between two boxes of a layer."""
TRACK = 10.0
"""Distance between two vertical tracks."""
_CLEAR = 16.0  # between a box and the nearest track
_PIN = 11.0  # least distance of two inputs of a box
_LANE = 12.0  # between feedback lanes
_SWEEPS = 12
_NUDGE = 3.0  # parts two nets that would share a line between two layers

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
    """Of the middle."""
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
        """Whether it needs no track."""
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
        In coordinates from 0.
    """
    edges = [(s, t) for t in sizes for s in dict.fromkeys(inputs[t])]
    backward = _feedback(list(sizes), edges)
    layers = _layers(list(sizes), [e for e in edges if e not in backward], last)
    grid = _grid(sizes, [e for e in edges if e not in backward], layers)
    _lower_crossings(grid)
    _place_heights(grid, {t: sum(1 for e in edges if e[1] == t) for t in sizes})
    boxes = {item.key[0]: item for layer in grid for item in layer if item.is_box}
    return _route(grid, boxes, sorted(backward))


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
    """Longest path from the left; a box that reads nothing stands just before its first reader."""
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
                item.height = max(item.height, (2 * inputs[item.key[0]] - 1) * _PIN)
            item.y = at + item.height / 2
            at += item.height + SPACING
    for sweep in range(2 * _SWEEPS):
        forward = sweep % 2 == 1
        for layer in grid if forward else reversed(grid):
            wanted = [_anchor(i.sources if forward else i.targets, i.y) for i in layer]
            gaps = [(a.height + b.height) / 2 + SPACING for a, b in pairwise(layer)]
            for item, y in zip(layer, separate(wanted, gaps), strict=True):
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
            item.y = _free(item.y, {other.y for other in before if other is not source})
            if item.y != old:
                moved[item] = old


def _free(y: float, taken: Collection[float]) -> float:
    """The first height from y on, in small steps, that is not taken."""
    while y in taken:
        y += _NUDGE
    return y


def _anchor(neighbours: Sequence[Item], otherwise: float) -> float:
    """The height of the middle neighbour, of a box rather than of a passing net: one wire becomes straight."""
    heights = sorted(n.y for n in neighbours if n.is_box) or sorted(n.y for n in neighbours)
    return heights[(len(heights) - 1) // 2] if heights else otherwise


def separate(wanted: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """Places nearest to the wanted ones (least squares) with at least the given gaps between neighbours.

    Subtracting the gaps' running sum leaves an isotonic regression, which pooling adjacent violators solves.
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    pools: list[tuple[float, int]] = []  # mean, members
    for value, offset in zip(wanted, offsets, strict=True):
        mean, members = value - offset, 1
        while pools and pools[-1][0] > mean:
            other, count = pools.pop()
            mean = (mean * members + other * count) / (members + count)
            members += count
        pools.append((mean, members))
    means = [mean for mean, members in pools for _ in range(members)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _route(grid: list[list[Item]], boxes: Mapping[str, Item], backward: Sequence[tuple[str, str]]) -> Layout:
    """Tracks between the layers, x of everything, and the wires."""
    loops = [e for e in backward if e[0] == e[1]]
    returns = [e for e in backward if e[0] != e[1]]
    _place_ports(grid, boxes, returns, {source for source, _ in loops})
    bottom = max(item.y + item.height / 2 for layer in grid for item in layer)
    lanes = _lanes(boxes, returns, bottom)
    channels = [_channel(grid, n, boxes, returns, lanes) for n in range(-1, len(grid))]
    width = _place_across(grid, channels)
    layout = Layout(dict(boxes), [], [], [], width, max([bottom, *lanes.values()]))
    for channel in channels:
        for net in channel:
            _draw_net(layout, net)
    for source, y in lanes.items():
        xs = [net.x for channel in channels for net in channel if net.source == source and y in net.lanes]
        layout.wires.append((source, [(min(xs), y), (max(xs), y)]))
        layout.junctions.extend((x, y) for x in xs if min(xs) < x < max(xs))
    for name, _ in loops:
        _draw_loop(layout, boxes[name])
    return layout


def _place_ports(
    grid: list[list[Item]],
    boxes: Mapping[str, Item],
    returns: Sequence[tuple[str, str]],
    looped: Collection[str],
) -> None:
    """Inputs of every box, level with their source where there is room; feedback enters lowest."""
    for before, layer in zip([[], *grid], grid, strict=False):
        taken = {item.y for item in before}
        for item in layer:
            if not item.is_box:
                item.ports = {s.key: item.y for s in item.sources}
                continue
            ways = [(s.key, s.y) for s in sorted(item.sources, key=lambda s: s.y)]
            ways += [(boxes[s].key, item.y + item.height) for s, t in returns if boxes[t] is item]
            low, high = item.y - item.height / 2 + _PIN / 2, item.y + item.height / 2 - _PIN / 2
            if item.key[0] in looped:
                low += _PIN  # the loop enters above the others
            heights = _between([y for _, y in ways], low, high)
            for (key, source), y in zip(ways, heights, strict=True):
                item.ports[key] = _free(round(y), taken - {source})


def _between(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Heights of inputs near the wanted ones, in their order, from `low` to `high`.

    What lies beyond is stacked at the ends; sources stand farther apart than inputs, so nothing else is moved.
    """
    rest = len(wanted) - 1
    return [max(min(y, high - _PIN * (rest - n)), low + _PIN * n) for n, y in enumerate(wanted)]


def _lanes(boxes: Mapping[str, Item], returns: Sequence[tuple[str, str]], bottom: float) -> dict[str, float]:
    """A lane below everything for each output that is fed back, short ways first."""
    reach: dict[str, int] = {}
    for source, target in returns:
        reach[source] = max(reach.get(source, 0), boxes[source].layer - boxes[target].layer)
    order = sorted(reach, key=lambda s: (reach[s], s))
    return {source: bottom + SPACING + n * _LANE for n, source in enumerate(order)}


def _channel(
    grid: list[list[Item]],
    n: int,
    boxes: Mapping[str, Item],
    returns: Sequence[tuple[str, str]],
    lanes: Mapping[str, float],
) -> list[Net]:
    """Nets between layer n and layer n + 1, from left to right; x of stubs is filled in later."""
    nets: dict[str, Net] = {}
    for item in grid[n] if n >= 0 else []:
        if item.targets:
            net = nets.setdefault(item.key[0], Net(item.key[0]))
            net.ins.append((0.0, item.y))
            net.outs += [(0.0, t.ports[item.key], t.is_box) for t in item.targets]
    for source, _ in returns:
        if boxes[source].layer == n:
            net = nets.setdefault(source, Net(source, [(0.0, boxes[source].y)]))
            net.lanes = [lanes[source]]
    arriving: dict[str, Net] = {}
    for source, target in returns:
        if boxes[target].layer == n + 1:
            net = arriving.setdefault(source, Net(source, lanes=[lanes[source]]))
            net.outs.append((0.0, boxes[target].ports[boxes[source].key], True))
    return order_tracks([*nets.values(), *arriving.values()])


def order_tracks(nets: list[Net]) -> list[Net]:
    """Order tracks so that neighbours cross least."""
    order = sorted(nets, key=lambda net: (net.span, net.source))
    for _ in order:
        for n in range(len(order) - 1):
            a, b = order[n], order[n + 1]
            if _cost(b, a) < _cost(a, b):
                order[n], order[n + 1] = b, a
    return order


def _cost(left: Net, right: Net) -> int:
    """Crossings when `left` has the track left of that of `right`."""
    (low, high), (start, stop) = left.span, right.span
    stubs, ends = [y for _, y in right.ins], [out[1] for out in left.outs]
    return sum(low < y < high for y in stubs) + sum(start < y < stop for y in ends)


def _place_across(grid: list[list[Item]], channels: Sequence[list[Net]]) -> float:
    """Give layers and tracks their x; returns the width of all."""
    x = 0.0
    for n, channel in enumerate(channels):
        tracks = [net for net in channel if not net.straight]
        edge = n in (0, len(grid))
        start = x
        for place, net in enumerate(tracks):
            net.x = start + (0 if n == 0 else _CLEAR) + place * TRACK
        span = (len(tracks) - 1) * TRACK if tracks else 0.0
        if not edge:
            x += 2 * _CLEAR + span
        elif tracks:
            x += _CLEAR + span
        for net in channel:
            net.ins = [(start, y) for _, y in net.ins]
            net.outs = [(x, y, box) for _, y, box in net.outs]
        if n < len(grid):
            width = max(item.width for item in grid[n])
            for item in grid[n]:
                item.left = x
                item.width = width if item.is_box else 0.0
            _pass_through(channels, n, width, x)
            x += width
    return x


def _pass_through(channels: Sequence[list[Net]], n: int, width: float, x: float) -> None:
    """Lengthen the stubs that only pass layer n up to the next channel."""
    for net in channels[n]:
        net.outs = [(end if box else x + width, y, box) for end, y, box in net.outs]


def _draw_net(layout: Layout, net: Net) -> None:
    """Stubs, the track, arrow heads at boxes and dots where three lines meet."""
    low, high = net.span
    if net.straight:
        (x0, y), (x1, _, _) = net.ins[0], net.outs[0]
        layout.wires.append((net.source, [(x0, y), (x1, y)]))
    else:
        layout.wires.append((net.source, [(net.x, low), (net.x, high)]))
        layout.wires.extend((net.source, [(x, y), (net.x, y)]) for x, y in net.ins)
        layout.wires.extend((net.source, [(net.x, y), (x, y)]) for x, y, _ in net.outs)
        for y in sorted(set(net.heights)):
            arms = (low < y) + (y < high) + net.heights.count(y)
            if arms > 2:
                layout.junctions.append((net.x, y))
    layout.heads.extend((x, y) for x, y, box in net.outs if box)


def _draw_loop(layout: Layout, box: Item) -> None:
    """An output that the same box reads: a loop over its top."""
    x0, x1, top = box.left - 9, box.right + 9, box.y - box.height / 2
    enter = top + 6
    layout.wires.append(
        (
            box.key[0],
            [(box.right, box.y), (x1, box.y), (x1, top - 8), (x0, top - 8), (x0, enter), (box.left, enter)],
        )
    )
    layout.heads.append((box.left, enter))
    if box.targets:
        layout.junctions.append((x1, box.y))
