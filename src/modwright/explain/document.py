# SPDX-License-Identifier: Apache-2.0
"""The form of an explanation: plain values, as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

Value = int | list[int]
"""A field of a stream: a number, or the residues of one."""


class StepRow(TypedDict):
    """One step of the schedule: cycles are counted from the input transfer, `end` is the first to read its result."""

    name: str
    resource: str
    also: list[str]
    start: int
    busy: int
    end: int


class BaseRow(TypedDict):
    """Channels that fields of a stream are in, by the stream and the name of each field.

    Residues are stored times `scale`, whose formula is `times`; both are empty where residues are as they are.
    `product` says what the product of the moduli is, where numbers have it as a factor.
    """

    name: str
    fields: list[str]
    moduli: list[int]
    times: str
    scale: list[int]
    product: str


class NumberRow(TypedDict):
    """One value of a number inside, with the cycle in which it can be read, None where no step is stated."""

    name: str
    value: int
    cycle: int | None
    meaning: str
    why: str
    least: int
    most: int


class RegisterRow(TypedDict):
    """One register: its value in each cycle from 0 to the one with the result valid."""

    name: str
    bits: int
    values: list[int]


class Explanation(TypedDict):
    """One operation; `stored` has the form of each field of a stream that is not the plain number, and `bases` have the
    moduli of those in residues. `command` makes the same core again, with the same operands."""

    format: str
    core: str
    summary: str
    source: str
    function: str
    lead: str
    request: Mapping[str, object]
    modulus: str
    options: Mapping[str, object]
    command: str
    operation: str
    operands: Mapping[str, int]
    input: Mapping[str, Value]
    output: Mapping[str, Value]
    stored: Mapping[str, str]
    bases: list[BaseRow]
    result: Mapping[str, object]
    cycles: int
    schedule: Mapping[str, object]
    contract: Mapping[str, list[str]]
    steps: list[StepRow]
    numbers: list[NumberRow]
    registers: list[RegisterRow]
    blocks: list[dict[str, object]]
    boxes: dict[str, str]
