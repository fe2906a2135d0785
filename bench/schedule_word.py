# SPDX-License-Identifier: Apache-2.0
"""Make steps.json of cores/ecpm/ladder/plan/word: rounds of its loops, on columns, of few cycles.

    python bench/schedule_word.py [--seconds 120] [--period CYCLES] [--until CYCLES] [--bits 256] [--digits 5]
        [--workers 1] [--loop step]

CP-SAT of OR-tools looks for a round of a period: the multiply-accumulate, the read port of the adder and the write port
have one user in each cycle, counted modulo the period, and no more products are in turn than there are contexts;
limbs are read when they are valid, and what a round hands on is valid when the next one reads it. Periods are tried
from `--period` on. What is found is placed again by `WordPlacer`, which checks it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ortools.sat.python import cp_model

from modwright.base.json import text_by_lines
from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.plan.word.formulas import GRAPHS
from modwright.cores.ecpm.ladder.plan.word.steps import LOOPS, STORED, name_of, placed_loop
from modwright.engines.columns.cycles import CLOSE_TO_FIRST
from modwright.engines.columns.digits import NOTHING
from modwright.engines.columns.program import Limb
from modwright.engines.ladder.dataflow import GIVEN, MARK, MULTIPLICATIONS, RUN, TAKE, ZERO, Operation
from modwright.engines.word.divsteps import ENTRY_LIMBS
from modwright.engines.word.machine import (
    APART,
    LOADED,
    TERMS,
    WordMachine,
    is_result,
    machine_of,
    offset_of,
)
from modwright.engines.word.rows import OPERANDS, columns_of
from modwright.prepared.registry import find

CORE = find("ecpm/word-ladder")
SLACK = 45
"""Cycles that a product may take in the step beyond those that it takes alone, at most."""


class _Progress(cp_model.CpSolverSolutionCallback):
    """Printing of how late a round hands on what the next one reads; at 0 the search ends."""

    def __init__(self, late: Any) -> None:
        super().__init__()
        self.late = late

    def on_solution_callback(self) -> None:
        """Print a solution."""
        late = self.value(self.late)
        print(f"  {late} cycles late after {self.wall_time:.1f} s", flush=True)
        if late == 0:
            self.stop_search()


@dataclass
class _Timetable:
    """A round of one period as a constraint problem."""

    machine: WordMachine
    label: str
    period: int
    model: cp_model.CpModel = field(default_factory=cp_model.CpModel)
    starts: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    intervals: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    late: Any = None

    def __post_init__(self) -> None:
        self.s, self.graph = self.machine.p.s, GRAPHS[self.label]
        self.from_before, together = LOOPS[self.label]
        self.written: dict[str, Any] = {}
        self.writes: dict[str, list[Any]] = {}
        self.lives: list[Any] = []
        self.late = self.model.new_int_var(0, self.period, "late")
        self.groups = {member: group for group in together for member in group}
        for operation in self.graph.operations:
            self._operation(operation)
        for operation in self.graph.operations:
            self._depends(operation)
        for intervals in self.intervals.values():
            self.model.add_no_overlap(intervals)
        self.model.add_cumulative(self.lives, [1] * len(self.lives), self.machine.p.contexts)

    def _on_ring(self, resource: str, cycle: Any, length: int, name: str) -> None:
        """An interval modulo the period, and the same one a round later."""
        place = self.model.new_int_var(0, self.period - 1, f"{name} place")
        rounds = self.model.new_int_var(0, 3, f"{name} round")
        self.model.add(cycle == place + self.period * rounds)
        self.intervals.setdefault(resource, []).extend(
            self.model.new_fixed_size_interval_var(place + shift, length, f"{name} {shift}")
            for shift in (0, self.period)
        )

    def _operation(self, operation: Operation) -> None:
        name, kind = operation.name, operation.kind
        last = self.period - 3 if kind == MARK else 2 * self.period - 1
        start = self.model.new_int_var(0, last, name)
        self.starts[name] = [start]
        if kind in (MARK, RUN, TAKE):
            self.written[name] = start + self.machine.delay(kind) - 1
            if kind == TAKE:
                self._on_ring("reads", start, 1, name)
            if kind == RUN:
                self.model.add(self.written[name] < self.period)
        elif kind == GIVEN:
            self._on_ring("load", start, ENTRY_LIMBS, name)
            self._made(name, [start + LOADED + limb for limb in range(ENTRY_LIMBS)])
        elif kind in MULTIPLICATIONS:
            self._product(operation, start)
        else:
            length = self.s * len(TERMS[kind])
            self._on_ring("reads", start, length, name)
            if kind == ZERO:
                self.written[name] = start + length - 1 + self.machine.p.compared
                return
            ends = [start + len(TERMS[kind]) * (limb + 1) - 1 + self.machine.p.summed for limb in range(self.s)]
            self._made(name, ends)

    def _made(self, name: str, cycles: list[Any]) -> None:
        """Writes of the limbs of a value, and when it counts as written."""
        self.writes[name] = cycles
        written = self.model.new_int_var(0, 4 * self.period, f"{name} written")
        for limb, cycle in enumerate(cycles):
            self._on_ring("writes", cycle, 1, f"{name} limb {limb}")
            self.model.add(cycle < 2 * self.period)
            self.model.add(written >= cycle - APART * limb)
        self.written[name] = written

    def _product(self, operation: Operation, start: Any) -> None:
        """Columns of a product."""
        name, closed, limbs, results = operation.name, start, dict[Limb, Any](), list[Any]()
        at = [start]
        for number, column in enumerate(columns_of(self.s, operation.kind)):
            if number:
                at.append(self.model.new_int_var(0, 3 * self.period, f"{name} column {number}"))
                self.model.add(at[-1] > at[-2] + columns_of(self.s, operation.kind)[number - 1].cycles - 1)
                if column.opening is not NOTHING:
                    self.model.add(at[-1] >= closed + CLOSE_TO_FIRST)
            for place, (a, _) in enumerate(column.products):
                if a in limbs:
                    self._there(at[-1] + place - limbs[a], f"{name} column {number} {place}")
            end = at[-1] + column.cycles - 1
            closed = end if column.stores else closed
            if column.leaves is not None:
                limbs[column.leaves] = end
            if is_result(column):
                results.append(end + self.machine.p.left)
            elif column.leaves is not None:
                self._on_ring("writes", end + self.machine.p.left, 1, f"{name} column {number} leaves")
            self._on_ring("columns", at[-1], column.cycles, f"{name} column {number}")
        self.starts[name] = at
        self._made(name, results)
        self._lives(name, start, at[-1], self.machine.timings[operation.kind].latency + SLACK)

    def _there(self, gap: Any, name: str) -> None:
        """A limb of t has just left, or is in the memory."""
        now = self.model.new_bool_var(name)
        self.model.add(gap == self.machine.p.word_cycles).only_enforce_if(now)
        self.model.add(gap >= self.machine.p.stored_cycles).only_enforce_if(~now)

    def _lives(self, name: str, start: Any, last: Any, longest: int) -> None:
        """The context of a product."""
        place, rounds = self.model.new_int_var(0, self.period - 1, name), self.model.new_int_var(0, 3, name)
        self.model.add(start == place + self.period * rounds)
        size = self.model.new_int_var(1, longest, f"{name} length")
        self.model.add(size == last + 1 - start)
        for shift in (0, self.period):
            end = self.model.new_int_var(0, 3 * self.period, f"{name} end {shift}")
            self.lives.append(self.model.new_interval_var(place + shift, size, end, f"{name} lives {shift}"))

    # --- what comes after what

    def _depends(self, operation: Operation) -> None:
        start = self.starts[operation.name][0]
        for index, operand in enumerate(operation.operands):
            if operation.kind == TAKE:  # of limb 0
                source = self.writes[self.from_before[operand.value]]
                self.model.add(source[0] + 1 - self.period <= start + self.late)
                continue
            for value in operand.values:
                self._after(value, start + offset_of(operation, index, self.s))
        if operation.after:
            self._after(operation.after, start)
        if operation.name in self.from_before:  # a mark that follows a flag of the step before
            self._carried(operation.name, start)
        for cycle, _, index in self._limbs(operation):
            if operation.operands[index].flag:
                self.model.add(cycle < self.period)
        for cycle, limb, index in self._limbs(operation):  # before a round later replaces it
            for value in operation.operands[index].values:
                if value in self.writes:
                    self.model.add(self.writes[value][limb] + self.period > cycle)
        for value, source in self.from_before.items():
            if source == operation.name and source in self.writes:
                for cycle, limb in self._reads(value):
                    self.model.add(self.writes[source][limb] > cycle)

    def _reads(self, value: str) -> Iterator[tuple[Any, int]]:
        """Cycles in which limbs of a value are read, and their numbers."""
        for reader in self.graph.readers(value):
            for cycle, limb, index in self._limbs(reader):
                if value in reader.operands[index].values:
                    yield cycle, limb

    def _limbs(self, reader: Operation) -> Iterator[tuple[Any, int, int]]:
        """Cycles in which an operation reads limbs, their numbers, and those of the operands."""
        starts = self.starts[reader.name]
        if reader.kind in MULTIPLICATIONS:
            banks = OPERANDS[reader.kind]
            for start, column in zip(starts, columns_of(self.s, reader.kind), strict=True):
                for at, pair in enumerate(column.products):
                    yield from ((start + at, limb.index, banks[limb.bank]) for limb in pair if limb.bank in banks)
        elif reader.kind == TAKE:
            yield starts[0], 0, 0
        elif reader.kind in TERMS:
            terms = TERMS[reader.kind]
            for limb in range(self.s):
                places = enumerate(terms, len(terms) * limb)
                yield from ((starts[0] + at, limb, term.index) for at, term in places if not term.constant)

    def _after(self, value: str, cycle: Any) -> None:
        """A value, flag or mark is there in a cycle."""
        if value in self.starts:
            self.model.add(self.written[value] + 1 <= cycle)
            return
        for member in self.groups.get(value, (value,)):
            if member in self.from_before:
                self._carried(member, cycle)

    def _carried(self, value: str, cycle: Any) -> None:
        """Demand that a value of the step before is there."""
        self.model.add(self.written[self.from_before[value]] + 1 - self.period <= cycle + self.late)

    def hint(self, given: Mapping[str, list[int]], period: int) -> None:
        """Begin the search next to a round of another period."""
        for name, starts in self.starts.items():
            for variable, start in zip(starts, given.get(name, ()), strict=False):
                self.model.add_hint(variable, start * self.period // period)

    def solve(self, seconds: float, workers: int) -> dict[str, list[int]] | None:
        """Starts of a step; None where none was found in time."""
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers, solver.parameters.interleave_search = workers, workers > 1
        self.model.minimize(self.late)
        status = solver.solve(self.model, _Progress(self.late))
        print(f"{self.period} cycles: {solver.status_name(status)} in {solver.wall_time:.1f} s", flush=True)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE) or solver.value(self.late):
            return None
        return {name: [solver.value(start) for start in starts] for name, starts in self.starts.items()}


def _stored() -> dict[str, Any]:
    return json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}


def main() -> None:
    """Find the steps and store them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--period", type=int, default=0)
    parser.add_argument("--until", type=int, default=0)
    parser.add_argument("--bits", type=int, default=256)
    parser.add_argument("--digits", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--loop", choices=tuple(LOOPS), default="step")
    arguments = parser.parse_args()
    request = Request.make(CORE, target="ecp5", options={"bits": arguments.bits, "digits": arguments.digits})
    ladder = CORE.derive(request)
    machine = machine_of(ladder.words, ladder.K)
    graph = GRAPHS[arguments.loop]
    busy = sum(machine.timings[made.kind].interval for made in graph.operations if made.kind in MULTIPLICATIONS)
    first = arguments.period or busy
    known = _stored().get(name_of(machine, arguments.loop))
    for period in range(first, (arguments.until or 2 * busy) + 1):
        table = _Timetable(machine, arguments.loop, period)
        if known is not None:
            table.hint(known["starts"], known["period"])
        found = table.solve(arguments.seconds, arguments.workers)
        if found is not None:
            made = {"period": period, "starts": found}
            placed_loop(machine, arguments.loop, made)
            every = _stored() | {name_of(machine, arguments.loop): made}
            STORED.write_text(text_by_lines(every) + "\n", encoding="utf-8")
            break


if __name__ == "__main__":
    main()
