# SPDX-License-Identifier: Apache-2.0
"""The plan of an operation: steps on resources, and what follows: latency, initiation interval, microcode, constant
latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from ..base.errors import ParameterError
from .microcode import Microcode
from .pace import Pace, spread
from .shares import Share, UnitCycles, shares_of, work_of_steps


@dataclass(frozen=True)
class Step:
    """One use of one resource by one operation.

    Parameters
    ----------
    name : str
        Result of the step in the paper's symbols.
    resource : str
        The unit that is busy.
    start : int
        Cycle of the step, counted from the input transfer (cycle 0).
    busy : int
        Cycles for which the resource cannot take another step (≥ 1).
    latency : int
        Cycles until the result can be read: at `start` + `latency`. At least 1.
    control : mapping of str to int
        Control fields asserted in cycle `start`; empty when the effect follows from an earlier step.
    after : tuple of str
        Names of the steps whose results are read; checked against their latencies.
    depends_on_data : bool
        The step's presence or time follows from operand values.
    also : tuple of str
        Other units that work in the same cycles, and for no step but this one, such as the memory whose word a
        multiplier takes.
    most : int
        Busy cycles in the longest operation, where they vary; 0 where they are `busy`.
    """

    name: str
    resource: str
    start: int
    busy: int = 1
    latency: int = 1
    control: Mapping[str, int] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    depends_on_data: bool = False
    also: tuple[str, ...] = ()
    most: int = 0

    @property
    def end(self) -> int:
        """First cycle in which the result can be read."""
        return self.start + self.latency


@dataclass(frozen=True)
class Schedule:
    """The steps of one operation, checked, with everything that follows from them.

    It is made once for a core: model and hardware take words, cycles and the schedules of their parts from it.

    Parameters
    ----------
    steps : tuple of Step
        Unique names.
    latency : int
        Cycles from the input transfer to the first cycle with the result valid.
    formula : str
        The latency in symbols, for the datasheet.
    minimum_interval : int
        A floor for the initiation interval that the steps alone do not show; 1 when there is none.
    burst : int
        Operations that one interval admits: those after the first follow at equal distances, or not at all. They share
        the resources, which the steps of one operation leave free in turn.
    burst_distance : int
        Distance between operations of a burst, in cycles.
    control : Microcode, optional
        Control words, where they are not the union of the steps' fields.
    parts : mapping of str to Schedule
        Schedules of the units and parts that the core is made of, by name.
    counted : mapping, optional
        Work of each unit, where the steps do not show every use: those of a loop or a program that runs its parts
        again and again.
    aligned : bool
        Whether operations in flight start at multiples of the interval only, as where their control words are read by
        the cycle modulo the interval.

    Raises
    ------
    ParameterError
        When a step reads a result before it is valid, or no interval is free of conflicts.
    """

    steps: tuple[Step, ...]
    latency: int
    formula: str
    minimum_interval: int = 1
    burst: int = 1
    burst_distance: int = 1
    control: Microcode | None = None
    parts: Mapping[str, Schedule] = field(default_factory=dict)
    counted: UnitCycles | None = None
    aligned: bool = False

    def __post_init__(self) -> None:
        by_name = self._by_name
        if len(by_name) != len(self.steps):
            raise ValueError("two steps of a schedule have the same name")
        for step in self.steps:
            for name in step.after:
                if by_name[name].end > step.start:
                    raise ParameterError(
                        f"schedule: {step.name} starts before {name} is readable",
                        rule="start(step) >= start(source) + latency(source)",
                        left=step.start,
                        right=by_name[name].end,
                    )
        if max(s.end for s in self.steps) > self.latency:
            raise ValueError("a step ends after the stated latency")

    @property
    def pace(self) -> str:
        """The interval in words, from the least to the most where it varies."""
        operations = "an operation" if self.burst == 1 else f"{self.burst} operations"
        return f"{operations} every {spread(self.interval, self.longest_interval)}"

    @property
    def length(self) -> str:
        """The latency in words, from the least to the most where it varies."""
        return ("" if self.constant_time else "from ") + spread(self.shortest_latency, self.latency)

    def pace_at(self, mean_latency: Fraction | float | None) -> Pace:
        """Cycles between two operations at full rate, for this mean latency; see `Pace.of`."""
        return Pace.of(self.interval, self.latency, self.burst, self.constant_time, mean_latency)

    @property
    def longest_interval(self) -> int:
        """Cycles between two operations, or bursts, at full rate when the first one takes the most; see `Pace.of`."""
        return int(self.pace_at(None).most * self.burst)

    @property
    def shortest_latency(self) -> int:
        """Cycles of the shortest operation: a core whose cycles vary is idle for one cycle an operation after it."""
        return self.latency if self.constant_time else self.interval - self.burst

    @cached_property
    def constant_time(self) -> bool:
        """Whether no step's presence or time depends on operand values, so that the latency is constant: computed, not
        claimed. Addresses and enables may depend on them all the same; see `prove.dependence`."""
        return not any(s.depends_on_data for s in self.steps)

    @cached_property
    def span(self) -> int:
        """One more than the last cycle with a control word."""
        return 1 + max((s.start for s in self.steps if s.control), default=0)

    @cached_property
    def occupancy(self) -> dict[str, int]:
        """Cycles in which one operation keeps each resource busy: bit t for cycle t."""
        result: dict[str, int] = {}
        for step in self.steps:
            cycles = ((1 << step.busy) - 1) << step.start
            if (twice := result.get(step.resource, 0) & cycles) != 0:
                raise ValueError(f"{step.resource} is used twice in cycle {twice.bit_length() - 1}")
            result[step.resource] = result.get(step.resource, 0) | cycles
        return result

    def collides(self, distance: int) -> bool:
        """Whether two operations that start `distance` cycles apart want one resource in the same cycle."""
        return any(cycles & cycles >> distance for cycles in self.occupancy.values())

    @property
    def _horizon(self) -> int:
        """The last cycle in which a resource is busy."""
        return max(cycles.bit_length() for cycles in self.occupancy.values()) - 1

    @cached_property
    def interval(self) -> int:
        """Initiation interval: the least D ≥ `minimum_interval` such that no multiple of D collides.

        Where cycles depend on operands this is the interval of the shortest operation, which no workload sustains:
        `pace_at` has the mean and the maximum.
        """
        interval = self.minimum_interval
        while any(self.collides(distance) for distance in range(interval, self._horizon + 1, interval)):
            interval += 1
        return interval

    @cached_property
    def forbidden(self) -> frozenset[int]:
        """Distances above the interval at which two starts collide (Davidson's collision vector); where starts are
        aligned, all that are not multiples of it while an operation is in flight."""
        distances = range(self.interval, self._horizon + 1)
        return frozenset(d for d in distances if (self.aligned and d % self.interval) or self.collides(d))

    @cached_property
    def words(self) -> tuple[dict[str, int], ...]:
        """Control word of each cycle in [0, span): the union of the fields of the steps that start there."""
        rows: list[dict[str, int]] = [{} for _ in range(self.span)]
        for step in self.steps:
            for name, value in step.control.items():
                if rows[step.start].get(name, value) != value:
                    raise ValueError(f"control field {name} has two values in cycle {step.start}")
                rows[step.start][name] = value
        return tuple(rows)

    @cached_property
    def microcode(self) -> Microcode:
        """Control words from cycle 1 on: `control`, or the fields of the steps.

        Raises
        ------
        ValueError
            When cycle 0, in which the operands are still at the input, has a control word.
        """
        if self.control is not None:
            return self.control
        if any(self.words[0].values()):
            raise ValueError("control word 0 of a schedule must be zero")
        return Microcode(self.words[1:], self.interval)

    @cached_property
    def work(self) -> UnitCycles:
        """Cycles in which one operation keeps each unit busy: `counted`, or those of the steps."""
        if self.counted is not None:
            return self.counted
        uses = (
            (unit, step.start, step.busy, step.most or step.busy)
            for step in self.steps
            for unit in (step.resource, *step.also)
        )
        return work_of_steps(uses, self.burst)

    @cached_property
    def shares(self) -> tuple[Share, ...]:
        """Share of time in which each unit works while operations follow each other at full rate."""
        return shares_of(self.work, self.burst, (self.interval, self.longest_interval))

    @cached_property
    def _by_name(self) -> dict[str, Step]:
        return {s.name: s for s in self.steps}

    def step(self, name: str) -> Step:
        """The step of that name."""
        return self._by_name[name]

    def to_json(self) -> dict[str, object]:
        """Document of the schedule for report.json and the Gantt picture."""
        return {
            "latency": self.latency,
            "interval": self.interval,
            "longest_interval": self.longest_interval,
            "shortest_latency": self.shortest_latency,
            "formula": self.formula,
            "constant_latency": self.constant_time,
            "constant_time": self.constant_time,
            "steps": [
                {
                    "name": s.name,
                    "resource": s.resource,
                    "start": s.start,
                    "busy": s.busy,
                    "latency": s.latency,
                }
                for s in self.steps
            ],
            "shares": [share.to_json() for share in self.shares],
        }


def chain(parts: Sequence[tuple[str, Schedule, int]], latency: int, formula: str) -> Schedule:
    """Schedule of data paths that follow each other, each with control words of its own.

    Parameters
    ----------
    parts : sequence of (str, Schedule, int)
        Name, schedule and first cycle of each; names and resources get the name in front.
    latency : int
        Latency of the whole in cycles.
    formula : str
        The latency in symbols.
    """
    steps = []
    for name, part, offset in parts:
        for step in part.steps:
            steps.append(
                replace(
                    step,
                    name=f"{name}: {step.name}",
                    resource=f"{name}: {step.resource}",
                    also=tuple(f"{name}: {unit}" for unit in step.also),
                    start=step.start + offset,
                    after=tuple(f"{name}: {source}" for source in step.after),
                    control={},
                )
            )
    return Schedule(
        tuple(steps),
        latency,
        formula,
        max(part.minimum_interval for _, part, _ in parts),
        parts={name: part for name, part, _ in parts},
    )
