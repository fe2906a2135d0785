# SPDX-License-Identifier: Apache-2.0
"""Proofs as data: statement, status and reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Status = Literal["proved", "refuted", "not proved", "not run", "nothing owed"]
NOT_RUN: Status = "not run"
NOTHING_OWED: Status = "nothing owed"
NOT_PROVED: Status = "not proved"


@dataclass(frozen=True)
class Verdict:
    """Verdict of a solver.

    Parameters
    ----------
    status : str
        "proved" only when every case is covered.
    detail : str
        The counter-example of what is refuted, the reason of what was not run; empty for what is proved.
    """

    status: Status
    detail: str = ""


PROVED = Verdict("proved")


@dataclass(frozen=True)
class Proof:
    """One statement about a core, and what became of it.

    Parameters
    ----------
    name : str
        Short, unique within a core.
    statement : str
        What is claimed, complete enough to be checked by another tool.
    status : str
        "proved", "refuted" or "not run"; of a theorem "not proved"; or "nothing owed", where the statement is why
        there is nothing to prove.
    method : str
        Solvers and what they were given.
    detail : str
        See `Verdict`.
    seconds : float
        Time of the run that found it; no part of equality, and of no digest.
    """

    name: str
    statement: str
    status: Status
    method: str
    detail: str = ""
    seconds: float = field(default=0.0, compare=False)
