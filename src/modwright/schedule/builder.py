# SPDX-License-Identifier: Apache-2.0
"""Schedules under construction."""

from __future__ import annotations

from dataclasses import dataclass, field

from .schedule import Step


@dataclass
class StepList:
    """Steps that are added one by one.

    Attributes
    ----------
    steps : list of Step
    """

    steps: list[Step] = field(default_factory=list, init=False)

    def add(
        self,
        name: str,
        resource: str,
        start: int,
        *,
        busy: int = 1,
        latency: int = 1,
        after: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
        **control: int,
    ) -> None:
        """One step; control fields that are 0 are left out."""
        fields = {key: value for key, value in control.items() if value}
        self.steps.append(Step(name, resource, start, busy, latency, fields, after, also=also))
