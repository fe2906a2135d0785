# SPDX-License-Identifier: Apache-2.0
"""Make steps.json of cores/ecpm/ladder/plan/row: ladder steps over a row multiplier of few cycles.

    python bench/schedule_row.py [--seconds 60] [--period CYCLES] [--bits 256,384,521]

CP-SAT of OR-tools looks for a step of a period: the read port, the write port, the register of X and the row have one
user in each cycle, counted modulo the period; operands are read when they are valid, and what the step hands on is
valid when the next one reads it. Periods are tried from `--period` on, or from the least that the row and the
dependencies allow. What is found is placed again by `RowPlacer`, which checks it.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from typing import Any

from ortools.sat.python import cp_model

from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.parameters.row import RowLadderParameters
from modwright.cores.ecpm.ladder.plan.formulas import CARRIED, EXCHANGED
from modwright.cores.ecpm.ladder.plan.row.formulas import GRAPHS
from modwright.cores.ecpm.ladder.plan.row.steps import STORED, name_of
from modwright.engines.ladder.dataflow import MARK, MULTIPLICATIONS, OUT, ZERO, Operation
from modwright.engines.orup.cycles import first
from modwright.engines.row.machine import COMPARED, FOUND, SUMMED, RowMachine, machine_of, moving_cycles, steps_of
from modwright.prepared.registry import find

CORE = find("ecpm/row-ladder")
GRAPH = GRAPHS["step"]


@dataclass
class _Timetable:
    """A step of one period as a constraint problem."""

    machine: RowMachine
    period: int
    model: cp_model.CpModel = field(default_factory=cp_model.CpModel)
    starts: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.machine.row is not None
        self.row = self.machine.row
        self.groups = {member: group for group in EXCHANGED for member in group}
        for operation in GRAPH.operations:
            last = self.period - 2 if operation.kind == MARK else 2 * self.period - 1
            self.starts[operation.name] = self.model.new_int_var(0, last, operation.name)
        for operation in GRAPH.operations:
            self._depends(operation)
        self._ports()
        self._rows()

    def written(self, operation: Operation) -> int:
        """Cycles from the start to the write, or to the flag."""
        if operation.kind in MULTIPLICATIONS:
            return self.machine.timings[operation.kind].latency
        return 0 if operation.kind == MARK else COMPARED if operation.kind in (ZERO, OUT) else SUMMED

    def _depends(self, operation: Operation) -> None:
        for index, operand in enumerate(operation.operands):
            for value in operand.values:
                self._after(value, self.starts[operation.name] + index)
        if operation.after:
            self._after(operation.after, self.starts[operation.name])
        if operation.name in CARRIED:  # a mark that follows a flag of the step before
            self._carried(operation.name, self.starts[operation.name])
        # what is handed on is written after the last read of what it replaces
        for value, source in CARRIED.items():
            if source == operation.name:
                for reader in GRAPH.readers(value):
                    for index, operand in enumerate(reader.operands):
                        if value in operand.values:
                            at = self.starts[operation.name] + self.written(operation)
                            self.model.add(at >= self.starts[reader.name] + index)

    def _after(self, value: str, cycle: Any) -> None:
        """A value, flag or mark is there in a cycle."""
        if value in self.starts:
            self.model.add(self.starts[value] + self.written(GRAPH.by_name[value]) + 1 <= cycle)
            return
        for member in self.groups.get(value, (value,)):
            if member in CARRIED:
                self._carried(member, cycle)

    def _carried(self, value: str, cycle: Any) -> None:
        """What the step before makes is there."""
        source = CARRIED[value]
        self.model.add(self.starts[source] + self.written(GRAPH.by_name[source]) + 1 - self.period <= cycle)

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
        for operation in GRAPH.operations:
            name, kind = operation.name, operation.kind
            if kind == MARK:
                continue
            begin = self._modulo(self.starts[name], name)
            bus += self._twice(begin, 1 if kind in (ZERO, OUT) else 2, self.period, f"{name} read")
            if operation.makes_value:
                end = self._modulo(self.starts[name] + self.written(operation), f"{name} write")
                writes += self._twice(end, 1, self.period, f"{name} write")
            if kind in MULTIPLICATIONS:
                count = 1 + moving_cycles(self.row, kind)
                digits += self._twice(begin, count, self.period, f"{name} digits")
        for intervals in (bus, writes, digits):
            self.model.add_no_overlap(intervals)

    def _rows(self) -> None:
        """Steps of S: the cycles of one slot are a ring; of an odd period all cycles are one, two slots in turn."""
        slots, period, offset = self.row.slots, self.period, FOUND + first(self.row)
        if slots != 2:
            raise ValueError("two slots")
        rings: tuple[list[Any], ...] = ([], [])
        half = period // 2
        for operation in GRAPH.operations:
            if operation.kind not in MULTIPLICATIONS:
                continue
            name, count = operation.name, steps_of(self.row, operation.kind)
            at = self._modulo(self.starts[operation.name] + offset, f"{name} row")
            odd, place = self.model.new_bool_var(f"{name} odd"), self.model.new_int_var(0, period, f"{name} place")
            if period % 2:
                self.model.add(2 * place == at + period * odd)
                rings[0].extend(self._twice(place, count, period, f"{name} row"))
                continue
            self.model.add(2 * place == at - odd)
            for number, ring in enumerate(rings):
                here = odd if number else odd.negated()
                for shift in (0, half):
                    ring.append(
                        self.model.new_optional_fixed_size_interval_var(place + shift, count, here, f"{name} {number}")
                    )
        for ring in rings:
            self.model.add_no_overlap(ring)

    def solve(self, seconds: float) -> dict[str, int] | None:
        """Starts of a step; None where none was found in time."""
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = 1
        status = solver.solve(self.model)
        print(f"{self.period} cycles: {solver.status_name(status)} in {solver.wall_time:.1f} s", flush=True)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return {name: solver.value(start) for name, start in self.starts.items()}


def main() -> None:
    """Find the steps and store them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--period", type=int, default=0)
    parser.add_argument("--bits", default="256,384,521")
    arguments = parser.parse_args()
    steps = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    for bits in map(int, arguments.bits.split(",")):
        p = CORE.derive(Request.make(CORE, target="ecp5", options={"bits": bits}))
        assert isinstance(p, RowLadderParameters)
        machine = machine_of(p.row)
        busy = sum(steps_of(p.row, made.kind) for made in GRAPH.operations if made.kind in MULTIPLICATIONS)
        for period in range(arguments.period or busy, 2 * busy):
            found = _Timetable(machine, period).solve(arguments.seconds)
            if found is not None:
                steps[name_of(p.row)] = {"period": period, "starts": found}
                break
    STORED.write_text(json.dumps(steps, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
