# SPDX-License-Identifier: Apache-2.0
"""Bits that compare inputs with constants, segment by segment: functions of one comparison of each whole input.

Only tests read a segment of an input: is it below a constant, above one, or different from one. These
constants divide its values into intervals in each of which all tests have one result. So the bit has one value in each
box of intervals, one of each segment. For each box the bit is compared with the test of the whole input against a
limit, at both of the box's corners: that test is monotone, so it is the same all over the box.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod

from .pieces import Node, Piece, Value, number_of
from .ternary import ones

MOST_BOXES = 4096
"""Boxes of all inputs of a bit, with 3^s for s segments: one input of seven segments, or two of three."""

Span = tuple[int, int]
"""An interval, both ends included."""


@dataclass(frozen=True)
class SegmentTest:
    """A test of a segment of an input against a constant: "below", "above" or "other"."""

    source: Node
    low: int
    bits: int
    kind: str
    constant: int

    @property
    def segment(self) -> Span:
        """Lowest bit, and bits."""
        return self.low, self.bits

    def of(self, value: int) -> int:
        """The result for a value of the segment."""
        results = {"below": value < self.constant, "above": value > self.constant, "other": value != self.constant}
        return int(results[self.kind])


@dataclass(frozen=True)
class Comparisons:
    """A bit as a function of comparisons.

    Parameters
    ----------
    limits : mapping of Node to int
        Limit with which each input is compared.
    table : int
        Bit n is the value where comparison k is bit k of n.
    """

    limits: Mapping[Node, int]
    table: int


Box = Mapping[Span, Span]
"""An interval of each segment."""


def compared(node: Node) -> Comparisons | None:
    """The comparisons on which a bit depends; None where it depends on anything else."""
    tests: dict[Value, SegmentTest] = {}
    bit = (node, 0, 1)
    if node.width != 1 or not _gather((bit,), tests) or len(tests) < 2:
        return None
    inputs = sorted({test.source for test in tests.values()}, key=lambda source: source.number)
    boxes = [list(_boxes([test for test in tests.values() if test.source is source])) for source in inputs]
    if not all(boxes) or prod(map(len, boxes)) > MOST_BOXES:
        return None
    values: dict[tuple[int, ...], int] = {}
    for places in product(*(range(len(each)) for each in boxes)):
        chosen = {one: each[place] for one, each, place in zip(inputs, boxes, places, strict=True)}
        results = {key: test.of(chosen[test.source][test.segment][0]) for key, test in tests.items()}
        values[places] = _value((bit,), results)
    return _of_limits(inputs, boxes, values)


def _of_limits(
    inputs: Sequence[Node], boxes: Sequence[Sequence[Box]], values: Mapping[tuple[int, ...], int]
) -> Comparisons | None:
    """The bit by limits, from its values in boxes; None where no limits give it."""
    limits: list[int] = []
    least = (0,) * len(inputs)
    for k, each in enumerate(boxes):
        alone = [values[(*least[:k], place, *least[k + 1 :])] for place in range(len(each))]
        limits.append(max(_corner(box, 1) for box, value in zip(each, alone, strict=True) if value == values[least]))
    table: dict[int, int] = {}
    for places, value in values.items():
        low, high = (
            sum((_corner(boxes[k][place], end) > limits[k]) << k for k, place in enumerate(places)) for end in (0, 1)
        )
        if low != high or table.setdefault(low, value) != value:
            return None
    return Comparisons(dict(zip(inputs, limits, strict=True)), sum(value << row for row, value in table.items()))


def _gather(value: Value, tests: dict[Value, SegmentTest]) -> bool:
    """Collect the tests on which a bit depends; false where it depends on anything else."""
    if value in tests:
        return True
    node = value[0][0]
    if node is None:
        return True
    test = _test_of(node)
    if test is not None:
        tests[value] = test
        return True
    return node.op == "bitwise" and node.width == 1 and all(_gather(leaf, tests) for leaf in node.args)


def _value(value: Value, results: Mapping[Value, int]) -> int:
    """The bit where tests have results."""
    if value in results:
        return results[value]
    node, low, _ = value[0]
    if node is None:
        return low
    return node.table >> sum(_value(leaf, results) << k for k, leaf in enumerate(node.args)) & 1


def _test_of(node: Node) -> SegmentTest | None:
    if node.op == "less" and not node.table:
        for k, kind in enumerate(("above", "below")):
            constant, segment = number_of(node.args[k]), _segment(node.args[1 - k])
            if constant is not None and segment is not None:
                return SegmentTest(*segment, kind, constant)
    if node.op == "nonzero":
        pieces = sorted(((*_inverted(piece), piece[2]) for piece in node.args[0]), key=lambda item: item[2])
        source, low, constant, at = pieces[0][0], pieces[0][2], 0, pieces[0][2]
        for inner, inverted, start, bits in pieces:
            if inner is not source or start != at or inner is None or inner.op != "input":
                return None
            constant, at = constant | (ones(bits) << (start - low) if inverted else 0), at + bits
        return SegmentTest(source, low, at - low, "other", constant) if source is not None else None
    return None


def _inverted(piece: Piece) -> tuple[Node | None, bool, int]:
    """The node, whether it is inverted, and the lowest bit of a piece of an input."""
    node, low, _ = piece
    if node is not None and node.op == "bitwise" and node.table == 1 and len(node.args) == 1 and len(node.args[0]) == 1:
        inner, start, _ = node.args[0][0]
        return inner, True, start + low
    return node, False, low


def _segment(value: Value) -> tuple[Node, int, int] | None:
    node, low, bits = value[0]
    return (node, low, bits) if len(value) == 1 and node is not None and node.op == "input" else None


def _boxes(tests: Sequence[SegmentTest]) -> Iterator[Box]:
    """Boxes of an input, the least first; segments that overlap make none."""
    segments = sorted({test.segment for test in tests})
    spans = [list(_spans(bits, [t.constant for t in tests if t.segment == (low, bits)])) for low, bits in segments]
    if any(low + bits > following for (low, bits), (following, _) in pairwise(segments)):
        return
    if sum(bits for _, bits in segments) != tests[0].source.width or prod(map(len, spans)) > MOST_BOXES:
        return
    for chosen in product(*spans):
        yield dict(zip(segments, chosen, strict=True))


def _spans(bits: int, constants: Sequence[int]) -> Iterator[Span]:
    """Intervals of a segment's values: each constant, and those between."""
    at = 0
    for constant in sorted(set(constants)):
        if at < constant:
            yield at, constant - 1
        yield constant, constant
        at = constant + 1
    if at <= ones(bits):
        yield at, ones(bits)


def _corner(box: Box, end: int) -> int:
    """The least or the largest input of a box."""
    return sum(span[end] << low for (low, _), span in box.items())
