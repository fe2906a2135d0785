# SPDX-License-Identifier: Apache-2.0
"""The question and the answer of a choice."""

from __future__ import annotations

from dataclasses import dataclass

from ..compare import Work
from .candidates import Candidate, doubt
from .goals import SMALLEST, Goal, Limits, Part

SHOWN = 3
"""Candidates of an answer, each of another core."""


@dataclass(frozen=True)
class Question:
    """A question: which cores for this work.

    Parameters
    ----------
    work : Work
    goal : Goal
    limits : Limits
    part : Part
        The device that area is held against.
    """

    work: Work
    goal: Goal
    limits: Limits
    part: Part

    @property
    def family(self) -> str:
        """The family whose records are looked at, or the library of cells."""
        return self.part.name if self.part.cells else self.work.target

    @property
    def cost_words(self) -> str:
        """The cost that is compared, in words."""
        return "gates" if self.part.cells and self.goal.name == SMALLEST else self.goal.words


@dataclass(frozen=True)
class Choice:
    """The answer.

    Parameters
    ----------
    question : Question
    best : tuple of Candidate
        At most `SHOWN`, the best first, each of another core.
    looked_at : int
        Candidates whose cost is known and that keep the limits.
    left_out : tuple of (str, str)
        Cores or variants that are out of the question, and why.
    unseen : tuple of str
        Candidates that there was no time for.
    unfinished : tuple of str
        Candidates whose synthesis was ended when the time was over.
    seconds : float
        Time that it took.
    """

    question: Question
    best: tuple[Candidate, ...]
    looked_at: int
    left_out: tuple[tuple[str, str], ...]
    unseen: tuple[str, ...]
    unfinished: tuple[str, ...]
    seconds: float

    def reason(self, number: int) -> str:
        """Reason for the candidate of that number, compared with the first."""
        first, own = self.best[0], self.best[number]
        unsure = doubt(own, self.question.goal, self.question.limits)
        if number == 0:
            return ", ".join(filter(None, (f"{self.question.goal.best} of {self.looked_at} looked at", unsure)))
        pairs = (("area", first.whole_area, own.whole_area), ("time of one operation", first.ns, own.ns))
        pairs += (("rate", first.rate, own.rate),)
        ratios = [f"{b / a:.2f} times the {what}" for what, a, b in pairs if a and b]
        compared = f"{', '.join(ratios)} of the first" if ratios else "not compared with the first"
        return ", ".join(filter(None, (compared, unsure)))

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        rows = [{**candidate.to_json(), "reason": self.reason(number)} for number, candidate in enumerate(self.best)]
        return {
            "format": "modwright-choice/1",
            "function": self.question.work.function,
            "work": self.question.work.named,
            "target": self.question.work.target,
            "device": self.question.part.name,
            "goal": self.question.goal.name,
            "cost": self.question.cost_words,
            "lut_of_block": round(self.question.part.lut_of_block, 1),
            "area_unit": self.question.part.unit,
            "limits": dict(self.question.limits.given),
            "best": rows,
            "looked_at": self.looked_at,
            "left_out": [{"core": name, "reason": reason} for name, reason in self.left_out],
            "unseen": list(self.unseen),
            "unfinished": list(self.unfinished),
        }
