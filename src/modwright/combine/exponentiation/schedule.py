# SPDX-License-Identifier: Apache-2.0
"""Schedule of an exponentiator: the parts of its program, run with products that only have cycles."""

from __future__ import annotations

from fractions import Fraction

from ...schedule import Schedule, Step, UnitCycles, both, times, total
from .parameters import LEFT, RIGHT, ModexpParameters
from .plan.execution import START, Execution
from .plan.in_turn import started

WHOLE = "program"
"""The resource: one operation is in the core at a time."""
ADMISSION = 1
"""Cycles more between pairs that share the registers of operands, as the next pair is admitted from a register."""


def make_schedule(p: ModexpParameters) -> Schedule:
    """Schedule of one exponentiation.

    Where the cycles depend on operands, a step has its place in the shortest run, and the latency of the longest.
    """
    inner = p.multiplier.schedule
    varies = p.method in (LEFT, RIGHT) or not inner.constant_time
    longest, shortest = run_with(p, p.multiplier.latency, ones(p)), run_with(p, p.multiplier.least, 0)
    if not varies:
        shortest = longest
    steps = [Step("operands", WHOLE, 0)]
    for part, most in zip(shortest.parts, longest.parts, strict=True):
        busy = max(1, part.end - part.start)
        steps.append(Step(part.name, WHOLE, part.start, busy, max(busy, most.end - part.start), depends_on_data=varies))
    return Schedule(
        tuple(step for step in steps if step.busy),
        longest.cycle,
        _formula(p),
        minimum_interval=shortest.cycle + 1 + (p.lanes - 1) * p.apart + (ADMISSION if p.in_turn else 0),
        burst=p.lanes,
        burst_distance=p.apart,
        parts={"product": inner},
        counted=_work(p, shortest, longest),
    )


def _work(p: ModexpParameters, shortest: Execution, longest: Execution) -> UnitCycles:
    """Work of the units of each multiplier, which all exponentiations share, and of those that each has of its own."""
    works: list[UnitCycles] = []
    for port, name in enumerate(_named("product", p.ports)):
        works.append(times(p.multiplier.schedule.work, shortest.products[port], longest.products[port], name))
    return total(*works, *(_work_of_a_lane(p, shortest, longest, lane) for lane in range(p.lanes)))


def _work_of_a_lane(p: ModexpParameters, shortest: Execution, longest: Execution, lane: int) -> UnitCycles:
    """Work of a lane's converters, limb unit and table: every p.lanes-th exponentiation is in it."""
    limb_unit, table, into, out = (_named(name, p.lanes)[lane] for name in ("limb unit", "table", "in", "out"))
    own = {
        f"{limb_unit}: adder": (shortest.sums, longest.sums),
        f"{table}: read port": (shortest.table_cycles[0], longest.table_cycles[0]),
        f"{table}: write port": (shortest.table_cycles[1], longest.table_cycles[1]),
    }
    works: list[UnitCycles] = [{unit: (Fraction(least), Fraction(most)) for unit, (least, most) in own.items() if most}]
    if p.conversion:
        to_residues, from_residues = p.conversion.schedules
        works += [times(to_residues.work, 1, part=into), times(from_residues.work, 1, part=out)]
        works.append({f"{out}: subtractor": both(p.conversion.limbs)})
    return {unit: (least / p.lanes, most / p.lanes) for unit, (least, most) in total(*works).items()}


def _named(unit: str, units: int) -> list[str]:
    """The unit's name, with a number where there are several."""
    return [unit] if units == 1 else [f"{unit} {number + 1}" for number in range(units)]


def ones(p: ModexpParameters) -> int:
    """The exponent of which every bit is 1."""
    return (1 << p.exponent_bits) - 1


def run_with(p: ModexpParameters, cycles: int, exponent: int) -> Execution:
    """An exponentiation whose products take `cycles` each."""
    return started(p, lambda _x, _y: (0, cycles, 0), base=0, exponent=exponent).run()


def _formula(p: ModexpParameters) -> str:
    """The latency in words, as its terms are those of the program."""
    return f"{p.method}, {p.exponent_bits} bits, {p.multiplier.latency} cycles a product; from cycle {START}"
