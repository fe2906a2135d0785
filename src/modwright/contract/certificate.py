# SPDX-License-Identifier: Apache-2.0
"""Certificates: the inequalities that make a set of parameters correct, in exact numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..base.errors import ParameterError
from ..base.json import exact_text


@dataclass(frozen=True)
class Inequality:
    """One condition of a certificate: left `relation` right, in exact numbers.

    Parameters
    ----------
    name : str
        Short identifier, stable across versions.
    rule : str
        The condition in symbols, as a reader checks it.
    left, right : int or Fraction
        Both sides.
    relation : str
        One of ``<``, ``<=``, ``=``, ``>=``, ``>``.
    why : str
        Consequence of a failure, and the source.
    stronger : str
        Reason for which the condition is stronger than needed, or implied by another one; empty where some operands
        give a wrong result as soon as it fails (tests/certificates has them).
    """

    name: str
    rule: str
    left: int | Fraction
    relation: str
    right: int | Fraction
    why: str = ""
    stronger: str = ""

    @property
    def holds(self) -> bool:
        """Whether the condition is true."""
        left, right = self.left, self.right
        return {
            "<": left < right,
            "<=": left <= right,
            "=": left == right,
            ">=": left >= right,
            ">": left > right,
        }[self.relation]

    @property
    def slack(self) -> int | Fraction:
        """Distance between the two sides, positive when the inequality holds with room (0 for an equality)."""
        return self.right - self.left if self.relation.startswith("<") else self.left - self.right

    def refusal(self, message: str, hint: str = "") -> ParameterError:
        """The error for parameters that violate the inequality, with rule and numbers."""
        return ParameterError(message, rule=self.rule, left=self.left, right=self.right, hint=hint)


@dataclass(frozen=True)
class Certificate:
    """The inequalities that make one set of parameters correct."""

    inequalities: tuple[Inequality, ...]

    @property
    def failing(self) -> Inequality | None:
        """The first inequality that does not hold."""
        return next((i for i in self.inequalities if not i.holds), None)

    def to_json(self) -> list[dict[str, str]]:
        """Rows for report.json, numbers as exact strings."""
        return [
            {
                "name": i.name,
                "rule": i.rule,
                "left": exact_text(i.left),
                "relation": i.relation,
                "right": exact_text(i.right),
                "slack": exact_text(i.slack),
                "holds": "yes" if i.holds else "no",
                "why": i.why,
                "stronger": i.stronger,
            }
            for i in self.inequalities
        ]
