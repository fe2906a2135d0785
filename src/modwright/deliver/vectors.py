# SPDX-License-Identifier: Apache-2.0
"""Golden vectors: operations with the payloads and the cycles of the model."""

from __future__ import annotations

from dataclasses import dataclass

from ..base.json import JsonObject
from ..contract import PayloadValue, Stateful
from ..functions.cases import edge_cases, encode_cases, plain_cases, random_cases
from ..prepared import Prepared

CYCLES = 60_000
"""Approximate cycles of all operations together: Icarus runs them in some minutes on a large core."""
MOST, LEAST = 64, 2
SEED = 1
"""Seed of the random operands; the same vectors in every package of a request."""


@dataclass(frozen=True)
class Vector:
    """One operation.

    Parameters
    ----------
    case : dict
        Plain operands.
    operands, result : dict
        Payloads.
    cycles : int
        Cycles from the transfer of the operands to the result.
    """

    case: JsonObject
    operands: dict[str, PayloadValue]
    result: dict[str, PayloadValue]
    cycles: int


def golden(prepared: Prepared) -> list[Vector]:
    """Edges and random operands: half and half where there are more edges than places. Of a core with registers a
    program follows that reads no register which it has not written, so that it can run again and again."""
    each = prepared.schedule.latency + prepared.schedule.interval
    count = max(LEAST, min(MOST, CYCLES // each))
    edges = edge_cases(prepared, products=False, extremes=False)
    drawn = plain_cases(prepared, max(count - len(edges), count // 2), SEED)
    cases = [*edges[: count - len(drawn)], *drawn]
    found = []
    for case, operands in zip(cases, encode_cases(prepared, cases), strict=True):
        outcome = prepared.outcome(operands)
        found.append(Vector(dict(case), operands, outcome.payload, outcome.cycles))
    return [*found, *_program(prepared, count)]


def _program(prepared: Prepared, count: int) -> list[Vector]:
    """At most `count` operations on registers, without those that are an error; none for a core without registers."""
    codec, registers = prepared.codec, dict[str, PayloadValue]()
    if not isinstance(codec, Stateful):
        return []
    found: list[Vector] = []
    for case in random_cases(prepared, count, SEED):
        operands = encode_cases(prepared, [case])[0]
        known = operands | registers
        reading = codec.read(known)
        if reading is not None and reading.error is None:
            outcome = prepared.outcome(known)
            registers |= codec.written(known, outcome.payload)
            found.append(Vector(dict(reading.case), operands, outcome.payload, outcome.cycles))
    return found
