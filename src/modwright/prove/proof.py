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
        Counter-example of a refuted statement, reason for one that was not run; empty for a proved one.
    """

    status: Status
    detail: str = ""


PROVED = Verdict("proved")


@dataclass(frozen=True)
class Proof:
    """One statement about a core, with its verdict.

    Parameters
    ----------
    name : str
        Short name, unique within a core.
    statement : str
        Claim, complete enough to be checked by another tool.
    status : str
        "proved", "refuted" or "not run"; of a theorem "not proved"; or "nothing owed", where the statement is the
        reason.
    method : str
        Solvers and their queries.
    detail : str
        See `Verdict`.
    seconds : float
        Time of the run that decided it; part of no comparison and of no digest.
    """

    name: str
    statement: str
    status: Status
    method: str
    detail: str = ""
    seconds: float = field(default=0.0, compare=False)
