# SPDX-License-Identifier: Apache-2.0
"""Bits that compare inputs with constants, segment by segment, as functions of comparisons of whole inputs."""

from __future__ import annotations

from itertools import product
from math import prod

from .netlist import GATES, Node, constant

MOST_BOXES = 4096
"""Largest number of boxes of values that are examined for one bit."""

Test = tuple[Node, int, int, str, int]
"""Input, lowest bit, bits, "less", "more" or "not", and a constant."""
Box = dict[tuple[Node, int, int], tuple[int, int]]
"""The least and the largest value of each segment."""


def compared(n: Node) -> tuple[list[tuple[Node, int]], int]:
    """Inputs with limits, and the truth table of the bit over "input above its limit"; empty for any other bit.

    Between the constants that a segment is compared with, all tests of it have one result; so the bit has one value in
    a box of such intervals, and so has the comparison of an input where it has at both of the box's corners.
    """
    tests: dict[int, Test] = {}
    if not _gather_tests(n, tests) or len(tests) < 2:
        return [], 0
    inputs = list(dict.fromkeys(test[0] for test in tests.values()))
    boxes = [_boxes(m, [test for test in tests.values() if test[0] is m]) for m in inputs]
    if not all(boxes) or prod(map(len, boxes)) > MOST_BOXES:
        return [], 0

    def bit(chosen: list[Box]) -> int:
        return _bit_in(n, tests, {segment: low for box in chosen for segment, (low, _) in box.items()})

    least = [each[0] for each in boxes]
    limits: list[int] = []
    for k, each in enumerate(boxes):
        limits.append(max(_end(box, 1) for box in each if bit([*least[:k], box, *least[k + 1 :]]) == bit(least)))
    table: dict[int, int] = {}
    for chosen in product(*boxes):
        low, high = (sum((_end(box, k) > limits[i]) << i for i, box in enumerate(chosen)) for k in (0, 1))
        if low != high or table.setdefault(low, bit(list(chosen))) != bit(list(chosen)):
            return [], 0
    return list(zip(inputs, limits, strict=True)), sum(value << row for row, value in table.items())


def _gather_tests(n: Node, tests: dict[int, Test]) -> bool:
    """Collect the tests that gates combine into a bit; false where the bit depends on anything else."""
    if id(n) in tests:
        return True
    if n[0] in ("less", "nonzero"):
        test = _test(n)
        if test is not None:
            tests[id(n)] = test
        return test is not None
    inside = [value[0][0] for value in n[2]] if n[1] == 1 and n[0] in (*GATES, "$not") else [None]
    return all(m is not None and _gather_tests(m, tests) for m in inside)


def _test(n: Node) -> Test | None:
    if n[0] == "less" and not n[2][2]:
        for k, kind in enumerate(("more", "less")):
            number, value = constant(n[2][k]), n[2][1 - k]
            if number is not None and len(value) == 1 and value[0][0][0] == "input":
                return *value[0], kind, number
        return None
    pieces = []
    for m, low, bits in n[2][0] if n[0] == "nonzero" else ():
        inverted = m[0] == "$not"
        m, low = (m[2][0][0][0], m[2][0][0][1] + low) if inverted else (m, low)
        pieces.append((low, bits, m, inverted))
    pieces.sort(key=lambda piece: piece[0])
    at = first = pieces[0][0] if pieces else 0
    number = 0
    for low, bits, m, inverted in pieces:
        if low != at or m is None or m[0] != "input" or m is not pieces[0][2]:
            return None
        number, at = number | (((1 << bits) - 1) << (low - first) if inverted else 0), at + bits
    return (pieces[0][2], first, at - first, "not", number) if pieces else None


def _bit_in(n: Node, tests: dict[int, Test], values: dict[tuple[Node, int, int], int]) -> int:
    """The bit where segments have values."""
    if id(n) in tests:
        m, low, bits, kind, number = tests[id(n)]
        value = values[m, low, bits]
        return int({"less": value < number, "more": value > number, "not": value != number}[kind])
    inside = [_bit_in(value[0][0], tests, values) for value in n[2]]
    return GATES[n[0]](*inside) if n[0] in GATES else 1 - inside[0]


def _boxes(m: Node, tests: list[Test]) -> list[Box]:
    """Boxes of an input, the least first; none where segments overlap or leave bits out."""
    segments = sorted({test[1:3] for test in tests})
    if [low for low, _ in segments] + [m[1]] != [0, *(sum(segment) for segment in segments)]:
        return []
    spans = []
    for low, bits in segments:
        numbers = {test[4] for test in tests if test[1:3] == (low, bits)}
        starts = sorted({0, *numbers, *(k + 1 for k in numbers)} - {1 << bits})
        spans.append([(a, b - 1) for a, b in zip(starts, [*starts[1:], 1 << bits], strict=True)])
    if prod(map(len, spans)) > MOST_BOXES:
        return []
    return [{(m, *segment): span for segment, span in zip(segments, chosen, strict=True)} for chosen in product(*spans)]


def _end(box: Box, k: int) -> int:
    """The least or the largest input of a box."""
    return sum(span[k] << low for (_, low, _), span in box.items())
