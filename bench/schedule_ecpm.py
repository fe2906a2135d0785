# SPDX-License-Identifier: Apache-2.0
"""Make steps.json of cores/ecpm/ladder: the ladder steps of the point multipliers, with what is proved of them.

    python bench/schedule_ecpm.py [--seconds 60]

For each kind of multiplier and number of them, CP-SAT of OR-tools looks for a step of the least period: multipliers,
read port, adder and operand registers have one user in each cycle, counted modulo the period; operands are read when
they are valid; and what the step hands on is valid when the next one reads it. Periods are tried from the least
number of cycles that the multipliers need. A period that is infeasible without the read port and the operand
registers is a bound.

Two multipliers are solved for 256 bits only: their other sizes are placed in the order found for that.

r64 is placed in the order of Xie et al. 2023, Table 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ortools.sat.python import cp_model

from modwright.base.json import text_by_lines
from modwright.cores.ecpm.ladder.parameters import EcpmParameters
from modwright.cores.ecpm.ladder.plan.formulas import CARRIED, EXCHANGED, step
from modwright.cores.ecpm.ladder.plan.stored import STORED, size_of, stored_form, variant_of
from modwright.engines.ladder.control import machine_of, unit_schedules
from modwright.engines.ladder.dataflow import MARK, MULTIPLICATIONS, SQUARE, ZERO, Graph, Operation
from modwright.engines.ladder.machine import Machine, NoPlaceError, Placed, Read
from modwright.engines.ladder.parameters import UNITS
from modwright.engines.ladder.placement import Loop, least_period, place_loop
from modwright.engines.limb.parameters import derive_unit
from modwright.engines.limb.units import R64

WIDTHS = (256, 384, 521)
LIMB = 64
"""Bits of a limb: the default of the point multipliers."""
TABLE_1: tuple[str, ...] = (
    *("L", "H", "h_zero", "decide", "XQg", "XRg", "J", "J2", "M'", "Za", "Zb", "XQ'", "XR'", "D"),
    *("K", "g_zero", "F", "E", "YQ'", "YR'", "G'"),
)
"""The products in the order of the table; sums as soon as they can be."""


@dataclass
class _Timetable:
    """A step of one period as a constraint problem."""

    graph: Graph
    machine: Machine
    period: int
    relaxed: bool
    model: cp_model.CpModel = field(default_factory=cp_model.CpModel)
    starts: dict[str, Any] = field(default_factory=dict)
    reads: dict[str, list[tuple[int, str, Any]]] = field(default_factory=dict)
    there: dict[str, Any] = field(default_factory=dict)
    on_second: dict[str, Any] = field(default_factory=dict)
    uses: dict[str, list[Any]] = field(default_factory=dict)

    def build(self) -> None:
        """All variables and conditions."""
        for operation in self.graph.operations:
            self._operation(operation)
        for operation in self.graph.operations:
            self._order(operation)
        for intervals in self.uses.values():
            self.model.add_no_overlap(intervals)

    def _cycle(self, name: str) -> Any:
        return self.model.new_int_var(0, 2 * self.period - 1, name)

    def _use(self, resource: str, first: Any, length: Any, longest: int, when: Any = None) -> None:
        """A use of a resource in cycles modulo the period: twice, in two periods that follow each other."""
        m, period = self.model, self.period
        at, turn = m.new_int_var(0, period - 1, ""), m.new_int_var(0, 3, "")
        m.add(first == at + period * turn)
        for offset in (0, period):
            end = m.new_int_var(0, 2 * period + longest, "")
            if when is None:
                interval = m.new_interval_var(at + offset, length, end, "")
            else:
                interval = m.new_optional_interval_var(at + offset, length, end, when, "")
            self.uses.setdefault(resource, []).append(interval)

    def _operation(self, operation: Operation) -> None:
        name = operation.name
        start = self.starts[name] = self._cycle(name)
        self.reads[name] = []
        if operation.kind in MULTIPLICATIONS:
            self._multiplication(operation)
        elif operation.kind == ZERO:
            self.reads[name].append((0, name, start))
            self.there[name] = start + 1
        elif operation.kind == MARK:
            self.model.add(start <= self.period - 2)
            self.there[name] = start + 1
        else:
            self.model.add(start >= 1)
            targets = ("a", "b")[: len(operation.operands)]
            self.reads[name] += [(k, target, start - 1 + k) for k, target in enumerate(targets)]
            self._use("adder", start, 1, 1)
            self.there[name] = start + 2
        if not self.relaxed:
            for _, _, cycle in self.reads[name]:
                self._use("read port", cycle, 1, 1)

    def _multiplication(self, operation: Operation) -> None:
        m, name, start = self.model, operation.name, self.starts[operation.name]
        timing = self.machine.timings[operation.kind]
        self.there[name] = start + timing.latency + 1
        self._use("adder", start + timing.latency - 1, 1, 1)
        second = self.on_second[name] = m.new_bool_var(f"{name} on the second unit")
        places = [(0, second.Not()), (1, second)] if self.machine.units > 1 else [(0, None)]
        if self.machine.units == 1:
            m.add(second == 0)
        for unit, when in places:
            self._use(f"unit {unit}", start, timing.interval, timing.interval, when)
        banks = timing.banks
        loads = [(k, (bank,), first, last) for k, (bank, first, last) in enumerate(banks)]
        if operation.kind == SQUARE:
            loads = [(0, ("x", "y"), min(b[1] for b in banks[:2]), max(b[2] for b in banks[:2]))]
        for index, names, first, last in loads:
            cycle = self._cycle("")
            m.add(cycle < start + first)
            m.add(cycle >= start - timing.interval)
            self.reads[name].append((index, "".join(names), cycle))
            if self.relaxed:
                continue
            longest = timing.interval + last
            length = m.new_int_var(1, longest, "")
            m.add(length == start + last - cycle)
            for unit, when in places:
                for bank in names:
                    self._use(f"unit {unit} {bank}", cycle, length, longest, when)

    def _order(self, operation: Operation) -> None:
        m, made = self.model, self.graph.by_name
        groups = {name: group for group in EXCHANGED for name in group}
        for index, target, cycle in self.reads[operation.name]:
            for value in operation.operands[index].values:
                if value in made:
                    early = self.machine.forwards and operation.kind != ZERO and target != "b"
                    m.add(cycle >= self.there[value] - early)
                    continue
                for member in groups.get(value, (value,)):
                    m.add(cycle + self.period >= self.there[CARRIED[member]])
                m.add(self.there[CARRIED[value]] - 1 >= cycle)
        if operation.after:
            m.add(self.starts[operation.name] >= self.there[operation.after])
        if operation.name in CARRIED:
            m.add(self.starts[operation.name] + self.period >= self.there[CARRIED[operation.name]])

    def solve(self, seconds: float) -> tuple[str, Loop | None]:
        """ "found", "none" or "unknown", and the step."""
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = 2
        solver.parameters.random_seed = 1
        status = solver.solve(self.model)
        if status == cp_model.INFEASIBLE:
            return "none", None
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return "unknown", None
        placed = []
        for operation in self.graph.operations:
            name = operation.name
            reads = tuple(Read(solver.value(cycle), index, target) for index, target, cycle in self.reads[name])
            unit = solver.value(self.on_second[name]) if name in self.on_second else 0
            written = solver.value(self.there[name]) - 1
            placed.append(Placed(operation, solver.value(self.starts[name]), unit, reads, written=written))
        return "found", Loop(self.period, tuple(sorted(placed, key=lambda placement: placement.start)))


def solve(graph: Graph, machine: Machine, period: int, seconds: float, *, relaxed: bool) -> tuple[str, Loop | None]:
    """A step of this period."""
    problem = _Timetable(graph, machine, period, relaxed)
    problem.build()
    return problem.solve(seconds)


def best(graph: Graph, machine: Machine, order: Sequence[str], seconds: float) -> tuple[Loop, int]:
    """The shortest step found, and a bound that no step is below."""
    least = least_period(graph, machine)
    try:
        loop = place_loop(graph, machine, order, CARRIED, EXCHANGED, longest=least)
        return loop, least
    except NoPlaceError:
        pass
    bound = period = least
    while True:
        if bound == period and solve(graph, machine, period, seconds, relaxed=True)[0] == "none":
            bound += 1
        else:
            status, loop = solve(graph, machine, period, seconds, relaxed=False)
            if loop is not None:
                return loop, bound
            bound += status == "none" and bound == period
        period += 1


def parameters(unit: str, macs: int, bits: int) -> EcpmParameters:
    """A point multiplier; what its step does not depend on is anything."""
    chosen = R64 if unit == R64.name else UNITS[unit]
    inner = derive_unit(chosen.core, bits, LIMB, "generic")
    return EcpmParameters(f"ecpm/{unit}", inner, macs, bits, False)


def variant(unit: str, macs: int, seconds: float) -> dict[str, Any]:
    """All that is stored of one kind of multiplier."""
    order: list[str] = []
    sizes = []
    for bits in WIDTHS if macs == 1 else WIDTHS[:1]:
        p = parameters(unit, macs, bits)
        graph, machine = step(p.sums), machine_of(p, unit_schedules(p))
        order = order or (list(TABLE_1) if unit == R64.name else [operation.name for operation in graph.operations])
        loop, bound = best(graph, machine, order, seconds)
        if bits == WIDTHS[0] and unit != R64.name:
            order = [
                placement.operation.name for placement in sorted(loop.placed, key=lambda placement: placement.start)
            ]
        print(f"{variant_of(p)}, {bits} bits: {loop.period} cycles, bound {bound}", flush=True)
        sizes.append({"bits": bits, "machine": size_of(machine), "bound": bound, **stored_form(loop)})
    return {"order": order, "sizes": sizes}


def main() -> None:
    """Every variant."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=60, help="for each period that is tried")
    seconds = options.parse_args().seconds
    pairs = [(R64.name, 1), *((unit, macs) for macs in (1, 2) for unit in UNITS)]
    found = {}
    for unit, macs in pairs:
        name = variant_of(parameters(unit, macs, WIDTHS[0]))
        found[name] = variant(unit, macs, seconds)
        STORED.write_text(text_by_lines(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
