# SPDX-License-Identifier: Apache-2.0
"""Ladder steps in residues that a solver has found; `bench/schedule_residues.py` makes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ......engines.rowers.parameters import RowerField

STORED = Path(__file__).with_name("steps.json")


@dataclass(frozen=True)
class StoredStep:
    """A step.

    Parameters
    ----------
    rows : int
        Cycles of the hats on a bus.
    result : int
        Cycles from the address of a factor to a residue.
    period : int
        Cycles of a round.
    starts : mapping of str to (int, int)
        Cycles of the first product and of that of the second form, by operation.
    shortest : bool
        Whether the solver has shown that there is no shorter one.
    """

    rows: int
    result: int
    period: int
    starts: Mapping[str, tuple[int, int]]
    shortest: bool


@cache
def stored_steps() -> tuple[StoredStep, ...]:
    """Steps by the two numbers on which they depend."""
    documents = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    return tuple(
        StoredStep(
            document["rows"],
            document["result"],
            document["period"],
            {name: (start, second) for name, (start, second) in document["starts"].items()},
            document["shortest"],
        )
        for document in documents
    )


def stored_step(field: RowerField) -> StoredStep | None:
    """The step of a field, where there is one."""
    return next((step for step in stored_steps() if (step.rows, step.result) == (field.rows, field.result)), None)
