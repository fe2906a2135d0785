# SPDX-License-Identifier: Apache-2.0
"""Routing of a layered layout: vertical tracks between two layers, lanes for feedback, and polylines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from .layout import CLEAR, LANE, PIN, SPACING, TRACK, Item, Layout, Net, free_height


def route(grid: list[list[Item]], boxes: Mapping[str, Item], backward: Sequence[tuple[str, str]]) -> Layout:
    """Tracks between the layers, x of boxes and tracks, and the wires."""
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
            low, high = item.y - item.height / 2 + PIN / 2, item.y + item.height / 2 - PIN / 2
            if item.key[0] in looped:
                low += PIN  # the loop enters above the others
            heights = _between([y for _, y in ways], low, high)
            for (key, source), y in zip(ways, heights, strict=True):
                item.ports[key] = free_height(round(y), taken - {source})


def _between(positions: Sequence[float], low: float, high: float) -> list[float]:
    """Heights of inputs near the given ones, in their order, from `low` to `high`.

    Inputs beyond the limits are stacked at the ends; sources are farther apart than inputs, so nothing else is moved.
    """
    rest = len(positions) - 1
    return [max(min(y, high - PIN * (rest - n)), low + PIN * n) for n, y in enumerate(positions)]


def _lanes(boxes: Mapping[str, Item], returns: Sequence[tuple[str, str]], bottom: float) -> dict[str, float]:
    """A lane below everything for each output that is fed back, short ways first."""
    reach: dict[str, int] = {}
    for source, target in returns:
        reach[source] = max(reach.get(source, 0), boxes[source].layer - boxes[target].layer)
    order = sorted(reach, key=lambda s: (reach[s], s))
    return {source: bottom + SPACING + n * LANE for n, source in enumerate(order)}


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
            net.x = start + (0 if n == 0 else CLEAR) + place * TRACK
        span = (len(tracks) - 1) * TRACK if tracks else 0.0
        if not edge:
            x += 2 * CLEAR + span
        elif tracks:
            x += CLEAR + span
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
