# SPDX-License-Identifier: Apache-2.0
"""Schedule of the pipelined multiplier: its stages, and which of them end in a register.

Stages and their registers are those of the reference target for every target, so all run cycle for cycle alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from .....base.errors import ParameterError
from .....plan.pipeline import BLOCK, LOOKUP, WAY, adder, place_registers, registers_needed
from .....schedule import Schedule, Step
from ..parameters.pipelined import BinaryParameters, Lookup, Multiply
from ..plan.heap import SEGMENT
from ..plan.product import COMPARED, ProductPlan

PERIOD = adder(SEGMENT)
"""Estimated ns between registers when no latency is requested: one step of a sum."""

FINISH = 2 * LOOKUP
"""Estimated delay of the choice among the candidates and of the error, in front of the queue."""


@dataclass(frozen=True)
class Stage:
    """A piece of the datapath that a register may follow.

    Parameters
    ----------
    step : int
        Index of the step in the datapath.
    name : str
        Name of the operation.
    delay : float
        Estimated delay in ns.
    forced : bool
        Whether a register always follows: the input registers of the multiplier blocks, the registers of memories, and
        copies of signs.
    """

    step: int
    name: str
    delay: float
    forced: bool = False


def stages_of(p: BinaryParameters) -> tuple[Stage, ...]:
    """Every stage in order."""
    stages = []
    for index, step in enumerate(p.datapath):
        if isinstance(step, Multiply):
            check = adder(min(COMPARED, p.width)) if index == 0 else 0.0  # x < p and y < p
            delays = factor_delays(step.plan)
            names = [*(f"{step.name} limbs {n}" for n in range(1, len(delays))), f"{step.name} factors"]
            delays[0] = max(check, delays[0])
            stages += [Stage(index, *named) for named in zip(names[:-1], delays[:-1], strict=True)]
            stages.append(Stage(index, names[-1], delays[-1], forced=True))
            stages += [Stage(index, f"{step.name} {name}", delay) for name, delay in inner_stages(step.plan)]
        elif isinstance(step, Lookup):
            stages += [Stage(index, f"{step.name} {name}", WAY, forced=True) for name in ("address", "word")]
        else:
            stages += [Stage(index, f"{step.name} {name}", delay) for name, delay in step.heap.stages]
    if p.tables:  # whose words lie all over the device, so that the signs of candidates have a long way to their bits
        stages.append(Stage(len(p.datapath) - 1, "signs", WAY, forced=True))
    return tuple(stages)


def factor_delays(plan: ProductPlan) -> list[float]:
    """Estimated delay of each level of the sums of limbs, and of the sums of digits, in front of the blocks."""
    levels = [adder(plan.limb + level) for level in range(plan.karatsuba)]
    return [*levels, adder(plan.digits.widest) if plan.digits.paired else 0.0]


def inner_stages(plan: ProductPlan) -> tuple[tuple[str, float], ...]:
    """Name and estimated delay of the blocks, and of each step of the sum of their products."""
    return (("blocks", BLOCK), *plan.unit.stages)


def registers_of(p: BinaryParameters) -> tuple[int, ...]:
    """Registers after each stage, 0 or 1; the result queue is one more at the end."""
    stages = stages_of(p)
    delays = [stage.delay for stage in stages]
    forced = frozenset(n for n, stage in enumerate(stages) if stage.forced)
    if p.latency is None:
        count = int(registers_needed(delays, FINISH, forced, max(PERIOD, FINISH, *delays)))
    else:
        count = p.latency - 1
    if not len(forced) <= count <= len(stages):
        raise ParameterError(
            f"modmul/binary at {p.width} bits cannot have a latency of {count + 1} cycles",
            rule=f"{len(forced) + 1} <= latency <= {len(stages) + 1}",
            hint=f"a latency from {len(forced) + 1} to {len(stages) + 1}",
        )
    return place_registers(delays, count, tail=FINISH, forced=forced)


def make_schedule(p: BinaryParameters) -> Schedule:
    """Schedule of one product: a step for each cycle, of the stages between two registers, with hardware of its own."""
    names: list[list[str]] = [[]]
    for stage, register in zip(stages_of(p), registers_of(p), strict=True):
        names[-1].append(stage.name)
        if register:
            names.append([])
    names[-1].append("choice")
    labels = [", ".join(group) for group in names]
    steps = tuple(
        Step(label, f"stage {cycle}", cycle, after=(labels[cycle - 1],) if cycle else ())
        for cycle, label in zip(count(), labels, strict=False)
    )
    return Schedule(steps, latency=len(steps), formula="1 + registers")
