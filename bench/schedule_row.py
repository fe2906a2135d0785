# SPDX-License-Identifier: Apache-2.0
"""Make steps.json of cores/ecpm/ladder/plan/row: ladder steps and batches over a row multiplier of few cycles.

    python bench/schedule_row.py [--seconds 60] [--period CYCLES] [--bits 256,384,521] [--loops step,batch]
                                 [--contexts 1] [--slots 2] [--short-lives]

CP-SAT of OR-tools looks for a loop of a period: the read port, the write port, the register of X and the row have one
user in each cycle, counted modulo the period; operands are read when they are valid, and what a round hands on is
valid when the next one reads it. Periods are tried from `--period` on, or from the least that the row and the
dependencies allow. What is found is placed again by `RowPlacer`, which checks it. Where its values need more words
than there are, `--short-lives` looks for one that needs few, as long as `--seconds` allow.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Any

from ortools.sat.python import cp_model

from modwright.base.json import text_by_lines
from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.parameters.row import RowLadderParameters
from modwright.cores.ecpm.ladder.plan.formulas import CARRIED, EXCHANGED
from modwright.cores.ecpm.ladder.plan.row.formulas import BATCH_CARRIED, GRAPHS
from modwright.cores.ecpm.ladder.plan.row.steps import STORED, name_of
from modwright.engines.ladder.dataflow import GIVEN, MARK, MULTIPLICATIONS, OUT, RUN, TAKE, ZERO, Operation
from modwright.engines.orup.cycles import first
from modwright.engines.row.divsteps import TAKEN_F, TAKEN_G
from modwright.engines.row.machine import FOUND, RowMachine, machine_of, moving_cycles, steps_of
from modwright.prepared.registry import find

CORE = find("ecpm/row-ladder")
LOOPS: dict[str, tuple[Mapping[str, str], tuple[tuple[str, ...], ...]]] = {
    "step": (CARRIED, EXCHANGED),
    "batch": (BATCH_CARRIED, ()),
}
"""Values that a round of each loop hands on, and those that it exchanges."""


@dataclass
class _Timetable:
    """A loop of one period as a constraint problem.

    Parameters
    ----------
    label : str
    machine : RowMachine
    period : int
    """

    label: str
    machine: RowMachine
    period: int
    model: cp_model.CpModel = field(default_factory=cp_model.CpModel)
    starts: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.machine.row is not None
        self.row, self.graph = self.machine.row, GRAPHS[self.label]
        self.handed, exchanged = LOOPS[self.label]
        self.groups = {member: group for group in exchanged for member in group}
        for operation in self.graph.operations:
            last = self.period - 2 if operation.kind == MARK else 2 * self.period - 1
            self.starts[operation.name] = self.model.new_int_var(0, last, operation.name)
            # the second round of a loop still executes what comes two rounds late
            self.model.add(self.starts[operation.name] + self.written(operation) < 2 * self.period)
        for operation in self.graph.operations:
            self._depends(operation)
            self._matrix(operation)
        if TAKEN_G in self.starts:
            self.model.add(self.starts[TAKEN_F] < self.starts[TAKEN_G])
        self._ports()
        self._rows()

    def written(self, operation: Operation) -> int:
        """Cycles from the start to the write, or to the flag."""
        return self.machine.delay(operation.kind) - 1

    def _depends(self, operation: Operation) -> None:
        for index, operand in enumerate(operation.operands):
            for value in operand.values:
                self._after(value, self.starts[operation.name] + index)
        if operation.after:
            self._after(operation.after, self.starts[operation.name])
        if operation.name in self.handed:  # a mark that follows a flag of the step before
            self._carried(operation.name, self.starts[operation.name])
        # what is handed on is written after the last read of what it replaces
        for value, source in self.handed.items():
            if source == operation.name:
                for reader in self.graph.readers(value):
                    for index, operand in enumerate(reader.operands):
                        if value in operand.values:
                            at = self.starts[operation.name] + self.written(operation)
                            self.model.add(at >= self.starts[reader.name] + index)

    def _matrix(self, operation: Operation) -> None:
        """Words and signs of the matrix are read before the next round takes g, which begins another one; and divsteps
        end in their round, as the first one would begin with the last ones of none."""
        if TAKEN_G not in self.starts:
            return
        if operation.kind == RUN:
            self.model.add(self.starts[operation.name] + self.written(operation) < self.period)
        until = self.starts[TAKEN_G] + self.period
        if operation.kind == GIVEN:
            self.model.add(self.starts[operation.name] + self.machine.loaded <= until)
        for index, operand in enumerate(operation.operands):
            if operand.flag:
                self.model.add(self.starts[operation.name] + index <= until)

    def _after(self, value: str, cycle: Any) -> None:
        """A value, flag or mark is there in a cycle."""
        if value in self.starts:
            self.model.add(self.starts[value] + self.written(self.graph.by_name[value]) + 1 <= cycle)
            return
        for member in self.groups.get(value, (value,)):
            if member in self.handed:
                self._carried(member, cycle)

    def _carried(self, value: str, cycle: Any) -> None:
        """Demand that a value of the round before is there."""
        source = self.handed[value]
        self.model.add(self.starts[source] + self.written(self.graph.by_name[source]) + 1 - self.period <= cycle)

    def _modulo(self, cycle: Any, name: str) -> Any:
        found = self.model.new_int_var(0, self.period - 1, f"{name} modulo")
        self.model.add_modulo_equality(found, cycle, self.period)
        return found

    def _twice(self, begin: Any, length: int, around: int, name: str) -> list[Any]:
        """An interval and the same one a round later."""
        return [
            self.model.new_fixed_size_interval_var(begin + shift, length, f"{name} {shift}") for shift in (0, around)
        ]

    def _ports(self) -> None:
        bus: list[Any] = []
        writes: list[Any] = []
        digits: list[Any] = []
        for operation in self.graph.operations:
            name, kind = operation.name, operation.kind
            if kind in (MARK, RUN):
                continue
            begin = self._modulo(self.starts[name], name)
            if kind != GIVEN:
                bus += self._twice(begin, 1 if kind in (ZERO, OUT, TAKE) else 2, self.period, f"{name} read")
            if operation.makes_value:
                end = self._modulo(self.starts[name] + self.written(operation), f"{name} write")
                writes += self._twice(end, 1, self.period, f"{name} write")
            if kind in MULTIPLICATIONS:
                count = 1 + moving_cycles(self.row, kind)
                digits += self._twice(begin, count, self.period, f"{name} digits")
        for intervals in (bus, writes, digits):
            self.model.add_no_overlap(intervals)

    def _rows(self) -> None:
        """Steps of S: the cycles of one slot are a ring; where slots and period have no factor in common, all cycles
        are one ring, of steps that follow each other."""
        slots, period = self.machine.slots, self.period
        offset = self.machine.turns(FOUND + first(self.row))
        shared = gcd(slots, period)
        rings: list[list[Any]] = [[] for _ in range(shared)]
        around = period // shared
        for operation in self.graph.operations:
            if operation.kind not in MULTIPLICATIONS:
                continue
            name, count = operation.name, steps_of(self.row, operation.kind)
            at = self._modulo(self.starts[operation.name] + offset, f"{name} row")
            # the step's cycle is ring + slots·place, modulo the period
            ring = self.model.new_int_var(0, shared - 1, f"{name} ring")
            place = self.model.new_int_var(0, around - 1, f"{name} place")
            rounds = self.model.new_int_var(0, slots, f"{name} rounds")
            self.model.add(ring + slots * place == at + period * rounds)
            for number, steps in enumerate(rings):
                here = self.model.new_bool_var(f"{name} {number}")
                self.model.add(ring == number).only_enforce_if(here)
                self.model.add(ring != number).only_enforce_if(here.negated())
                for shift in (0, around):
                    steps.append(
                        self.model.new_optional_fixed_size_interval_var(place + shift, count, here, f"{name} {number}")
                    )
        for steps in rings:
            self.model.add_no_overlap(steps)

    def shorten_lives(self) -> None:
        """Make what lies between a value and each of its reads short, so that fewer words are needed."""
        lives = [
            self.starts[operation.name] - self.starts[value]
            for operation in self.graph.operations
            for operand in operation.operands
            for value in operand.values
            if value in self.starts
        ]
        self.model.minimize(sum(lives))

    def solve(self, seconds: float) -> dict[str, int] | None:
        """Starts of a round; None where none was found in time."""
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = 1
        status = solver.solve(self.model)
        found = f"{solver.status_name(status)} in {solver.wall_time:.1f} s"
        print(f"{self.label}, {self.period} cycles: {found}", flush=True)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return {name: solver.value(start) for name, start in self.starts.items()}


def _search(label: str, machine: RowMachine, begin: int, arguments: argparse.Namespace) -> dict[str, Any] | None:
    """The shortest loop that is found, and its period."""
    assert machine.row is not None
    operations = GRAPHS[label].operations
    busy = sum(steps_of(machine.row, made.kind) for made in operations if made.kind in MULTIPLICATIONS)
    for period in range(begin or busy, 2 * busy):
        timetable = _Timetable(label, machine, period)
        if arguments.short_lives:
            timetable.shorten_lives()
        starts = timetable.solve(arguments.seconds)
        if starts is not None:
            return {"period": period, "starts": starts}
    return None


def main() -> None:
    """Find the loops and store them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--period", type=int, default=0)
    parser.add_argument("--bits", default="256,384,521")
    parser.add_argument("--loops", default=",".join(LOOPS))
    parser.add_argument("--short-lives", action="store_true")
    parser.add_argument("--contexts", type=int, default=1)
    parser.add_argument("--slots", type=int, default=2)
    arguments = parser.parse_args()
    steps = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    for bits in map(int, arguments.bits.split(",")):
        options = {"bits": bits, "contexts": arguments.contexts, "slots": arguments.slots}
        p = CORE.derive(Request.make(CORE, target="ecp5", options=options))
        assert isinstance(p, RowLadderParameters)
        for label in arguments.loops.split(","):
            loop = _search(label, machine_of(p.row), arguments.period, arguments)
            if loop is not None:
                steps[name_of(p.row, label)] = loop
    STORED.write_text(text_by_lines(steps) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
