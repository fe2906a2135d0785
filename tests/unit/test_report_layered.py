# SPDX-License-Identifier: Apache-2.0
"""The layout of block pictures: properties that hold for every graph."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modwright.draw.layered import arrange, separate
from modwright.draw.layout import SPACING, Net
from modwright.draw.routing import order_tracks

SIZE = (80.0, 40.0)


@st.composite
def graphs(draw):
    """Boxes and what each reads: up to 9 boxes, cycles and self-loops included."""
    names = [f"b{n}" for n in range(draw(st.integers(1, 9)))]
    inputs = {name: draw(st.lists(st.sampled_from(names), max_size=3, unique=True)) for name in names}
    return names, inputs


def laid_out(names, inputs):
    return arrange(dict.fromkeys(names, SIZE), inputs)


def segments(layout):
    """(net, horizontal?, fixed coordinate, low, high) of every part of every wire."""
    for net, points in layout.wires:
        for (x0, y0), (x1, y1) in pairwise(points):
            assert x0 == x1 or y0 == y1, "a wire is not orthogonal"
            if y0 == y1:
                yield net, True, y0, min(x0, x1), max(x0, x1)
            else:
                yield net, False, x0, min(y0, y1), max(y0, y1)


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_boxes_stand_apart(graph):
    layout = laid_out(*graph)
    assert sorted(layout.boxes) == sorted(graph[0])
    for a, b in combinations(layout.boxes.values(), 2):
        beside = a.right < b.left or b.right < a.left
        apart = abs(a.y - b.y) >= (a.height + b.height) / 2 + SPACING - 1  # heights are rounded
        assert beside or apart


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_every_input_has_one_arrow_head(graph):
    names, inputs = graph
    layout = laid_out(names, inputs)
    for name in names:
        box = layout.boxes[name]
        top, bottom = box.y - box.height / 2, box.y + box.height / 2
        heads = [y for x, y in layout.heads if x == box.left and top <= y <= bottom]
        assert len(heads) == len(set(heads)) == len(inputs[name])


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_every_head_is_connected_to_its_source(graph):
    """Walking the segments of one net from its box reaches as many heads as the box has readers."""
    names, inputs = graph
    layout = laid_out(names, inputs)
    for name in names:
        own = [s for s in segments(layout) if s[0] == name]
        readers = sum(name in inputs[other] for other in names)
        assert len(_heads_reached(layout, own, name)) == readers


def _heads_reached(layout, own, name):
    box = layout.boxes[name]
    ends = [_ends(s) for s in own]
    reached = [n for n, (a, _) in enumerate(ends) if a == (box.right, box.y)]
    seen = set(reached)
    while reached:
        n = reached.pop()
        for other in range(len(own)):
            if other not in seen and _touch(own[n], own[other]):
                seen.add(other)
                reached.append(other)
    tips = {point for n in seen for point in ends[n]}
    return {head for head in layout.heads if head in tips}


def _ends(segment):
    _, horizontal, at, low, high = segment
    return ((low, at), (high, at)) if horizontal else ((at, low), (at, high))


def _touch(a, b):
    if a[1] == b[1]:
        return a[2] == b[2] and a[3] <= b[4] and b[3] <= a[4]
    return a[3] <= b[2] <= a[4] and b[3] <= a[2] <= b[4]


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_two_nets_never_share_a_line(graph):
    layout = laid_out(*graph)
    for a, b in combinations(segments(layout), 2):
        if a[0] != b[0] and a[1:3] == b[1:3]:
            assert min(a[4], b[4]) <= max(a[3], b[3]), (a, b)


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_no_wire_runs_through_a_box(graph):
    layout = laid_out(*graph)
    for _, horizontal, at, low, high in segments(layout):
        for box in layout.boxes.values():
            top, bottom = box.y - box.height / 2, box.y + box.height / 2
            if horizontal:
                assert not (top < at < bottom and low < box.right and high > box.left)
            else:
                assert not (box.left < at < box.right and low < bottom and high > top)


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_layout_is_deterministic(graph):
    first, second = laid_out(*graph), laid_out(*graph)
    assert (first.wires, first.heads, first.junctions) == (second.wires, second.heads, second.junctions)


def test_the_lower_of_two_falling_nets_turns_first():
    """The upper one first would cross it twice."""
    upper = Net("upper", [(0.0, 10.0)], [(50.0, 100.0, True)])
    lower = Net("lower", [(0.0, 20.0)], [(50.0, 110.0, True)])
    assert order_tracks([upper, lower]) == order_tracks([lower, upper]) == [lower, upper]


def test_an_input_in_the_middle_is_level_with_its_source():
    inputs = {"a": [], "b": [], "c": [], "d": ["a", "b", "c"]}
    layout = laid_out(list(inputs), inputs)
    level = layout.boxes["b"].y
    assert (layout.boxes["d"].left, level) in layout.heads and layout.boxes["d"].y == level


def test_a_chain_is_one_straight_line():
    layout = laid_out(["a", "b", "c"], {"a": [], "b": ["a"], "c": ["b"]})
    assert {y for _, points in layout.wires for _, y in points} == {layout.boxes["a"].y}
    assert layout.boxes["a"].left < layout.boxes["b"].left < layout.boxes["c"].left


def test_feedback_runs_below_and_does_not_move_the_layers():
    layout = laid_out(["a", "b", "c"], {"a": ["c"], "b": ["a"], "c": ["b"]})
    assert layout.boxes["a"].left < layout.boxes["b"].left < layout.boxes["c"].left
    lowest = max(y for _, points in layout.wires for _, y in points)
    assert lowest > max(box.y + box.height / 2 for box in layout.boxes.values())


def test_outputs_stand_in_the_last_layer():
    inputs = {"i": [], "a": ["i"], "b": ["a"], "flag": ["i"]}
    layout = arrange(dict.fromkeys(inputs, SIZE), inputs, ["flag"])
    assert layout.boxes["flag"].left == layout.boxes["b"].left


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=8), st.floats(0, 50))
def test_separate_keeps_the_gaps_and_is_optimal_where_there_is_room(wanted, gap):
    places = separate(wanted, [gap] * (len(wanted) - 1))
    for a, b in pairwise(places):
        assert b - a >= gap - 1e-6
    assert sum(places) == pytest.approx(sum(wanted), abs=1e-6)  # each pool keeps its mean
    if all(b - a >= gap for a, b in pairwise(wanted)):
        assert places == pytest.approx(wanted, abs=1e-6)
