# SPDX-License-Identifier: Apache-2.0
"""Pins of clock gates and latches in the text of a Liberty file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

GATES_CLOCK = ("latch_posedge", "latch_posedge_precontrol")
"""Kinds of clock gate, `clock_gating_integrated_cell`, for registers that take a word at the rising edge; a later one
has a pin more, for tests."""


@dataclass(frozen=True)
class ClockGate:
    """Pins of a clock gate: the clock passes to `output` where `enable` was 1 before its edge; `tests` are 0."""

    enable: str
    clock: str
    output: str
    tests: tuple[str, ...] = ()


@dataclass(frozen=True)
class Latch:
    """Pins of a latch that is open while `enable` is 1, without set and reset."""

    enable: str
    data: str
    output: str


def groups(text: str, kind: str) -> Iterator[tuple[str, str]]:
    """Name and body of each group of a kind, outermost only."""
    pattern = re.compile(rf"\b{kind}\s*\(\s*\"?([^\"()]*?)\"?\s*\)\s*\{{")
    at = 0
    while match := pattern.search(text, at):
        at = end_of(text, match.end())
        yield match[1].strip(), text[match.end() : at - 1]


def end_of(text: str, start: int) -> int:
    """The place after the brace that closes the group whose body begins at `start`."""
    depth = 1
    for brace in re.finditer(r"[{}]", text[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return start + brace.end()
    return len(text)


def clock_gate_of(body: str) -> ClockGate | None:
    """Pins of a cell that gates a clock for the rising edge; None for another one."""
    kind = re.search(r"\bclock_gating_integrated_cell\s*:\s*\"?(\w+)", body)
    if kind is None or kind[1] not in GATES_CLOCK:
        return None
    pins: dict[str, list[str]] = {}
    for pin, inside in groups(body, "pin"):
        for role in re.findall(r"\bclock_gate_(\w+)_pin\s*:\s*\"?true", inside):
            pins.setdefault(role, []).append(pin)
    if any(len(pins.get(role, ())) != 1 for role in ("enable", "clock", "out")):
        return None
    return ClockGate(pins["enable"][0], pins["clock"][0], pins["out"][0], tuple(pins.get("test", ())))


def latch_of(body: str) -> Latch | None:
    """Pins of a latch for a clock that is open at 1, with one output, of the group of a cell; None for another cell."""
    group = re.search(r"\blatch\s*\(([^)]*)\)\s*\{", body)
    if group is None:
        return None
    inside = body[group.end() : end_of(body, group.end()) - 1]
    known = {name: text.strip() for name, text in re.findall(r"\b(\w+)\s*:\s*\"?([^\";]*?)\"?\s*;", inside)}
    pins = dict(groups(body, "pin"))
    enable, data = known.get("enable", ""), known.get("data_in", "")
    clocked = re.search(r"\bclock\s*:\s*\"?true", pins.get(enable, ""))
    isolates = re.search(r"\bis_isolation_cell\s*:\s*\"?true", body)
    if not clocked or isolates or data not in pins or known.keys() & {"clear", "preset"}:
        return None
    functions = {pin: re.search(r"\bfunction\s*:\s*\"([^\"]*)\"", text) for pin, text in pins.items()}
    outputs = [(pin, found[1].strip()) for pin, found in functions.items() if found]
    state = re.findall(r"\w+", group[1])[:1]
    return Latch(enable, data, outputs[0][0]) if [text for _, text in outputs] == state else None
