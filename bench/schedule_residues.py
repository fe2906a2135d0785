# SPDX-License-Identifier: Apache-2.0
"""Find ladder steps in residues with a constraint solver, and store them.

    python bench/schedule_residues.py [--seconds 20] [--sizes 8:9,8:10]

A size is the cycles of the hats on a bus and those from a factor to its residue; the period of a step depends on
nothing else. From the bound of `shortest_step` on each period is tried; one for which the solver shows that there is no
step is left behind, and where all before the first one found are, that step is the shortest of its kind.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from typing import Any

from ortools.sat.python import cp_model

from modwright.base.json import text_by_lines
from modwright.cores.ecpm.ladder.plan.residues.formulas import GRAPHS
from modwright.cores.ecpm.ladder.plan.residues.steps import STORED
from modwright.engines.rowers.control import TESTED, TRAVEL
from modwright.engines.rowers.program import Operation

STEP = GRAPHS["step"]
SIZES = "4:10,4:11,5:9,5:10,8:9,8:10,8:11,11:10,11:11"
"""Sizes of 256, 384 and 521 bits with the default options, and some others."""


@dataclass
class _Timetable:
    """A step of one period as a constraint problem."""

    rows: int
    result: int
    period: int
    model: cp_model.CpModel = field(default_factory=cp_model.CpModel)
    starts: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.busy: tuple[list[Any], list[Any]] = ([], [])
        self.index = {operation.name: number for number, operation in enumerate(STEP)}
        for operation in STEP:
            self.starts[operation.name] = self.model.new_int_var(0, 2 * self.period, operation.name)
            self.seconds[operation.name] = self.model.new_int_var(0, 2 * self.period, f"{operation.name} second")
        for operation in STEP:
            self._rowers(operation)
            for source in operation.sources:
                self._reads(operation, source)
        self._decides()
        for intervals in self.busy:
            self.model.add_no_overlap(intervals)

    def hats(self, operation: Operation) -> Any:
        """First cycle of the hats of Q."""
        return self.starts[operation.name] + len(operation.terms) - 1 + self.result

    def stored(self, operation: Operation) -> tuple[Any, Any, Any]:
        """Cycles in which ŝ, s and the second form are stored."""
        in_b = self.hats(operation) + self.rows - 1 + self.result
        return in_b, in_b + self.rows - 1 + self.result, self.seconds[operation.name] + self.result

    def _rowers(self, operation: Operation) -> None:
        name, count = operation.name, len(operation.terms)
        in_b, in_a, second = self.stored(operation)
        self.model.add(self.seconds[name] > in_b)
        self.model.add(in_a < 2 * self.period)
        self.model.add(second < 2 * self.period)
        self._takes(0, self.starts[name], count, f"{name} products")
        self._takes(0, in_b, self.rows, f"{name} hats of S")
        self._takes(1, self.hats(operation) - count, count + self.rows, f"{name} hats of Q")
        self._takes(1, self.seconds[name], 1, f"{name} second form")

    def _takes(self, side: int, first: Any, count: int, name: str) -> None:
        """An interval of a round, and the same one a round later."""
        begin = self.model.new_int_var(0, self.period - 1, name)
        turns = self.model.new_int_var(0, 2, f"{name} rounds")
        self.model.add(first == begin + self.period * turns)
        for shift in (0, self.period):
            self.busy[side].append(self.model.new_fixed_size_interval_var(begin + shift, count, f"{name} {shift}"))

    def _reads(self, operation: Operation, source: str) -> None:
        """A word is there when it is read, and not yet replaced; that of the round before is read within the round."""
        if source not in self.index:
            return
        maker = STEP[self.index[source]]
        before = self.index[source] >= self.index[operation.name]
        shift = self.period if before else 0
        in_b, in_a, second = self.stored(maker)
        start, last = self.starts[operation.name], self.hats(operation) - 1
        self.model.add(start + shift > in_a)
        self.model.add(start + shift + self.result - 1 > second)
        for cycle in (in_a, in_b, second):
            self.model.add(last + shift < cycle + self.period)
        if before:
            self.model.add(last < self.period)

    def _decides(self) -> None:
        """H = 0 and the G = 0 of the round before are known before the end of a round and the next G."""
        h, g = (self.stored(STEP[self.index[name]])[0] + TRAVEL + TESTED for name in "HG")
        self.model.add(h + 1 <= self.period - 2)
        self.model.add(h + 1 <= g)
        self.model.add(g - self.period + 1 <= self.period - 2)

    def solve(self, seconds: float) -> tuple[str, dict[str, tuple[int, int]] | None]:
        """The solver's status, and starts of a step where one was found in time."""
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = 1
        status = solver.solve(self.model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return solver.status_name(status), None
        places = zip(self.starts.items(), self.seconds.values(), strict=True)
        return solver.status_name(status), {name: (solver.value(s), solver.value(u)) for (name, s), u in places}


def find(rows: int, result: int, seconds: float) -> dict[str, object]:
    """The first step found, with its period, and whether all shorter ones are shown not to be."""
    latency, products = 3 * result + 2 * (rows - 1) + 1, sum(len(operation.terms) for operation in STEP)
    least, shortest = max(3 * latency, products + len(STEP) * (rows + 1)), True
    for period in range(least, 4 * least):
        status, starts = _Timetable(rows, result, period).solve(seconds)
        if starts is not None:
            print(f"{rows}:{result}: {period} cycles, {'the fewest' if shortest else 'fewer not excluded'}", flush=True)
            return {"rows": rows, "result": result, "period": period, "starts": starts, "shortest": shortest}
        shortest = shortest and status == "INFEASIBLE"
    raise ValueError(f"no step of {rows}:{result}")


def main() -> None:
    """Find the steps and store them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--sizes", default=SIZES)
    arguments = parser.parse_args()
    found = {
        (row["rows"], row["result"]): row
        for row in (json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else [])
    }
    for size in arguments.sizes.split(","):
        rows, result = map(int, size.split(":"))
        found[rows, result] = find(rows, result, arguments.seconds)
    STORED.write_text(text_by_lines([found[size] for size in sorted(found)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
