# SPDX-License-Identifier: Apache-2.0
"""Every state of an and-inverter graph that can be reached, with bits that are never defined as unknown.

A state is a value of each register: 0, 1 or unknown. From the first one all successors are found, for all values of
some inputs; the others are unknown in every cycle. An unknown bit stands for both values, so a bit that is 0 in all
these states is 0 in every run. Control of a core has few hundred such states, where the graph has hundreds of
registers. All states that are found in one step are followed at once: a signal is a number with a bit for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_STATES = 50_000
"""Most states that are followed; a core of 256 bits has some hundred to some thousand."""
MOST_AT_ONCE = 4096
"""Most states that are followed in one step."""


@dataclass(frozen=True)
class Graph:
    """An and-inverter graph; a literal is twice the number of a signal, and one more for its complement.

    Parameters
    ----------
    inputs : int
        Signals 1 to `inputs`; those of the registers follow, and then the gates.
    registers : tuple of tuple of int
        Literal of the next value, and the first value: 0, 1, or -1 for unknown.
    outputs : tuple of int
    gates : tuple of tuple of int
        Two literals of each conjunction.
    """

    inputs: int
    registers: tuple[tuple[int, int], ...]
    outputs: tuple[int, ...]
    gates: tuple[tuple[int, int], ...]


def read_graph(path: Path) -> Graph:
    """The graph in a binary AIGER file (Biere, "The AIGER And-Inverter Graph (AIG) Format", 2007, section 3)."""
    head, rest = path.read_bytes().split(b"\n", 1)
    _, inputs, latches, outputs, gates = (int(number) for number in head.split()[1:6])
    lines = rest.split(b"\n", latches + outputs)
    rows = [[int(number) for number in line.split()] for line in lines[:latches]]
    registers = tuple((row[0], row[1] if row[1:] in ([0], [1]) else -1 if row[1:] else 0) for row in rows)
    numbers = _numbers(lines[-1], 2 * gates)
    pairs: list[tuple[int, int]] = []
    for k in range(gates):
        first = 2 * (inputs + latches + 1 + k) - numbers[2 * k]
        pairs.append((first, first - numbers[2 * k + 1]))
    return Graph(inputs, registers, tuple(int(line) for line in lines[latches:-1]), tuple(pairs))


def _numbers(data: bytes, count: int) -> list[int]:
    """Numbers in groups of seven bits, the lowest first."""
    found: list[int] = []
    value = place = 0
    for byte in data:
        if len(found) == count:
            break
        value |= (byte & 0x7F) << place
        place += 7
        if byte < 0x80:
            found.append(value)
            value = place = 0
    return found


def never_one(graph: Graph, free: Sequence[int], most: int = MOST_STATES) -> bool:
    """Whether no output can be 1 in any state that is reached; false, too, where there are more states than `most`.

    Parameters
    ----------
    graph : Graph
    free : sequence of int
        Indices of the inputs all of whose values are tried; the others are unknown.
    most : int
    """
    first = [{0: "01", 1: "10", -1: "11"}[value] for _, value in graph.registers]
    row = "".join(pair[0] for pair in first) + "".join(pair[1] for pair in first)
    seen, queue = {row}, [row]
    while queue:
        states, queue = queue[:MOST_AT_ONCE], queue[MOST_AT_ONCE:]
        following = _step(graph, free, states)
        if following is None:
            return False
        queue += following - seen
        seen |= following
        if len(seen) > most:
            return False
    return True


def _step(graph: Graph, free: Sequence[int], states: Sequence[str]) -> set[str] | None:
    """States after some; None where an output may be 1. A state has a digit for each register that may be 1, and then
    one for each that may be 0."""
    choices = 1 << len(free)
    lanes = len(states) * choices
    every = (1 << lanes) - 1
    may = [every] * (2 * (graph.inputs + len(graph.registers) + len(graph.gates) + 1))  # of each literal
    may[0] = 0
    for place, index in enumerate(free):
        ones = int("".join(str(choice >> place & 1) * len(states) for choice in range(choices)), 2)
        may[2 * index + 2 : 2 * index + 4] = ones, every ^ ones
    columns = ["".join(column) for column in zip(*states, strict=True)]
    for k in range(len(graph.registers)):
        for end in (0, 1):
            column = columns[k + end * len(graph.registers)]
            may[2 * (graph.inputs + 1 + k) + end] = int(column * choices, 2)
    at = 2 * (graph.inputs + len(graph.registers) + 1)
    for first, second in graph.gates:
        may[at] = may[first] & may[second]
        may[at + 1] = may[first ^ 1] | may[second ^ 1]
        at += 2
    if any(may[output] for output in graph.outputs):
        return None
    digits = f"0{lanes}b"
    rows = [format(may[literal ^ end], digits) for end in (0, 1) for literal, _ in graph.registers]
    return {"".join(row) for row in zip(*rows, strict=True)} if rows else {""}
